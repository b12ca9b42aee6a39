"""Blame: what is held responsible when a step of a plan fails, or would.

A step that fails is to blame itself. Where a choice among alternatives has failed, or a part
could not be planned on arrival, it is the method that led there.
"""

from __future__ import annotations

from typing import Any

from bthtn.domain.chance import SEED
from bthtn.domain.choice import Bound
from bthtn.domain.domain import FrozenDomain
from bthtn.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.planning.avoided import Avoidable
from bthtn.replanning.failure_memory import Failure
from bthtn.replanning.monitor import Break
from bthtn.replanning.progress import Progress
from bthtn.replanning.rest import way_to
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView


def failed(
    progress: Progress, node: Node, reason: str, domain: FrozenDomain, beliefs: StateView
) -> Failure | None:
    """What is remembered of a node that failed, None where nothing can be held responsible."""
    way = way_to(progress, node)
    if way is None:
        return None
    if way[-1] is node and isinstance(node, TaskNode):
        return _step_failed(node, reason, beliefs)
    blamed = _method(way, domain)
    return None if blamed is None else Failure(*blamed, reason)


def broke(progress: Progress, broken: Break, domain: FrozenDomain) -> Failure | None:
    """What is remembered of a break that nobody else has caused."""
    reads = fluents_in(broken.reads)
    if isinstance(broken.node, TaskNode):
        node = broken.node
        return Failure((node.task, node.args), str(node), broken.reason, reads, refused=True)
    way = None if broken.node is None else way_to(progress, broken.node)
    blamed = None if way is None else _method(way, domain)
    return None if blamed is None else Failure(*blamed, broken.reason, reads, refused=True)


def fluents_in(reads: frozenset[Expression[Any]]) -> frozenset[Fluent[Any]]:
    """The fluents whose changes can be watched for: all but the seed of the draws."""
    return frozenset(one for one in reads if isinstance(one, Fluent) and one is not SEED)


def _step_failed(node: TaskNode, reason: str, beliefs: StateView) -> Failure:
    """A false condition is what has to change; without one, anything the step has to do with."""
    what, text = (node.task, node.args), str(node)
    reads = set(node.footprint.reads)
    for condition in (node.task.precondition, node.task.exec_only):
        view = RecordingView(beliefs)
        try:
            truth = condition.evaluate(view, node.args)
        except AssertionError:
            raise
        except Exception:  # noqa: BLE001, S112 - the user's code: it has been reported already
            continue
        if truth is False:
            return Failure(what, text, reason, fluents_in(view.reads), refused=True)
        reads |= view.reads
    return Failure(what, text, reason, fluents_in(frozenset(reads)))


def _method(way: list[Node], domain: FrozenDomain) -> tuple[Avoidable, str] | None:
    """The innermost method of which the plan knows with which values it was used.

    Of what was drawn, and of most values of variables, it knows no more than the number.
    """
    binding = way[-1].binding if isinstance(way[-1], SuspendedNode) else None
    for node in reversed(way):
        if not isinstance(node, ScopeNode):
            continue
        methods, choice = domain.methods[node.task], node.task.choice
        if choice is None:
            return (methods[node.method], node.args), str(node)
        if isinstance(choice, Bound) and binding is not None:
            return (methods[0], binding), str(node)
        binding = None  # that of the innermost decomposition only
    return None
