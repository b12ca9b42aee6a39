"""Matches: which of the objects that were made anew stand for which saved ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MethodType
from typing import Any, Final

from bthtn.errors import InputError
from bthtn.records import equal_fields
from bthtn.saving.attributes import state_of
from bthtn.world.sharing import Shared

Json = Any
MISSING: Final = object()

_Pair = tuple[Json, Any, bool]
"""A saved value, one that was made anew, and whether that may be a node."""


class Matches:
    """Finds the fresh objects for saved ones, from pairs of both along the same attributes.

    Nodes of a tree are followed only as elements of lists, which are those of children: other
    attributes refer to whatever node is at work. No value stands for another one, as others may
    share it, but the objects that it refers to do.
    """

    def __init__(self, entries: list[Json], is_node: Callable[[object], bool]) -> None:
        self._entries = entries
        self._is_node = is_node
        self._fresh: dict[int, Any] = {}
        self._taken: dict[int, Any] = {}
        """The fresh objects, by their ids."""
        self._likes: dict[int, Any] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._fresh

    def get(self, number: int) -> Any:
        """The fresh object for a saved one, MISSING if there is none."""
        return self._fresh.get(number, MISSING)

    def like(self, number: int) -> Any:
        """The fresh object that stands for a saved one, or is in the place of a saved value."""
        return self._fresh.get(number, self._likes.get(number))

    def find(self, saved: Json, fresh: object, *, besides: Mapping[int, object]) -> None:
        """Find the objects for a value and all that it has, except objects that are loaded."""
        pending = deque[_Pair]([(saved, fresh, True)])
        while pending:
            value, found, may_be_node = pending.popleft()
            match value:
                case ["ref", int() as number] if number not in besides:
                    if may_be_node or not self._is_node(found):
                        pending.extend(self._stands_for(number, found))
                case ["method", of, _] if isinstance(found, MethodType):
                    pending.append((of, found.__self__, False))
                case ["tuple", *elements] if type(found) is tuple:
                    both = zip(elements, found, strict=False)
                    pending.extend((saved, fresh, may_be_node) for saved, fresh in both)

    def _stands_for(self, number: int, found: Any) -> Iterator[_Pair]:
        """Let an object stand for a saved one, unless one has another; yields the parts of both."""
        entry = entry_of(self._entries, number)
        is_known = number in self._fresh or number in self._likes or id(found) in self._taken
        if is_known or isinstance(found, Shared) or not _fits(entry, found):
            return
        if _is_value(found):
            self._likes[number] = found
        else:
            self._fresh[number] = self._taken[id(found)] = found
        if isinstance(found, list | deque):
            for saved, fresh in zip(entry["has"], found, strict=False):
                yield saved, fresh, self._is_node(fresh)
            return
        has: Mapping[Any, Any] = found if isinstance(found, dict) else state_of(found)
        for key, value in _items_of(entry):
            if isinstance(key, str | int) and key in has:
                yield value, has[key], False


def entry_of(entries: list[Json], number: int) -> dict[str, Any]:
    """The entry of an object in the save. Raises InputError where there is none."""
    entry = entries[number] if 0 <= number < len(entries) else None
    if isinstance(entry, dict) and isinstance(entry.get("is"), str) and "has" in entry:
        return entry
    raise damaged(f"it has no object {number}")


def _items_of(entry: Mapping[str, Any]) -> Iterable[tuple[Json, Json]]:
    """The saved values of a dictionary by keys, or of an object by the names of attributes."""
    has = entry["has"]
    if isinstance(has, Mapping):
        return has.items()
    return has if entry["is"] == "dict" else ()


def damaged(what: str) -> InputError:
    """The error of a save that bthtn has not written so."""
    return InputError("BT496", f"the save is damaged: {what}", hint="load a save as it was written")


def _is_value(value: Any) -> bool:
    """Whether it is frozen and compared by its attributes, so that others may share it."""
    kind: Any = type(value)
    settings = getattr(kind, "__dataclass_params__", None)
    is_frozen_dataclass = settings is not None and settings.frozen and settings.eq
    return kind.__eq__ is equal_fields or is_frozen_dataclass


def _fits(entry: Mapping[str, Any], found: Any) -> bool:
    kind = type(found)
    return entry.get("of", entry["is"]) in (f"{kind.__module__}:{kind.__qualname__}", kind.__name__)
