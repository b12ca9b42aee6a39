"""The recursion guard: a task that is entered inside itself in an unchanged state fails.

Open calls are indexed by task, arguments and fingerprint of the state. Equal states have equal
fingerprints; when a fingerprint recurs, the states are compared in full.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from bthtn.domain.task import CompoundTask
from bthtn.planning.htn.log import (
    AT,
    BINDING,
    CHOSEN,
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

FORGET_AT: Final = 1_000
"""Least number of indexed calls at which those that are closed are dropped."""


class Projecting(Protocol):
    """**Protocol:** the parts of a search that the guard reads."""

    log: list[Entry]
    values: Values
    view: ProjectedState


class RecursionGuard:
    """Finds open calls of the same task in the same state, for one search."""

    __slots__ = ("_called", "_calls", "_forget_at", "_has_volatile", "_met", "_read")

    def __init__(self, *, has_volatile: bool) -> None:
        self._has_volatile = has_volatile
        self._called: dict[Any, set[int]] = {}
        self._calls = 0
        self._forget_at = FORGET_AT
        self._met = 0
        self._read = 0

    def ancestor(
        self, task: CompoundTask[Any], args: tuple[Any, ...], scope: Entry, search: Projecting
    ) -> Entry | None:
        """Return the innermost open call of the task in the current state, or None."""
        view = search.view
        key = (task, args, view.foreseeable or not self._has_volatile)
        known = self._called.get(key)
        if known is None:
            self._called[key] = {view.fingerprint}
        else:
            self._met = len(search.log)
            if view.fingerprint in known:
                found = self._same(key, scope, search.log, search.values)
                if found is not None:
                    return found
            known.add(view.fingerprint)
        self._calls += 1
        if self._calls > self._forget_at:
            self._forget(scope)
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
        """Note that the log is about to be cut back to this length."""
        if self._met:
            self.note_reads(log, values)
            self._met, self._read = min(self._met, place), min(self._read, place)

    def _same(
        self, key: tuple[Any, ...], scope: Entry | None, log: list[Entry], values: Values
    ) -> Entry | None:
        while scope is not None:
            if self._key(scope) == key and same_since(scope[PLACE], log, values):
                return scope
            scope = scope[SCOPE]
        return None

    def _key(self, scope: Entry) -> tuple[Any, ...] | None:
        """Return the index key of the scope's call, or None if the scope is no decomposed task."""
        row = scope[KIND]
        if not isinstance(row, MethodRow):
            return None
        args = scope[BINDING] if scope[CHOSEN] is None else scope[CHOSEN].args
        return (row.task, args, is_foreseeable(scope[AT]) or not self._has_volatile)

    def _forget(self, scope: Entry | None) -> None:
        """Drop closed calls from the index, so that memory is bounded by depth, not by time."""
        self._called = {}
        self._calls = 0
        while scope is not None:
            key = self._key(scope)
            if key is not None:
                self._calls += 1
                self._called.setdefault(key, set()).add(scope[FINGERPRINT])
            scope = scope[SCOPE]
        self._forget_at = 2 * self._calls + FORGET_AT


def same_since(place: int, log: list[Entry], values: Values) -> bool:
    """Whether the state equals the one at this length of the log."""
    return all(
        _same(fluent, before, values.get(fluent, ABSENT), values)
        for fluent, before in first_overwritten(log, place).items()
    )


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
