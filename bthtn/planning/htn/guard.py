"""The recursion guard: a task that is entered inside itself in an unchanged state fails.

Calls are indexed by task, arguments and fingerprint of the state. Equal states have equal
fingerprints; when a fingerprint recurs in an open call, the states are compared in full.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from bthtn.domain.task import CompoundTask
from bthtn.planning.htn.log import (
    AT,
    BINDING,
    CHOSEN,
    DEPTH,
    FINGERPRINT,
    KIND,
    OVERWRITTEN,
    PLACE,
    SCOPE,
    Entry,
    backwards,
    is_foreseeable,
)
from bthtn.planning.htn.rows import MethodRow
from bthtn.planning.htn.values import ABSENT, ProjectedState, Values
from bthtn.world.fluent import Fluent
from bthtn.world.truth import same_value


class RecursionGuard:
    """Finds open calls of the same task in the same state, for one search.

    It indexes the calls in the log, which backtracking takes back. The log and the open
    calls are followed only when a fingerprint recurs.
    """

    __slots__ = (
        *("_called", "_has_volatile", "_indexed", "_innermost"),
        *("_met", "_open", "_read", "_writes"),
    )

    def __init__(self, *, has_volatile: bool) -> None:
        self._has_volatile = has_volatile
        self._called: dict[Any, set[int]] = {}
        self._indexed: list[tuple[int, Any, int]] = []
        """Length of the log, key and fingerprint of each call in the index, the latest last."""
        self._met = 0
        self._read = 0
        self._writes = Writes()
        self._open: list[Entry] = []
        self._innermost: dict[Any, list[Entry]] = {}

    def ancestor(
        self,
        task: CompoundTask[...],
        args: tuple[Any, ...],
        scope: Entry,
        log: list[Entry],
        view: ProjectedState,
    ) -> Entry | None:
        """Return the innermost open call of the task in this state, or None."""
        fingerprint, place = view.fingerprint, len(log)
        key = (task, args, view.foreseeable or not self._has_volatile)
        known = self._called.get(key)
        if known is None:
            self._called[key] = {fingerprint}
        else:
            self._met = place
            if fingerprint in known:
                self._follow(scope)
                for entered in reversed(self._innermost.get((key, fingerprint), ())):
                    self._writes.follow(log)
                    if self._writes.same_since(entered[PLACE], view.values):
                        return entered
                return None
            known.add(fingerprint)
        self._indexed.append((place, key, fingerprint))
        return None

    def note_reads(self, log: list[Entry], values: Values) -> None:
        """Count the overwritten fluents as read, since comparing states depended on them.

        Call it before the reads of the search are used.
        """
        for entry in log[self._read : self._met]:
            overwritten = entry[OVERWRITTEN]
            for place in range(0, len(overwritten), 2):
                if overwritten[place + 1] is ABSENT and not overwritten[place].volatile:
                    values.at_start(overwritten[place])
        self._read = max(self._read, self._met)

    def back(self, place: int, log: list[Entry], values: Values) -> None:
        """Note that the log is about to be cut back to this length; a call there is retried."""
        while self._indexed and self._indexed[-1][0] > place:
            _, key, fingerprint = self._indexed.pop()
            known = self._called[key]
            known.remove(fingerprint)
            if not known:
                del self._called[key]
        if self._met:
            self.note_reads(log, values)
            self._met, self._read = min(self._met, place), min(self._read, place)
            self._writes.back(place, log)

    def _follow(self, scope: Entry | None) -> None:
        """Index the open calls from the scope outwards, and no others."""
        entered: list[Entry] = []
        while scope is not None:
            if isinstance(scope[KIND], MethodRow):
                if len(self._open) >= scope[DEPTH] and self._open[scope[DEPTH] - 1] is scope:
                    break
                entered.append(scope)
            scope = scope[SCOPE]
        depth = 0 if scope is None else scope[DEPTH]
        while len(self._open) > depth:
            closed = self._open.pop()
            self._innermost[self._key(closed), closed[FINGERPRINT]].pop()
        for call in reversed(entered):
            self._open.append(call)
            self._innermost.setdefault((self._key(call), call[FINGERPRINT]), []).append(call)

    def _key(self, scope: Entry) -> tuple[Any, ...]:
        """Return the index key of the call of an entered method."""
        args = scope[BINDING] if scope[CHOSEN] is None else scope[CHOSEN].args
        return (scope[KIND].task, args, is_foreseeable(scope[AT]) or not self._has_volatile)


class Writes:
    """The writes in a log, for each fluent: their places and the values before, earliest first."""

    __slots__ = ("_length", "_of")

    def __init__(self) -> None:
        self._length = 0
        self._of: dict[Fluent[Any], list[tuple[int, Any]]] = {}

    def follow(self, log: list[Entry]) -> None:
        """Add the writes since the last call."""
        for place in range(self._length, len(log)):
            overwritten = log[place][OVERWRITTEN]
            for number in range(0, len(overwritten), 2):
                write = (place, overwritten[number + 1])
                self._of.setdefault(overwritten[number], []).append(write)
        self._length = len(log)

    def back(self, place: int, log: list[Entry]) -> None:
        """Drop the writes since this length of the log, which is about to be cut back."""
        while self._length > place:
            self._length -= 1
            for fluent in log[self._length][OVERWRITTEN][::2]:
                self._of[fluent].pop()

    def same_since(self, place: int, values: Values) -> bool:
        """Whether the state equals the one at this length of the log."""
        for fluent, writes in self._of.items():
            if writes and writes[-1][0] >= place:
                _, before = writes[bisect_left(writes, place, key=_place)]
                if not _same(fluent, before, values.get(fluent, ABSENT), values):
                    return False
        return True


def _place(write: tuple[int, Any]) -> int:
    return write[0]


def changes(log: list[Entry], values: Values) -> dict[Fluent[Any], Any]:
    """Return the fluents that differ from the start state, and every volatile one written.

    Two states of one search are equal if and only if their changes are equal.
    """
    return {
        fluent: values[fluent]
        for fluent in first_overwritten(log, 0)
        if fluent in values
        and (fluent.volatile or not same_value(values[fluent], values.at_start(fluent)))
    }


def first_overwritten(log: list[Entry], place: int) -> dict[Fluent[Any], Any]:
    """Return every fluent written since this length of the log, with its value before."""
    first: dict[Fluent[Any], Any] = {}
    for entry in backwards(log, place):
        overwritten = entry[OVERWRITTEN]
        for number in range(len(overwritten) - 2, -1, -2):
            first[overwritten[number]] = overwritten[number + 1]
    return first


def _same(fluent: Fluent[Any], before: Any, after: Any, values: Values) -> bool:
    if fluent.volatile:  # one that was not written is a kind of its own
        return before is after or (
            before is not ABSENT and after is not ABSENT and same_value(before, after)
        )
    start = values.start.get(fluent, fluent.default)
    return same_value(start if before is ABSENT else before, start if after is ABSENT else after)
