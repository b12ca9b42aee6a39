"""The report of a failed case: both plans side by side, the state, and why not others."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from bthtn.engine.plan.nodes import Node
from bthtn.engine.plan.walk import flat
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.text.tree import Strokes, tree_text
from bthtn.engine.world.truth import value_text
from bthtn.errors import PlanningError
from bthtn.studio.explanation import methods_of

MOST_METHODS: Final = 6
"""Methods that are said not to have been chosen; those of later tasks are left out."""
_INDENTED: Final = Strokes("  ", "  ", "  ", "  ", "✗")


def side_by_side(one: Node, other: Node, names: tuple[str, str] = ("expected", "actual")) -> str:
    """Two trees beside each other, a line for each node; ✗ is at the first that differs."""
    left, right = (tree_text(flat(tree), strokes=_INDENTED).split("\n") for tree in (one, other))
    width = max(map(len, [*left, names[0]]))
    lines = [f"  {names[0].ljust(width)}    {names[1]}"]
    is_same = True
    for line, beside in zip_longest(left, right, fillvalue=""):
        mark = "✗" if is_same and line != beside else " "
        is_same = is_same and line == beside
        lines.append(f"{mark} {line.ljust(width)}    {beside}".rstrip())
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
