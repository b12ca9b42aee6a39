"""Texts: members whose index is put together from texts, found by the parts of it.

``distance[here + "-" + to]`` becomes ``i_distance[here, to]``: constants are left out, and
the text is made at the first look-up alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bthtn.world.expression import Arithmetic, Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, FluentFamily, MemberOf


@dataclass(frozen=True, slots=True)
class Pattern:
    """A family, and how indices are put together: None stands for a part that is no constant."""

    family: FluentFamily[Any, Any]
    parts: tuple[str | None, ...]


class MembersByParts(dict[Any, Fluent[Any]]):
    """The members of a family that a program has met, by the parts of their index.

    A single part is the key itself, several are a tuple.
    """

    def __init__(self, pattern: Pattern) -> None:
        super().__init__()
        self._pattern = pattern

    def __missing__(self, key: Any) -> Fluent[Any]:
        parts = self._pattern.parts
        told = iter((key,) if parts.count(None) == 1 else key)
        first, *others = [next(told) if part is None else part for part in parts]
        for one in others:
            first = first + one
        made = self[key] = self._pattern.family.member(first)
        return made


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
