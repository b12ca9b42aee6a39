"""The report of a failed case: both plans side by side, the state, and why not others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, assert_never

from bthtn.errors import PlanningError
from bthtn.explanation import methods_of
from bthtn.plan import nodes
from bthtn.plan.nodes import Node
from bthtn.plan.notation import notation
from bthtn.plan.walk import flat
from bthtn.planning.protocol import PlanRequest
from bthtn.world.truth import value_text

MOST_METHODS: Final = 6
"""Methods that are said not to have been chosen; those of later tasks are left out."""


def side_by_side(expected: Node, actual: Node) -> str:
    """Two trees beside each other, a line for each node; ✗ is at the first that differs."""
    left, right = list(_outline(flat(expected))), list(_outline(flat(actual)))
    width = max(map(len, [*left, "expected"]))
    lines = [f"  {'expected'.ljust(width)}    actual"]
    is_same = True
    for one, other in zip_longest(left, right, fillvalue=""):
        mark = "✗" if is_same and one != other else " "
        is_same = is_same and one == other
        lines.append(f"{mark} {one.ljust(width)}    {other}".rstrip())
    return "\n".join(lines)


def circumstances(asked: PlanRequest) -> str:
    """The state that a plan was made from, and the methods before those that it has chosen."""
    held = sorted(asked.state.values.items(), key=lambda one: str(one[0]))
    values = ", ".join(f"{fluent} = {value_text(value)}" for fluent, value in held)
    lines = [f"planned from: {values or 'nothing but defaults'}"]
    try:
        answers = [one for one in methods_of(asked) if not one.is_chosen and one.reasons]
    except PlanningError:  # a search that raises has said so itself
        answers = []
    return "\n".join([*lines, *map(str, answers[:MOST_METHODS])])


def _outline(node: Node, depth: int = 0) -> Iterator[str]:
    """A line for each node, deeper ones further to the right; nested ones of flat plans."""
    room = "  " * depth
    match node:
        case nodes.SequenceNode(children):
            yield f"{room}in order"
        case nodes.ParallelNode(children, policy):
            yield f"{room}parallel ({policy.value})"
        case nodes.PriorityNode(children):
            yield f"{room}priority{' (reactive)' if node.reactive else ''}"
        case nodes.ScopeNode(child=child):
            decorator = notation(node).partition("(")[0]
            yield f"{room}{decorator}"
            children = (child,)
        case nodes.TaskNode() | nodes.SuspendedNode() | nodes.NullNode():
            yield f"{room}{notation(node)}"
            return
        case _:
            assert_never(node)
    for child in children:
        yield from _outline(child, depth + 1)
