"""Dead ends: calls that failed before in the same state, with the same rest behind them.

Whether a goal can be planned from a call on depends on three things: the call, what is to be done
behind it, and the state. Where all three are as they were when every decomposition of it failed,
it fails again. So orders of independent tasks are tried once for each set of tasks that is done,
and not once for each order; and so are towers that are built the same in the end.

To note this costs more than it saves where a search hardly ever fails, or never fails twice in the
same way. So a search begins with it when it has gone back to later methods many times, and ends it
when few of the calls that were noted are met again.

What is hard: a call may have failed because it stood inside an equal one (``guard``), or was
nested too deeply. Such a failure says nothing about other places, and is not noted. The plan is
that which would be found without all this, only sooner.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final

from bthtn.engine.planning.htn.projected_state import ABSENT, Trail, Values, same_projected

Written = dict[Any, Any]
"""The fluents that were written since the start state, with their values."""

MANY: Final = 1_000
"""A search that has gone back to a later method so many times looks out for dead ends."""
_WORTH: Final = 10
"""A failure that took fewer expansions is found out again sooner than it is noted."""
_MOST: Final = 1_000_000
"""Number of values in the states of all dead ends at which these are forgotten: 100 MB."""
_TRIAL: Final = 1_000
"""After so many dead ends it is asked whether they were of use."""
_RARE: Final = 0.05
"""How many of them must have been met again at least, for each that was noted."""


class DeadEnds:
    """The dead ends of one search, and what is under way that may become one."""

    __slots__ = (
        *("_behind", "_failed", "_kept", "_numbers", "_open", "_trail", "_values"),
        *("met", "noted"),
    )

    def __init__(self, values: Values, trail: Trail) -> None:
        self.move(values, trail)
        self._failed: dict[Any, list[Written]] = {}
        """The states in which a call failed, by the call, what is behind it and fingerprint."""
        self._numbers: dict[Any, int] = {}
        """Equal continuations have equal numbers, so that keys are small and compared at once."""
        self._behind: dict[int, tuple[Any, int]] = {}
        """The continuations that were met with their numbers, by identity."""
        self._open: list[tuple[Any, int, float]] = []
        """Of each call that was entered: its key, the expansions before it, and the least length
        of the record of all calls outside of which something inside it failed."""
        self.noted = self.met = self._kept = 0

    @property
    def is_of_no_use(self) -> bool:
        """Whether the dead ends that were noted are hardly ever met again."""
        return self.noted % _TRIAL == _TRIAL - 1 and self.met < _RARE * self.noted

    def move(self, values: Values, trail: Trail) -> None:
        """Go on over copies of values and trail."""
        self._values, self._trail = values, trail

    def key(self, row: Any, args: Any, following: Any, a: Any, k: Any, fingerprint: int) -> Any:
        """Return what identifies a call with what is behind it, up to the state itself."""
        behind = self._number(k)
        if following is not None:
            behind = self._numbered((following, a, behind))
        return row, args, behind, fingerprint

    def knows(self, key: Any) -> bool:
        """Whether the call fails here. If so, this has been read off every overwritten fluent."""
        states = self._failed.get(key)
        if states is None:
            return False
        written = self._written()
        for failed in states:
            if self._is_same(failed, written):
                for fluent in failed.keys() | written.keys():
                    if not fluent.volatile:
                        self._values.at_start(fluent)
                self.met += 1
                return True
        return False

    def enter(self, key: Any, expansions: int) -> None:
        """Begin with a call, whose first method is about to be entered."""
        self._open.append((key, expansions, inf))

    def cut(self, place: float) -> None:
        """Note that something failed because of the call at a place of the record around it."""
        if self._open:
            key, expansions, lowest = self._open[-1]
            self._open[-1] = key, expansions, min(lowest, place)

    def leave(self, length: int, expansions: int) -> None:
        """End a call, all of whose methods failed; the record was of this length before it."""
        if not self._open:  # it was entered before dead ends were given up, and looked out for anew
            return
        key, before, lowest = self._open.pop()
        if lowest < length:
            self.cut(lowest)
        elif expansions - before >= _WORTH:
            written = self._written()
            self._kept += len(written) + 1
            if self._kept > _MOST:
                self._failed.clear()
                self._numbers.clear()
                self._behind.clear()
                self.noted = self.met = self._kept = 0
            self.noted += 1
            self._failed.setdefault(key, []).append(written)

    def _written(self) -> Written:
        values = self._values
        return {fluent: values.unread(fluent) for fluent, _ in self._trail}

    def _is_same(self, failed: Written, written: Written) -> bool:
        """Whether two states are equal, of which there are the fluents that were written."""
        values = self._values
        for fluent in failed.keys() | written.keys():
            value, other = failed.get(fluent, ABSENT), written.get(fluent, ABSENT)
            if value is not other and not same_projected(
                values.before(fluent, value), values.before(fluent, other)
            ):
                return False
        return True

    def _number(self, k: Any) -> int:
        """Return the number of a continuation."""
        known, new = self._behind, []
        while k is not None and id(k) not in known:
            new.append(k)
            k = k[-1]
        number = 0 if k is None else known[id(k)][1]
        for k in reversed(new):
            number = self._numbered((k[0], k[1], number))
            known[id(k)] = k, number
        return number

    def _numbered(self, link: Any) -> int:
        return self._numbers.setdefault(link, len(self._numbers) + 1)
