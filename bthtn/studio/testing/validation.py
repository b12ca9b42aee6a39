"""validate: check that a plan is executable and leads to its predicted state.

`replay` compares each node with the network it comes from, which is impossible for a tree that
was rearranged. Here only execution is checked: every precondition is true where its step starts,
branches do not interfere, and the final state is the predicted one. Branches that do not
interfere give the same result in any interleaving (semantics 2.3.3), so one is enough to check.
"""

from __future__ import annotations

from collections.abc import Sequence

from bthtn.checked import checked
from bthtn.engine.domain.condition import why
from bthtn.engine.domain.task_effects import projected
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.merge import conflict
from bthtn.engine.plan.nodes import BranchingNode, Node, ParallelNode, SuspendedNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.projection import BranchEnd, Projection
from bthtn.engine.plan.walk import Visit, node_text
from bthtn.engine.world.footprint import Footprint, RecordingView
from bthtn.engine.world.state import FrozenState, State, snapshot
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import exception_text
from bthtn.records import record


@record
class Validation:
    """Whether a plan works from a state, and the ``final`` state it leads to.

    It is true in a test if it works. If it does not, ``where`` names the node, ``reason`` says
    why, and ``final`` is the state before it.
    """

    ok: bool
    reason: str
    where: str
    final: FrozenState

    def __bool__(self) -> bool:
        return self.ok


@checked
def validate(plan: Plan, state: State | FrozenState) -> Validation:
    """Project the plan from this state, and check each step on the way; true in a test if it works.

    It need not come from a network: methods are not asked.
    """
    judge = _Validator(WorkingState(snapshot(state)))
    failure = judge.failure(plan)
    reason, where = ("", "") if failure is None else (failure.why, failure.what)
    return Validation(failure is None, reason, where, judge.state.freeze())


class _Invalid(Exception):  # noqa: N818 - it ends the validation and never leaves this module
    def __init__(self, node: Node, why: str) -> None:
        self.failure = Failure(why, node_text(node), node)
        super().__init__(why)


class _Validator(Projection):
    """A projection that computes effects again, and ends at the first mistake."""

    def failure(self, plan: Plan) -> Failure | None:
        try:
            self.project(plan.tree)
        except _Invalid as invalid:
            return invalid.failure
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - a condition of the user's that raises
            return Failure(exception_text(error), error=error)
        arrives = self.state.freeze() == plan.predicted
        return None if arrives else Failure("it does not lead to what is predicted")

    def visit(self, node: Node) -> Visit[None]:
        """Project a part of the plan. Raises _Invalid after a suspension without effects."""
        if self.path.cause is not None and not isinstance(node, SuspendedNode):
            raise _Invalid(node, "it comes behind a suspended part that ensures nothing")
        return super().visit(node)

    def effects(self, node: TaskNode) -> Footprint:
        """The footprint of a step, computed again. Raises _Invalid if its precondition is false."""
        step = projected(node.task, node.args, RecordingView(self.state))
        if step.possible is False:
            raise _Invalid(node, why(node.task.precondition, self.state, node.args))
        # The first step of an alternative may be undecided: it is asked again at run time.
        is_first = self.alternative == self.path.steps
        if step.writes is None or (step.possible is UNKNOWN and not is_first):
            raise _Invalid(node, f"it is to be done although {step.unknown} is unknown")
        return step.footprint

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Check the foreseen tree of the part, too, if there is one."""
        cause, self.path.cause = self.path.cause, None
        if node.foreseen is not None:
            yield self.visit(node.foreseen.tree)
            cause = node.cause
        else:
            yield super().suspended(node)
            cause = cause if node.ensures else node.cause
        self.path.cause = cause

    def join(self, node: BranchingNode, ends: Sequence[BranchEnd]) -> None:
        """Join branches. Raises _Invalid if parallel ones interfere with each other."""
        if isinstance(node, ParallelNode):
            clash = conflict([end.footprint for end in ends])
            if clash is not None:
                raise _Invalid(node, f"branches {clash[0]} and {clash[1]} both touch {clash[2]}")
        super().join(node, ends)
