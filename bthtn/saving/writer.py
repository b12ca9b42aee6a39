"""GraphWriter: a graph of objects as JSON.

Numbers, texts and None stand for themselves; everything else is an array that begins with
its kind. Objects, and containers that can change, are written once and referred to by number:

    ["ref", 7]                      the object with number 7
    ["tuple", …]  ["frozenset", …]  elements
    ["part", "soldier.tasks['shoot']"]   ["member", family, index]
    ["enum", class, "NAME"]         ["value", class, …]         of the user's classes
    ["constant", "module:Class", "NAME"]  ["named", "module:Class", …]  of the library's
    ["method", object, "name"]      ["function", "module:name"]
    ["fresh"]                       the value in the object that is loaded into
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from math import isfinite
from random import Random
from types import BuiltinMethodType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final
from weakref import WeakKeyDictionary

from bthtn.errors import Diagnostic, InputError
from bthtn.saving.attributes import OF_NODES, saved_class, state_of
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
        """What has a number, which would be another object's if it were gone."""

    def write(self, root: object) -> Json:
        """A value, after everything that it refers to was written. Raises InputError."""
        value = self._value(root)
        while self._pending:
            number, one = self._pending.popleft()
            self.objects[number] = self._entry(one)
        return value

    def _value(self, one: Any) -> Json:
        match one:
            case Enum():
                return self._enum(one)
            case None | bool() | int():
                return one
            case float():
                return one if isfinite(one) else ["float", str(one)]
            case str() if type(one) is str:
                return one
            case LoadedLater():
                return ["later", self._ref(one.whole)]
            case tuple() | frozenset():
                return self._immutable(one)
            case MethodType():
                return self._method(one)
            case _:
                return self._shared(one)

    def _immutable(self, one: tuple[Any, ...] | frozenset[Any]) -> Json:
        if isinstance(one, frozenset):
            return ["frozenset", *self._sorted(one)]
        if type(one) is tuple:
            return ["tuple", *map(self._value, one)]
        if self._class_of(one) is type(one):
            return ["named", _name(type(one)), *map(self._value, one)]
        return self._users_value(one)

    def _shared(self, one: Any) -> Json:
        """A part of a domain, or an object that several may refer to."""
        place = self._parts.place_of(one)
        if place is not None:
            return ["part", place]
        if isinstance(one, Fluent) and one.index is not None:
            family = self._parts.family_of(one)
            if family is None:
                raise _unsavable(f"'{one}'", one)
            return ["member", family, self._value(one.index)]
        if isinstance(one, FunctionType):
            return _function(one)
        return ["ref", self._ref(one)] if self._is_object(one) else self._users_value(one)

    def _is_object(self, one: object) -> bool:
        if isinstance(one, (*_CONTAINERS, Random, partial, BaseException)):
            return True
        return not isinstance(one, type | BuiltinMethodType) and self._class_of(one) is not None

    def _class_of(self, one: object) -> type | None:
        return saved_class(type(one), self._package)

    def _ref(self, one: Any) -> int:
        one = getattr(one, "saved_as", one)
        if id(one) not in self._numbers:
            self._numbers[id(one)] = len(self.objects)
            self._pending.append((len(self.objects), one))
            self.objects.append(None)
            self._alive.append(one)
        return self._numbers[id(one)]

    def _entry(self, one: Any) -> Json:
        match one:
            case list():
                return {"is": "list", "has": list(map(self._value, one))}
            case deque():
                return {"is": "deque", "has": list(map(self._value, one)), "most": one.maxlen}
            case set():
                return {"is": "set", "has": self._sorted(one)}
            case dict() | MappingProxyType() | WeakKeyDictionary():
                return {"is": type(one).__name__, "has": self._items(one)}
            case Random():
                return {"is": "Random", "has": self._value(one.getstate())}
            case partial():
                return {"is": "partial", "has": [self._value(one.func), self._value(one.args)]}
            case BaseException():
                return {"is": "exception", "has": [type(one).__name__, str(one)]}
            case str():
                return {"is": _name(type(one)), "text": str(one), "has": {}}
            case _:
                return self._object(one)

    def _object(self, one: Any) -> Json:
        kind = self._class_of(one)
        assert kind is not None, "only objects of these classes are written"
        entry: dict[str, Json] = {"is": _name(kind)}
        names: Iterable[str] = state_of(one)
        if writes_itself(one):
            entry["own"] = one.save()
            names = () if kind is type(one) else OF_NODES
        if kind is not type(one):
            entry["of"] = _name(type(one))
        try:
            state = state_of(one)
            entry["has"] = {name: self._value(state[name]) for name in names if name in state}
        except InputError as error:
            raise error.placed(_shown(one)) from None
        return entry

    def _items(self, one: Mapping[Any, Any]) -> list[Json]:
        items = []
        for key, value in one.items():
            written = self._value(value)
            if written == FRESH and isinstance(key, Fluent):
                raise _unsavable(f"the value of '{key}'", value)
            items.append([self._value(key), written])
        return items

    def _sorted(self, elements: Any) -> list[Json]:
        """The elements, numbered in an order that does not depend on the process, if possible."""
        return sorted(map(self._value, sorted(elements, key=str)), key=json.dumps)

    def _enum(self, one: Enum) -> Json:
        if _is_ours(type(one)) or self._class_of(one) is type(one):
            return ["constant", _name(type(one)), one.name]
        place = self._parts.place_of(type(one))
        return FRESH if place is None else ["enum", place, one.name]

    def _users_value(self, one: Any) -> Json:
        """A value of a class that fluents or arguments have: a named tuple, or a data class."""
        place = self._parts.place_of(type(one))
        if place is None:
            return FRESH
        if isinstance(one, tuple):
            return ["value", place, *map(self._value, one)]
        if is_dataclass(one):
            return ["value", place, *(self._value(getattr(one, part.name)) for part in fields(one))]
        if isinstance(one, str | int | float):
            return ["value", place, one.__getnewargs__()[0] if isinstance(one, str) else one]
        return FRESH

    def _method(self, method: MethodType) -> Json:
        if not self._is_object(method.__self__):
            return FRESH
        return ["method", self._value(method.__self__), method.__name__]


def writes_itself(one: object) -> bool:
    """Whether an object of a user has ``save`` and ``load``."""
    kind = type(one)
    return saved_class(kind) is not kind and hasattr(kind, "save") and hasattr(kind, "load")


def _function(function: FunctionType) -> Json:
    """A function of the library by its name; of anything else, the fresh object's."""
    name = function.__qualname__
    module = sys.modules.get(function.__module__)
    is_found = _is_ours(function) and getattr(module, name, None) is function
    return ["function", f"{function.__module__}:{name}"] if is_found else FRESH


def _is_ours(thing: Any) -> bool:
    return f"{thing.__module__}.".startswith(("bthtn.", "py_trees."))


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _shown(one: object) -> str:
    kind, name = type(one).__name__, getattr(one, "name", "")
    return f"{kind} '{name}'" if isinstance(name, str) and name else kind


def _unsavable(what: str, value: object) -> InputError:
    kind = type(value).__name__
    message = f"{what} is a {kind}, which cannot be saved"
    hint = "use numbers, texts, enums, tuples, frozen data classes or named tuples"
    return InputError(Diagnostic("BT495", message, hint=hint))


_CONTAINERS: Final = (list, dict, set, deque, MappingProxyType, WeakKeyDictionary)
