"""What generated functions call: whether a call repeats an open one."""

from __future__ import annotations

from collections.abc import Iterator
from operator import eq
from typing import Any, Final

OpenCall = tuple[Any, ...]
"""A call that is open: the one around it, how many these are, length of ``T``, its key …"""
KEY_AT: Final = 3

_FEW: Final = 3
_MOST_COMPARED: Final = 200


class Unforeseen(Exception):  # noqa: N818 - not an error: the search does without functions
    """The functions are not made for this."""


def repeats(
    key: tuple[Any, ...],
    up: OpenCall,
    seen: list[set[tuple[Any, ...]]],
    values: dict[Any, Any] | None = None,
    trail: list[tuple[Any, Any]] | None = None,
) -> bool:
    """Whether a call is its own ancestor in an unchanged state; ``up`` are those around it.

    A few ancestors are looked through. Where there are more, ``seen`` has a set of all keys.
    """
    if up[1] >= _FEW:
        if not seen:
            seen.append(set())
        if up[1] == _FEW:
            seen[0].update(_keys(up))
        known = len(seen[0])
        seen[0].add(key)
        if len(seen[0]) > known:
            return False
    compared = 0
    end, moved = len(trail or ()), set[Any]()
    one: OpenCall | None = up
    while one is not None:
        if one[KEY_AT:] == key and all(map(eq, one[KEY_AT:], key)):
            if trail is None or values is None:
                return True
            _look_back(values, trail, one[2], end, moved)
            if not moved:
                return True
            end = one[2]
            compared += 1
            if compared == _MOST_COMPARED:
                raise Unforeseen
        one = one[0]
    return False


def _keys(up: OpenCall | None) -> Iterator[tuple[Any, ...]]:
    while up is not None:
        yield up[KEY_AT:]
        up = up[0]


def _look_back(
    values: dict[Any, Any], trail: list[tuple[Any, Any]], place: int, end: int, moved: set[Any]
) -> None:
    """Go back from one place of the trail to another; what has ``moved`` is not as it was there."""
    for number in range(end - 1, place - 1, -1):
        fluent, before = trail[number]
        if before == values[fluent]:
            moved.discard(fluent)
        else:
            moved.add(fluent)
