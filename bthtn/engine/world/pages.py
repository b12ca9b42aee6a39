"""Pages: a dictionary of many entries whose copies cost little.

The entries lie on pages, plain dictionaries, by the hash of their keys. A copy has the same
pages; one of them is copied when it is first written. There are more pages than a page has entries,
and the more of both the more entries there are: a copy, and a write after it, cost by the square
root of their number.

The persistent maps of libraries compare keys with ``==``, which makes a condition of two fluents.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, MutableMapping
from itertools import chain
from math import isqrt
from typing import Any, Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

FEW: Final = 500
"""So many entries are copied as fast in one plain dictionary."""
_MORE: Final = 8
"""There are so many times as many pages as a page has entries: those cost more to copy."""


class Pages(MutableMapping[K, V]):
    """A dictionary that shares unchanged items with its copies. It keeps no order."""

    __slots__ = ("_number", "_own", "_pages")

    _number: int
    _own: set[int]
    """The numbers of the pages that no copy has."""
    _pages: list[dict[K, V]]

    def __init__(self, entries: Mapping[K, V]) -> None:
        self._fill(entries)

    def copy(self) -> Pages[K, V]:
        """A copy that can be changed without this one, and the other way round."""
        other: Pages[K, V] = object.__new__(Pages)
        other._number, other._pages = self._number, self._pages.copy()
        other._own, self._own = set(), set()
        return other

    def get(self, key: K, default: Any = None, /) -> Any:
        return self._pages[hash(key) % self._number].get(key, default)

    def items(self) -> ItemsView[K, V]:
        """Keys with their values, in no order that matters."""
        return _Items(self)

    def __getitem__(self, key: K) -> V:
        return self._pages[hash(key) % self._number][key]

    def __setitem__(self, key: K, value: V) -> None:
        page = self._written(key)
        page[key] = value
        if len(page) > self._number:
            self._fill(dict(self.items()))

    def __delitem__(self, key: K) -> None:
        del self._written(key)[key]

    def __iter__(self) -> Iterator[K]:
        return chain.from_iterable(self._pages)

    def __len__(self) -> int:
        return sum(map(len, self._pages))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Pages) and other._number == self._number:
            return self._pages == other._pages  # pages that both share are not looked at
        return isinstance(other, Pages | dict) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]  # as a dictionary has none

    def _fill(self, entries: Mapping[K, V]) -> None:
        self._number = isqrt(_MORE * len(entries)) | 1  # odd, as many hashes are even
        self._own = set(range(self._number))
        self._pages = [{} for _ in self._own]
        for key, value in entries.items():
            self._pages[hash(key) % self._number][key] = value

    def _written(self, key: K) -> dict[K, V]:
        number = hash(key) % self._number
        if number not in self._own:
            self._own.add(number)
            self._pages[number] = self._pages[number].copy()
        return self._pages[number]


class _Items(ItemsView[K, V]):
    """Goes through pages as fast as through dictionaries."""

    _mapping: Pages[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return chain.from_iterable(page.items() for page in self._mapping._pages)
