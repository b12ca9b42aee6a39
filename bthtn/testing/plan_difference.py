"""The report of a failed case: both plans side by side, the state, and why not others."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from bthtn.errors import PlanningError
from bthtn.explanation import methods_of
from bthtn.plan.nodes import Node
from bthtn.plan.walk import flat
from bthtn.planning.protocol import PlanRequest
from bthtn.views.text import Strokes, tree_text
from bthtn.world.truth import value_text

MOST_METHODS: Final = 6
"""Methods that are said not to have been chosen; those of later tasks are left out."""
_INDENTED: Final = Strokes("  ", "  ", "  ", "  ", "✗")


def side_by_side(expected: Node, actual: Node) -> str:
    """Two trees beside each other, a line for each node; ✗ is at the first that differs."""
    left, right = (
        tree_text(flat(tree), strokes=_INDENTED).split("\n") for tree in (expected, actual)
    )
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
    held = sorted(asked.state.values.items(), key=lambda item: str(item[0]))
    values = ", ".join(f"{fluent} = {value_text(value)}" for fluent, value in held)
    lines = [f"planned from: {values or 'nothing but defaults'}"]
    try:
        answers = [
            answer for answer in methods_of(asked) if not answer.is_chosen and answer.reasons
        ]
    except PlanningError:  # a search that raises has said so itself
        answers = []
    return "\n".join([*lines, *map(str, answers[:MOST_METHODS])])
