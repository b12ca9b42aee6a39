"""Attribution: which step or method is the cause of a failure.

Plans do without the cause for a while:

    a step failed, or was refused       the step, with its arguments
    a choice failed as a whole,         the innermost method around it, with its arguments
    or a suspended part has no plan
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bthtn.engine.domain.choice import RandomOrder, TurnChoice, ValueChoice
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.engine.planning.exclusions import Avoidable
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.world.expression import StateView
from bthtn.engine.world.footprint import RecordingView


@dataclass(frozen=True, slots=True)
class AttributedFailure:
    """A failure, and the step or method that is avoided because of it: the ``cause``.

    What ``was_drawn`` is avoided after its first failure, so that something else is drawn.
    """

    cause: Avoidable
    failure: Failure
    was_drawn: bool = False


def attributed(
    rest: Rest, failure: Failure, domain: FrozenDomain, beliefs: StateView
) -> AttributedFailure | None:
    """A failure at run time with its cause; None if there is no step or method to avoid.

    The cause of a failed step is the step itself. The cause of a failed choice among alternatives,
    or of a suspended part that could not be planned, is the innermost method that contains it.
    """
    path = None if failure.node is None else rest.path_to(failure.node)
    if path is None:
        return None
    if path[-1] is failure.node and isinstance(failure.node, TaskNode):
        was_drawn = any(map(_draws, path))
        return replace(_of_step(failure.node, failure, beliefs), was_drawn=was_drawn)
    return _of_method(path, failure, domain)


def attributed_ahead(
    rest: Rest, failure: Failure, domain: FrozenDomain
) -> AttributedFailure | None:
    """A failure that was found by checking the rest of the plan, with its cause, or None."""
    node = failure.node
    if isinstance(node, TaskNode):
        return AttributedFailure((node.task, node.args), failure)
    path = None if node is None else rest.path_to(node)
    return None if path is None else _of_method(path, failure, domain)


def _of_step(node: TaskNode, failure: Failure, beliefs: StateView) -> AttributedFailure:
    """The failure depends on the reads of the false condition; without one, on all of the step."""
    failure, cause = failure.at(str(node)), (node.task, node.args)
    reads = set(node.footprint.reads)
    for condition in (node.task.precondition, node.task.exec_only):
        view = RecordingView(beliefs)
        try:
            truth = condition.evaluate(view, node.args)
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - the user's code: kept, to be reported
            return AttributedFailure(cause, replace(failure, error=error))
        if truth is False:
            return AttributedFailure(cause, failure.having_read(view.reads))
        reads |= view.reads
    return AttributedFailure(cause, failure.having_read(reads))


def _of_method(
    path: list[Node], failure: Failure, domain: FrozenDomain
) -> AttributedFailure | None:
    """Attribute a failure to the innermost method on the path whose arguments are known.

    They are not known for methods in random order, and for most values of variables: there the
    plan has only the index of the decomposition.
    """
    binding = path[-1].binding if isinstance(path[-1], SuspendedNode) else None
    for place in range(len(path) - 1, -1, -1):
        node = path[place]
        if not isinstance(node, ScopeNode):
            continue
        methods, choice = domain.methods[node.task], node.task.choice
        cause: Avoidable | None = None
        if choice is None:
            cause = (methods[node.method], node.args)
        elif isinstance(choice, ValueChoice) and binding is not None:
            cause = (methods[0], binding)
        elif isinstance(choice, TurnChoice) and binding is not None and binding[-1].method:
            cause = (binding[-1].method, binding[-1].binding)
        if cause is not None:
            was_drawn = any(map(_draws, path[:place]))
            return AttributedFailure(cause, failure.at(str(node)), was_drawn)
        binding = None  # that of the innermost decomposition only
    return None


def _draws(node: Node) -> bool:
    """Whether the node is a random choice."""
    return isinstance(node, ScopeNode) and isinstance(node.task.choice, RandomOrder)
