"""What stands on a node of a plan wherever one is shown: kind, name, second line, tooltip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import PrimitiveTask, call_text
from bthtn.engine.plan.nodes import (
    Dropped,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.text.tree import method_text, scope_text
from bthtn.engine.world.expression import Binding, always_holds

_PARALLEL_ENDS: Final[Mapping[str, str]] = {
    "all": "until all are done",
    "any": "until one is done",
    "primary": "until the first is done",
}


def task_tooltip(task: PrimitiveTask[...], args: Binding | None) -> str:
    """The conditions, effects and resources of a primitive task, on one line."""
    effects = [effect.text(args) for effect in (*task.effects, *task.expected)]
    needs = task.written_precondition
    facts = [
        ("needs", "" if always_holds(needs) else needs.text(args)),
        ("checks at run time", "" if always_holds(task.exec_only) else task.exec_only.text(args)),
        ("needs all the time", "" if always_holds(task.during) else task.during.text(args)),
        ("then", ", ".join(effects)),
        ("uses", ", ".join(sorted(task.uses))),
    ]
    shown = [f"{word}: {fact}" for word, fact in facts if fact]
    return "; ".join([task.name if args is None else call_text(task, args), *shown])


def task_kind(task: PrimitiveTask[...]) -> str:
    """``check`` for a task that only tests an ``exec_only`` condition, otherwise ``task``."""
    does_something = task.all_effects or task.uses or not always_holds(task.during)
    return "task" if always_holds(task.exec_only) or does_something else "check"


def node_appearance(node: Node | Dropped, domain: FrozenDomain | None) -> tuple[str, str, str, str]:
    """Kind, name, second line and tooltip of a node of a plan."""
    match node:
        case TaskNode(task, args):
            return task_kind(task), str(node), "", task_tooltip(task, args)
        case SequenceNode():
            return "sequence", "sequence", "", ""
        case ParallelNode():
            return "parallel", "parallel", _PARALLEL_ENDS[node.policy.value], ""
        case PriorityNode():
            below = "asked again at every tick" if node.reactive else ""
            return "priority", "priority", below, ""
        case SuspendedNode():
            why = f"({node.cause}, checked)" if node.foreseen is not None else f"({node.cause})"
            return "suspended", node.left, why, node.left
        case Dropped(_, text, reason):
            why = reason.removeprefix(f"{text}: ")
            return "dropped", text, why, f"not possible: {why}"
        case ScopeNode() if node.task.decorator is not None:
            return "decorator", scope_text(node, None), "", node.task.doc
        case ScopeNode():
            call = call_text(node.task, node.args)
            return "compound", call, method_text(node, domain), node.task.doc
        case NullNode():
            return "null", "nothing", "", ""
        case _:
            assert_never(node)


def edge_look(node: Node | Dropped, child: Node | Dropped, place: int) -> tuple[str, str]:
    """Kind and label of the edge to a child; alternatives of a priority are numbered."""
    if isinstance(child, Dropped):
        return "dropped", ""
    return ("choice", str(place + 1)) if isinstance(node, PriorityNode) else ("", "")
