"""Chance as a pure function: equal questions get equal draws, whoever asks and whenever.

A draw depends on a text and on nothing else: not on a generator that others use too, not on
the process or the platform. So a search that comes back, a replay and another implementation
see the draw that was seen before.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import Any, Final

from bthtn.world.fluent import Fluent

SEED: Final[Fluent[int]] = Fluent(0, type_=int, volatile=False, name="(seed)")
"""What all draws of one request depend on; in every state, and in no schema."""

_POINTS: Final = 2**53
"""Points that a draw can hit: as many as a float can tell apart between 0 and 1."""


def drawn_order(weights: Sequence[float], text: str) -> tuple[int, ...]:
    """All positions, drawn by weight and not put back: the heavier, the earlier.

    A weight that is no positive number counts as nothing: its position comes behind those that
    can be drawn, in the given order.
    """
    usable = [weight if isfinite(weight) and weight > 0 else 0 for weight in weights]
    left = [position for position, weight in enumerate(usable) if weight]
    order: list[int] = []
    while left:
        point = _drawn(f"{text}:{len(order)}") * sum(usable[position] for position in left)
        order.append(_hit(left, usable, point))
        left.remove(order[-1])
    return (*order, *(position for position, weight in enumerate(usable) if not weight))


def _hit(left: Sequence[int], weights: Sequence[float], point: float) -> int:
    for position in left[:-1]:
        point -= weights[position]
        if point < 0:
            return position
    return left[-1]


def _drawn(text: str) -> float:
    """A number from 0 up to 1 that only the text decides."""
    digest = sha256(text.encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big") % _POINTS / _POINTS


def stable_text(value: Any) -> str:
    """The value as a text that is the same in every process, and for equal values.

    An object without a text of its own is told apart by its type alone.
    """
    if isinstance(value, float) and not value.is_integer():
        return repr(float(value))
    if isinstance(value, int | float):
        return repr(int(value))
    if isinstance(value, str):
        return repr(str.__str__(value))
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, tuple):
        return f"({' '.join(map(stable_text, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{' '.join(in_order(value))}}}"
    kind: Any = type(value)
    return str(kind.__qualname__) if kind.__repr__ is object.__repr__ else repr(value)


def in_order(values: Any) -> list[str]:
    """The texts of what a set holds, in an order that does not depend on the process."""
    return sorted(map(stable_text, values))
