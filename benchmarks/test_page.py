"""The tables of the manual are well formed, and tell nothing of the machine but what it is."""

import platform

import pytest

from benchmarks.page import PAGE, TABLES, faults, written
from benchmarks.report import exact, markdown, number

TABLE = [["problem", "steps"], ["fps", "2"]]


def page(**texts):
    tables = dict.fromkeys(TABLES, markdown(TABLE)) | texts
    return "\n".join(
        f"<!-- table: {name} -->\n{text}\n<!-- end of {name} -->" for name, text in tables.items()
    )


def test_the_manual_has_every_table_and_nothing_is_wrong_with_it():
    assert not faults(PAGE.read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no head"),
        ("| a | b |\n| --- | --- |", "no rows"),
        ("| a | b |\n| --- | --- |\n| 1 |", "1 cells under a head of 2"),
        ("| a | b |\n| --- | --- |\n| 1 |  |", "an empty cell"),
        ("| a |\n| --- |\n| /home/me/bthtn |", "one machine: /home/me/bthtn"),
        ("| a |\n| --- |\n| C:\\bthtn |", "one machine"),
        ("| a |\n| --- |\n| 10.0.0.7 |", "one machine: 10.0.0.7"),
        (f"| a |\n| --- |\n| {platform.node() or '@'} |", "machine"),
    ],
)
def test_a_table_that_is_not_well_formed_or_tells_too_much_is_seen(text, fault):
    (found,) = faults(page(times=text))
    assert found.startswith("times: ")
    assert fault in found


def test_a_missing_table_and_a_strange_one_are_seen():
    missing = page().replace("<!-- table: growth -->", "")
    assert faults(missing) == ["there is no table 'growth'"]
    strange = page(colours=markdown(TABLE))
    assert faults(strange) == ["nobody writes the table 'colours'"]


def test_tables_are_written_between_their_markers_and_nowhere_else():
    before = "# Head\n\n<!-- table: times -->\nold\n<!-- end of times -->\n\nText.\n"
    after = written(before, {"times": TABLE, "other": TABLE})
    assert after == before.replace(
        "old", "| problem | steps |\n| ------- | ----: |\n| fps     |     2 |"
    )
    assert written(after, {"times": TABLE}) == after
    assert written(after, {"other": TABLE}) == after


def test_numbers_keep_three_digits():
    shown = [number(value) for value in (0.06523, 1.0, 12.345, 99.96, 543.21, 8_018, 1_234_567)]
    assert shown == ["0.0652", "1.00", "12.3", "100", "543", "8,020", "1,230,000"]
    assert [exact(value) for value in (2_999.0, 1.75)] == ["2,999", "1.75"]
