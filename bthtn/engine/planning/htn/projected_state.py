"""Projected state of a search: values by fluent, and the trail of what was overwritten.

The start state is not copied: a fluent's value is taken from it on first read. So the set of
fluents that the result depends on is recorded at no extra cost.

Every write is appended to the trail as the fluent and its value before. Undoing the trail down to
an earlier length restores the state at that time: so backtracking, the state in which a step was
planned, and what a branch has changed are all found from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, Final, NoReturn

from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Write
from bthtn.engine.world.truth import UNKNOWN, same_value

ABSENT: Final = object()
"""Placeholder for the value of a fluent that was neither read nor written."""

Trail = list[tuple[Any, Any]]
"""Fluents with the values that they had before they were written, the latest write last."""


def unknown(*_: object) -> NoReturn:
    """Raise UnknownRead: a compiled expression depends on an unknown value."""
    raise UnknownRead(None)


class Poison:
    """The unknown value in a search: every use of it raises UnknownRead, but it can be moved.

    So compiled expressions need not ask whether a value is known.
    """

    __slots__ = ()
    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = unknown
    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = unknown
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = unknown


POISON: Final = Poison()


class _Beginning:
    __slots__ = ()
    default = False
    volatile = True

    def __repr__(self) -> str:
        return "begun"


BEGUN: Final[Any] = _Beginning()
"""Takes the place of a fluent, and is written when volatile fluents stop having sensed values: with
the first step, and at the beginning of an alternative that is chosen at run time (semantics 2.4).
"""


MOST_NOTED: Final = 1_000_000
"""So many reads are noted before they are sorted: they take 8 MB, as most are repeated."""
_CONVERTED: Final = frozenset({float, type(UNKNOWN)})
"""Types of values that ``projected_value`` may replace."""


class Values(dict[Fluent[Any], Any]):
    """The projected values of the fluents that the search has read or written.

    ``noted`` are the fluents read from the start state that are not among the ``reads`` yet, some
    of them several times. A function may read thousands, and mostly nobody asks for the reads.
    """

    __slots__ = ("_reads", "noted", "start")

    def __init__(self, start: Mapping[Fluent[Any], Any]) -> None:
        self.start = start
        self._reads: dict[Fluent[Any], Any] = {}
        self.noted: list[Fluent[Any]] = []

    @property
    def reads(self) -> dict[Fluent[Any], Any]:
        """The fluents read from the start state with their values there, in order of first read."""
        self.sort_noted()
        return self._reads

    def recall(self, reads: dict[Fluent[Any], Any]) -> None:
        """Take over the reads of a search that is known, instead of its own."""
        self._reads = reads

    def sort_noted(self) -> None:
        reads, start = self._reads, self.start
        for fluent in self.noted:
            if fluent not in reads:
                reads[fluent] = start.get(fluent, fluent.default)
        self.noted.clear()

    def __missing__(self, fluent: Fluent[Any]) -> Any:
        self.noted.append(fluent)
        value = self.start.get(fluent, fluent.default)
        if type(value) in _CONVERTED:
            value = projected_value(value)
        self[fluent] = value
        return value

    def at_start(self, fluent: Fluent[Any]) -> Any:
        """Return the value in the start state and record the read."""
        self.noted.append(fluent)
        return projected_value(self.start.get(fluent, fluent.default))

    def unread(self, fluent: Fluent[Any]) -> Any:
        """Return the projected value without recording a read; of a volatile fluent, if written."""
        value = self.get(fluent, ABSENT)
        if value is ABSENT and not fluent.volatile:
            return projected_value(self.start.get(fluent, fluent.default))
        return value

    def before(self, fluent: Fluent[Any], value: Any) -> Any:
        """Return what ``unread`` returned when the fluent had this value in the trail."""
        if value is ABSENT and not fluent.volatile:
            return projected_value(self.start.get(fluent, fluent.default))
        return value

    def undo(self, trail: Trail, length: int) -> None:
        """Restore the values at an earlier length of the trail, and cut it back to that."""
        while len(trail) > length:
            fluent, before = trail.pop()
            if before is ABSENT:
                self.pop(fluent, None)
            else:
                self[fluent] = before

    def copied(self) -> Values:
        """Return an independent copy of the values, which shares ``reads`` with this one."""
        other = Values(self.start)
        other.update(self)
        other._reads, other.noted = self._reads, self.noted
        return other


class ProjectedState:
    """A view of a search's values: what conditions, effects and functions read.

    ``fingerprint`` is the same for equal states of one search: a combination of the hashes of
    fluents with their values. ``trusted`` are the rows whose functions were found, in this search,
    to mean what they did when they were translated.
    """

    __slots__ = ("_has_volatile", "fingerprint", "trusted", "values")

    def __init__(self, values: Values, has_volatile: bool) -> None:  # noqa: FBT001 - one for each search
        self.values = values
        self._has_volatile = has_volatile
        self.fingerprint = 0
        self.trusted: set[Any] = set()

    def over(self, values: Values) -> ProjectedState:
        """Return a view of other values."""
        return ProjectedState(values, self._has_volatile)

    def get(self, fluent: Any, /) -> Any:
        if fluent.volatile:
            value = self.values.get(fluent, ABSENT)
            if value is ABSENT:
                value = UNKNOWN if BEGUN in self.values else self.values.at_start(fluent)
        else:
            value = self.values[fluent]
        return UNKNOWN if value is POISON else value

    @property
    def foreseeable(self) -> bool:
        """Whether volatile fluents still have their sensed values."""
        return BEGUN not in self.values

    def sensed(self, fluent: Fluent[Any]) -> Any:
        """Return a volatile fluent's value: written, or sensed. Raises UnknownRead."""
        value = self.get(fluent)
        return unknown() if value is UNKNOWN else value

    def apply(self, writes: Mapping[Fluent[Any], Write], trail: Trail) -> None:
        for fluent, write in writes.items():
            self.put(fluent, write.applied(fluent, self), trail)

    def put(self, fluent: Fluent[Any], value: Any, trail: Trail) -> None:
        values, value = self.values, projected_value(value)
        before = values.get(fluent, ABSENT)
        self.fingerprint ^= _hash(fluent, value) ^ _hash(fluent, values.before(fluent, before))
        trail.append((fluent, before))
        values[fluent] = value

    def begin(self, trail: Trail) -> None:
        """Note that volatile fluents do not have their sensed values from here on."""
        if self._has_volatile and BEGUN not in self.values:
            self.fingerprint ^= 1
            trail.append((BEGUN, ABSENT))
            self.values[BEGUN] = True


