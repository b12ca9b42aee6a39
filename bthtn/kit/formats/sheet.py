"""Sheets: one object for each row, in CSV or a workbook with a heading line, or in TOML.

    Name;Weight;Range Max              [[row]]
    Jab;50;3                           name = "Jab"
                                       weight = 50
                                       range_max = 3

Case, spaces and underscores of headings do not count. CSV is separated by commas, semicolons or
tabs. An empty cell is as if it were left out. A TOML file may take its rows from another one, and
may give headings another meaning; ``""`` is for columns that are not read:

    sheet = "attacks.csv"      # or goblin.xlsx, with  worksheet = "Attacks"
    columns = { Gewicht = "Weight", Notes = "" }
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeGuard, TypeVar, get_args

from bthtn.engine.text.values import shortened
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.kit.formats.columns import Column, folded, with_point
from bthtn.kit.formats.csv_text import csv_text
from bthtn.kit.formats.document import line_of, lines_of, tables_in, text_of
from bthtn.kit.formats.workbook import Worksheet, worksheet_in

T = TypeVar("T")

SUFFIXES: Final = (".csv", ".xlsx", ".toml")
Kind = Literal["skills", "kinds", "lottery", "goals", "groups", "roles"]
"""The kinds of sheets, in the order in which they need each other."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NO_MAPPING: Final[Mapping[str, str]] = MappingProxyType({})
_FILE: Final = re.compile(r"[^/\\\0]+\.(csv|xlsx)")
_QUOTED: Final = re.compile(r'"[^"]*"')
_READ: Final = "_read_part"
"""The attribute of an error with what could be read in spite of it."""
_LONGEST: Final = 1_000
"""Most bits of a whole number that is written in TOML."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """The cells of a row: values by field, and those of other headings as they were read.

    A number may be written with a comma where the separator is a semicolon, as in German.
    """

    values: Mapping[str, Any]
    others: Mapping[str, Any]
    may_have_commas: bool = False


def sheets_in(folder: Path) -> list[Path]:
    """The sheets in a folder that are named by their kinds, sorted by kind and name."""
    files = sorted(folder.glob("[!.~]*")) if folder.is_dir() else []  # ~$… lies beside an open one
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
    """The rows of a ``.csv``, ``.xlsx`` or ``.toml`` file by their names, both as ``make`` says.

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


