"""History: the latest lines of a run, for readers that each go at their own pace.

    entry       the lines of one tick; an entry that ``stands_alone`` begins with all that has to be
                known to go on from there
    append      the oldest entries are dropped, as far as to an entry that stands alone
    reader      begins with the oldest entry; one that falls far behind goes on with the latest
                entry that stands alone

All of it lives in the thread of the server.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Self

SIZE: Final = 64_000_000
"""Characters that are kept."""
BEHIND: Final = 300
"""Entries that a reader may be behind, once it has read what was there at its beginning."""


class History:
    """Entries of lines, by numbers that go on counting when the oldest are dropped."""

    def __init__(self, size: int = SIZE) -> None:
        self.first = 0
        """The number of the oldest entry."""
        self.readers: set[Reader] = set()
        """The readers to be woken by the next entry."""
        self._entries: dict[int, str] = {}  # a deque finds what is in its middle in linear time
        self._alone: deque[int] = deque()
        """Numbers of the entries that stand alone."""
        self._size = size
        self._length = 0
        self.is_closed = False

    @property
    def end(self) -> int:
        """The number of the entry that comes next."""
        return self.first + len(self._entries)

    @property
    def latest_alone(self) -> int:
        """The number of the latest entry that stands alone; that of the oldest if none is left."""
        return self._alone[-1] if self._alone else self.first

    def append(self, lines: str, *, stands_alone: bool = False) -> None:
        if stands_alone:
            self._alone.append(self.end)
        self._entries[self.end] = lines
        self._length += len(lines)
        while self._length > self._size and len(self._alone) > 1:
            self._alone.popleft()
            for number in range(self.first, self._alone[0]):
                self._length -= len(self._entries.pop(number))
            self.first = self._alone[0]
        self._wake()

    def clear(self) -> None:
        self.first = self.end
        self._entries.clear()
        self._alone.clear()
        self._length = 0

    def close(self) -> None:
        """End the reading: readers read to the end, and no further."""
        self.is_closed = True
        self._wake()

    def between(self, start: int, most: int) -> list[str]:
        """At most so many entries, from this number on."""
        at = max(start, self.first)
        return [self._entries[number] for number in range(at, min(at + most, self.end))]

    def _wake(self) -> None:
        for reader in self.readers:
            reader.news.set()


class Reader:
    """Reads a history from its oldest entry on; used as a context."""

    MOST: Final = 500

    def __init__(self, history: History) -> None:
        self.news = asyncio.Event()
        self._history = history
        self._next = history.first
        self._caught_up = history.end
        self.skipped = 0
        """Entries that were left out, because this reader was too slow."""

    def __enter__(self) -> Self:
        self._history.readers.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._history.readers.discard(self)

    async def entries(self) -> list[str]:
        """The entries that come next, at least one; none when the history is closed."""
        while self._next >= self._history.end and not self._history.is_closed:
            self.news.clear()
            await self.news.wait()
        self._skip()
        found = self._history.between(self._next, self.MOST)
        self._next = max(self._next, self._history.first) + len(found)
        return found

    def _skip(self) -> None:
        history = self._history
        is_late = self._next >= self._caught_up and history.end - self._next > BEHIND
        if (is_late or self._next < history.first) and history.latest_alone > self._next:
            self.skipped += history.latest_alone - self._next
            self._next = history.latest_alone
