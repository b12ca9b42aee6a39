"""validate: is a plan executable, and does it lead where it says? Whatever it came from.

`replay` holds each node against the network it comes from. A tree that was rearranged comes
from none. What is left to judge is what run time relies on: every precondition holds where its
step begins, branches cannot disturb each other, and the end is the predicted one. Since
admitted branches may take turns in any order (semantics 2.3.3), that covers all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bthtn.domain.condition import why
from bthtn.domain.task_effects import projected
from bthtn.plan.failure import Failure
from bthtn.plan.merge import conflict
from bthtn.plan.nodes import Node, ParallelNode, SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.projection import BranchEnd, BranchingNode, Projection
from bthtn.plan.walk import Visit, node_text
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether a plan works from a state, and the ``final`` state it leads to.

    Where it does not, ``where`` names the node, ``reason`` says why, and ``final`` is the state
    in front of it.
    """

    ok: bool
    reason: str
    where: str
    final: FrozenState


def validate(plan: Plan, state: FrozenState) -> Validation:
    """Project the plan from this state, and judge each step on the way."""
    judge = _Validator(state)
    failure = judge.failure(plan)
    final = judge.state.freeze()
    if failure is not None:
        return Validation(ok=False, reason=failure.why, where=failure.what, final=final)
    return Validation(ok=True, reason="", where="", final=final)


class _Invalid(Exception):  # noqa: N818 - it ends the validation and never leaves this module
    def __init__(self, node: Node, why: str) -> None:
        self.failure = Failure(why, node_text(node), node)
        super().__init__(why)


class _Validator(Projection):
    """A projection with effects worked out anew, which ends at the first thing that is wrong."""

    def failure(self, plan: Plan) -> Failure | None:
        """What is wrong with the plan."""
        try:
            self.project(plan.tree)
        except _Invalid as invalid:
            return invalid.failure
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - a condition of the user's that raises
            return Failure(f"{type(error).__name__}: {error}", error=error)
        arrives = self.state.freeze() == plan.predicted
        return None if arrives else Failure("it does not lead to what is predicted")

    def visit(self, node: Node) -> Visit[None]:
        """Go on through a part of the plan, if that may follow what came before."""
        if self.path.cause is not None and not isinstance(node, SuspendedNode):
            raise _Invalid(node, "it comes behind a suspended part that ensures nothing")
        return super().visit(node)

    def effects(self, node: TaskNode) -> Footprint:
        """What a step does, after its precondition was found to hold."""
        step = projected(node.task, node.args, RecordingView(self.state))
        if step.possible is False:
            raise _Invalid(node, why(node.task.precondition, self.state, node.args))
        # The first step of an alternative may be undecided: it is asked again at run time.
        is_first = self.alternative == self.path.steps
        if step.writes is None or (step.possible is UNKNOWN and not is_first):
            raise _Invalid(node, f"it is to be done although {step.unknown} is unknown")
        return step.footprint

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Judge what was planned for the part, too, where there is such a plan."""
        cause, self.path.cause = self.path.cause, None
        if node.foreseen is not None:
            yield self.visit(node.foreseen.tree)
            cause = node.cause
        else:
            yield super().suspended(node)
            cause = cause if node.ensures else node.cause
        self.path.cause = cause

    def join(self, node: BranchingNode, ends: Sequence[BranchEnd]) -> None:
        """Join branches, if they do not disturb each other."""
        if isinstance(node, ParallelNode):
            clash = conflict([end.footprint for end in ends])
            if clash is not None:
                raise _Invalid(node, f"branches {clash[0]} and {clash[1]} both touch {clash[2]}")
        super().join(node, ends)
