"""RecordingState: a snapshot that remembers what was read of it, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from bthtn.world.expression import Expression
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import Unknown

V = TypeVar("V")


class RecordingState(FrozenState):
    """The state that a search starts from, while somebody wants to know what it depends on.

    ``readings`` are the fluents that ``get`` was asked for, each where it was first read, with
    its value. ``changes`` are those of the last state that was derived from this one. What is
    read through ``unrecorded`` leaves no trace.
    """

    __slots__ = ("_state", "changes", "readings")

    def __init__(self, state: FrozenState) -> None:
        self.values = state.values
        self.has_unknown = state.has_unknown
        self._state = state
        self.readings: dict[Fluent[Any], Any] = {}
        self.changes: Mapping[Fluent[Any], Any] = {}

    @property
    def unrecorded(self) -> FrozenState:
        """The snapshot itself."""
        return self._state

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent."""
        value = super().get(fluent)
        assert isinstance(fluent, Fluent), "a state is asked for fluents"
        self.readings.setdefault(fluent, value)
        return value

    def changed(self, changes: Mapping[Fluent[Any], Any]) -> FrozenState:
        """This state with other values for some fluents; a plain snapshot."""
        self.changes = dict(changes)
        return super().changed(changes)
