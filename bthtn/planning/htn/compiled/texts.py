"""Texts: members whose index is put together from texts, found by the parts of it.

``distance[here + "-" + to]`` becomes ``i_distance[here][to]``: constants are left out, and
the text is made at the first look-up alone.
"""

from __future__ import annotations

from typing import Any

from bthtn.world.expression import Arithmetic, Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, MemberOf


def texts(index: Expression[Any]) -> list[Expression[Any]] | None:
    """The parts from which an index is put together; None where these are not texts."""
    behind: list[Expression[Any]] = []
    while isinstance(index, Arithmetic) and index.symbol == "+":
        behind.append(index.right)
        index = index.left
    parts = [index, *reversed(behind)]
    is_open = not all(isinstance(part, Constant) for part in parts)
    return parts if len(parts) > 1 and is_open and all(map(_is_text, parts)) else None


def _is_text(part: Expression[Any]) -> bool:
    match part:
        case Constant(value=value):
            return type(value) is str
        case Parameter(type=kind):
            return kind is str
        case Fluent() | MemberOf():
            return part.value_type is str
        case _:
            return False
