"""Control nodes of BehaviorTree.CPP that py_trees lacks, or has with another meaning.

| composite    | runs                                                  | decides           |
| ------------ | ----------------------------------------------------- | ----------------- |
| `Parallel`   | all children, until enough have succeeded or failed   | after each child  |
| `IfThenElse` | one of two children, as a condition has ended         | once              |
| `WhileDoElse`| one of two children, as a condition ends now          | in every tick     |
| `Switch`     | the child for the value of a variable, or the default | in every tick     |

A child that loses its place is stopped before the one that takes it is ticked. When a composite
ends, children that still run are stopped, in their order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from py_trees import composites
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed, text_of
from bthtn.engine.agent.reentrance import work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.middle import at_work_in
from bthtn.engine.behaviours.plan_behaviour import reset
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import Wait
from bthtn.engine.domain.number import expression_from
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import value_text
from bthtn.errors import ExecutionError


class Parallel(Unpicklable, composites.Parallel):
    """Ticks its unfinished children in order, until enough of them have succeeded or failed.

    It succeeds as soon as ``success_count`` children have succeeded, and fails as soon as
    ``failure_count`` have failed, or so many that not enough are left to succeed. Both are looked
    at after each child, so that later ones are not ticked in the tick that decides. A count below
    zero is that of all children for -1, of all but one for -2, and so on; with such a
    ``success_count``, children that are skipped count like those that have succeeded.

    py_trees' ``Parallel`` with ``SuccessOnAll`` and ``SuccessOnOne`` ticks all children before it
    decides, and fails whenever one has failed.
    """

    _counts_in_order = False
    """Whether a child that has ended before counts only behind those in front of it."""

    @checked
    def __init__(
        self,
        name: str,
        children: Sequence[Behaviour],
        *,
        success_count: int = -1,
        failure_count: int = 1,
    ) -> None:
        """Raises ExecutionError for a count of no children, or of more than there are."""
        total = len(children)
        self.counts_skipped = success_count < 0
        self.success_count = success_count if success_count >= 0 else total + 1 + success_count
        self.failure_count = failure_count if failure_count >= 0 else total + 1 + failure_count
        for what in ("success_count", "failure_count"):
            if not 1 <= getattr(self, what) <= total:
                message = f"the {what} of '{name}' is {getattr(self, what)} of {total} children"
                hint = "give a number from 1 to that of the children, or -1 for all of them"
                raise ExecutionError("BT202", message, hint=hint)
        super().__init__(name, ParallelPolicy.SuccessOnAll(), children)

    def tick(self) -> Iterator[Behaviour]:
        """Tick the unfinished children, and count after each."""
        if self.status is not RUNNING:
            self.initialise()  # a subclass may have one, as with py_trees
            reset(self.children)
            self.status = RUNNING
        status, skipped = RUNNING, 0
        for place, child in enumerate(self.children, 1):
            if child.status not in (SUCCESS, FAILURE):
                yield from child.tick()
                self.current_child = child
                skipped += child.status is INVALID
            status = self._counted(place, skipped)
            if status is not RUNNING:
                break
        if status is RUNNING and skipped == len(self.children):
            status = INVALID
        if status is RUNNING:
            self.status = status  # also if it was stopped in the middle
        else:
            self.stop(status)
        yield self

    def waits(self) -> Wait:
        """For the children that have not ended; once it has ended itself, for all of them."""
        return Wait(below=_unfinished(self))

    def _counted(self, place: int, skipped: int) -> Status:
        """The status after so many children, of which so many were skipped in this tick."""
        ends = [child.status for child in self.children[: place if self._counts_in_order else None]]
        if ends.count(SUCCESS) + (skipped if self.counts_skipped else 0) >= self.success_count:
            return SUCCESS
        most_failures = min(self.failure_count - 1, len(self.children) - self.success_count)
        return FAILURE if ends.count(FAILURE) > most_failures else RUNNING


class CountingParallel(Parallel):
    """The ``Parallel`` of BehaviorTree.CPP 3.

    A child that has ended in an earlier tick counts only when its turn comes: those in front of it
    are ticked first even if it decides.
    """

    _counts_in_order = True


class ParallelAll(Unpicklable, composites.Parallel):
    """Ticks all its unfinished children, and ends when all of them have ended.

    It fails if at least ``max_failures`` of them have failed. A count below zero is as in
    `Parallel`.
    """

    @checked
    def __init__(self, name: str, children: Sequence[Behaviour], *, max_failures: int = 1) -> None:
        """Raises ExecutionError for more failures than there are children."""
        total = len(children)
        self.max_failures = max_failures if max_failures >= 0 else total + 1 + max_failures
        if not 0 <= self.max_failures <= total:
            message = f"the max_failures of '{name}' is {max_failures} of {total} children"
            hint = "give a number up to that of the children, or -1 for all of them"
            raise ExecutionError("BT202", message, hint=hint)
        super().__init__(name, ParallelPolicy.SuccessOnAll(), children)

    def tick(self) -> Iterator[Behaviour]:
        """Tick the unfinished children, and look whether any is left."""
        if self.status is not RUNNING:
            self.initialise()
            reset(self.children)
            self.status = RUNNING
        for child in self.children:
            if child.status not in (SUCCESS, FAILURE):
                yield from child.tick()
                self.current_child = child
        ends = [child.status for child in self.children]
        if ends.count(INVALID) == len(ends):
            self.stop(INVALID)
        elif RUNNING not in ends:
            self.stop(FAILURE if ends.count(FAILURE) >= self.max_failures else SUCCESS)
        else:
            self.status = RUNNING
        yield self

    def waits(self) -> Wait:
        """For the children that have not ended; once it has ended itself, for all of them."""
        return Wait(below=_unfinished(self))


def _unfinished(node: composites.Parallel) -> list[Behaviour]:
    """The children that the next tick ticks."""
    is_over = node.status is not RUNNING
    return [child for child in node.children if is_over or child.status not in (SUCCESS, FAILURE)]


class _OneBranch(Unpicklable, composites.Composite):
    """Runs at most one of the children that take each other's place."""

    @abstractmethod
    def _branch(self) -> Generator[Behaviour, None, Behaviour | Status]:
        """Decide. Returns the child to be ticked, or the status of the node without one."""

    def tick(self) -> Iterator[Behaviour]:
        """Choose a child, stop the one that has lost its place, and tick the chosen one."""
        if self.status is not RUNNING:
            self.initialise()  # a subclass may have one, as with py_trees
            reset(self.children)
            self.current_child = None
            self.status = RUNNING
        found = yield from self._branch()
        if isinstance(found, Behaviour):
            replaced, self.current_child = self.current_child, found
            if replaced is not None and replaced is not found and replaced.status is RUNNING:
                replaced.stop(INVALID)
            yield from found.tick()
            found = found.status
        if found is not RUNNING:
            for child in self.children:
                if child.status is RUNNING:
                    child.stop(INVALID)
            self.stop(found)
        else:
            self.status = found  # also if it was stopped in the middle
        yield self

    def waits(self) -> Wait:
        """For the chosen child."""
        return Wait(below=() if self.current_child is None else (self.current_child,))