def sheet_text(path: Path, worksheet: str = "") -> str:
    """All that is written in a sheet, and in one that it names. Raises InputError."""
    if path.suffix == ".xlsx":
        return "\n".join("\t".join(cells) for _, cells in worksheet_in(path, worksheet).rows)
    if path.suffix == ".csv":
        return csv_text(path)
    text = text_of(path)
    tables = tables_in(text, path)
    sheet, worksheet = tables.get("sheet"), tables.get("worksheet", "")
    if not _is_sheet(sheet):
        return text
    return f"{text}\n{sheet_text(path.with_name(sheet), worksheet)}"


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
        self._separator = ""
        self._worksheet: Worksheet | None = None
        self._places: dict[str, int] = {}

    def lines(self) -> Iterator[tuple[int, list[_Cell]]]:
        """Yield the line and the cells of each row. Raises InputError."""
        match self._path.suffix:
            case ".csv":
                return self._csv()
            case ".xlsx":
                return self._xlsx()
            case ".toml":
                return self._toml()
        is_saved = self._path.suffix in (".xls", ".xlsm", ".xlsb", ".ods")
        hint = "save it as .xlsx or CSV" if is_saved else "name it .csv, .xlsx or .toml"
        raise InputError("BT410", f"{self._path} is no sheet", hint=hint)

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
            if fault := self._error_in(cell):
                self.add_fault(fault, cell.line, cell.heading, f"write {column.wanted}")
                continue
            try:
                fields[column.field] = self._read(column, cell.text)
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
        return SheetRow(values, others, self._separator == ";") if is_right else None

    def names(self, cells: list[_Cell]) -> set[str]:
        """The names in the first column of a row."""
        return {cell.text for cell in cells if self._resolved.get(cell.heading) is self._columns[0]}

    def add(self, error: BthtnError, line: int, heading: str = "", code: str = "") -> None:
        """Collect the diagnostics of an error at a place of the sheet."""
        placed = error.within(self._where(line, heading))
        self.faults += [replace(fault, code=code or fault.code) for fault in placed]

    def add_fault(self, message: str, line: int, heading: str = "", hint: str = "") -> None:
        self.faults.append(Diagnostic("BT410", message, self._where(line, heading), hint))

    def _read(self, column: Column, text: str) -> Any:
        """The value of a cell. Raises ValueError or BthtnError.

        A comma is decimal only where the text means nothing as it is: "1,5" may be a name.
        """
        try:
            return column.read(text)
        except (BthtnError, ValueError):
            if self._separator == ";" and with_point(text) != text:
                with suppress(BthtnError, ValueError):
                    return column.read(with_point(text))
            raise

    def _error_in(self, cell: _Cell) -> str:
        """The message about a cell of a worksheet whose value is an error; else empty."""
        if self._worksheet is None:
            return ""
        wrong = self._worksheet.wrong.get((cell.line, self._places[cell.heading]), "")
        return f"the cell has an error, {wrong}" if wrong else ""

    def _where(self, line: int, heading: str) -> str:
        column = f", column {heading}" if heading else ""
        if self._worksheet is not None:
            return self._worksheet.where(line, self._places.get(heading, 0)) + column
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
        text = csv_text(self._path)
        first = _QUOTED.sub("", text.lstrip().partition("\n")[0])
        self._separator = max(",;\t", key=first.count)
        return self._rows(self._texts(text))

    def _xlsx(self, worksheet: str = "") -> Iterator[tuple[int, list[_Cell]]]:
        self._worksheet = worksheet_in(self._path, worksheet)
        return self._rows(iter(self._worksheet.rows))

    def _rows(self, lines: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[_Cell]]]:
        """The cells of the lines below the first one, which has the headings."""
        top, headings = next(lines, (1, []))
        if not headings:
            return
        self._places = {heading: place for place, heading in enumerate(headings)}
        rows = list(lines)
        if rows and len(rows[0][1]) > len(headings) == 1:
            message = f"{len(rows[0][1])} cells under the one heading '{headings[0]}'"
            separated = ", with the separator of the rows" if self._separator else ""
            hint = f"write all headings into the first line{separated}"
            self.add_fault(message, rows[0][0], hint=hint)
            return
        self._check_headings(headings, top)
        for line, cells in rows:
            if len(cells) > len(headings):
                message = f"{len(cells)} cells under {len(headings)} headings"
                csv_hint = "is a separator too many, or a quote missing?"
                hint = csv_hint if self._separator else "write a heading above each"
                self.add_fault(message, line, hint=hint)
            elif self._separator and (other := _other_separator(cells, headings)):
                mine = self._separator
                message = f"the row is separated by {other!r}, and the headings by {mine!r}"
                self.add_fault(message, line, hint="write one separator in the whole sheet")
            else:
                named = zip(headings, cells, strict=False)
                yield line, [_Cell(heading, cell, line) for heading, cell in named]

    def _texts(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """The lines of CSV that have cells, each with its number."""
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator, strict=True)
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
        meanings, rows = tables.pop("columns", {}), tables.pop("row", [])
        sheet, worksheet = tables.pop("sheet", None), tables.pop("worksheet", "")
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
        is_book = isinstance(sheet, str) and sheet.endswith(".xlsx")
        if sheet is not None and (rows or not _is_sheet(sheet)):
            hint = 'write sheet = "attacks.csv", a file of the same folder, and no [[row]]'
            self.add_fault("'sheet' names a file with the rows", line_of(at, "sheet"), hint=hint)
        elif worksheet and not (is_book and isinstance(worksheet, str)):
            hint = 'write sheet = "goblin.xlsx", and worksheet = "Attacks"'
            message = "'worksheet' names a worksheet of a workbook"
            self.add_fault(message, line_of(at, "worksheet"), hint=hint)
        elif sheet is not None:
            self._path = self._path.with_name(sheet)
            yield from self._xlsx(worksheet) if is_book else self._csv()
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


def _is_sheet(sheet: object) -> TypeGuard[str]:
    """Whether it is the name of a file with rows."""
    return isinstance(sheet, str) and _FILE.fullmatch(sheet) is not None


def _text(cell: Any) -> str:
    """A cell of TOML as it would be written in CSV."""
    if isinstance(cell, list):
        return ", ".join(map(_text, cell))
    if isinstance(cell, bool):
        return str(cell).casefold()
    if isinstance(cell, int) and cell.bit_length() > _LONGEST:
        return hex(cell)  # which is no number of a sheet: str() refuses some that are so long
    return str(cell).strip()