class ReadingView:
    """A view of a search's state that notes what it reads, for what is evaluated.

    ``noted`` are the fluents that were read, some of them several times.
    """

    __slots__ = ("_at_start", "_note", "_note_at_start", "_projected", "below", "noted")

    def __init__(self, view: ProjectedState) -> None:
        values = view.values
        if len(values.noted) > MOST_NOTED:
            values.sort_noted()
        self.below = view
        self._projected, self._at_start = values.get, values.start.get
        self.noted: list[Any] = []
        self._note, self._note_at_start = self.noted.append, values.noted.append

    def get(self, fluent: Any, /) -> Any:
        """Return the projected value of the fluent."""
        self._note(fluent)
        value = self._projected(fluent, ABSENT)
        if value is not ABSENT:
            return UNKNOWN if value is POISON else value
        if fluent.volatile and not self.below.foreseeable:
            return UNKNOWN
        self._note_at_start(fluent)
        value = self._at_start(fluent, fluent.default)
        return projected_value(value) if type(value) is float else value

    @property
    def reads(self) -> frozenset[Any]:
        """The fluents that were read."""
        return frozenset(self.noted)

    @property
    def unknown(self) -> Any:
        """The first fluent that was read and is unknown, or None."""
        return next((fluent for fluent in self.noted if self.below.get(fluent) is UNKNOWN), None)


class EarlierState:
    """A view of the states that a search came through, from the last one backwards.

    The values are copied when a state is first read, as footprints are mostly known.
    """

    __slots__ = ("_at", "_end", "_length", "_trail", "_values")

    def __init__(self, values: Values, trail: Trail) -> None:
        self._end = values
        self._values: Values | None = None
        self._trail = trail
        self._at = self._length = len(trail)

    def at(self, length: int) -> None:
        """Go back to the state at an earlier length of the trail."""
        self._at = length

    def get(self, fluent: Any, /) -> Any:
        """Return the value of the fluent in the current state."""
        values = self._values
        if values is None:
            values = self._values = self._end.copied()
        trail = self._trail
        while self._length > self._at:
            self._length -= 1
            written, before = trail[self._length]
            if before is ABSENT:
                values.pop(written, None)
            else:
                values[written] = before
        value = values.get(fluent, ABSENT)
        if value is ABSENT:
            if fluent.volatile and BEGUN in values:
                return UNKNOWN
            value = projected_value(values.start.get(fluent, fluent.default))
        return UNKNOWN if value is POISON else value


def _hash(fluent: Fluent[Any], value: Any) -> int:
    return hash((fluent, id(value) if value is POISON or value is ABSENT else value))


def first_overwritten(trail: Trail, length: int, end: int) -> dict[Fluent[Any], Any]:
    """Return every fluent written between these lengths of the trail, with its value before."""
    first: dict[Fluent[Any], Any] = {}
    for place in range(end - 1, length - 1, -1):
        fluent, before = trail[place]
        first[fluent] = before
    return first


def same_projected(value: Any, other: Any) -> bool:
    """Whether two values of ``unread`` are the same."""
    if value is POISON or other is POISON or value is ABSENT or other is ABSENT:
        return value is other
    return same_value(value, other)


def projected_value(value: Any) -> Any:
    """Return the value as a search keeps it: POISON if unknown, and of all NaNs the same one."""
    if value is UNKNOWN:
        return POISON
    return nan if type(value) is float and value != value else value  # noqa: PLR0124 - NaN


def known_value(value: Any) -> Any:
    """Return the value as everybody else knows it."""
    return UNKNOWN if value is POISON else value
