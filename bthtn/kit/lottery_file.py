"""Lottery tables in files: CSV with a heading line, or TOML.

    ActionName,Priority,Weight,WeightInc,WeightGroup,stance,distance <=
    Jab,1,50,50,,,3
    FullSwing,1,10,10,big,Rage,5

    [[row]]
    action = "Jab"
    weight = 50
    when = { "distance <=" = 3 }

A heading that is no column of the lottery is a fluent, followed by a comparison if that is not
``==``; together they are the precondition. An empty cell is no condition.
"""

from __future__ import annotations

import csv
import io
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from bthtn.errors import Diagnostic, DomainError, InputError, StateError
from bthtn.formats.document import tables_in, text_of
from bthtn.kit.lottery import LotteryRow, LotteryTable
from bthtn.world.expression import ALWAYS, Condition
from bthtn.world.schema import StateSchema
from bthtn.world.state import State

_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "action": "action",
        "actionname": "action",
        "priority": "priority",
        "weight": "weight",
        "increment": "increment",
        "weightinc": "increment",
        "group": "group",
        "weightgroup": "group",
    }
)
_NUMBERS: Final = MappingProxyType[str, Callable[[str], float]](
    {"priority": int, "weight": float, "increment": float}
)
_COMPARISONS: Final = MappingProxyType[str, Callable[[Any, Any], Any]](
    {
        "": operator.eq,
        "==": operator.eq,
        "!=": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
)
_ASKED: Final = re.compile(r"\s*(?P<fluent>.*?)\s*(?P<comparison>==|!=|<=|>=|<|>|)\s*\Z", re.DOTALL)


def read_lottery(path: Path | str, state: type[State]) -> LotteryTable:
    """Read the table in a ``.csv`` or ``.toml`` file, with conditions on this class of states.

    Raises InputError with all faults of the file and their places.
    """
    path = Path(path)
    read = {".csv": _csv_rows, ".toml": _toml_rows}.get(path.suffix)
    if read is None:
        hint = "name it .csv or .toml"
        raise InputError(Diagnostic("BT410", f"{path} is no lottery table", hint=hint))
    readings = [_Row(where, cells, state.__schema__) for where, cells in read(path)]
    rows = [reading.row() for reading in readings]
    found = [one for reading in readings for one in reading.found]
    if found:
        raise InputError(found)
    try:
        return LotteryTable(*rows)
    except DomainError as error:
        raise InputError(
            [replace(one, where=f"{path}, {one.where}") for one in error.diagnostics]
        ) from error


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the cells of each line, by heading."""
    reader = csv.reader(io.StringIO(text_of(path), newline=""))
    headings = next(reader, [])
    for cells in reader:
        where = f"{path}:{reader.line_num}"
        if len(cells) > len(headings):
            message = f"{len(cells)} cells under {len(headings)} headings"
            raise InputError(Diagnostic("BT410", message, where, "is a comma too many?"))
        if any(cell.strip() for cell in cells):
            yield where, dict(zip(headings, cells, strict=False))


def _toml_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the cells of each ``[[row]]``, conditions included."""
    tables = tables_in(text_of(path), path)
    rows = tables.pop("row", [])
    if tables or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        strange = next(iter(tables), "row")
        hint = "a table has one [[row]] for each action"
        raise InputError(
            Diagnostic("BT410", f"'{strange}' stands outside of rows", str(path), hint)
        )
    for number, row in enumerate(rows, 1):
        when = row.pop("when", {})
        asked = when if isinstance(when, dict) else {"when": when}
        yield f"{path}, row {number}", {**row, **asked}


class _Row:
    """One row while it is read; its faults are collected in ``found``."""

    def __init__(self, where: str, cells: Mapping[str, Any], schema: StateSchema) -> None:
        self.found: list[Diagnostic] = []
        self._where = where
        self._cells = cells
        self._schema = schema

    def row(self) -> LotteryRow:
        """The row, without the cells that have faults."""
        columns: dict[str, Any] = {}
        asked: list[Condition] = []
        for heading, cell in self._cells.items():
            text = _text(cell)
            column = _COLUMNS.get(re.sub(r"[\s_]", "", heading).casefold())
            if not text:
                continue
            if column is None:
                asked.extend(self._condition(heading, text))
            else:
                columns |= self._column(column, text)
        if "action" not in columns:
            self._add_fault("there is no action", "give the row an ActionName")
        action = columns.pop("action", "")
        return LotteryRow(
            action, reduce(operator.and_, asked, ALWAYS) if asked else ALWAYS, **columns
        )

    def _column(self, column: str, text: str) -> dict[str, Any]:
        read = _NUMBERS.get(column, str)
        try:
            return {column: read(text)}
        except ValueError:
            kind = "a whole number" if read is int else "a number"
            self._add_fault(f"{column} is {text!r}", f"write {kind}")
            return {}

    def _condition(self, heading: str, text: str) -> list[Condition]:
        asked = _ASKED.match(heading)
        assert asked is not None, "every text has a part before its end"
        try:
            fluent = self._schema.variable(asked["fluent"])
            return [_COMPARISONS[asked["comparison"]](fluent, fluent.parse(text))]
        except StateError as error:
            columns = (
                "the columns of a lottery are ActionName, Priority, Weight, WeightInc, WeightGroup"
            )
            for one in error.diagnostics:
                hint = columns if one.code == "BT102" and not one.hint else one.hint
                self._add_fault(one.message, hint)
            return []

    def _add_fault(self, message: str, hint: str) -> None:
        self.found.append(Diagnostic("BT410", message, self._where, hint))


def _text(cell: Any) -> str:
    """A cell as it would be written in CSV."""
    return str(cell).casefold() if isinstance(cell, bool) else str(cell).strip()
