"""Worksheets of workbooks in ``.xlsx``: their cells as the texts that CSV would have.

A formula counts as the value that the program stored with it. Dates are written as 2026-05-01.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from bthtn.errors import BthtnError, InputError
from bthtn.kit.formats.document import bytes_of

MOST_BYTES: Final = 16_000_000
"""Of a workbook when it is unpacked."""
MOST_TAGS: Final = 500_000
"""In its XML, enough for 100,000 cells with values: openpyxl takes up to 600 bytes for one."""
MOST_CELLS: Final = 1_000_000
"""Of a worksheet, empty ones included: one address far away would mean billions of them."""
_LARGEST: Final = 2**53
"""Below it, every whole number is a float."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """The rows that have cells, each with its number; ``wrong`` are the cells with an error."""

    path: Path
    name: str
    rows: list[tuple[int, list[str]]]
    wrong: Mapping[tuple[int, int], str]

    def where(self, row: int, column: int = 0) -> str:
        """The address of a cell, as spreadsheet programs write it: ``Attacks!C2``."""
        return _where(self.path, self.name, f"{_letters(column)}{row}")


def worksheet_in(path: Path, name: str = "") -> Worksheet:
    """The worksheet of this name, else the only visible one with cells.

    Raises InputError if there is none, if it cannot be read, or if a formula has no value.
    """
    if not _has_openpyxl():
        message = "workbooks are read by openpyxl and defusedxml, which are not installed"
        raise InputError("BT413", message, str(path), "pip install 'bthtn[xlsx]'")
    packed = bytes_of(path)
    try:
        with warnings.catch_warnings(action="ignore"):  # of what would be lost in writing
            return _Workbook(path, packed).worksheet(name)
    except BthtnError:
        raise
    except Exception:  # noqa: BLE001 - a broken file may lead openpyxl to anything
        message = "no workbook that can be read"
        hint = "is it damaged, encrypted, or of another kind? Save it as .xlsx anew, or as CSV"
        raise InputError("BT404", message, str(path), hint) from None


def _has_openpyxl() -> bool:
    """Whether openpyxl is installed, with the defusedxml that refuses what exhausts memory."""
    try:
        from openpyxl import DEFUSEDXML  # noqa: PLC0415 - an extra
    except ImportError:
        return False
    return bool(DEFUSEDXML)


class _Workbook:
    def __init__(self, path: Path, packed: bytes) -> None:
        from openpyxl import load_workbook  # noqa: PLC0415 - an extra

        self._path = path
        self._parts = ZipFile(BytesIO(packed))
        parts = self._parts.infolist()
        if max(len(packed), sum(part.file_size for part in parts)) > MOST_BYTES:
            message = f"a workbook of more than {MOST_BYTES:,} bytes, unpacked"
            raise InputError("BT404", message, str(path), "is there a picture in it?")
        if sum(self._parts.read(part).count(b"<") for part in parts) > MOST_TAGS:
            message = f"a workbook of more than {MOST_TAGS:,} tags in XML"
            raise InputError("BT404", message, str(path), "save its largest worksheets as CSV")
        book = load_workbook(BytesIO(packed), read_only=True, data_only=True, keep_links=False)
        self._sheets = {sheet.title: sheet for sheet in book.worksheets}

    def worksheet(self, name: str) -> Worksheet:
        if name:
            message = f"there is no worksheet '{name}'"
            InputError.require(name, self._sheets, "BT410", message, str(self._path))
        else:
            name = self._only_one()
        self._check_formulas(name)
        rows: list[tuple[int, list[str]]] = []
        wrong: dict[tuple[int, int], str] = {}
        for number, row in self._rows(name):
            cells = [_text(cell.value) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                rows.append((number, cells))
            for column, cell in enumerate(row):
                if cell.data_type == "e":
                    wrong[number, column] = cells[column]
        return Worksheet(self._path, name, rows, wrong)

    def _only_one(self) -> str:
        """The name of the only worksheet that is visible and has cells. Raises InputError."""
        visible: list[str] = [
            name for name, sheet in self._sheets.items() if sheet.sheet_state == "visible"
        ]
        if len(visible) > 1:
            filled = [
                name for name in visible if any(_is_filled(row) for _, row in self._rows(name))
            ]
            visible = filled or visible[:1]
        if not visible:
            raise InputError("BT410", "the workbook has no visible worksheet", str(self._path))
        if len(visible) > 1:
            message = f"the workbook has several worksheets: {', '.join(visible)}"
            hint = (
                "hide the others, or name it in a .toml file: "
                f'sheet = "{self._path.name}", worksheet = "{visible[0]}"'
            )
            raise InputError("BT410", message, str(self._path), hint)
        return visible[0]

    def _rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """The rows of a worksheet, each with its number. Raises InputError for too many cells."""
        sheet = self._sheets[name]
        sheet.reset_dimensions()  # which are what the file says, and would be filled up
        count = 0
        for number, row in enumerate(sheet.iter_rows(), 1):
            count += len(row) + 1
            if count > MOST_CELLS:
                message = f"a worksheet of more than {MOST_CELLS:,} cells"
                hint = "is there a cell far away from the others?"
                raise InputError("BT404", message, _where(self._path, name, f"A{number}"), hint)
            if row:
                yield number, row

    def _check_formulas(self, name: str) -> None:
        """Raise InputError for formulas whose values no program has stored.

        In what openpyxl reads they look like empty cells.
        """
        from openpyxl.xml.functions import iterparse  # noqa: PLC0415 - an extra

        bare = []
        with self._parts.open(self._sheets[name]._worksheet_path) as part:
            for _, element in iterparse(part):
                if element.tag.endswith("}row"):
                    bare += [cell.get("r", "A1") for cell in element if _is_bare(cell)]
                    element.clear()
        if bare:
            more = f", nor have {len(bare) - 1} others" if len(bare) > 1 else ""
            hint = "save it in a spreadsheet program, which computes it"
            where = _where(self._path, name, bare[0])
            raise InputError("BT410", f"the formula has no value{more}", where, hint)


def _is_bare(cell: Any) -> bool:
    """Whether it has a formula without a value; that of one that is a text may be empty."""
    is_text = cell.get("t") == "str"
    return not is_text and cell.find("{*}f") is not None and not cell.findtext("{*}v")


def _is_filled(row: Any) -> bool:
    return any(_text(cell.value) for cell in row)


def _text(value: Any) -> str:
    """A cell as it would be written in CSV."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value).strip()


def _where(path: Path, worksheet: str, address: str) -> str:
    name = worksheet if re.fullmatch(r"\w+", worksheet) else f"'{worksheet}'"
    return f"{path}, {name}!{address}"


def _letters(column: int) -> str:
    """The letters above a column, counted from 0."""
    above, last = divmod(column, 26)
    return (_letters(above - 1) if above else "") + chr(ord("A") + last)
