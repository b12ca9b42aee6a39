"""GraphWriter: a graph of objects as JSON.

Numbers, texts and None stand for themselves; everything else is an array that begins with
its kind. Objects, and containers that can change, are written once and referred to by number:

    ["ref", 7]                      the object with number 7
    ["tuple", …]  ["frozenset", …]  elements
    ["part", "soldier.tasks['shoot']"]   ["member", family, index]
    ["enum", class, "NAME"]         ["value", class, …]         of the user's classes
    ["constant", "module:Class", "NAME"]  ["named", "module:Class", …]  of the library's
    ["fresh"]                       the value in the object that is loaded into: for functions, and
                                    whatever else is not saved
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from math import isfinite
from random import Random
from types import MappingProxyType
from typing import Any, Final
from weakref import WeakKeyDictionary

from bthtn.errors import InputError
from bthtn.saving.attributes import OF_NODES, saved_class, state_of
from bthtn.saving.kinds import CODE
from bthtn.saving.loadable import CONSTANTS
from bthtn.saving.parts import Parts
from bthtn.world.fluent import Fluent

Json = Any
FRESH: Final = ["fresh"]


class LoadedLater:
    """Refers to an object that is loaded only when it is asked for."""

    def __init__(self, whole: object) -> None:
        self.whole = whole


class GraphWriter:
    """Writes objects, and those that they refer to, into ``objects``.

    Objects of the user's ``package`` are written as those of the library are; one that has
    ``save`` and ``load`` writes itself.
    """

    def __init__(self, parts: Parts, package: str = "") -> None:
        self._package = package
        self.objects: list[Json] = []
        self._parts = parts
        self._numbers: dict[int, int] = {}
        self._pending: deque[tuple[int, Any]] = deque()
        self._alive: list[Any] = []
        """The objects with numbers, kept so that no other object gets the same ``id``."""

    def write(self, root: object) -> Json:
        """A value, after everything that it refers to was written. Raises InputError."""
        value = self._value(root)
        while self._pending:
            number, part = self._pending.popleft()
            self.objects[number] = self._entry(part)
        return value

    def _value(self, value: Any) -> Json:
        match value:
            case Enum():
                return self._enum(value)
            case None | bool() | int():
                return value
            case float():
                return value if isfinite(value) else ["float", str(value)]
            case str() if type(value) is str:
                return value
            case LoadedLater():
                return ["later", self._ref(value.whole)]
            case tuple() | frozenset():
                return self._immutable(value)
            case _:
                return self._shared(value)

    def _immutable(self, value: tuple[Any, ...] | frozenset[Any]) -> Json:
        if isinstance(value, frozenset):
            return ["frozenset", *self._sorted(value)]
        if type(value) is tuple:
            return ["tuple", *map(self._value, value)]
        if self._class_of(value) is type(value):
            return ["named", _name(type(value)), *map(self._value, value)]
        return self._users_value(value)

    def _shared(self, part: Any) -> Json:
        """A part of a domain, or an object that several may refer to."""
        place = self._parts.place_of(part)
        if place is not None:
            is_code = isinstance(part, CODE) and not isinstance(part, type)
            return FRESH if is_code else ["part", place]
        if isinstance(part, Fluent) and part.index is not None:
            family = self._parts.family_of(part)
            if family is None:
                raise _unsavable(f"'{part}'", part)
            return ["member", family, self._value(part.index)]
        return ["ref", self._ref(part)] if self._is_object(part) else self._users_value(part)

    def _is_object(self, value: object) -> bool:
        if isinstance(value, (*_CONTAINERS, Random, BaseException)):
            return True
        is_code = isinstance(value, type | partial)
        return not is_code and self._class_of(value) is not None

    def _class_of(self, value: object) -> type | None:
        return saved_class(type(value), self._package)

    def _ref(self, part: Any) -> int:
        part = getattr(part, "saved_as", part)
        if id(part) not in self._numbers:
            self._numbers[id(part)] = len(self.objects)
            self._pending.append((len(self.objects), part))
            self.objects.append(None)
            self._alive.append(part)
        return self._numbers[id(part)]

    def _entry(self, part: Any) -> Json:
        match part:
            case list():
                return {"is": "list", "has": list(map(self._value, part))}
            case deque():
                return {"is": "deque", "has": list(map(self._value, part)), "most": part.maxlen}
            case set():
                return {"is": "set", "has": self._sorted(part)}
            case dict() | MappingProxyType() | WeakKeyDictionary():
                return {"is": type(part).__name__, "has": self._items(part)}
            case Random():
                return {"is": "Random", "has": self._value(part.getstate())}
            case BaseException():
                return {"is": "exception", "has": [type(part).__name__, str(part)]}
            case str():
                return {"is": _name(type(part)), "text": str(part), "has": {}}
            case _:
                return self._object(part)

    def _object(self, part: Any) -> Json:
        kind = self._class_of(part)
        assert kind is not None, "only objects of these classes are written"
        entry: dict[str, Json] = {"is": _name(kind)}
        names: Iterable[str] = state_of(part)
        if writes_itself(part):
            entry["own"] = part.save()
            names = () if kind is type(part) else OF_NODES
        if kind is not type(part):
            entry["of"] = _name(type(part))
        try:
            state = state_of(part)
            entry["has"] = {name: self._value(state[name]) for name in names if name in state}
        except InputError as error:
            raise error.placed(_shown(part)) from None
        return entry

    def _items(self, mapping: Mapping[Any, Any]) -> list[Json]:
        items = []
        for key, value in mapping.items():
            written = self._value(value)
            if written == FRESH and isinstance(key, Fluent):
                raise _unsavable(f"the value of '{key}'", value)
            items.append([self._value(key), written])
        return items

    def _sorted(self, elements: Any) -> list[Json]:
        """The elements, numbered in an order that does not depend on the process, if possible."""
        return sorted(map(self._value, sorted(elements, key=str)), key=json.dumps)

    def _enum(self, member: Enum) -> Json:
        place = self._parts.place_of(type(member))
        if place is not None:
            return ["enum", place, member.name]
        is_known = _name(type(member)) in CONSTANTS or self._class_of(member) is type(member)
        return ["constant", _name(type(member)), member.name] if is_known else FRESH

    def _users_value(self, value: Any) -> Json:
        """A value of a class that fluents or arguments have: a named tuple, or a data class."""
        place = self._parts.place_of(type(value))
        if place is None:
            return FRESH
        if isinstance(value, tuple):
            return ["value", place, *map(self._value, value)]
        if is_dataclass(value):
            given = (getattr(value, part.name) for part in fields(value))
            return ["value", place, *map(self._value, given)]
        if isinstance(value, str | int | float):
            return ["value", place, value.__getnewargs__()[0] if isinstance(value, str) else value]
        return FRESH


def writes_itself(part: object) -> bool:
    """Whether an object of a user has ``save`` and ``load``."""
    kind = type(part)
    return saved_class(kind) is not kind and hasattr(kind, "save") and hasattr(kind, "load")


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _shown(part: object) -> str:
    kind, name = type(part).__name__, getattr(part, "name", "")
    return f"{kind} '{name}'" if isinstance(name, str) and name else kind


def _unsavable(what: str, value: object) -> InputError:
    kind = type(value).__name__
    hint = "use numbers, texts, enums, tuples, frozen data classes or named tuples"
    return InputError("BT495", f"{what} is a {kind}, which cannot be saved", hint=hint)


_CONTAINERS: Final = (list, dict, set, deque, MappingProxyType, WeakKeyDictionary)
