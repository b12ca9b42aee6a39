"""A plan as a picture: what runs after, beside or instead of what, and for which task."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import PrimitiveTask, call_text
from bthtn.plan.nodes import (
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
from bthtn.plan.plan import Plan
from bthtn.views.dot import Drawing
from bthtn.views.text import branches_of, dropped_reason, scope_text, suspended_text, unrolled
from bthtn.world.expression import Binding, Condition, Constant

_CLOSE: Final = "close"
PARALLEL_ENDS: Final[Mapping[str, str]] = MappingProxyType(
    {"all": "until all are done", "any": "until one is done", "primary": "until the first is done"}
)


def plan_dot(plan: Plan, *, flat: bool = False, scopes: bool = True, legend: bool = False) -> str:
    """The plan in dot, scopes as frames; ``flat`` is the form in which plans are compared."""
    title = f"{plan.domain.name}: {plan.goal_text}    record {plan.record!r}"
    root = plan.flat() if flat else plan.tree
    return tree_dot(root, plan.domain, title=title, scopes=scopes, legend=legend)


def tree_dot(
    root: Node,
    domain: FrozenDomain | None = None,
    *,
    title: str = "",
    scopes: bool = True,
    legend: bool = False,
) -> str:
    """A plan tree alone in dot; the domain knows what its methods are called."""
    drawing = Drawing(title)
    pending: list[tuple[Node | Dropped | str, str, str, str]] = [(root, "", "", "")]
    while pending:
        node, above, kind, label = pending.pop()
        if isinstance(node, str):
            drawing.close_frame()
        elif isinstance(node, ScopeNode):
            node = unrolled(node, domain)
            if scopes:
                drawing.open_frame(scope_text(node, domain), tooltip=node.task.doc)
                pending.append((_CLOSE, "", "", ""))
            pending.append((node.child, above, kind, label))
        else:
            name = _drawn(drawing, node)
            if above:
                drawing.edge(above, name, kind=kind, label=label)
            choice = isinstance(node, PriorityNode)
            for place, child in reversed(branches_of(node)):
                pending.append((child, name, *_edge(child, place, choice=choice)))
    return drawing.text(legend=legend)


def task_tooltip(task: PrimitiveTask[Any], args: Binding | None) -> str:
    """What is behind a primitive task: when it can be done and what it does."""
    effects = [effect.text(args) for effect in (*task.effects, *task.expected)]
    facts = [
        ("needs", "" if always(task.precondition) else task.precondition.text(args)),
        ("checks at run time", "" if always(task.exec_only) else task.exec_only.text(args)),
        ("needs all the time", "" if always(task.during) else task.during.text(args)),
        ("then", ", ".join(effects)),
        ("uses", ", ".join(sorted(task.uses))),
    ]
    said = [f"{word}: {fact}" for word, fact in facts if fact]
    return "; ".join([task.name if args is None else call_text(task, args), *said])


def task_kind(task: PrimitiveTask[Any]) -> str:
    """``check`` for a task that does nothing but ask the world, ``task`` for any other."""
    effects = (*task.effects, *task.expected, *task.actual, *task.on_start)
    does_something = effects or task.uses or not always(task.during)
    return "task" if always(task.exec_only) or does_something else "check"


def always(condition: Condition) -> bool:
    """Whether the condition asks nothing."""
    return isinstance(condition, Constant) and condition.value is True


def _drawn(drawing: Drawing, node: Node | Dropped) -> str:
    match node:
        case TaskNode(task, args):
            tooltip = task_tooltip(task, args)
            return drawing.node(task_kind(task), str(node), tooltip=tooltip)
        case SequenceNode():
            return drawing.node("sequence", "sequence")
        case ParallelNode():
            return drawing.node("parallel", "parallel", below=PARALLEL_ENDS[node.policy.value])
        case PriorityNode():
            below = "asked again at every tick" if node.reactive else ""
            return drawing.node("priority", "priority", below=below)
        case SuspendedNode():
            rest = suspended_text(node)
            why = f"({node.cause}, checked)" if node.foreseen is not None else f"({node.cause})"
            return drawing.node("suspended", rest, below=why, tooltip=rest)
        case Dropped(_, text, reason):
            tooltip = f"not possible: {dropped_reason(text, reason)}"
            return drawing.node(
                "dropped", text, below=dropped_reason(text, reason), tooltip=tooltip
            )
        case NullNode() | ScopeNode():
            return drawing.node("null", "nothing")


def _edge(child: Node | Dropped, place: int, *, choice: bool) -> tuple[str, str]:
    """Kind and label of the edge to a child: alternatives are numbered, as they may never run."""
    if isinstance(child, Dropped):
        return "dropped", ""
    return ("choice", str(place + 1)) if choice else ("", "")
