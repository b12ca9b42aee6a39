"""PlanParallel: branches that run side by side until a policy ends them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Final, assert_never

from py_trees import common
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite, Parallel

from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.plan_behaviour import PlanComposite, reset
from bthtn.engine.behaviours.sequence import PlanSequence, PlanWithCleanup
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import Wait
from bthtn.engine.domain.decorator import RetryDecorator
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import ParallelNode

_ENDED: Final = (SUCCESS, FAILURE)
_GO_ON: Final = (RUNNING, SUCCESS)
_status: Final = attrgetter("status")
# To look up a member of an Enum takes longer than a call.
_ANY: Final = ParallelPolicy.ANY
_PRIMARY: Final = ParallelPolicy.PRIMARY


class PlanParallel(PlanComposite, Parallel):
    """Every unfinished branch is ticked once per tick, in order, until the node has failed.

    Finished branches are remembered. When the node ends, branches that still run are aborted,
    newest first; except when the goal's plan fails with it, for the goal may repair the plan.

    | policy    | success                | failure                |
    | --------- | ---------------------- | ---------------------- |
    | `all`     | all succeeded          | any failed             |
    | `any`     | any succeeded          | all failed             |
    | `primary` | the first succeeded    | the first failed       |
    """

    def __init__(self, node: ParallelNode, children: list[Behaviour]) -> None:
        super().__init__(children)
        self.node = node

    @property
    def policy(self) -> common.ParallelPolicy.Base:  # type: ignore[override]  # here it only shows
        """The policy that displays show; ticks go by that of the node."""
        return _shown_as(self.node, self.children)

    is_tried_again: Final = False

    @property
    def gone(self) -> list[int]:
        """The branches that have failed without the node."""
        if self.node.policy is ParallelPolicy.ALL:
            return []
        return [n for n, child in enumerate(self.children) if child.status is FAILURE]

    def tick(self) -> Iterator[Behaviour]:
        """Tick the unfinished branches, and apply the policy after each."""
        if self.status is not RUNNING:
            if self.feedback_message or self.current_child is not None:  # else they are as made
                self.feedback_message = ""
                reset(self.children)
            self.status = RUNNING
        ticked = len(self.children)
        for number, child in enumerate(self.children, 1):
            if child.status not in _ENDED:
                yield from child.tick()
                # Nothing is started only to be aborted.
                if child.status not in _GO_ON and self._fails_with(child):
                    ticked = number
                    break
        verdict = self._verdict(ticked)
        self.current_child = self._latest()
        if verdict is RUNNING:
            self.status = verdict
        else:
            if verdict is SUCCESS or not _fails_plan(self):
                for child in reversed(self.children):
                    if child.status is RUNNING:
                        child.stop(INVALID)
            self.stop(verdict)
        yield self

    def waits(self) -> Wait:
        """For all branches that have not ended."""
        return Wait(below=[child for child in self.children if child.status not in _ENDED])

    def _latest(self) -> Behaviour:
        """The last branch that runs; the last one of all if none does."""
        for child in reversed(self.children):
            if child.status is RUNNING:
                return child
        return self.children[-1]

    def _fails_with(self, child: Behaviour) -> bool:
        """Whether a branch that has just failed ends the node as failed."""
        match self.node.policy:
            case ParallelPolicy.ALL:
                return True
            case ParallelPolicy.PRIMARY:
                return child is self.children[0]
            case ParallelPolicy.ANY:
                return False  # only if it is the last one
            case _:
                assert_never(self.node.policy)

    def _verdict(self, ticked: int) -> Status:
        """The status by the policy when so many branches were ticked, or had ended before."""
        ends: list[Status] = list(map(_status, self.children))
        if INVALID in ends:
            for index, end in enumerate(ends):
                if end is INVALID:
                    ends[index] = FAILURE if index < ticked else RUNNING
        policy = self.node.policy
        if policy is _PRIMARY:
            return ends[0]
        decisive, other = (SUCCESS, FAILURE) if policy is _ANY else (FAILURE, SUCCESS)
        if decisive in ends:
            return decisive
        return other if ends.count(other) == len(ends) else RUNNING


def _fails_plan(node: Behaviour) -> bool:
    """Whether a goal's plan fails when this node does, with no cleanup to be done for that."""
    while isinstance(above := node.parent, Composite):
        match above:
            case PlanWithCleanup() | PlanDecorated(decorator=RetryDecorator()):
                return False
            case PlanSequence():
                pass
            case PlanParallel(node=ParallelNode(policy=ParallelPolicy.ALL)):
                pass
            case PlanParallel(node=ParallelNode(policy=ParallelPolicy.PRIMARY)):
                if above.children[0] is not node:
                    return False
            case _:
                return False
        node = above
    return above is not None  # it is the goal; a cleanup has nothing above it


def _shown_as(node: ParallelNode, children: list[Behaviour]) -> common.ParallelPolicy.Base:
    """The policy of py_trees that displays show for the node."""
    match node.policy:
        case ParallelPolicy.ALL:
            return common.ParallelPolicy.SuccessOnAll()
        case ParallelPolicy.ANY:
            return common.ParallelPolicy.SuccessOnOne()
        case ParallelPolicy.PRIMARY:
            return common.ParallelPolicy.SuccessOnSelected(children[:1])
        case _:
            assert_never(node.policy)