class IfThenElse(_OneBranch):
    """Ticks a condition until it has ended, then ``then`` if it has succeeded, else ``otherwise``.

    The condition is not ticked again before the node has ended. Without ``otherwise``, the node
    fails with its condition. py_trees has no such composite: a sequence with memory in a selector
    ticks the other branch, too, when the first one fails.
    """

    @checked
    def __init__(
        self,
        name: str,
        condition: Behaviour,
        then: Behaviour,
        otherwise: Behaviour | None = None,
    ) -> None:
        super().__init__(name, [condition, then, *([] if otherwise is None else [otherwise])])

    def _branch(self) -> Generator[Behaviour, None, Behaviour | Status]:
        condition = self.children[0]
        if self.current_child not in (None, condition):
            return self.current_child
        self.current_child = condition
        yield from condition.tick()
        return _branch_for(self.children)

    def waits(self) -> Wait:
        """For the chosen child; once it has ended, for the condition, too."""
        chosen = super().waits()
        return chosen if self.status is RUNNING else Wait(below=(self.children[0], *chosen.below))


class WhileDoElse(_OneBranch):
    """Ticks a condition, and ``do`` in the ticks in which it succeeds, else ``otherwise``.

    The condition is ticked in every tick. When it has changed, the branch that ran is stopped and
    the other one begun in the same tick; the node ends when a branch ends. While the condition
    runs, no branch is ticked, and none is stopped. Without ``otherwise``, the node fails with its
    condition.

    py_trees' ``EternalGuard`` has a function as condition, and no other branch.
    """

    @checked
    def __init__(
        self,
        name: str,
        condition: Behaviour,
        do: Behaviour,
        otherwise: Behaviour | None = None,
    ) -> None:
        super().__init__(name, [condition, do, *([] if otherwise is None else [otherwise])])

    def _branch(self) -> Generator[Behaviour, None, Behaviour | Status]:
        yield from self.children[0].tick()
        found = _branch_for(self.children)
        if found is FAILURE:
            self.current_child = self.children[0]  # its failure stops the branch that runs
        return found

    def waits(self) -> Wait:
        """For the condition and the branch that it has chosen."""
        return Wait(below=(self.children[0], *super().waits().below))


def _branch_for(children: list[Behaviour]) -> Behaviour | Status:
    """The branch that the status of the first child chooses, or that status without one."""
    condition, first, *others = children
    if condition.status is SUCCESS:
        return first
    return others[0] if others and condition.status is FAILURE else condition.status


class Switch(_OneBranch):
    """Ticks the case for the value of ``variable``, the default if there is none for it.

    ``variable`` is an expression or a function of the agent's beliefs. It is evaluated in every
    tick. When another branch is chosen, the one that ran is stopped and the other one begun in the
    same tick; the node ends when its branch ends. An unknown value has the default. The node fails
    when ``variable`` raises.

    Unlike `StateMachineGoals` it ends with its branch, and begins it anew when ticked again.
    """

    @checked
    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        variable: Expression[Any] | Callable[[Any], Any],
        cases: Mapping[Any, Behaviour],
        default: Behaviour,
    ) -> None:
        super().__init__(name, [*cases.values(), default])
        self.agent = agent
        self.cases = dict(cases)
        self.default = default
        self.variable = expression_from(variable, type(agent.beliefs.now))

    def tick(self) -> Iterator[Behaviour]:
        """Evaluate the variable, and tick its branch."""
        yield from super().tick()
        runtime_of(self.agent).errors.raise_first()

    def _branch(self) -> Generator[Behaviour, None, Behaviour | Status]:
        yield from ()
        return self._chosen()

    @work
    def _chosen(self) -> Behaviour | Status:
        try:
            with at_work_in(self, self.agent):
                value = self.variable.evaluate(self.agent.beliefs)
            found: Behaviour = self.cases.get(value, self.default)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = text_of(error)
            self.agent.emit(code_failed(f"variable of '{self.name}'", error))
            return FAILURE
        self.feedback_message = f"in {value_text(value)}"
        return found
