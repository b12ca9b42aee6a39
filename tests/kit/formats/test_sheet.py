"""Sheets in CSV and TOML: their forms, and where they are wrong."""

import pytest

from bthtn.errors import InputError
from bthtn.kit.formats.columns import Column, number
from bthtn.kit.formats.sheet import read_sheet

COLUMNS = (
    Column("Name", "name", wanted="a name", is_required=True),
    Column("Range Max", "reach", number, "a number"),
)


@pytest.fixture
def read(tmp_path):
    def read_it(text, name="t.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        make = lambda row: (row.values["name"], row.values.get("reach"))  # noqa: E731 - a table
        return read_sheet(path, COLUMNS, make, **options)

    return read_it


@pytest.mark.parametrize(
    "text",
    [
        "Name,Range Max\nJab,3\nSwing,\n",
        "name;range_max\nJab;3\nSwing;\n",
        "NAME\tRangeMax\r\nJab\t3\r\nSwing\t\r\n",
        '\ufeff\n\n"Name","Range Max"\n\n"Jab",3,,,\n,,\n  Swing  \n',
        '"Name";"Range,Max"\n"Jab";"3"\nSwing'.replace(",", " "),
        "Range Max,Name\r3,Jab\r,Swing",
        "\n\tName\tRange Max\n\tJab\t3\n\tSwing\n",
        "sep=;\r\nName;Range Max\r\nJab;3\r\nSwing;\r\n",
        "\ufeffName\tRange Max\r\nJab\t3\r\nSwing\t\r\n".encode("utf-16-le"),
        "\ufeffName;Range Max\r\nJab;3\r\nSwing;\r\n".encode("utf-16-be"),
    ],
)
def test_a_sheet_is_read_whatever_program_wrote_it(read, text):
    assert read(text) == {"Jab": 3, "Swing": None}


def test_a_sheet_in_toml_is_the_same(read):
    text = '[[row]]\nname = "Jab"\nrange_max = 3\n\n[[row]]\nname = "Swing"\n'
    assert read(text, "t.toml") == {"Jab": 3, "Swing": None}
    text = 'row = [{ name = "Jab", "Range Max" = 3.0 }, { name = "Swing" }]\n'
    assert read(text, "t.toml") == {"Jab": 3, "Swing": None}


def test_a_quoted_cell_may_have_separators_and_quotes(read):
    assert list(read('Name\n"Jab, ""left"""\n')) == ['Jab, "left"']


def test_a_toml_file_may_say_what_the_headings_of_a_sheet_mean(read, tmp_path):
    (tmp_path / "raw.csv").write_text("Wer,Weit,Notiz\nJab,3,x\n", "utf-8")
    columns = 'columns = { Wer = "Name", weit = "Range Max", Notiz = "" }\n'
    assert read(f'sheet = "raw.csv"\n{columns}', "t.toml") == {"Jab": 3}
    with pytest.raises(InputError, match=r"raw.csv:1, column Weit"):
        read('sheet = "raw.csv"\n[columns]\nWer = "Name"\nNotiz = ""\n', "t.toml")
    assert read(f'{columns}[[row]]\nWer = "Kick"\nWeit = 4\n', "t.toml") == {"Kick": 4}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Name,Rang\nJab,3\n", r"no column 'Rang'\n.*t.csv:1, column Rang\n.*'Range Max'"),
        ("Name,Range Max\nJab,far\n", r"Range Max is 'far'\n.*t.csv:2, column Range Max\n.*a num"),
        ("Name,Range Max\nJab,inf\n", r"Range Max is 'inf'"),
        ("Name,Range Max\n\n,3\n", r"the row has no Name\n.*t.csv:3\n.*a name"),
        ("Name,RangeMax,range_max\nJab,3,4\n", r"'range_max' is given twice\n.*t.csv:1"),
        ("Name\nJab\n\nJab\n", r"two rows are for 'Jab'\n.*t.csv:4"),
        ("Name\nJab,3,,\n", r"2 cells under the one heading 'Name'\n.*t.csv:2\n.*separator"),
        ("# mine\nName,Range Max\nJab,3\n", r"one heading '# mine'\n.*t.csv:2\n.*first line"),
        ("Name,Range Max\nJab,3,4\n", r"3 cells under 2 headings\n.*t.csv:2\n.*separator"),
        ("Name,Range Max\nJab;3\n", r"by ';', and the headings by ','\n.*t.csv:2\n.*one sep"),
        ("Name,,Range Max\nJab,x,3\n", r"under no heading\n.*t.csv:2"),
        ('Name\nJab\n"Swing\nKick\n', r"not CSV: unexpected end of data\n.*t.csv:3\n.*quote"),
        ('Name\n"Jab"x\n', r"not CSV: ',' expected after '\"'\n.*t.csv:2"),
    ],
)
def test_what_is_wrong_in_csv_is_reported_with_line_and_column(read, text, what):
    with pytest.raises(InputError, match=what):
        read(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[[row]]\nname = "Jab"\n\nrange_max = "far"\n', r"'far'\n.*t.toml:4, column range_max"),
        ("[[row]]\nname = 'Jab'\n[row.x]\nreech = 3\n", r"'reech'\n.*t.toml:4, column reech\n"),
        ("[[row]]\nname = 'Jab'\n[[row]]\nreach = 3\n", r"has no Name\n.*t.toml:3"),
        ("x = 3\n", r"'x' stands outside of rows\n.*t.toml:1"),
        ("\nrow = 3\n", r"'row' stands outside of rows\n.*t.toml:2"),
        ("columns = 3\n", r"'columns' maps headings\n.*t.toml:1"),
        ("sheet = 3\n", r"'sheet' names a file with the rows\n.*t.toml:1"),
        ("sheet = '../t.csv'\n", "'sheet' names a file"),
        ("sheet = 'raw.csv'\n[[row]]\nname = 'Jab'\n", "'sheet' names a file"),
        ("sheet = 'raw.csv'\n", "cannot read .*raw.csv"),
        ("[[row]]\nname = 'Jab'\nreach = " + "9" * 5_000, "not TOML"),
        ("[[row]]\nname = 'Jab'\nreach = 0x" + "f" * 5_000, "Range Max is '0xffff"),
        ("[[row]]\nname = 'Jab'\nreach = [1, 2]\n", "Range Max is '1, 2'"),
    ],
)
def test_what_is_wrong_in_toml_is_reported_with_the_line_of_its_key(read, text, what):
    with pytest.raises(InputError, match=what):
        read(text, "t.toml")


