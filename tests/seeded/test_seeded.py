"""The seeded faults can be put into the files as they are, and the table has all of them."""

import ast
import re

import pytest

from tests.seeded.__main__ import TABLE, commands, table
from tests.seeded.faults import seeded, source_of


@pytest.mark.parametrize("one", seeded(), ids=lambda one: one.name)
def test_a_fault_is_one_change_after_which_the_file_is_still_python(one):
    changed = one.fault.put_into(source_of(one))
    assert changed != source_of(one)
    ast.parse(changed)


def test_there_are_faults_of_domains_of_trees_and_of_the_engine():
    places = [one.file.partition("/")[0] for one in seeded()]
    assert len(places) >= 30
    assert all(places.count(place) >= 3 for place in ("domains", "trees", "bthtn"))


def test_the_table_has_every_fault_and_each_was_found():
    text = TABLE.read_text("utf-8")
    rows = re.findall(r"(?m)^\| (.*?) \| `(.*?)` \| (.*) \|$", text)
    assert [(name, file) for name, file, _ in rows] == [(one.name, one.file) for one in seeded()]
    known = [name for name, _ in commands()]
    assert all(found.partition(":")[0] in known for _, _, found in rows)


def test_a_fault_that_nothing_finds_is_told():
    text = table(seeded()[:2], ["cases: one (1 failed)", ""])
    assert text.count("**nothing**") == 1
