"""PlainData: a world whose attributes are saved as far as they are data, and put back.

    {"floor": 2, "open": true, "seen": {"set": [3, 4]}, "dice": {"random": […]}}

Data are numbers, texts, None, members of an Enum, and containers of plain values; random generators
and clocks; other objects of this class. All other attributes are left as they are in the object
made anew. Nodes of a tree are saved in the same way.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from enum import Enum
from math import isfinite
from random import Random
from typing import Any, Final

from py_trees.common import Status

from bthtn.engine.agent.clock import ManualClock, Timer
from bthtn.errors import InputError

Json = Any

STRUCTURE: Final = frozenset(
    {
        *("id", "iterator", "logger", "blackboards", "name", "qualified_name", "status"),
        *("feedback_message", "parent", "children", "current_child", "decorated"),
        *("blackbox_level", "_was_looked_at", "_message", "_found"),
    }
)
"""The attributes of nodes that a save has elsewhere, or not at all."""

_NOTHING: Final = object()


class PlainData:
    """A world, or a part of one, that is saved by its attributes: those that are data.

    A class that has something else besides writes it itself, in ``save`` and ``load``.
    """

    __slots__ = ()

    def save(self) -> Json:
        """The attributes as JSON, by name."""
        return plain_data(self)

    def load(self, saved: Json) -> None:
        """Set the attributes of an object that was made anew. Raises InputError."""
        put_plain_data(self, saved)


class _NoDataError(Exception):
    """A value that is not plain data."""


def plain_data(whole: object, *, but: Collection[str] = ()) -> dict[str, Json]:
    """The attributes of an object that are plain data, by name, but for some."""
    found: dict[str, Json] = {}
    for name in sorted(_names(whole)):
        if name not in but:
            with suppress(_NoDataError):
                found[name] = _written(getattr(whole, name))
    return found


def put_plain_data(whole: object, saved: Mapping[str, Json], *, but: Collection[str] = ()) -> None:
    """Set attributes as ``plain_data`` has written them.

    Raises InputError for one that the object does not have, or has of another kind.
    """
    names, kind = plain_data(whole, but=but), type(whole).__name__
    for name, data in saved.items():
        if name not in names:
            raise InputError("BT497", f"a {kind} has no attribute '{name}' that is saved")
        old = getattr(whole, name)
        try:
            value = _read(data, old, whole)
        except (TypeError, ValueError, KeyError, AttributeError):
            value = _NOTHING
        if not _fits(value, old, is_own=_is_of_library(whole)):
            raise InputError("BT497", f"the saved '{name}' of a {kind} is of another kind")
        object.__setattr__(whole, name, value)


def _names(whole: object) -> set[str]:
    slots = (name for kind in type(whole).__mro__ for name in vars(kind).get("__slots__", ()))
    names = (*getattr(whole, "__dict__", {}), *slots)
    return {name for name in names if not name.startswith("__") and hasattr(whole, name)}


def _is_of_library(whole: object) -> bool:
    module = type(whole).__module__
    return module.startswith(("bthtn.", "py_trees.")) and not module.startswith("bthtn.examples.")


def _fits(value: object, old: object, *, is_own: bool) -> bool:
    """Whether a value may stand in the place of another one."""
    if value is _NOTHING:
        return False
    if old is None or (value is None and not is_own):
        return True
    is_number = (
        isinstance(value, int | float)
        and isinstance(old, int | float)
        and not is_own
        and not isinstance(value, bool)
        and not isinstance(old, bool)
    )
    return is_number or type(value) is type(old)


def _written(value: Any) -> Json:
    """A value of an attribute as JSON. Raises _NoDataError."""
    kind = type(value)
    if kind in _IN_PLACE:
        name, write, _ = _IN_PLACE[kind]
        return {name: write(value)}
    if isinstance(value, PlainData):
        return {"own": value.save()}
    if isinstance(value, Status):
        return {"status": value.name}
    if isinstance(value, Enum):
        return {"member": [kind.__name__, value.name]}
    return _data(value)


def _data(value: Any) -> Json:
    """Plain data as JSON. Raises _NoDataError."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [_data(item) for item in value]
    if kind is dict:
        return {"dict": [[_data(key), _data(item)] for key, item in value.items()]}
    if kind in (set, frozenset):
        return {kind.__name__: sorted(map(_data, value), key=json.dumps)}
    if kind in (tuple, deque):
        return {kind.__name__: [_data(item) for item in value]}
    raise _NoDataError


def _read(data: Json, old: Any, whole: object) -> Any:
    """The value that was written so, in the place of an old one of an object."""
    match data:
        case {"own": inside} if isinstance(old, PlainData):
            old.load(inside)
            return old
        case {"member": [kind, name]}:
            kinds = {type(getattr(whole, other)) for other in _names(whole)}
            (found,) = (
                member for member in kinds if issubclass(member, Enum) and member.__name__ == kind
            )
            return found[name]
        case dict() if type(old) in _IN_PLACE:
            name, _, put = _IN_PLACE[type(old)]
            put(old, data[name])
            return old
        case _:
            return _made(data)


def _made(data: Json) -> Any:
    """The plain data that was written so."""
    if isinstance(data, list):
        return list(map(_made, data))
    if not isinstance(data, dict):
        return data
    ((name, inside),) = data.items()
    return _MADE[name](inside)


def _put_clock(clock: ManualClock, now: Json) -> None:
    clock._now = float(now)


def _put_timer(timer: Timer, times: Json) -> None:
    begin, latest, ticks = times
    timer._begin, timer._latest, timer._ticks = float(begin), float(latest), int(ticks)


def _put_dice(dice: Random, state: Json) -> None:
    version, numbers, gauss = state
    dice.setstate((version, tuple(numbers), gauss))


_IN_PLACE: Final[Mapping[type, tuple[str, Callable[[Any], Json], Callable[[Any, Json], None]]]] = {
    Random: ("random", lambda dice: [*_listed(dice.getstate())], _put_dice),
    ManualClock: ("clock", lambda clock: clock(), _put_clock),
    Timer: ("timer", lambda timer: [timer._begin, timer._latest, timer._ticks], _put_timer),
}
"""Objects that stay, and whose inside is data: the name, what is written, how it is put back."""


def _listed(state: Any) -> list[Json]:
    version, numbers, gauss = state
    return [version, list(numbers), gauss]


_MADE: Final[Mapping[str, Callable[[Json], Any]]] = {
    "float": float,
    "tuple": lambda items: tuple(map(_made, items)),
    "deque": lambda items: deque(map(_made, items)),
    "set": lambda items: set(map(_made, items)),
    "frozenset": lambda items: frozenset(map(_made, items)),
    "dict": lambda items: {_made(key): _made(item) for key, item in items},
    "status": lambda name: Status[name],
}
