"""Sheets: one object for each row, in CSV with a heading line or in TOML.

    Name;Weight;Range Max              [[row]]
    Jab;50;3                           name = "Jab"
                                       weight = 50
                                       range_max = 3

Case, spaces and underscores of headings do not count. CSV is separated by commas, semicolons or
tabs. An empty cell is as if it were left out. A TOML file may take its rows from a CSV file, and
may give headings another meaning; ``""`` is for columns that are not read:

    sheet = "attacks.csv"
    columns = { Gewicht = "Weight", Notes = "" }
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar, get_args

from bthtn.engine.text.values import shortened
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.kit.formats.columns import Column, folded
from bthtn.kit.formats.document import line_of, lines_of, tables_in, text_of

T = TypeVar("T")

SUFFIXES: Final = (".csv", ".toml")
Kind = Literal["skills", "kinds", "lottery", "goals", "groups", "roles"]
"""The kinds of sheets, in the order in which they need each other."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NO_MAPPING: Final[Mapping[str, str]] = MappingProxyType({})
_QUOTED: Final = re.compile(r'"[^"]*"')
_SEPARATOR: Final = re.compile(r"\A\s*sep=.([\r\n]+)", re.IGNORECASE)
"""The first line by which some programs tell each other what separates cells."""
_READ: Final = "_read_part"
"""The attribute of an error with what could be read in spite of it."""
_LONGEST: Final = 1_000
"""Most bits of a whole number that is written in TOML."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """The cells of a row: values by field, and those of other headings as they were read."""

    values: Mapping[str, Any]
    others: Mapping[str, Any]


def sheets_in(folder: Path) -> list[Path]:
    """The sheets in a folder that are named by their kinds, sorted by kind and name."""
    files = sorted(folder.glob("*")) if folder.is_dir() else []
    return [file for kind in KINDS for file in files if kind_of(file) == kind]


def kind_of(file: Path) -> Kind | None:
    """The word before the suffix of a sheet, ``lottery`` in ``boss.lottery.csv``, or None."""
    name = file.stem.rpartition(".")[2] if file.suffix in SUFFIXES else ""
    return next((kind for kind in KINDS if kind == name), None)


def read_sheet(
    path: Path | str,
    columns: Sequence[Column],
    make: Callable[[SheetRow], tuple[str, T]],
    *,
    mapping: Mapping[str, str] = NO_MAPPING,
    other: Callable[[str], Column] | None = None,
) -> dict[str, T]:
    """The rows of a ``.csv`` or ``.toml`` file as ``make`` returns them, by the name it gives each.

    ``mapping`` has headings of the file, with their meanings. ``other`` makes columns of headings
    that are none of ``columns``, or raises. Raises InputError with all faults and their places.
    """
    sheet = _Sheet(Path(path), columns, mapping, other)
    made: dict[str, T] = {}
    names: set[str] = set()
    for line, cells in sheet.lines():
        row = sheet.row(line, cells)
        names |= sheet.names(cells)
        if row is not None:
            try:
                name, value = make(row)
            except BthtnError as error:
                sheet.add(error, line)
                continue
            if name in made:
                sheet.add_fault(f"two rows are for '{name}'", line, hint="remove one of them")
            made[name] = value
    if not made and not sheet.faults:
        is_toml = Path(path).suffix == ".toml"
        hint = "write a [[row]]" if is_toml else "write one below the heading line"
        sheet.add_fault("there is no row in it", 1, hint=hint)
    if sheet.faults:
        refused = InputError.of(sheet.faults)
        refused.__dict__[_READ] = made, names - made.keys()
        raise refused
    return made


def read_part(error: BthtnError) -> tuple[Mapping[str, Any], set[str]]:
    """The rows that could be read of a sheet with these mistakes, and the names of the others."""
    rows, names = error.__dict__.get(_READ, (NO_MAPPING, set()))
    return rows, names


@dataclass(frozen=True, slots=True)
class _Cell:
    heading: str
    text: str
    line: int


class _Sheet:
    """A file while it is read; its faults are collected."""

    def __init__(
        self,
        path: Path,
        columns: Sequence[Column],
        mapping: Mapping[str, str],
        other: Callable[[str], Column] | None,
    ) -> None:
        self.faults: list[Diagnostic] = []
        self._path = path
        self._columns = columns
        self._known = {
            folded(name): column
            for column in columns
            for name in (column.heading, column.field, *column.also)
        }
        self._mapping = {folded(heading): meaning for heading, meaning in mapping.items()}
        self._other = other
        self._resolved: dict[str, Column | None] = {}
        self._missing: list[Column] = []
        self._twice: list[Column] = []

    def lines(self) -> Iterator[tuple[int, list[_Cell]]]:
        """Yield the line and the cells of each row. Raises InputError."""
        if self._path.suffix not in SUFFIXES:
            is_saved = self._path.suffix in (".xlsx", ".xls", ".ods")
            hint = "save the sheet as CSV" if is_saved else "name it .csv or .toml"
            raise InputError("BT410", f"{self._path} is no sheet", hint=hint)
        return self._csv() if self._path.suffix == ".csv" else self._toml()

    def row(self, line: int, cells: list[_Cell]) -> SheetRow | None:
        """The row, None if it has faults."""
        before = len(self.faults)
        values: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for cell in cells:
            column = self._column(cell)
            if column is None or not cell.text:
                continue
            fields = values if column in self._columns else others
            if column.field in fields:
                if column in self._twice:
                    continue
                message = f"'{cell.heading}' is given twice"
                self.add_fault(message, cell.line, cell.heading, "remove one of the columns")
                continue
            try:
                fields[column.field] = column.read(cell.text)
            except BthtnError as error:
                self.add(error, cell.line, cell.heading, code="BT410")
            except ValueError:
                message = f"{column.heading} is {shortened(cell.text)!r}"
                self.add_fault(message, cell.line, cell.heading, f"write {column.wanted}")
        for column in self._columns:
            fills = (cell.text and self._resolved[cell.heading] is column for cell in cells)
            if column.is_required and column not in self._missing and not any(fills):
                message, hint = f"the row has no {column.heading}", f"write {column.wanted}"
                self.add_fault(message, line, hint=hint)
        is_right = len(self.faults) == before and not self._missing
        return SheetRow(values, others) if is_right else None

    def names(self, cells: list[_Cell]) -> set[str]:
        """The names in the first column of a row."""
        return {cell.text for cell in cells if self._resolved.get(cell.heading) is self._columns[0]}

    def add(self, error: BthtnError, line: int, heading: str = "", code: str = "") -> None:
        """Collect the diagnostics of an error at a place of the sheet."""
        placed = error.within(self._where(line, heading))
        self.faults += [replace(fault, code=code or fault.code) for fault in placed]

    def add_fault(self, message: str, line: int, heading: str = "", hint: str = "") -> None:
        self.faults.append(Diagnostic("BT410", message, self._where(line, heading), hint))

    def _where(self, line: int, heading: str) -> str:
        column = f", column {heading}" if heading else ""
        return f"{self._path}:{line}{column}"

    def _column(self, cell: _Cell) -> Column | None:
        """The column of a cell, None if it is not read; a wrong heading is one fault."""
        if not cell.heading and not cell.text:
            return None
        if cell.heading not in self._resolved:
            self._resolved[cell.heading] = None
            meaning = self._mapping.get(folded(cell.heading), cell.heading)
            try:
                if meaning or not cell.heading:
                    self._resolved[cell.heading] = self._meant(meaning)
            except BthtnError as error:
                self.add(error, cell.line, cell.heading)
        return self._resolved[cell.heading]

    def _check_headings(self, headings: Sequence[str], line: int) -> None:
        """Note the faults of the line with the headings, whatever the cells below them hold."""
        first: set[str] = set()
        for heading in filter(None, headings):
            column = self._column(_Cell(heading, heading, line))
            if column is not None and column.field in first and column not in self._twice:
                self._twice.append(column)
                message = f"'{heading}' is given twice"
                self.add_fault(message, line, heading, "remove one of the columns")
            elif column is not None:
                first.add(column.field)
        hints = " ".join(fault.hint for fault in self.faults)
        for column in self._columns:
            if column.is_required and column.field not in first:
                self._missing.append(column)
                if f"'{column.heading}'" not in hints:  # of a heading that is nearly the one
                    hint = f"write it into the first line, and below it {column.wanted}"
                    self.add_fault(f"there is no column {column.heading}", line, hint=hint)

    def _meant(self, heading: str) -> Column:
        if folded(heading) in self._known:
            return self._known[folded(heading)]
        if not heading:
            raise InputError("BT410", "a cell stands under no heading")
        if self._other is not None:
            return self._other(heading)
        hint = nearest(heading, [column.heading for column in self._columns])
        raise InputError("BT410", f"there is no column '{heading}'", hint=hint)

    def _csv(self) -> Iterator[tuple[int, list[_Cell]]]:
        text = _SEPARATOR.sub(r"\1", text_of(self._path), count=1)
        first = _QUOTED.sub("", text.lstrip().partition("\n")[0])
        delimiter = max(",;\t", key=first.count)
        lines = self._texts(text, delimiter)
        top, headings = next(lines, (1, []))
        if not headings:
            return
        rows = list(lines)
        if rows and len(rows[0][1]) > len(headings) == 1:
            message = f"{len(rows[0][1])} cells under the one heading '{headings[0]}'"
            hint = "write all headings into the first line, with the separator of the rows"
            self.add_fault(message, rows[0][0], hint=hint)
            return
        self._check_headings(headings, top)
        for line, cells in rows:
            if len(cells) > len(headings):
                message = f"{len(cells)} cells under {len(headings)} headings"
                self.add_fault(message, line, hint="is a separator too many, or a quote missing?")
            elif other := _other_separator(cells, headings):
                message = f"the row is separated by {other!r}, and the headings by {delimiter!r}"
                self.add_fault(message, line, hint="write one separator in the whole sheet")
            else:
                named = zip(headings, cells, strict=False)
                yield line, [_Cell(heading, cell, line) for heading, cell in named]

    def _texts(self, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """The lines of CSV that have cells, each with its number."""
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        line = 1
        try:
            for texts in reader:
                cells = [text.strip() for text in texts]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            self.add_fault(f"not CSV: {error}", line, hint="is a quote missing?")

    def _toml(self) -> Iterator[tuple[int, list[_Cell]]]:
        text = text_of(self._path)
        tables, at = tables_in(text, self._path), lines_of(text)
        meanings, sheet = tables.pop("columns", {}), tables.pop("sheet", None)
        rows = tables.pop("row", [])
        if isinstance(meanings, dict) and all(
            isinstance(value, str) for value in meanings.values()
        ):
            self._mapping = {folded(word): meanings[word] for word in meanings} | self._mapping
        else:
            hint = 'write columns = { Gewicht = "Weight" }'
            self.add_fault("'columns' maps headings", line_of(at, "columns"), hint=hint)
        if tables or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            strange = next(iter(tables), "row")
            hint = "a sheet has a [[row]] for each row"
            self.add_fault(f"'{strange}' stands outside of rows", line_of(at, strange), hint=hint)
            return
        if sheet is not None and (rows or not _is_csv(sheet)):
            hint = 'write sheet = "attacks.csv", a file of the same folder, and no [[row]]'
            self.add_fault("'sheet' names a file with the rows", line_of(at, "sheet"), hint=hint)
        elif sheet is not None:
            self._path = self._path.with_name(sheet)
            yield from self._csv()
        for place, row in enumerate(rows):
            here = ("row", str(place))
            flat = ((line_of(at, *here, *keys), keys[-1], cell) for keys, cell in _flat(row))
            cells = [_Cell(heading, _text(cell), line) for line, heading, cell in flat]
            yield line_of(at, *here), cells


def _other_separator(cells: Sequence[str], headings: Sequence[str]) -> str:
    """The separator in a row that looks like a single cell; empty for all other rows."""
    if len(cells) != 1 or len(headings) == 1:
        return ""
    return next(
        (separator for separator in ",;\t" if cells[0].count(separator) == len(headings) - 1), ""
    )


def _flat(row: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The cells of a row by their keys, those of tables in it included."""
    for key, cell in row.items():
        if isinstance(cell, dict):
            yield from (((key, inner), value) for inner, value in cell.items())
        else:
            yield (key,), cell


def _is_csv(sheet: object) -> bool:
    return isinstance(sheet, str) and re.fullmatch(r"[^/\\\0]+\.csv", sheet) is not None


def _text(cell: Any) -> str:
    """A cell of TOML as it would be written in CSV."""
    if isinstance(cell, list):
        return ", ".join(map(_text, cell))
    if isinstance(cell, bool):
        return str(cell).casefold()
    if isinstance(cell, int) and cell.bit_length() > _LONGEST:
        return hex(cell)  # which is no number of a sheet: str() refuses some that are so long
    return str(cell).strip()
