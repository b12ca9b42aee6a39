"""Transcript: the ticks of trees, and the events of their agents, as lines of a recording.

A block has the lines of one tick. Events are in it as they are, since they never change: texts
may be made of them later, and in another thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from bthtn.behaviours import Character
from bthtn.engine.agent.events import AgentEvent
from bthtn.kit.recording.active import active_names
from bthtn.kit.recording.event_log import event_data
from bthtn.kit.recording.watched import FORMAT, Line, Watchable, Watched

Block = tuple[int, list[Line | AgentEvent]]
"""The number of a tick, and its lines."""
_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


def texts(block: Block) -> Iterator[str]:
    """The lines of a block as JSON in ASCII, without line ends."""
    tick, lines = block
    for line in lines:
        data = line if isinstance(line, dict) else event_data(line, tick=tick)
        yield _ENCODE(data)


class Transcript:
    """Gives a block to ``take`` at its beginning, after each tick, and at the end."""

    def __init__(self, watched: Iterable[Watchable], about: Mapping[str, Any]) -> None:
        """``about`` are further keys of the first line. Raises InputError as ``Watched``."""
        roots = tuple(watched)
        self._watched = Watched(roots)
        characters = (character for character in roots if isinstance(character, Character))
        self._ticks = max((character.ticks for character in characters), default=0)
        self._take: Callable[[Block], None] = lambda _: None
        self._about = about
        self._is_over = False

    def begin(self, take: Callable[[Block], None]) -> None:
        """Give the first line, and hear events from now on."""
        self._take = take
        self._watched.listen()
        head = {"recording": FORMAT, **self._about, "agents": self._watched.about()}
        take((self._ticks, [head]))

    def tick(self) -> None:
        """Take down the events since the last call; called after each tick of the loop."""
        self._ticks += 1
        now = self._watched.time
        time = {} if now is None else {"time": now}
        active = [name for root in self._watched.roots for name in active_names(root)]
        head: Line = {"tick": self._ticks, **time, "active": active}
        self._take((self._ticks, [head, *self._news()]))

    def end(self, *, finished: bool, reason: str = "") -> None:
        """Take down the events since the last tick, and that the run is over. Hears no more."""
        if self._is_over:
            return
        lines: list[Line | AgentEvent] = []
        if self._watched.events:
            lines = [{"stop": self._ticks}, *self._news()]
        lines.append({"end": self._ticks, "finished": finished, "reason": reason})
        self._take((self._ticks, lines))
        self.close()

    def close(self) -> None:
        """Hear no more."""
        self._is_over = True
        self._watched.close()

    def _news(self) -> list[Line | AgentEvent]:
        return [*self._watched.news(), *self._watched.changes(self._ticks)]
