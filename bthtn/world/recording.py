"""RecordingState: a snapshot that records the fluents read from it, in order."""

from __future__ import annotations

from typing import Any, TypeVar

from bthtn.world.expression import Expression
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import Unknown

V = TypeVar("V")


class RecordingState(FrozenState):
    """A snapshot that records which fluents a search has read, and so which it depends on.

    ``readings`` has the value of every fluent that was read, in order of the first read.
    """

    __slots__ = ("readings",)

    def __init__(self, state: FrozenState) -> None:
        self.values = state.values
        self._unknown, self.has_unknown = state._unknown, state.has_unknown
        self.readings: dict[Fluent[Any], Any] = {}

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent."""
        value = super().get(fluent)
        assert isinstance(fluent, Fluent), "a state is asked for fluents"
        self.readings.setdefault(fluent, value)
        return value
