"""The recursion check of generated functions: whether a call repeats an open one."""

from __future__ import annotations

from collections.abc import Iterator
from operator import eq
from typing import Any, Final, NoReturn

OpenCall = tuple[Any, ...]
"""An open call: the one around it, the number of those around, length of ``T``, its key …"""
KEY_AT: Final = 3

_FEW: Final = 3
_COMPARED_AT_FIRST: Final = 40_000
_COMPARED_PER_CALL: Final = 20


class Unforeseen(Exception):  # noqa: N818 - not an error: the search does without functions
    """A case that the generated functions do not cover; the search decides instead."""


def unforeseen() -> NoReturn:
    """Raise Unforeseen from inside an expression."""
    raise Unforeseen


class OpenCalls:
    """The open calls by key, and all keys that calls have had.

    ``may_compare`` is how many writes of members may be looked at, so that a run takes linear time.
    """

    __slots__ = ("_innermost", "_open", "keys", "may_compare")

    def __init__(self) -> None:
        self.keys: set[tuple[Any, ...]] = set()
        self.may_compare = _COMPARED_AT_FIRST
        self._open: list[OpenCall] = []
        self._innermost: dict[tuple[Any, ...], list[OpenCall]] = {}

    def with_key(self, key: tuple[Any, ...], up: OpenCall) -> Iterator[OpenCall]:
        """The calls with this key, from ``up`` outwards."""
        entered: list[OpenCall] = []
        call: OpenCall | None = up
        while call is not None and not (len(self._open) > call[1] and self._open[call[1]] is call):
            entered.append(call)
            call = call[0]
        depth = 0 if call is None else call[1] + 1
        while len(self._open) > depth:
            self._innermost[self._open.pop()[KEY_AT:]].pop()
        for call in reversed(entered):
            self._open.append(call)
            self._innermost.setdefault(call[KEY_AT:], []).append(call)
        return reversed(self._innermost.get(key, []))


def repeats(
    key: tuple[Any, ...],
    up: OpenCall,
    index: list[OpenCalls],
    values: dict[Any, Any] | None = None,
    trail: list[tuple[Any, Any]] | None = None,
) -> bool:
    """Whether one of the open calls, from ``up`` outwards, has this key in the same state.

    ``index`` is empty or has one element, kept for the whole run. With a ``trail``, members of
    families are compared too; raises Unforeseen if that takes long, and where one was a NaN, which
    the search takes for equal to itself.
    """
    if not index:
        index.append(OpenCalls())
    calls = index[0]
    if up[1] >= _FEW:
        if up[1] == _FEW:
            calls.keys.update(call[KEY_AT:] for call in _outwards(up))
        known = len(calls.keys)
        calls.keys.add(key)
        if len(calls.keys) > known:
            return False
    calls.may_compare += _COMPARED_PER_CALL
    end, moved = len(trail or ()), set[Any]()
    for call in calls.with_key(key, up) if up[1] >= _FEW else _outwards(up):
        if call[KEY_AT:] == key and all(map(eq, call[KEY_AT:], key)):
            if trail is None or values is None:
                return True
            calls.may_compare -= 1 + end - call[2]
            if calls.may_compare < 0:
                raise Unforeseen
            _look_back(values, trail, call[2], end, moved)
            if not moved:
                return True
            end = call[2]
    return False


def _outwards(up: OpenCall | None) -> Iterator[OpenCall]:
    while up is not None:
        yield up
        up = up[0]


def _look_back(
    values: dict[Any, Any], trail: list[tuple[Any, Any]], place: int, end: int, moved: set[Any]
) -> None:
    """Go back in the trail; ``moved`` becomes the members whose value differed there.

    Raises Unforeseen for a NaN.
    """
    for number in range(end - 1, place - 1, -1):
        fluent, before = trail[number]
        if before == values[fluent]:
            moved.discard(fluent)
        elif before != before:  # noqa: PLR0124 - NaN
            raise Unforeseen
        else:
            moved.add(fluent)
