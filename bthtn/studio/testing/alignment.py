"""Which of the events that were heard are those that were expected.

for each expected event, and each place up to which the heard events may be used up:
    the first event from there on that fits         as it is, or within more ticks
    the first one in place of it                    another plan, value, or end
    none                                            it is left as it is
of all ways through, the one that leaves, then that changes, the fewest
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bthtn.studio.testing.plan_pattern import is_pattern
from bthtn.studio.testing.scenario import Expected, event_text, fits
from bthtn.studio.views.timeline import Tick

_KINDS: Final = (
    re.compile(r"(?P<about>plan) .*", re.DOTALL),
    re.compile(r"(?P<about>(?:start|refused) [^(]+).*", re.DOTALL),
    re.compile(r"(?:done|failed|aborted) (?P<about>[^(]+).*", re.DOTALL),
    re.compile(r"(?P<about>.+) (?:succeeded|failed)"),
    re.compile(r"(?P<about>.+?) = .*", re.DOTALL),
)
"""Events that may stand in place of each other: of the same kind, and about the same."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The outcome of the expected events; ``left`` are those with nothing in their place."""

    found: tuple[Expected, ...] = ()
    left: tuple[Expected, ...] = ()
    changed: int = 0

    @property
    def cost(self) -> tuple[int, int]:
        """Less is better: how many were left, and how many changed."""
        return len(self.left), self.changed


def aligned(expected: Sequence[Expected], ticks: Sequence[Tick]) -> Alignment:
    """The expected events as they would have to be to have come true in these ticks."""
    heard = [(tick.number, event_text(event)) for tick in ticks for event in tick.events]
    best = {0: Alignment()}
    """By the number of events that are used up: the best way there."""
    for wanted in expected:
        longer: dict[int, Alignment] = {}
        for used, alignment in best.items():
            for after, longer_best in _next(wanted, heard, used, alignment):
                if after not in longer or longer_best.cost < longer[after].cost:
                    longer[after] = longer_best
        best = longer
    return min(best.values(), key=lambda alignment: alignment.cost)


def _next(
    wanted: Expected, heard: Sequence[tuple[int, str]], used: int, alignment: Alignment
) -> Iterator[tuple[int, Alignment]]:
    """The possible outcomes of the next expected event, with the events that are used up then."""
    yield used, Alignment((*alignment.found, wanted), (*alignment.left, wanted), alignment.changed)
    before = heard[used - 1][0] if used else 0
    about = None if is_open(wanted.event) else _about(wanted.event)
    rest = range(used, len(heard))
    fitting = [place for place in rest if fits(heard[place][1], wanted.event)]
    similar = [place for place in rest if about and _about(heard[place][1]) == about]
    for place in sorted({*fitting[:1], *similar[:1]}):
        tick, text = heard[place]
        event = wanted.event if fits(text, wanted.event) else _like(text, wanted.event)
        late = wanted.within is not None and tick > before + wanted.within
        now = replace(wanted, event=event, within=tick - before if late else wanted.within)
        yield (
            place + 1,
            Alignment((*alignment.found, now), alignment.left, alignment.changed + (now != wanted)),
        )


def is_open(event: str) -> bool:
    """Whether an expected event leaves something open."""
    plan = event.removeprefix("plan ")
    return is_pattern(plan) if plan != event else "*" in event or "?" in event


def _about(event: str) -> tuple[int, str] | None:
    """The kind of an event, and its subject; None for events of other kinds."""
    text = event.partition(" — ")[0]
    for kind, pattern in enumerate(_KINDS):
        found = pattern.fullmatch(text)
        if found:
            return kind, found["about"]
    return None


def _like(heard: str, expected: str) -> str:
    """The text of an event that was heard, with its reason only if the expected one has one."""
    return heard if " — " in expected else heard.partition(" — ")[0]
