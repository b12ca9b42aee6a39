"""The recursion check of generated functions: whether a call repeats an open one."""

from __future__ import annotations

from collections.abc import Iterator
from operator import eq
from typing import Any, Final

OpenCall = tuple[Any, ...]
"""An open call: the one around it, the number of those around, length of ``T``, its key …"""
KEY_AT: Final = 3

_FEW: Final = 3
_MOST_COMPARED: Final = 200


class Unforeseen(Exception):  # noqa: N818 - not an error: the search does without functions
    """A case that the generated functions do not cover; the search decides instead."""


def repeats(
    key: tuple[Any, ...],
    up: OpenCall,
    seen: list[set[tuple[Any, ...]]],
    values: dict[Any, Any] | None = None,
    trail: list[tuple[Any, Any]] | None = None,
) -> bool:
    """Whether one of the open calls, from ``up`` outwards, has this key in the same state.

    With many open calls, ``seen`` keeps a set of all keys, so that a new key needs no loop.
    With a ``trail``, members of families are compared too; raises Unforeseen if that takes long.
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
    """Go back in the trail; ``moved`` becomes the members whose value differed there."""
    for number in range(end - 1, place - 1, -1):
        fluent, before = trail[number]
        if before == values[fluent]:
            moved.discard(fluent)
        else:
            moved.add(fluent)