@pytest.mark.parametrize("text", ["", "\n", "Name,Range Max\n", "Name,Range Max\n,\n"])
def test_a_sheet_without_a_row_is_told(read, text):
    with pytest.raises(InputError, match=r"BT410.*there is no row in it\n.*t\.csv:1\n"):
        read(text)


def test_a_sheet_has_the_suffix_of_its_format(read):
    with pytest.raises(InputError, match=r"t.ods is no sheet\n.*save it as .xlsx or CSV"):
        read("", "t.ods")


def test_headings_in_another_line_are_one_fault_and_not_one_for_each_row(read):
    with pytest.raises(InputError) as caught:
        read("Attacks\nName,Range Max\nJab,3\nSwing,4\n")
    assert len(caught.value.diagnostics) == 1


def test_a_comma_is_decimal_where_semicolons_separate_and_a_number_is_wanted(read):
    assert read("Name;Range Max\n1,5;1,5\n") == {"1,5": 1.5}
    with pytest.raises(InputError, match=r"Range Max is '1,5,2'\n.*t.csv:2"):
        read("Name;Range Max\nJab;1,5,2\n")
    with pytest.raises(InputError, match=r"Range Max is '1,5'\n.*t.csv:2"):
        read('Name,Range Max\nJab,"1,5"\n')


