"""Every row that `make instructions` counts has a name of its own, and does what it says."""

import re

from benchmarks import counted, instructions
from benchmarks.page import MARKED, PAGE


def test_every_row_of_single_plans_and_features_finds_its_plan():
    for row in (*counted.single_plans(), *counted.features()):
        row.make(0)()


def test_the_manual_has_the_rows_that_are_counted():
    tables = {match[1]: match[2] for match in MARKED.finditer(PAGE.read_text("utf-8"))}
    names = re.findall(r"^\| (.*?) +\|", tables["instructions"], re.MULTILINE)[2:]
    assert names == [row.name for row in instructions.chosen([])]
