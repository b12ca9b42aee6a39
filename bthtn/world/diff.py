"""What changed between two states, and whose doing it was."""

from __future__ import annotations

from typing import Any, NamedTuple

from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import value_text


class Change(NamedTuple):
    """One fluent got another value; ``source`` names who did it."""

    fluent: Fluent[Any]
    before: Any
    after: Any
    source: str

    def __str__(self) -> str:
        values = f"{value_text(self.before)} → {value_text(self.after)}"
        return f"{self.fluent}: {values} (by {self.source})"


def difference(before: FrozenState, after: FrozenState, source: str) -> tuple[Change, ...]:
    """Every fluent whose value differs, sorted by name."""
    touched = {fluent for state in (before, after) for fluent, _ in state.items()}
    changes = (Change(f, before.get(f), after.get(f), source) for f in sorted(touched, key=str))
    return tuple(change for change in changes if change.before != change.after)
