"""The hooks of a plan: what its steps want done when it begins, and when it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.agent.events import PlanHookFailed
from bthtn.agent.leases import Account, Holder
from bthtn.behaviours.step import text_of
from bthtn.domain.task import PrimitiveTask
from bthtn.plan.nodes import Node, TaskNode
from bthtn.plan.walk import preorder

Call = tuple[PrimitiveTask[Any], tuple[Any, ...]]
"""A task with the values it is called with: what a hook is called for."""


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A step whose plan has begun, and what its hook took."""

    call: Call
    name: str
    account: Account


class PlanHooks:
    """Calls the hooks of a goal's plans: for every step, one start and then one end.

    A step that the next plan has as well stays open: neither its end nor a start is called.
    ``holder`` has what the hooks took; it is given back behind each step's ``on_plan_end``.
    """

    def __init__(self, agent: Agent[Any, Any], goal: str) -> None:
        self.holder = Holder(goal, agent.holder)
        self._agent = agent
        self._goal = goal
        self._opened: list[_Opened] = []

    def adopt(self, tree: Node) -> str:
        """Begin with a plan, instead of the one there was; why that is not possible, or nothing."""
        wanted = list(self._hooked(tree))
        missing = Counter(call for call, _ in wanted)
        kept: list[_Opened] = []
        dropped: list[_Opened] = []
        for one in self._opened:
            stays = missing[one.call] > 0
            missing[one.call] -= stays
            (kept if stays else dropped).append(one)
        self._opened = kept
        self._close(dropped)
        new: list[tuple[Call, str]] = []
        for call, name in reversed(wanted):
            if missing[call] > 0:
                missing[call] -= 1
                new.append((call, name))
        return self._open(reversed(new))

    def extend(self, tree: Node) -> str:
        """A suspended part of the plan was planned; why it cannot begin, or nothing."""
        return self._open(self._hooked(tree))

    def over(self) -> None:
        """The plan is over, once all that was given up of it has been given up."""
        opened, self._opened = self._opened, []
        if opened:
            self._agent.aborts.afterwards(self.holder, lambda: self._close(opened))

    @property
    def is_inside_a_step(self) -> bool:
        """Whether the goal was made by an operator, whose step it belongs to."""
        around = self.holder.inside
        return around is not None and around.inside is not None

    def _hooked(self, tree: Node) -> Iterator[tuple[Call, str]]:
        operators = self._agent.operators
        if not operators.has_plan_hooks:
            return
        for _, node in preorder(tree):
            if isinstance(node, TaskNode) and operators.plan_hooks(node.task) != (None, None):
                yield (node.task, node.args), str(node)

    def _open(self, calls: Iterator[tuple[Call, str]]) -> str:
        for call, name in calls:
            begin, _ = self._agent.operators.plan_hooks(call[0])
            one = _Opened(call, name, Account(self.holder))
            error: BaseException | None = None
            if begin is not None:
                error = self._called(begin, one, "on_plan_start")
            if error is not None:
                self._agent.settle(one.account)
                return f"on_plan_start of {name}: {text_of(error)}"
            self._opened.append(one)
        return ""

    def _close(self, opened: list[_Opened]) -> None:
        """Call the ends, the latest start first. What ends the program leaves the rest open."""
        try:
            while opened:
                one = opened.pop()
                _, end = self._agent.operators.plan_hooks(one.call[0])
                try:
                    if end is not None:
                        self._called(end, one, "on_plan_end")
                finally:
                    heirs = (other.account for other in (*self._opened, *opened))
                    self._agent.settle(one.account, heirs)
        finally:
            self._opened[:0] = opened

    def _called(self, hook: Callable[..., Any], one: _Opened, what: str) -> BaseException | None:
        try:
            with self._agent.acting(one.account):
                hook(self._agent, *one.call[1])
        except Exception as error:  # noqa: BLE001 - the user's hook: contained and reported
            self._agent.emit(PlanHookFailed(self._goal, what, one.name, error))
            return error
        except BaseException:
            self._agent.settle(one.account)
            raise
        return None
