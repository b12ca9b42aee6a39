"""Sheets in workbooks, as Excel has them."""

import io
import re
import sys
import zipfile
from datetime import date, datetime, time
from types import SimpleNamespace

import pytest
from openpyxl import Workbook

from bthtn.errors import InputError
from bthtn.kit.formats.columns import Column, number
from bthtn.kit.formats.sheet import read_sheet, sheet_text
from bthtn.kit.formats.workbook import MOST_BYTES

COLUMNS = (Column("Name", "name", is_required=True), Column("Range Max", "reach", number, "far"))


def book(*rows, title="Attacks"):
    made = Workbook()
    made.active.title = title
    for row in rows:
        made.active.append(row)
    return made


def changed(made, part, change):
    """The bytes of a workbook with another text in one of its parts."""
    file, other = io.BytesIO(), io.BytesIO()
    made.save(file)
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(other, "w") as after:
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, change(text.decode()) if name.endswith(part) else text)
    return other.getvalue()


@pytest.fixture
def read(tmp_path):
    def read_it(made, name="t.xlsx"):
        path = tmp_path / name
        if isinstance(made, Workbook):
            made.save(path)
        else:
            path.write_bytes(made if isinstance(made, bytes) else made.encode())
        return read_sheet(path, COLUMNS, lambda row: (row.values["name"], row.values.get("reach")))

    return read_it


def test_a_worksheet_is_read_as_csv_would_be(read):
    made = book((), ("name", "Range_Max", None), ("Jab", 2.5), (), (" 7,5 ", 3.0), (8.0, "4"))
    assert read(made) == {"Jab": 2.5, "7,5": 3, "8": 4}


def test_cells_are_written_as_people_write_them(read, tmp_path):
    made = book(("Name",), (True,), (12,), (0.1,), (date(2026, 5, 1),), (time(12, 30),))
    read(changed(made, "sheet1.xml", lambda text: text.replace("<v>12</v>", "<v>1.2E1</v>")))
    assert sheet_text(tmp_path / "t.xlsx") == "Name\ntrue\n12\n0.1\n2026-05-01\n12:30:00"
    read(book(("Name",), (datetime(2026, 5, 1, 12, 30),)))  # noqa: DTZ001 - workbooks know no zone
    assert sheet_text(tmp_path / "t.xlsx") == "Name\n2026-05-01 12:30:00"


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (
            [("Name", "Rang"), ("Jab", 3)],
            r"'Rang'\n.*t.xlsx, Attacks!B1, column Rang\n.*'Range Max'",
        ),
        ([("Name", "Range Max"), ("Jab", "far")], r"'far'\n.*t.xlsx, Attacks!B2, column Range"),
        ([("Name", "Range Max"), (), (None, 3)], r"the row has no Name\n.*t.xlsx, Attacks!A3\n"),
        ([("Name", "Range Max"), ("Jab", date(2026, 5, 1))], r"Range Max is '2026-05-01'\n"),
        ([("Name", "Range Max"), ("Jab", "#DIV/0!")], r"an error, #DIV/0!\n.*Attacks!B2, column"),
        ([("Name",), ("Jab", 3)], r"2 cells under the one heading 'Name'\n.*\n.*first line$"),
        (
            [("Name", "Range Max"), ("Jab", 3, 4)],
            r"3 cells under 2 headings\n.*A2\n.*heading above",
        ),
        ([("Name",)], r"there is no row in it\n.*t.xlsx, Attacks!A1\n"),
        (
            [("Name", "Range Max"), ("Jab", "=1+1"), ("Kick", "=B2")],
            r"the formula has no value, nor have 1 others\n.*t.xlsx, Attacks!B2\n.*save it in a",
        ),
    ],
)
def test_what_is_wrong_in_a_worksheet_is_told_with_the_address_of_its_cell(read, rows, what):
    with pytest.raises(InputError, match=what) as caught:
        read(book(*rows))
    assert len(caught.value.diagnostics) == 1


