"""Minds: the running trees of a host's characters, as lines for those who look into them.

All of it lives in the thread of the server, where the characters tick, too: so what is new is
gathered when a reader has time for it, and a slow one misses nothing but the moments between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from bthtn.kit.engines import EngineHost
from bthtn.studio.watch.updates import Feed, Lines, text_of


class Minds:
    """The minds of the characters of a host; ``look`` is called after each of its answers."""

    def __init__(self, host: EngineHost) -> None:
        self._host = host
        self._readers: set[asyncio.Event] = set()

    def look(self) -> None:
        """Let the readers look for what is new."""
        for reader in self._readers:
            reader.set()

    def __contains__(self, name: str) -> bool:
        return name in self._host.characters

    async def lines(self, name: str) -> AsyncIterator[str]:
        """The lines of a character as a recording has them, until it is dismissed."""
        character = self._host.characters[name]
        feed, lines, news = Feed([character]), Lines(name), asyncio.Event()
        self._readers.add(news)
        try:
            yield text_of(lines.of(feed.update(character.ticks, is_whole=True, is_seen=False)))
            while self._host.characters.get(name) is character:
                await news.wait()
                news.clear()
                update = feed.update(character.ticks, is_whole=False, is_seen=False)
                if update.news:
                    yield text_of(lines.of(update))
        finally:
            self._readers.discard(news)
            feed.watched.close()
