"""Action lottery: a weighted draw whose weights grow until an action is done.

    candidates   rows whose precondition holds, with a weight above zero, and not excluded
    draw         by weight without replacement, the larger priority first
    values       n × step for the n-th of the list, ``unlisted`` for all other actions
    executed     the action and its group get their first weights back, all others gain

A draw lists every candidate and not one winner, so that planning goes on with the next action
if the first one cannot be planned. Methods take the values from the beliefs (semantics 2.11).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bthtn.checked import checked
from bthtn.engine.behaviours.plain_data import PlainData
from bthtn.engine.domain.chance import drawn_order
from bthtn.engine.world.expression import ALWAYS, Condition, StateView
from bthtn.engine.world.names import in_one_line, name_faults
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.errors import Diagnostic, DomainError, Severity

STEP: Final = 5
UNLISTED: Final = 10_000
WAIT: Final = 200
"""The value of waiting in the brawler example: equal to that of the 41st row."""


@checked
@dataclass(frozen=True, slots=True, eq=False)
class LotteryRow(Shared, Unpicklable):
    """One action of a table.

    Of rows whose ``precondition`` holds, those of a larger ``priority`` are listed first.
    ``weight`` is the weight at first and after the action was done, ``increment`` is added
    whenever another one is done. Actions of one ``group`` are reset together.
    """

    action: str
    precondition: Condition = ALWAYS
    priority: int = 0
    weight: float = 1
    increment: float = 0
    group: str = ""


class LotteryTable(Shared, Unpicklable):
    """Rows of different actions, in the order in which they were written."""

    def __init__(self, *rows: LotteryRow) -> None:
        """Raises DomainError for two rows of one action, and for weights below zero."""
        DomainError.raise_for(_faults(rows))
        self.rows: Mapping[str, LotteryRow] = MappingProxyType({row.action: row for row in rows})

    def checks(self, *, step: float = STEP, wait: float = WAIT) -> tuple[Diagnostic, ...]:
        """Warn if there are so many rows that waiting has a better value than the last ones."""
        most = int(-(-wait // step))
        if len(self.rows) <= most:
            return ()
        last = list(self.rows)[most]
        message = f"of {len(self.rows)} actions only the first {most} drawn are better than waiting"
        hint = (
            f"number {most} is worth {most * step:g}, waiting {wait:g}: make the step"
            " between two actions smaller, or the value of waiting larger"
        )
        where = f"row '{last}' and those behind it"
        return (Diagnostic("BT160", message, where, hint, Severity.WARNING),)


@checked
class Lottery(PlainData, Unpicklable):
    """A table with the current weights of one agent. Equal seeds give equal draws.

    An action that fails ``patience`` times in a row is excluded from the next ``absence`` draws.
    """

    def __init__(
        self, table: LotteryTable, *, seed: int = 0, patience: int = 2, absence: int = 3
    ) -> None:
        """Raises DomainError unless ``patience`` and ``absence`` are above zero."""
        for name, number in (("patience", patience), ("absence", absence)):
            if number <= 0:
                raise DomainError("BT202", f"{name} is {number}", hint="it has to be above zero")
        self.table = table
        self.draws = 0
        self._seed = seed
        self._patience = patience
        self._absence = absence
        self._weights = {row.action: row.weight for row in table.rows.values()}
        self._failures: dict[str, int] = {}
        self._excluded: dict[str, int] = {}

    @property
    def weights(self) -> Mapping[str, float]:
        return MappingProxyType(self._weights)

    @property
    def excluded(self) -> tuple[str, ...]:
        """The actions that the next draw excludes because they have failed."""
        return tuple(action for action, draw in self._excluded.items() if draw > self.draws)

    def draw(self, view: StateView, disabled: Collection[str] = ()) -> tuple[str, ...]:
        """Draw the order of the actions that are possible in a state, the most preferred first.

        ``disabled`` actions are left out. A precondition that is unknown does not hold.
        """
        away = {*disabled, *self.excluded}
        rows = [
            row
            for row in self.table.rows.values()
            if row.action not in away
            and self._weights[row.action] > 0
            and row.precondition.evaluate(view) is True
        ]
        listed: list[str] = []
        for priority in sorted({row.priority for row in rows}, reverse=True):
            actions = [row.action for row in rows if row.priority == priority]
            weights = [self._weights[action] for action in actions]
            order = drawn_order(weights, f"{self._seed}:{self.draws}:{priority}")
            listed.extend(actions[index] for index in order)
        self.draws += 1
        return tuple(listed)

    def executed(self, action: str) -> None:
        """Report that an action is being done: reset it and its group, increment all others."""
        done = self._row(action)
        for row in self.table.rows.values():
            is_reset = row is done or (row.group != "" and row.group == done.group)
            gained = self._weights[row.action] + row.increment
            self._weights[row.action] = row.weight if is_reset else gained

    def succeeded(self, action: str) -> None:
        """Report that an action succeeded: its earlier failures do not count any more."""
        self._failures.pop(self._row(action).action, None)

    def failed(self, action: str) -> None:
        """Report that an action failed; after ``patience`` times in a row it is excluded."""
        failures = self._failures.get(self._row(action).action, 0) + 1
        self._failures[action] = failures
        if failures >= self._patience:
            self._excluded[action] = self.draws + self._absence
            del self._failures[action]

    def _row(self, action: str) -> LotteryRow:
        DomainError.require(action, self.table.rows, "BT161", f"no row is for '{action}'")
        return self.table.rows[action]


def values_of(listed: Collection[str], *, step: float = STEP) -> Mapping[str, float]:
    """The value of each listed action, the smaller the better: its place × step."""
    return {action: place * step for place, action in enumerate(listed)}


def _faults(rows: Collection[LotteryRow]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for row in rows:
        where = in_one_line(f"row '{row.action}'")
        yield from name_faults("an action", row.action, where)
        if row.group:
            yield from name_faults("a group", row.group, where)
        if row.action in seen:
            yield Diagnostic("BT161", f"two rows are for '{row.action}'", where)
        seen.add(row.action)
        for name in ("weight", "increment"):
            number = getattr(row, name)
            if not number >= 0:
                hint = "an action that is never to be drawn weighs 0"
                yield Diagnostic("BT161", f"its {name} is {number}", where, hint)
