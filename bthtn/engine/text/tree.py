"""A plan tree as readable text, one line for each node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, assert_never

from bthtn.engine.domain.decorator import decorator_text
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import numbered
from bthtn.engine.domain.task import call_text
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
    check_node,
)
from bthtn.engine.plan.walk import children_of, preorder


@dataclass(frozen=True, slots=True)
class Strokes:
    """The characters with which a tree is drawn."""

    between: str
    last: str
    down: str
    nothing: str
    dropped: str


DEEPEST: Final = 60
RECURSIVE_CONSTRUCTS: Final = frozenset({"any_order", "partial_order", "repeat", "turns", "until"})
"""Constructs that are decomposed recursively; shown as the lists that the user wrote."""
UNICODE: Final = Strokes("├─ ", "└─ ", "│  ", "   ", "✗")
ASCII: Final = Strokes("|- ", "`- ", "|  ", "   ", "x")


def tree_text(
    root: Node,
    domain: FrozenDomain | None = None,
    *,
    scopes: bool = True,
    strokes: Strokes = UNICODE,
) -> str:
    """The tree as indented lines; with the domain, methods are shown with their names.

    ``root`` is ``plan.tree``, or a part of it.
    Without ``scopes`` the lines that name compound tasks are left out. Nodes deeper than
    ``DEEPEST`` levels are counted instead of shown.
    """
    check_node(root, "tree_text")
    lines: list[str] = []
    pending: list[tuple[Node | Dropped, str, str]] = [(root, "", "")]
    while pending:
        node, stroke, indent = pending.pop()
        while isinstance(node, ScopeNode) and not scopes and node.task.decorator is None:
            node = unrolled(node, domain).child
        if isinstance(node, ScopeNode):
            node = unrolled(node, domain)
        below = [child for _, child in numbered_children(node)]
        too_deep = len(indent) >= DEEPEST * len(strokes.nothing)
        if below and too_deep and not isinstance(node, Dropped):
            lines.append(f"{stroke}… and {sum(1 for _ in preorder(node))} nodes more")
            continue
        lines.append(f"{stroke}{_label(node, domain, strokes)}")
        for index, child in reversed(list(enumerate(below))):
            corner, edge = strokes.between, strokes.down
            if index == len(below) - 1:
                corner, edge = strokes.last, strokes.nothing
            pending.append((child, f"{indent}{corner}", f"{indent}{edge}"))
    return "\n".join(lines)


def one_line(text: str) -> str:
    """The text with unprintable characters, such as line breaks, escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def method_text(node: ScopeNode, domain: FrozenDomain | None) -> str:
    """``method 1``, with its name where it has one."""
    return numbered(node.method, _name(node, domain))


def scope_text(node: ScopeNode, domain: FrozenDomain | None) -> str:
    """``fight, method 1``; for a construct the choice, ``one_of: spot = 'b'``."""
    if node.task.decorator is not None:
        return decorator_text(node.task.decorator)
    if node.task.origin:
        return f"{node.task.origin}: {_name(node, domain) or method_text(node, domain)}"
    return f"{call_text(node.task, node.args)}, {method_text(node, domain)}"


def unrolled(node: ScopeNode, domain: FrozenDomain | None) -> ScopeNode:
    """The scope, with the rounds of a recursive construct collected in one sequence.

    The name of the result lists the planned blocks in order.
    """
    blocks: list[Node] = []
    names: list[str] = []
    here = node
    while here.task.origin in RECURSIVE_CONSTRUCTS:
        child = here.child
        parts = child.children if isinstance(child, SequenceNode) else (child,)
        if not parts or isinstance(child, NullNode):
            break
        names.append(_name(here, domain))
        behind = parts[-1]
        if not isinstance(behind, ScopeNode) or behind.task is not node.task:
            blocks.extend(parts)
            break
        blocks.extend(parts[:-1])
        here = behind
    if not names:
        return node
    counted = node.task.origin in ("repeat", "until")
    shown = f"{len(names)} times" if counted else ", ".join(names)
    return replace(node, child=SequenceNode(tuple(blocks)), name=shown)


def _name(node: ScopeNode, domain: FrozenDomain | None) -> str:
    return node.name or (domain.method_name(node.task, node.method) if domain is not None else "")


def numbered_children(node: Node | Dropped) -> list[tuple[int, Node | Dropped]]:
    """The children of a node with their positions, dropped alternatives included."""
    if isinstance(node, Dropped):
        return []
    if not isinstance(node, PriorityNode):
        return list(enumerate(children_of(node)))
    placed: list[tuple[int, Node | Dropped]] = list(zip(node.kept, node.children, strict=True))
    placed += [(drop.alternative, drop) for drop in node.dropped]
    return sorted(placed, key=lambda pair: pair[0])


def _label(node: Node | Dropped, domain: FrozenDomain | None, strokes: Strokes) -> str:
    match node:
        case Dropped(_, text, reason):
            label = f"{strokes.dropped} {text}, not possible: {reason.removeprefix(f'{text}: ')}"
        case ScopeNode():
            label = scope_text(node, domain)
        case PriorityNode():
            label = f"{node}, chosen at run time"
        case SuspendedNode():
            checked = "checked, " if node.foreseen is not None else ""
            label = f"{node}, {checked}planned at run time: {node.left}"
        case TaskNode() | SequenceNode() | ParallelNode() | NullNode():
            label = str(node)
        case _:
            assert_never(node)
    return one_line(label)
