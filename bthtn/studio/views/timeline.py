"""A run as a timeline: the agent's events of each tick, as rows and lines of text.

    tick    the tree runs           what happens
    13      fight          plan     2 for fight, record [1,0,1,0,0,0]
                           starts   move_to_cover, wait(3)
    14–15   fight          runs     move_to_cover, wait(3)

``rows`` makes rows of ticks, one for several ticks without events; ``lines`` formats a row.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.text.tree import UNICODE, Strokes, one_line, tree_text
from bthtn.errors import InputError, nearest
from bthtn.kit.recording.event_log import concerns
from bthtn.studio.views.entries import Entry, EntryBuilder, Verb

WIDTH: Final = 100
_WHEN: Final = 8
_ACTIVE: Final = 15
_AGENT: Final = 9
_VERB: Final = 9
MARGIN: Final = _WHEN + _ACTIVE
_MOST_TREE_LINES: Final = 60


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick of a run: the authored tree's running leaves after it, and its events.

    ``time`` is that of the agent's clock in seconds, None without one.
    """

    number: int
    active: tuple[str, ...]
    events: tuple[AgentEvent, ...]
    time: float | None = None


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """The entries of one tick, or of several ticks without events."""

    first: int
    last: int
    active: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in four columns, or in five where there are several agents.

    ``agent`` is None where there is one.
    """

    when: str
    active: str
    verb: str
    text: str
    agent: str | None = None

    def __str__(self) -> str:
        agent = "" if self.agent is None else _column(self.agent, _AGENT)
        margin = f"{self.when:<{_WHEN}}{_column(self.active, _ACTIVE)}{agent}"
        return f"{margin}{self.verb:<{_VERB}}{self.text}".rstrip()


def _column(text: str, width: int) -> str:
    fits = len(text) < width
    return f"{text if fits else text[: width - 2] + '…':<{width}}"


HEADING: Final = Line("tick", "the tree runs", "", "what happens")


def rows(
    ticks: Iterable[Tick],
    *,
    only: Collection[str] = (),
    agent: str = "",
    goal: str = "",
    task: str = "",
) -> Iterator[TimelineRow]:
    """The rows of the timeline, generated while the ticks arrive.

    ``only`` are kinds of entries, such as ``"fails"`` or ``"fail"``; ``agent`` and ``goal`` are the
    names of an agent and a goal, and ``task`` a task, with its arguments or without. Where one of
    them is given, entries of others are left out, and so are rows without entries. Where the events
    are of several agents, each entry names its agent. Raises InputError for unknown kinds.
    """
    words = verbs(only)
    if not (words or agent or goal or task):
        return _all_rows(ticks, EntryBuilder())
    return _rows(ticks, words, lambda event: concerns(event, agent=agent, goal=goal, task=task))


def verbs(words: Collection[str]) -> frozenset[Verb]:
    """The kinds of entries that these words name. Raises InputError."""
    known = {verb.value: verb for verb in Verb}
    given = (words,) if isinstance(words, str) else words
    found = {word: known.get(word) or known.get(f"{word}s") for word in given}
    for word, verb in found.items():
        if verb is None:
            message = f"no entry of a timeline is called {word!r}"
            raise InputError("BT409", message, hint=nearest(str(word), known))
    return frozenset(filter(None, found.values()))


def _rows(
    ticks: Iterable[Tick], words: frozenset[Verb], is_shown: Callable[[AgentEvent], bool]
) -> Iterator[TimelineRow]:
    """The rows that have entries of these kinds, made of events that are shown."""
    builder = EntryBuilder()
    for tick in ticks:
        made = builder.entries(tick.events, is_shown)
        entries = tuple(entry for entry in made if not words or entry.verb in words)
        if entries:
            yield TimelineRow(tick.number, tick.number, tick.active, entries)


def _all_rows(ticks: Iterable[Tick], builder: EntryBuilder) -> Iterator[TimelineRow]:
    quiet: TimelineRow | None = None
    for tick in ticks:
        entries = builder.entries(tick.events, concerns)
        row = TimelineRow(tick.number, tick.number, tick.active, entries)
        if quiet is not None:
            if not tick.events and replace(row, first=quiet.first, last=quiet.last) == quiet:
                quiet = replace(quiet, last=row.last)
                continue
            yield quiet
        quiet = None if tick.events else row
        if quiet is None:
            yield row
    if quiet is not None:
        yield quiet


def lines(row: TimelineRow, *, width: int = WIDTH, strokes: Strokes = UNICODE) -> Iterator[Line]:
    """The lines of a row; texts are wrapped at ``width``, plan trees are not."""
    when = str(row.first) if row.first == row.last else f"{row.first}–{row.last}"
    active = ", ".join(row.active)
    if not row.entries:
        yield Line(when, active, "", "")
    above = ""
    for entry in row.entries:
        verb = entry.verb.value
        agent = (entry.agent if entry.agent != above else "") if entry.agent else None
        above = entry.agent
        room = width - MARGIN - _VERB - (0 if agent is None else _AGENT)
        for text in _text_lines(entry, max(20, room), strokes):
            yield Line(when, active, verb, text, agent)
            when = active = verb = ""
            agent = agent and ""


def _text_lines(entry: Entry, width: int, strokes: Strokes) -> Iterator[str]:
    """The entry's text wrapped at ``width``, and below it the lines of a new plan's tree."""
    yield from textwrap.wrap(one_line(entry.text), width, subsequent_indent="  ") or [""]
    if entry.plan is not None:
        drawn = tree_text(entry.plan.tree, entry.plan.domain, strokes=strokes).splitlines()
        yield from drawn[:_MOST_TREE_LINES]
        if len(drawn) > _MOST_TREE_LINES:
            yield f"… and {len(drawn) - _MOST_TREE_LINES} lines more"
