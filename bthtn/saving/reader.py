"""GraphReader: puts a graph of objects that was written as JSON back into fresh ones.

First the objects that were made anew are found for the saved ones: see ``Matches``. These stay the
objects that they are, and get the saved attributes. All others are created: those of the classes in
``loadable``, and those of the user's package.

A save may come from somebody else. It can neither name nor bind a function: functions stay those of
the objects made anew. No code of a class is called to create an object, and what an object gets is
checked: see ``kinds``.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Container, Mapping
from dataclasses import is_dataclass
from enum import Enum, EnumType
from random import Random
from types import MappingProxyType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from bthtn.errors import InputError
from bthtn.saving.attributes import put, saved_class, state_of
from bthtn.saving.kinds import CODE, fits, hides_code, is_declared, is_of_library
from bthtn.saving.loadable import ATTRIBUTES, CONSTANTS
from bthtn.saving.matches import MISSING, Json, Matches, damaged, entry_of
from bthtn.saving.parts import Parts
from bthtn.saving.writer import FRESH, writes_itself
from bthtn.world.fluent import FluentFamily


class SavedError(Exception):
    """An exception that was saved: its class and its text."""


class Deferred:
    """An object that was saved by ``LoadedLater``; ``GraphReader.load`` loads it."""

    def __init__(self, number: int) -> None:
        self.number = number


class GraphReader:
    """Loads the objects of a GraphWriter, with the user's ``package``.

    ``name_parts`` is called with the parts and each object that is loaded into, to add the parts
    that it brings; ``is_node`` says whether an object is a node of a tree, and ``prepare`` is
    called with each object that was created, when its attributes are set.
    """

    def __init__(
        self,
        objects: list[Json],
        package: str = "",
        *,
        name_parts: Callable[[Parts, Any], None],
        is_node: Callable[[object], bool],
        prepare: Callable[[Any], None],
    ) -> None:
        self._package = package
        self._parts = Parts()
        self._entries = objects
        self._name_parts = name_parts
        self._prepare = prepare
        self._is_node = is_node
        self._matches = Matches(objects, is_node)
        self._loaded: dict[int, Any] = {}
        self._unfilled: dict[int, None] = {}
        self._resuming: dict[int, Any] = {}

    def load(self, saved: Json | Deferred, fresh: object) -> Any:
        """The object for a saved value, which is ``fresh`` where it fits.

        Raises InputError for a save that does not fit, with some objects already changed.
        """
        value = ["ref", saved.number] if isinstance(saved, Deferred) else saved
        self._name_parts(self._parts, fresh)
        self._matches.find(value, fresh, besides=self._loaded)
        whole = self._value(value, fresh)
        while self._unfilled:
            self._fill(next(iter(self._unfilled)))
        return whole

    def leave(self, saved: Json, fresh: tuple[object, ...]) -> None:
        """Let saved objects be the fresh ones, which stay as they are."""
        self._name_parts(self._parts, fresh)
        for (_, number), part in zip(saved[1:], fresh, strict=True):
            self._loaded[number] = part

    def resume(self) -> None:
        """Call ``resume(reader)`` of all loaded objects that have it, in the order of the save."""
        while self._resuming:
            number = min(self._resuming)
            self._resuming.pop(number).resume(self)

    def _value(self, saved: Json, fresh: Any = MISSING) -> Any:
        match saved:
            case ["fresh"]:
                if fresh is MISSING:
                    raise damaged("it lacks an object that only the character's code can make")
                return fresh
            case ["tuple", *elements]:
                given = fresh if type(fresh) is tuple and len(fresh) == len(elements) else ()
                old = given or (MISSING,) * len(elements)
                return tuple(map(self._value, elements, old))
            case [str() as kind, *rest]:
                read = _READ.get(kind)
                if read is None:
                    raise damaged(f"'{kind}' means nothing")
                return read(self, *rest)
            case None | bool() | int() | float() | str():
                return saved
            case _:
                raise damaged(f"{saved!r:.60} means nothing")

    def _object(self, number: int) -> Any:
        if number not in self._loaded:
            match = self._matches.get(number)
            if getattr(match, "_is_shared", False):
                if self._is_as_saved(number, match):
                    self._loaded[number] = match
                    return match
                match = MISSING
            self._loaded[number] = self._created(number) if match is MISSING else match
            self._unfilled[number] = None
            if match is MISSING and _is_plain(entry_of(self._entries, number)["has"]):
                self._fill(number)  # other characters may share what it becomes a part of
        return self._loaded[number]

    def _is_as_saved(self, number: int, match: Any) -> bool:
        """Whether an object of several characters, which is not to change, has what was saved."""
        has, state = entry_of(self._entries, number)["has"], state_of(match)
        return has.keys() == state.keys() and all(
            saved == FRESH or self._hashable(saved) == state[name] for name, saved in has.items()
        )

    def _hashable(self, saved: Json) -> Any:
        """A value whose hash may depend on its attributes, which are set first."""
        value = self._value(saved)
        match saved:
            case ["ref", int() as number] if number in self._unfilled:
                self._fill(number)
        return value

    def _part(self, place: str) -> Any:
        part = self._parts.at(place)
        if part is None:
            raise does_not_fit(f"the character has no '{place}' any more, which its plan needs")
        if isinstance(part, CODE) and not isinstance(part, type):
            raise damaged(f"'{place}' is code, which it may not refer to")
        return part

    def _part_of(self, place: str, kind: type) -> Any:
        """The part at a place, which is of this kind. Raises InputError for another one."""
        part = self._part(place)
        if not isinstance(part, kind):
            raise damaged(f"'{place}' is no {kind.__name__}")
        return part

    def _class(self, name: str, listed: Container[str]) -> type:
        """A class of the library that is listed, or one of the user's package.

        It is looked up among what was imported, without asking a module. Raises InputError.
        """
        module, _, path = name.partition(":")
        found: Any = None
        if name in listed or (self._package and f"{module}.".startswith(f"{self._package}.")):
            found = sys.modules.get(module)
            for part in path.split("."):
                found = vars(found).get(part) if isinstance(found, type | ModuleType) else None
        if not isinstance(found, type) or found.__module__ != module:
            raise damaged(f"there is no '{name}'")
        return found

    def _constant(self, kind: str, name: str) -> Any:
        found = self._class(kind, CONSTANTS)
        if not issubclass(found, Enum):
            raise damaged(f"'{kind}' is no Enum")
        return found[name]

    def _named(self, kind: str, *items: Json) -> Any:
        """A named tuple; of the library those are listed."""
        found = self._class(kind, ATTRIBUTES)
        names = getattr(found, "_fields", ())
        if not issubclass(found, tuple) or (names and len(names) != len(items)):
            raise damaged(f"'{kind}' is no tuple of {len(items)}")
        made = tuple.__new__(found, map(self._value, items))
        for name, value in zip(names, made, strict=False):
            self._check(made, name, value, MISSING)
        return made

    def _users(self, place: str, *given: Json) -> Any:
        """A value of a class that fluents or arguments have. Its own code may refuse it."""
        kind = self._part_of(place, type)
        is_plain = issubclass(kind, str | int | float) and not issubclass(kind, Enum)
        if not (is_plain or hasattr(kind, "_fields") or is_dataclass(kind)):
            raise damaged(f"'{place}' is no class of values")
        return kind(*map(self._hashable, given))

    def _created(self, number: int) -> Any:
        """An object of a saved class, without its attributes."""
        entry = entry_of(self._entries, number)
        kind, has = entry["is"], entry["has"]
        if kind in _EMPTY:
            return _EMPTY[kind]()
        match kind:
            case "deque":
                return deque(maxlen=entry.get("most"))
            case "mappingproxy":
                return MappingProxyType(
                    {self._hashable(key): self._value(item) for key, item in has}
                )
            case "exception":
                return SavedError(": ".join(has))
            case _ if "of" in entry:
                name = entry["of"].rpartition(":")[2]
                raise does_not_fit(f"the character has no {name} in its place any more")
            case _:
                of = self._class(kind, ATTRIBUTES)
                if saved_class(of, self._package) is not of or issubclass(of, Enum):
                    raise damaged(f"'{kind}' is no class of what is saved")
                # Its own code is not asked: neither __new__ nor __init__.
                made = str.__new__(of, entry["text"]) if issubclass(of, str) else object.__new__(of)
                if self._is_node(made) and not kind.startswith("bthtn."):
                    raise does_not_fit(f"the character has no {of.__name__} in its place any more")
                return made

    def _fill(self, number: int) -> None:
        del self._unfilled[number]
        entry, part = entry_of(self._entries, number), self._loaded[number]
        has = entry["has"]
        match entry["is"]:
            case "list" | "deque":
                old = tuple(part) if len(part) == len(has) else (MISSING,) * len(has)
                values = [self._value(*both) for both in zip(has, old, strict=True)]
                part.clear()
                part.extend(values)
            case "set":
                values = list(map(self._hashable, has))
                part.clear()
                part.update(values)
            case "dict" | "WeakKeyDictionary":
                items = [self._item(part, *entry) for entry in has]
                part.clear()
                part.update(items)
            case "Random":
                part.setstate(self._value(has))
            case _ if isinstance(has, Mapping):
                self._fill_object(number, part, has)
                if "own" in entry and writes_itself(part) and number in self._matches:
                    part.load(entry["own"])

    def _item(self, old: Mapping[Any, Any], key: Json, value: Json) -> tuple[Any, Any]:
        found = self._hashable(key)
        return found, self._value(value, old.get(found, MISSING))

    def _fill_object(self, number: int, part: Any, has: Mapping[str, Json]) -> None:
        fresh = self._matches.like(number)
        known = state_of(part) if part is fresh else {}
        for name, saved in has.items():
            old = getattr(fresh, name, MISSING)
            if saved == FRESH and part is fresh:
                continue
            if name not in known and not is_declared(type(part), [name]) and hides_code(part, name):
                raise damaged(f"{type(part).__name__}.{name} is no attribute that is saved")
            try:
                value = self._value(saved, old)
                self._check(part, name, value, old)
            except InputError as error:
                raise error.placed(f"{type(part).__name__}.{name}") from None
            put(part, name, value)
        if number not in self._matches:
            if is_of_library(type(part)) and not is_declared(type(part), has):
                raise damaged(f"a {type(part).__name__} has no such attributes")
            self._prepare(part)
        if hasattr(part, "resume") and is_of_library(type(part)):
            self._resuming[number] = part

    def _check(self, part: Any, name: str, value: Any, old: Any) -> None:
        """Raise InputError where an attribute cannot have a value."""
        if not isinstance(value, Deferred) and not fits(part, name, value, old, MISSING):
            shown = type(value).__name__
            raise damaged(f"{type(part).__name__}.{name} cannot be {shown}")


def _is_plain(has: Json) -> bool:
    """Whether an object has attributes, all of which are plain values."""
    return isinstance(has, Mapping) and not any(isinstance(item, list) for item in has.values())


def does_not_fit(
    why: str, hint: str = "load(…, plans=False) takes over its beliefs, and plans anew"
) -> InputError:
    """The error of a save that other code has written."""
    return InputError("BT497", why, hint=hint)


_EMPTY: Final[Mapping[str, Callable[[], Any]]] = {
    "list": list,
    "set": set,
    "dict": dict,
    "WeakKeyDictionary": WeakKeyDictionary,
    "Random": Random,
}
_READ: Final[Mapping[str, Callable[..., Any]]] = {
    "ref": GraphReader._object,
    "later": lambda _, number: Deferred(number),
    "frozenset": lambda reader, *elements: frozenset(map(reader._hashable, elements)),
    "float": lambda _, text: float(text),
    "part": GraphReader._part,
    "member": lambda reader, place, index: reader._part_of(place, FluentFamily).member(
        reader._hashable(index)
    ),
    "enum": lambda reader, place, name: reader._part_of(place, EnumType)[name],
    "constant": GraphReader._constant,
    "value": GraphReader._users,
    "named": GraphReader._named,
}
"""The function that makes a value of an array, by the kind in its first place; see ``writer``."""
