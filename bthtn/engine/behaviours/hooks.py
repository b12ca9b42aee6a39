"""The hooks of a plan: ``on_plan_start`` and ``on_plan_end`` of its steps.

For every start there is one end, however the plan goes: users reserve things in one and return them
in the other. A plan that is replaced may have the same call as the next one, perhaps several times:
then it stays open as often as both have it. If a start raises, those before it are ended and the
plan is refused. Ends wait until the steps of the plan are aborted, which may take ticks, as these
may still use what was reserved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import PlanHookFailed
from bthtn.engine.agent.leases import Account, Holder
from bthtn.engine.agent.programming_errors import is_interrupt, text_of
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.plan_run import PlanRefused
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import PrimitiveTask, call_text
from bthtn.engine.plan.nodes import Node, TaskNode
from bthtn.engine.plan.walk import preorder

Call = tuple[PrimitiveTask[...], tuple[Any, ...]]
"""A task and its arguments, with which its hooks are called."""


_LOADED: Final = object()


@dataclass(frozen=True, eq=False)
class _Open:
    """A step whose start hook was called, with the leases that the hook took, and its end hook.

    The end hook of one that was loaded is that of the agent's operators.
    """

    call: Call
    account: Account
    end: Any = _LOADED

    @property
    def name(self) -> str:
        """The step in events, with its arguments."""
        return call_text(*self.call)


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """The ends of steps that were dropped, to be called when the aborts of their goal are done."""

    hooks: PlanHooks
    dropped: list[_Open]

    def __call__(self) -> None:
        self.hooks._end(self.dropped)


class PlanHooks:
    """Calls the hooks of a goal's plans: for every step one start, and later one end.

    A step that the next plan has as well stays open: neither hook is called for it. ``holder``
    holds the leases that hooks took; they are returned after each step's ``on_plan_end``.
    ``on_refused`` is called with each PlanRefused that is raised.
    """

    __slots__ = (
        *("_agent", "_called", "_dropped", "_goal", "_open", "_runtime"),
        *("holder", "on_refused"),
    )

    def __init__(
        self,
        agent: Agent[Any, Any],
        goal: str,
        on_refused: Callable[[PlanRefused], None] | None = None,
    ) -> None:
        self.on_refused = on_refused
        self._runtime = runtime_of(agent)
        self.holder = Holder(goal, self._runtime.holder, goal)
        self._agent = agent
        self._goal = goal
        self._open: list[_Open] = []
        self._dropped: list[_Open] = []
        self._called: tuple[str, _Open] | None = None
        """The latest hook that was called, unless an interrupt came before."""

    def adopt(self, tree: Node) -> None:
        """Switch to a plan: call the starts of the steps that the one before lacks.

        ``release`` calls the ends of steps that only the one before has. Raises PlanRefused when
        a start hook raises; then the plan before stays open, with nothing changed.
        """
        if not (self._agent.operators.has_plan_hooks or self._open):
            return
        wanted = list(self._hooked(tree))
        missing = Counter(wanted)
        kept: list[_Open] = []
        dropped: list[_Open] = []
        for opened in self._open:
            stays = missing[opened.call] > 0
            missing[opened.call] -= stays
            (kept if stays else dropped).append(opened)
        new: list[Call] = []
        for call in reversed(wanted):
            if missing[call] > 0:
                missing[call] -= 1
                new.append(call)
        before = len(self._open)
        try:
            self._start(reversed(new))
        except PlanRefused:
            started, self._open = self._open[before:], self._open[:before]
            self._end(started)
            raise
        self._open, self._dropped = kept + self._open[before:], self._dropped + dropped

    def release(self) -> None:
        """Call the ends of the steps that were dropped, as soon as unfinished aborts are done."""
        if self._dropped:
            ends = _Ends(self, self._dropped)
            self._dropped, _ = [], self._agent.aborts.afterwards(self.holder, ends)

    def extend(self, tree: Node) -> None:
        """Call the starts for the plan of a suspended part. Raises PlanRefused."""
        self._start(self._hooked(tree))

    def follow(self, domain: FrozenDomain) -> None:
        """Let the open steps be of a newer domain's tasks; they keep the end hooks they have."""
        for index, opened in enumerate(self._open):
            task, args = opened.call
            newer = domain.tasks.get(task.name)
            if isinstance(newer, PrimitiveTask):
                self._open[index] = replace(opened, call=(newer, args))

    def close(self) -> None:
        """The plan is over: call all ends, as soon as its unfinished aborts are done."""
        if self._open or self._dropped:
            self._dropped, self._open = self._dropped + self._open, []
            self.release()

    @property
    def is_inside_a_step(self) -> bool:
        """Whether the goal was made by an operator, and so belongs to a step."""
        around = self.holder.inside
        return around is not None and around.inside is not None

    def _hooked(self, tree: Node) -> Iterator[Call]:
        operators = self._agent.operators
        if not operators.has_plan_hooks:
            return
        for _, node in preorder(tree):
            if isinstance(node, TaskNode) and operators.plan_hooks(node.task) != (None, None):
                yield node.task, node.args

    def _start(self, calls: Iterator[Call]) -> None:
        for call in calls:
            start, end = self._agent.operators.plan_hooks(call[0])
            opened = _Open(call, Account(self.holder), end)
            try:
                error = None if start is None else self._call(start, opened, "on_plan_start")
                if error is None:
                    self._open.append(opened)
                    self._called = None
            except BaseException:
                if self._called == ("on_plan_start", opened) and opened not in self._open:
                    self._open.append(opened)  # an interrupt came after the call
                raise
            if error is not None:
                self._runtime.settle(opened.account)
                refused = PlanRefused(f"on_plan_start of {opened.name}: {text_of(error)}", call)
                if self.on_refused is not None:
                    self.on_refused(refused)
                raise refused

    def _end(self, opened: list[_Open]) -> None:
        """Call the ends, the latest start first."""
        try:
            while opened:
                latest = opened[-1]
                now = self._agent.operators.plan_hooks(latest.call[0])[1]
                end = now if latest.end is _LOADED else latest.end
                if end is not None and self._called != ("on_plan_end", latest):
                    self._call(end, latest, "on_plan_end")
                heirs = (other.account for other in (*self._open, *opened[:-1]))
                self._runtime.settle(latest.account, heirs)
                opened.pop()
                self._called = None
        finally:  # after an interrupt, the rest stays open
            self._open[:0] = opened
            opened.clear()

    def _call(self, hook: Callable[..., Any], opened: _Open, kind: str) -> Exception | None:
        """Call a hook; the exception that it raised, reported as an event."""
        self._called = None
        try:
            with self._runtime.acting(opened.account):
                # In one line, between whose parts no interrupt comes.
                _, self._called = hook(self._agent, *opened.call[1]), (kind, opened)
        except BaseException as error:
            if is_interrupt(error, (hook,)):
                raise
            if kind == "on_plan_end":
                self._called = kind, opened
            if not isinstance(error, Exception):
                self._runtime.settle(opened.account)
                raise
            self._agent.emit(PlanHookFailed(self._goal, kind, opened.name, error))
            return error
        return None
