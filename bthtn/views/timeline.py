"""A run as a timeline: the agent's events of each tick, as rows and lines of text.

    tick    the tree runs           what happens
    13      fight          plan     2 for fight, record [1,0,1,0,0,0]
                           starts   move_to_cover, wait(3)
    14–15   fight          runs     move_to_cover, wait(3)

``rows`` makes rows of ticks, one for several ticks without events; ``lines`` formats a row.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from bthtn.agent.events import AgentEvent
from bthtn.errors import Diagnostic, InputError, nearest
from bthtn.views.entries import Entry, EntryBuilder, Verb
from bthtn.views.event_log import concerns
from bthtn.views.text import UNICODE, Strokes, one_line, tree_text

WIDTH: Final = 100
_WHEN: Final = 8
_ACTIVE: Final = 15
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
    """A line of text in four columns."""

    when: str
    active: str
    verb: str
    text: str

    def __str__(self) -> str:
        fits = len(self.active) < _ACTIVE
        active = self.active if fits else f"{self.active[: _ACTIVE - 2]}…"
        return f"{self.when:<{_WHEN}}{active:<{_ACTIVE}}{self.verb:<{_VERB}}{self.text}".rstrip()


HEADING: Final = Line("tick", "the tree runs", "", "what happens")


def rows(
    ticks: Iterable[Tick], *, only: Collection[str] = (), goal: str = "", task: str = ""
) -> Iterator[TimelineRow]:
    """The rows of the timeline, generated while the ticks arrive.

    ``only`` are words of its third column, such as ``"fails"``; ``goal`` is the name of a goal,
    and ``task`` a task, with its arguments or without. Where one of them is given, entries of
    others are left out, and so are rows without entries. Raises InputError for unknown words.
    """
    words = verbs(only)
    is_filtered = bool(words or goal or task)
    builder = EntryBuilder()
    return _rows(ticks, builder, words, goal, task) if is_filtered else _all_rows(ticks, builder)


def verbs(words: Collection[str]) -> frozenset[Verb]:
    """The kinds of entries that these words name. Raises InputError."""
    known = {verb.value: verb for verb in Verb}
    given = (words,) if isinstance(words, str) else words
    for word in given:
        if word not in known:
            message = f"no entry of a timeline is called {word!r}"
            raise InputError(Diagnostic("BT409", message, hint=nearest(str(word), known)))
    return frozenset(known[word] for word in given)


def _rows(
    ticks: Iterable[Tick], builder: EntryBuilder, words: frozenset[Verb], goal: str, task: str
) -> Iterator[TimelineRow]:
    """The rows that have entries of these kinds, of this goal and of this task."""
    for tick in ticks:
        made = builder.entries(tick.events, lambda event: concerns(event, goal=goal, task=task))
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
    for entry in row.entries:
        verb = entry.verb.value
        for text in _text_lines(entry, max(20, width - MARGIN - _VERB), strokes):
            yield Line(when, active, verb, text)
            when = active = verb = ""


def _text_lines(entry: Entry, width: int, strokes: Strokes) -> Iterator[str]:
    """The entry's text wrapped at ``width``, and below it the lines of a new plan's tree."""
    yield from textwrap.wrap(one_line(entry.text), width, subsequent_indent="  ") or [""]
    if entry.plan is not None:
        drawn = tree_text(entry.plan.tree, entry.plan.domain, strokes=strokes).splitlines()
        yield from drawn[:_MOST_TREE_LINES]
        if len(drawn) > _MOST_TREE_LINES:
            yield f"… and {len(drawn) - _MOST_TREE_LINES} lines more"
