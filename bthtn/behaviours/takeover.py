"""TakingOver: a goal that begins when those whose place it takes in the tree have ended.

py_trees ticks the branch that takes over before it stops the one that ran. So a goal with a new
plan waits for the goals whose place it takes; each of them, when it has been stopped, or ticked
because it keeps its place after all, lets it begin, in the same tick.

    selector.tick    hurry.tick    waits for calm, RUNNING
                     calm.stop     aborts its steps, then lets hurry begin: its first step starts
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel

from bthtn.agent.agent import Agent
from bthtn.agent.leases import Holder
from bthtn.agent.reentrance import at_work, work
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours.middle import refuse_inside
from bthtn.behaviours.plan_behaviour import LeanBehaviour
from bthtn.behaviours.status import INVALID, RUNNING
from bthtn.world.beliefs import WriterName
from bthtn.world.sharing import Unpicklable


class TakingOver(Unpicklable, LeanBehaviour):
    """A goal of an agent, which waits for the other ones whose place it takes.

    ``_has_waited`` is whether it had to wait for aborts, which may have changed the beliefs.
    ``_inherits`` is whether it has taken over the running plan of a goal of an older tree, and was
    not ticked since.
    """

    _copy_hint = "save(tree, agent) of bthtn.behaviours is a running tree and its agent as JSON"

    def __init__(self, name: str, agent: Agent[Any, Any]) -> None:
        self.name = WriterName(name or type(self).__name__)  # its plans write under this name
        self.status = INVALID
        self.children = []
        self.agent = agent
        self._awaited: tuple[TakingOver, ...] = ()
        self._waiting: tuple[TakingOver, ...] = ()
        self._has_waited = self._inherits = False
        self._ended: Status | None = None
        """The end of a goal that began while another was stopped: its answer in the next tick."""

    @property
    @abstractmethod
    def _holder(self) -> Holder:
        """The holder that its aborts are inside of."""

    @abstractmethod
    def _prepare_tick(self) -> Status | None:
        """Start, or get ready to go on. Returns the status of a goal that may not start."""

    @abstractmethod
    def _advance(self) -> Generator[Behaviour, None, Status]:
        """Go on, in the same tick as before if it had to wait. Returns the status of the goal."""

    @work
    def tick(self) -> Iterator[Behaviour]:
        """Search for a plan, or tick the plan.

        Raises ExecutionError in the middle of a tick of the tree. After an interrupt, the plan is
        stopped.
        """
        runtime = runtime_of(self.agent)
        outer = runtime.at_work
        if outer is not None:
            refuse_inside(self, self.agent)
        runtime.at_work, account, writer = self, runtime.account, self.agent.beliefs.writer
        try:
            if runtime.unsensed and not runtime.is_sensed:
                runtime.warn_unsensed(f"has {runtime.unsensed} never read", is_certain=True)
            self.agent.aborts.go_on(self)
            if self.status is not RUNNING:
                self.initialise()  # a subclass may have one, as with py_trees
            status = self._ended or self._prepare_tick() or (yield from self._advance())
            is_stopped = self._ended is INVALID or (status is RUNNING and self.status is INVALID)
            if status is not RUNNING:
                self._stop(status)
            if is_stopped:  # in the middle of this tick
                self._stop(INVALID)
            self.status = INVALID if is_stopped else status
            if self._waiting:
                self._let_others_begin()  # it has kept its place
        except BaseException:
            runtime.act_again(account, writer)
            self._recover()
            raise
        finally:
            runtime.at_work = outer
        runtime.errors.raise_first()
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status

    @work
    def stop(self, new_status: Status) -> None:
        """Called by py_trees at every end; goals that wait for this one begin in the same tick.

        In the middle of a tick of the goal it is stopped at the end of that.
        """
        for worker, method in at_work(but_one=True):
            if worker is self and method in ("tick", "stop"):
                if method == "tick" and self._ended is None:
                    self._stop_soon()
                return
        runtime = runtime_of(self.agent)
        outer, account, writer = runtime.at_work, runtime.account, self.agent.beliefs.writer
        runtime.at_work = self
        try:
            self._stop(new_status)
        except BaseException:  # after an interrupt, it does what is left to be done
            runtime.act_again(account, writer)
            self._stop(new_status)
            raise
        finally:
            runtime.at_work = outer

    def _stop(self, new_status: Status) -> None:
        """End, without a look at what is going on."""
        self._awaited = ()
        is_interrupted = new_status is INVALID and self.status is RUNNING
        # As that of py_trees, without the text for its logger.
        self.terminate(new_status)
        self.status = new_status
        self._ended = None
        if is_interrupted and not runtime_of(self.agent).is_sensed:
            self._warn_of_aborts()
        if self._waiting:
            self._let_others_begin()

    @abstractmethod
    def _stop_soon(self) -> None:
        """Note that the goal is to be stopped at the end of its tick, and why."""

    @abstractmethod
    def _recover(self) -> None:
        """Stop the plan after an interrupt: Ctrl-C, or no memory, at any line."""

    def _warn_of_aborts(self) -> None:
        """Warn of an abort that nothing in the tree may tick, as the agent is never sensed."""
        abort = self.agent.aborts.first(self._holder)
        around = self._holder.inside  # the agent; for a goal inside of a step, that step
        if abort is None or around is None or around.inside is not None:
            return
        root = self.parent
        while root is not None and root.parent is not None:
            root = root.parent
        others = (
            node
            for node in ([] if root is None else root.iterate())
            if isinstance(node, TakingOver) and node.agent is self.agent and node is not self
        )
        # Every goal that is ticked goes on with the aborts.
        is_ticked = any(goal.status is RUNNING or goal.parent is self.parent for goal in others)
        if root is not None and not is_ticked:
            # Its owner may be about to take the tree down, or to call another goal.
            what = f"aborts '{abort.task}' over several ticks, in which nothing may go on with it"
            runtime_of(self.agent).warn_unsensed(what, is_certain=False)

    def _begin(self) -> None:
        """Go on with the tick in which the goal had to wait."""
        work = self._advance()
        try:
            while True:
                next(work)
        except StopIteration as done:
            self._ended = None if done.value is RUNNING else done.value

    def _is_aborting(self) -> bool:
        """Whether something that the goal has aborted is not done yet."""
        return self._waits_for(self)

    def _must_wait(self) -> bool:
        """Whether goals whose place this one takes are running, or not done with their aborts."""
        was_waiting, self._awaited = bool(self._awaited), ()
        for other in _displaced_by(self):
            if other.agent is not self.agent:
                continue
            if self._waits_for(other):
                return True
            # One that was neither ticked nor stopped since the last tick keeps its place.
            if other._inherits or (other.status is RUNNING and not was_waiting):
                self.feedback_message = f"waits until '{other.name}' is given up"
                self._awaited += (other,)
                other._waiting += (self,)
        self._has_waited |= bool(self._awaited)
        return bool(self._awaited)

    def _waits_for(self, goal: TakingOver) -> bool:
        """Whether a goal is not done with its aborts."""
        abort = self.agent.aborts.first(goal._holder)
        if abort is not None:
            self.feedback_message = f"waits until '{abort.task}' is given up"
            self._has_waited = True
        return abort is not None

    def _let_others_begin(self) -> None:
        waiting, self._waiting = self._waiting, ()
        for other in waiting:
            if self in other._awaited:
                other._awaited = tuple(goal for goal in other._awaited if goal is not self)
                if not other._awaited:
                    other._begin()


def _displaced_by(goal: TakingOver) -> Iterator[TakingOver]:
    """The goals that lose their place when this one begins: those in branches beside its own.

    A composite runs one of its branches at a time, except a Parallel. Goals inside of the steps
    of others are left out, as they end with these.
    """
    below: Behaviour = goal
    while below.parent is not None:
        siblings = [] if isinstance(below.parent, Parallel) else below.parent.children
        pending = [child for child in reversed(siblings) if child is not below]
        while pending:
            node = pending.pop()
            if isinstance(node, TakingOver):
                yield node
            else:
                pending.extend(reversed(node.children))
        below = below.parent
