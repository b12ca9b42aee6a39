"""Times: what a profile has measured, as lines, one for each second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Final

from bthtn.kit.recording.watched import Line
from bthtn.studio.profile import Profile

MOST: Final = 20
"""Rows of a line."""
EVERY: Final = 1_000_000_000
"""Nanoseconds from one line to the next."""


class Times:
    """The rows of a profile, as it goes on; nothing without one. ``clock`` returns nanoseconds."""

    def __init__(
        self, profile: Profile | None, *, clock: Callable[[], int] = perf_counter_ns
    ) -> None:
        self._profile = profile
        self._clock = clock
        self._due = clock()

    def changes(self, *, at_once: bool) -> Iterator[Line]:
        """A line with the rows of the longest own times, if one is due or wanted ``at_once``."""
        now = self._clock()
        if self._profile is not None and (at_once or now >= self._due):
            self._due = now + EVERY
            yield {"profile": [row._asdict() for row in self._profile.rows[:MOST]]}