def test_a_formula_counts_as_the_value_that_is_stored_with_it(read):
    made = book(("Name", "Range Max", ""), ("Jab", "=1+1"), ("Kick", "=B2"))
    stored = {"1+1": "<f>1+1</f><v>2</v>", "B2": '<f>IF(A1="","",1)</f><v></v>'}

    def with_values(text):
        text = re.sub(r"<f>(.*?)</f><v ?/>", lambda found: stored[found[1]], text)
        return text.replace('r="B3"', 'r="B3" t="str"')

    assert read(changed(made, "sheet1.xml", with_values)) == {"Jab": 2, "Kick": None}


def test_of_several_worksheets_with_cells_one_is_named_or_the_others_hidden(read, tmp_path):
    made = book(("Name",), ("Jab",))
    made.create_sheet("Empty")
    assert read(made) == {"Jab": None}
    notes = made.create_sheet("Old ones")
    notes.append(("Name",))
    notes.append((None,))
    with pytest.raises(
        InputError, match=r"worksheets: Attacks, Old ones\n.*\n.*hide .* \"Attacks\""
    ):
        read(made)
    with pytest.raises(InputError, match=r"no row in it\n.*t.xlsx, 'Old ones'!A1"):
        read('sheet = "t.xlsx"\nworksheet = "Old ones"\n', "t.toml")
    assert read('sheet = "t.xlsx"\nworksheet = "Attacks"\n', "t.toml") == {"Jab": None}
    assert "Jab" in sheet_text(tmp_path / "t.toml")
    with pytest.raises(InputError, match=r"no worksheet 'Atacks'\n.*t.xlsx\n.*'Attacks'"):
        read('sheet = "t.xlsx"\nworksheet = "Atacks"\n', "t.toml")
    with pytest.raises(InputError, match=r"'worksheet' names a worksheet.*\n.*t.toml:2\n"):
        read('sheet = "t.csv"\nworksheet = "Attacks"\n', "t.toml")
    notes.sheet_state = "hidden"
    assert read(made) == {"Jab": None}


def far_away(text):
    return text.replace('<row r="2">', '<row r="99999999999">')


def billion_laughs(text):
    text = text.replace("Jab", "&b;")
    return f'<!DOCTYPE x [<!ENTITY a "{"ha" * 99}"><!ENTITY b "{"&a;" * 99}">]>{text}'


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "BT404.*no workbook that can be read"),
        (b"PK\x03\x04 and no more", "BT404.*no workbook that can be read\n.*t.xlsx\n.*encrypted"),
        (changed(book(), "workbook.xml", lambda text: text[:99]), "no workbook that can be read"),
        (changed(book(("Name",), ("Jab",)), "sheet1.xml", billion_laughs), "no workbook"),
        (changed(book(), "styles.xml", lambda text: text + "<a/>" * 500_000), "500,000 tags"),
        (
            changed(book(("Name",), ("Jab",)), "sheet1.xml", far_away),
            "of more than 1,000,000 cells",
        ),
    ],
)
def test_a_broken_workbook_is_one_clear_error(read, content, what):
    with pytest.raises(InputError, match=what) as caught:
        read(content)
    assert len(caught.value.diagnostics) == 1


def test_a_workbook_that_is_huge_when_it_is_unpacked_is_refused_before_that(read):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b" " * (MOST_BYTES + 1))
    with pytest.raises(InputError, match=r"BT404.*more than 16,000,000 bytes, unpacked\n.*t.xlsx"):
        read(packed.getvalue())


def test_without_openpyxl_the_error_names_the_extra(read, monkeypatch):
    made = changed(book(("Name",), ("Jab",)), "", str)
    for lacking in (None, SimpleNamespace(DEFUSEDXML=False)):
        monkeypatch.setitem(sys.modules, "openpyxl", lacking)
        with pytest.raises(InputError, match=r"BT413.*openpyxl.*\n.*t.xlsx\n.*bthtn\[xlsx\]"):
            read(made)
