"""The recursion guard: a task that is entered inside itself in an unchanged state fails.

Calls of recursive tasks are indexed by task, arguments and fingerprint of the state. Equal states
have equal fingerprints; when a fingerprint recurs, the states of the open calls are compared.

To compare whole states at every entry would take quadratic time; so fingerprints are compared, and
only equal ones lead to a look at the states. The answer depends on every fluent that the plan has
overwritten by then: these count as read, although no condition asks for them. The states of earlier
calls are not kept: the trail has what was overwritten since.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final

from bthtn.engine.planning.htn.projected_state import ABSENT, Trail, Values, same_projected
from bthtn.engine.planning.htn.record import Entry

Place = tuple[int, Entry]
"""A call that was entered: where its entry stands in the record, and the entry."""

_SOME: Final = 200
"""As many calls are indexed at least before the index is cleared of those that are undone."""


class RecursionGuard(dict[Any, dict[int, list[Place]]]):
    """Finds open calls of the same task in the same state, for one search.

    It holds the recursive calls that were entered: places by fingerprint, by task and arguments.
    Backtracking leaves them as they are: one that is no longer at its place in the record is
    undone. They are removed when ``entered``, which is at least the number of all, is more than
    ``most``.

    ``met`` is the length of the trail up to which the values that were overwritten have been
    compared, so that they count as read. ``place`` is where the entry of the call stands that was
    found last.
    """

    __slots__ = (
        *("_noted", "_open", "_record", "_trail", "_values"),
        *("entered", "met", "most", "place"),
    )

    def __init__(self, values: Values, trail: Trail, record: Sequence[Entry]) -> None:
        self.entered, self.most = 0, _SOME
        self.met = self._noted = self.place = 0
        self.move(values, trail, record)

    def move(self, values: Values, trail: Trail, record: Sequence[Entry]) -> None:
        """Go on over copies of values, trail and record."""
        self._values, self._trail, self._record = values, trail, record
        self._open: _OpenCalls | None = None  # until a fingerprint recurs

    def __missing__(self, key: Any) -> dict[int, list[Place]]:
        self.entered += 1
        made = self[key] = {}
        return made

    def forget_undone(self) -> None:
        """Remove the calls that were undone."""
        self.entered = 0
        for key, known in list(self.items()):
            for fingerprint, found in list(known.items()):
                known[fingerprint] = [place for place in found if self._is_current(place)]
                self.entered += len(known[fingerprint])
                if not known[fingerprint]:
                    del known[fingerprint]
            if not known:
                del self[key]
        self.most = _SOME + 2 * self.entered

    def recurs(self, row: Any, args: Any, depth: int, fingerprint: int) -> bool:
        """Whether a call is about to be entered inside an equal one, in an unchanged state."""
        known = self[row, args]
        if not known:
            return False
        self.entered += 1
        self.met = len(self._trail)
        return fingerprint in known and self.goes_round(known[fingerprint], depth)

    def goes_round(self, found: list[Place], depth: int) -> bool:
        """Whether a call nested this deep is inside one of these, in an unchanged state."""
        if self._open is None:
            self._open = _OpenCalls(self._values, self._trail, self._record)
        self._open.follow(depth)
        for at, entry in reversed(found):
            if self._open.is_unchanged_in(entry):
                self.place = at
                return True
        return False

    def enter(self, found: list[Place], entry: Entry) -> None:
        """Add a call to these whose entry is about to be added to the record."""
        while found and not self._is_current(found[-1]):
            found.pop()
        found.append((len(self._record), entry))

    def back(self, length: int) -> None:
        """Note what was read, before the trail is cut back to a length."""
        self.note_reads()
        self.met = length
        self._noted = min(self._noted, length)
        if self._open is not None:
            self._open.back(length)

    def note_reads(self) -> None:
        """Count the overwritten fluents as read, since comparing states depended on them."""
        for fluent, before in self._trail[self._noted : self.met]:
            if before is ABSENT and not fluent.volatile:
                self._values.at_start(fluent)
        self._noted = max(self._noted, self.met)

    def _is_current(self, place: Place) -> bool:
        """Whether a call was not undone."""
        at, entry = place
        return at < len(self._record) and self._record[at] is entry


class _OpenCalls:
    """Which entries of the record are calls that are still open, and whether states have changed.

    Follows record and trail in linear time: what it knows of them is cut back as they are.
    """

    __slots__ = ("_calls", "_length", "_outer", "_record", "_trail", "_values", "_writes")

    def __init__(self, values: Values, trail: Trail, record: Sequence[Entry]) -> None:
        self._values, self._trail, self._record = values, trail, record
        self._outer: list[tuple[int, Entry]] = []
        """Of each entry of the record the place of the call around it, -1 if there is none."""
        self._calls: list[Entry] = []
        """The open calls, outer ones first."""
        self._writes: dict[Any, list[tuple[int, Any]]] = {}
        """Of each fluent its places in the trail up to ``_length``, with the values before."""
        self._length = 0

    def follow(self, depth: int) -> None:
        """Bring it up to date, with the open calls around a call that is nested this deep."""
        record, outer, trail = self._record, self._outer, self._trail
        while len(outer) > len(record) or (outer and outer[-1][1] is not record[len(outer) - 1]):
            outer.pop()
        for place in range(len(outer), len(record)):
            outer.append((self._around(place - 1, record[place][-1]), record[place]))
        entered: list[Entry] = []
        place = self._around(len(record) - 1, depth)
        while place >= 0 and not self._is_open(record[place]):
            entered.append(record[place])
            place = outer[place][0]
        self._calls[0 if place < 0 else record[place][-1] + 1 :] = reversed(entered)
        for place in range(self._length, len(trail)):
            fluent, before = trail[place]
            self._writes.setdefault(fluent, []).append((place, before))
        self._length = len(trail)

    def back(self, length: int) -> None:
        """Drop the writes since this length of the trail, which is about to be cut back."""
        while self._length > length:
            self._length -= 1
            self._writes[self._trail[self._length][0]].pop()

    def is_unchanged_in(self, call: Entry) -> bool:
        """Whether this call is open, and the state still that in which it was entered."""
        return self._is_open(call) and self._are_undone_since(call[2])

    def _is_open(self, entry: Entry) -> bool:
        depth = entry[-1]
        return depth < len(self._calls) and self._calls[depth] is entry

    def _around(self, place: int, depth: int) -> int:
        """The place of the call around what is nested this deep and comes behind a place."""
        while place >= 0 and self._record[place][-1] >= depth:
            place = self._outer[place][0]
        return place

    def _are_undone_since(self, length: int) -> bool:
        """Whether the state equals the one at this length of the trail."""
        values = self._values
        for fluent, writes in self._writes.items():
            if writes and writes[-1][0] >= length:
                _, before = writes[bisect_left(writes, length, key=_place)]
                if not same_projected(values.unread(fluent), values.before(fluent, before)):
                    return False
        return True


def _place(write: tuple[int, Any]) -> int:
    return write[0]