@pytest.mark.parametrize(
    ("encoding", "first", "name"),
    [
        ("cp1252", "encoding=cp1252\n", "Stoß"),
        ("cp1252", "sep=;\nEncoding=CP1252;;\n", "Stoß"),
        ("cp932", "encoding=cp932\n", "攻撃"),
        ("utf-8-sig", "encoding=cp932\n", "Stoß"),  # a mark is a fact, a line may be of before
    ],
)
def test_the_encoding_of_a_program_is_said_in_the_first_line(read, encoding, first, name):
    assert read(f"{first}Name;Range Max\n{name};3\n".encode(encoding)) == {name: 3}
    with pytest.raises(InputError, match=rf"t.csv:{first.count(chr(10)) + 2}, column Range Max"):
        read(f"{first}Name;Range Max\n{name};far\n".encode(encoding))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "Name;Range Max\r\nJab;3\r\nGroßer Stoß;4\r\n".encode("cp1252"),
            r"UTF-8\n.*t.csv:3:4\n.*encoding=cp1252 \('Großer'\) or .*=cp1251 \('GroЯer'\)",
        ),
        (
            "Name\n強い,攻撃\n".encode("cp932"),
            r"t.csv:2:1\n.*first line.* encoding=cp932 \('強い'\)",
        ),
        (b"Name\n\x98\n\x81\n", r"t.csv:2:1\n  hint: save it as \"CSV UTF-8\"$"),
        (b"encoding=cp932\nName\nJab\x81", r"not a text in CP932\n.*t.csv:3:4\n"),
        (b"encoding=cp125\nName\nJab", r"no encoding 'cp125'\n.*t.csv:1\n.*'cp1252'"),
        ("Na".encode("utf-16-le"), r"a zero byte, as in UTF-16.*\n.*t.csv:1:2\n.*CSV UTF-8"),
        (b"\xff\xfeN\0a\0m", r"not a text in UTF-16\n.*t.csv:1:3\n"),
    ],
)
def test_an_encoding_is_not_guessed_but_the_error_says_what_it_could_be(read, text, what):
    with pytest.raises(InputError, match=rf"(?s)BT404.*{what}"):
        read(text)


def test_lines_are_counted_from_the_first_one_of_the_file(read):
    with pytest.raises(InputError, match=r"t.csv:3, column Range Max"):
        read("sep=;\nName;Range Max\nJab;far\n")


@pytest.mark.parametrize("cells", ["", ",", ",\nKick,4,", ",5"])
def test_a_mistake_in_a_heading_is_one_of_the_heading_line_whatever_stands_below(read, cells):
    with pytest.raises(InputError) as caught:
        read(f"\nName,Range Max,Reech\nJab,3{cells}\n")
    (one,) = caught.value.diagnostics
    assert one.where.endswith("t.csv:2, column Reech")


def test_a_heading_of_a_row_in_toml_counts_though_its_cell_is_empty(read):
    with pytest.raises(InputError, match=r"no column 'reech'\n.*t.toml:3, column reech"):
        read('[[row]]\nname = "Jab"\nreech = ""\n', "t.toml")


def test_a_column_that_every_row_needs_is_missed_once(read):
    with pytest.raises(InputError) as caught:
        read("Range Max\n3\n4\n")
    (one,) = caught.value.diagnostics
    assert (one.message, one.where[-7:]) == ("there is no column Name", "t.csv:1")


def test_all_faults_of_a_sheet_are_reported(read):
    with pytest.raises(InputError) as caught:
        read("Name,Range Max,X\nJab,far,1\n,4,\nKick,near,2\n")
    assert [(one.code, one.where.rpartition("t.csv:")[2]) for one in caught.value.diagnostics] == [
        ("BT410", "1, column X"),
        ("BT410", "2, column Range Max"),
        ("BT410", "3"),
        ("BT410", "4, column Range Max"),
    ]


@pytest.mark.parametrize("content", [b"PK\x03\x04\x14\x00", b"\xd0\xcf\x11\xe0\xa1\xb1"])
def test_a_renamed_spreadsheet_is_told_as_one(read, content):
    with pytest.raises(InputError) as caught:
        read(content)
    (fault,) = caught.value.diagnostics
    assert fault.code == "BT404"
    assert fault.hint == "name it .xlsx if it is one, or save the sheet as CSV"


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("", "t.toml", "write a [[row]]"),
        ("Name\n", "t.csv", "write one below the heading line"),
        ("", "t.txt", "name it .csv, .xlsx or .toml"),
    ],
)
def test_a_hint_about_a_sheet_is_that_of_its_format(read, text, name, hint):
    with pytest.raises(InputError) as caught:
        read(text, name)
    assert caught.value.diagnostics[0].hint == hint
