"""Draws a plan in dot: sequences, parallels, priorities, steps, and frames for tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final, assert_never

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
from bthtn.plan.walk import children_of, leaves
from bthtn.views.dot import Drawing
from bthtn.views.text import method_text, numbered_children, scope_text, unrolled
from bthtn.world.expression import Binding, always_holds

_CLOSE: Final = "close"
_PARALLEL_ENDS: Final[Mapping[str, str]] = {
    "all": "until all are done",
    "any": "until one is done",
    "primary": "until the first is done",
}


def plan_dot(
    plan: Plan,
    *,
    flat: bool = False,
    scopes: bool = True,
    legend: bool = False,
    most: int | None = None,
) -> str:
    """The plan in dot. Scopes become frames; ``flat`` draws the plan without them.

    Of a plan with more than ``most`` nodes, compound tasks are folded: each is one node.
    """
    title = f"{plan.domain.name}: {plan.goal_text}    record {plan.record!r}"
    root = plan.flat() if flat else plan.tree
    return tree_dot(root, plan.domain, title=title, scopes=scopes, legend=legend, most=most)


def tree_dot(
    root: Node,
    domain: FrozenDomain | None = None,
    *,
    title: str = "",
    scopes: bool = True,
    legend: bool = False,
    most: int | None = None,
) -> str:
    """A plan tree in dot; with the domain, methods are shown with their names.

    Of a tree with more than ``most`` nodes, compound tasks are folded: each is one node.
    """
    drawing = Drawing(title)
    folded = frozenset[Node]() if most is None else folded_scopes(root, most)
    pending: list[tuple[Node | Dropped | str, str, str, str]] = [(root, "", "", "")]
    while pending:
        node, above, kind, label = pending.pop()
        if isinstance(node, str):
            drawing.close_frame()
        elif isinstance(node, ScopeNode) and node.task.decorator is None and node not in folded:
            node = unrolled(node, domain)
            if scopes:
                drawing.open_frame(scope_text(node, domain), tooltip=node.task.doc)
                pending.append((_CLOSE, "", "", ""))
            pending.append((node.child, above, kind, label))
        else:
            look, shown, below, tooltip = node_appearance(node, domain)
            if isinstance(node, ScopeNode) and node in folded:
                below = f"{below}, folded: {sum(1 for _ in leaves(node))} steps"
            name = drawing.node(look, shown, below=below, tooltip=tooltip)
            if above:
                drawing.edge(above, name, kind=kind, label=label)
            for place, child in [] if node in folded else reversed(numbered_children(node)):
                pending.append((child, name, *edge_look(node, child, place)))
    return drawing.text(legend=legend)


def folded_scopes(root: Node, most: int) -> frozenset[Node]:
    """The compound tasks to fold so that about ``most`` nodes are left.

    They are opened level by level, from the root, as long as there is room.
    """
    folded: set[Node] = set()
    inside, pending = _region(root)
    shown = inside + len(pending)
    while pending:
        scope = pending.popleft()
        inside, scopes = _region(scope.child)
        if shown + inside + len(scopes) - 1 > most:
            folded.add(scope)
        else:
            shown += inside + len(scopes) - 1
            pending.extend(scopes)
    return frozenset(folded)


def _region(root: Node) -> tuple[int, deque[ScopeNode]]:
    """How many nodes are drawn from here down to the next scopes, and these scopes."""
    inside = 0
    scopes: deque[ScopeNode] = deque()
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ScopeNode) and node.task.decorator is None:
            scopes.append(node)
        else:
            inside += 1
            pending.extend(reversed(children_of(node)))
    return inside, scopes


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
