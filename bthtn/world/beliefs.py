"""Beliefs: the state that one agent acts on, every write with its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from bthtn.world.diff import Change
from bthtn.world.expression import Expression
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState, State, snapshot
from bthtn.world.truth import Unknown

S = TypeVar("S", bound=State)
V = TypeVar("V")


class Beliefs(Generic[S]):
    """What an agent holds true. Owned by the agent; sensors and finished tasks write it.

    Writing a value that is already there is no change. ``version`` counts changes, and each
    one is told to ``on_change``.
    """

    def __init__(self, state: S, on_change: Callable[[Change], None] | None = None) -> None:
        self._state_class = type(state)
        self._values = dict(snapshot(state).items())
        self._frozen: FrozenState | None = None
        self._on_change = on_change
        self.version = 0

    @property
    def now(self) -> S:
        """The beliefs as a snapshot of the user's own State class."""
        return self._state_class.over(self.frozen())

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, or UNKNOWN."""
        variable = cast("Fluent[V]", fluent)
        return cast("V | Unknown", self._values.get(variable, variable.default))

    def frozen(self) -> FrozenState:
        """A snapshot for a search to start from; the same object until something changes."""
        if self._frozen is None:
            self._frozen = FrozenState(self._values)
        return self._frozen

    def write(self, fluent: Expression[V], value: V | Unknown, source: str) -> Change | None:
        """Believe a value from now on; the change, or None when it was believed already.

        Raises StateError for a value of a wrong type.
        """
        variable = cast("Fluent[Any]", fluent)
        variable.check(value)
        before = self.get(variable)
        if before == value:
            return None
        self._values[variable] = value
        self._frozen = None
        self.version += 1
        change = Change(variable, before, value, source)
        if self._on_change is not None:
            self._on_change(change)
        return change
