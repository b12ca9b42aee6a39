"""Changes of fluents: the value before, the value after, and the source of the change."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import value_text


class Change(tuple[Fluent[Any], Any, Any, str]):
    """A fluent's value before and after a write; ``source`` names the writer.

    It is a tuple because beliefs make one on every write, and nothing is made faster.
    """

    __slots__ = ()
    __match_args__ = ("fluent", "before", "after", "source")

    def __new__(cls, fluent: Fluent[Any], before: object, after: object, source: str) -> Self:
        return tuple.__new__(cls, (fluent, before, after, source))

    def __getnewargs__(self) -> tuple[Fluent[Any], Any, Any, str]:
        """Arguments for ``__new__`` when a change is copied or unpickled."""
        return (self[0], self[1], self[2], self[3])

    # Fluents are descriptors: a checker would give a class attribute of that type its value's type.
    if TYPE_CHECKING:

        def __init__(self, fluent: Fluent[Any], before: Any, after: Any, source: str) -> None:
            self.fluent = fluent
            self.before = before
            self.after = after
            self.source = source

    else:
        fluent = property(itemgetter(0))
        before = property(itemgetter(1))
        after = property(itemgetter(2))
        source = property(itemgetter(3))

    # That of a tuple would ask for the truth of ``fluent == fluent``, which is a condition.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Change) and self[0] is other[0] and self[1:] == other[1:]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"<change {self}>"

    def __str__(self) -> str:
        return f"{self.fluent}: {self.values_text} (by {self.source})"

    @property
    def values_text(self) -> str:
        """The two values as text, floats to twelve digits unless they differ behind these."""
        before, after = value_text(_rounded(self.before)), value_text(_rounded(self.after))
        if before == after:
            before, after = value_text(self.before), value_text(self.after)
        return f"{before} → {after}"


def _rounded(value: object) -> object:
    """A float without the noise of its last digits, such as that of 0.1 + 0.2."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def difference(before: FrozenState, after: FrozenState, source: str) -> tuple[Change, ...]:
    """Every fluent whose value differs, sorted by name."""
    touched = {*before.values, *after.values}
    changes = [Change(fluent, before.get(fluent), after.get(fluent), source) for fluent in touched]
    differing = [change for change in changes if change.before != change.after]
    return tuple(sorted(differing, key=lambda change: str(change.fluent)))
