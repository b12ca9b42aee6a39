"""The recursion guard: a task that is entered inside itself with nothing changed fails.

Each open call is known by its task, its arguments, and a fingerprint of the state: equal states
have equal fingerprints, and where one comes again, the states are compared in full.
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
"""Calls after which those that are not open any more are forgotten."""


class Projecting(Protocol):
    """**Protocol:** what the guard looks at of a search."""

    log: list[Entry]
    values: Values
    view: ProjectedState


class RecursionGuard:
    """Owned by one search."""

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
        """The innermost open call of the task in the state as it is now, if there is one."""
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
        """Whether a state came again depended on what was overwritten there, read or not.

        To be called before the log is cut back, and before anybody asks what was read.
        """
        for entry in log[self._read : self._met]:
            overwritten = entry[OVERWRITTEN]
            for place in range(0, len(overwritten), 2):
                if overwritten[place + 1] is ABSENT and not overwritten[place].volatile:
                    values.at_start(overwritten[place])
        self._read = max(self._read, self._met)

    def back(self, place: int) -> None:
        """The log was cut back to this length."""
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
        """What the call of a scope is known by, None for what is no decomposed task."""
        row = scope[KIND]
        if not isinstance(row, MethodRow):
            return None
        args = scope[BINDING] if scope[CHOSEN] is None else scope[CHOSEN].args
        return (row.task, args, is_foreseeable(scope[AT]) or not self._has_volatile)

    def _read_what_was_written(self, log: list[Entry], values: Values) -> None:
        """Whether the state is the same depends on what was overwritten, read or not."""
        for entry in log[self._read :]:
            overwritten = entry[OVERWRITTEN]
            for place in range(0, len(overwritten), 2):
                if overwritten[place + 1] is ABSENT and not overwritten[place].volatile:
                    values.at_start(overwritten[place])
        self._read = len(log)

    def _forget(self, scope: Entry | None) -> None:
        """Keep what is open only, so that memory follows depth and not time."""
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
    """Whether the state equals that in which the log was so long."""
    return all(
        _same(fluent, before, values.get(fluent, ABSENT), values)
        for fluent, before in first_overwritten(log, place).items()
    )


def changes(log: list[Entry], values: Values) -> dict[Fluent[Any], Any]:
    """What makes a difference to the start state; a volatile fluent does by being written.

    Two moments of one search are equal when their changes are.
    """
    return {
        fluent: values[fluent]
        for fluent in first_overwritten(log, 0)
        if fluent in values
        and (fluent.volatile or not same_value(values[fluent], values.at_start(fluent)))
    }


def first_overwritten(log: list[Entry], place: int) -> dict[Fluent[Any], Any]:
    """Everything overwritten since the log was so long, with the values before that."""
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
