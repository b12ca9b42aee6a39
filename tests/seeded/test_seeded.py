"""The seeded faults can be put into the files as they are, and the table has all of them."""

import ast

from tests.seeded.__main__ import ROW, TABLE, commands, mended_table
from tests.seeded.faults import mended, seeded, source_of


def test_a_fault_changes_its_files_and_they_are_still_python():
    for edit in (edit for one in seeded() for edit in one.edits):
        changed = edit.fault.put_into(source_of(edit))
        assert changed != source_of(edit), edit
        ast.parse(changed)


def test_the_table_has_every_fault_and_each_was_found():
    text = TABLE.read_text("utf-8")
    rows = ROW.findall(text)
    expected = [(one.name, "`, `".join(one.files)) for one in seeded()]
    assert [(name, file) for name, file, _ in rows] == expected
    known = [name for name, _ in commands()]
    assert all(found.partition(":")[0] in known for _, _, found in rows)


def test_the_table_says_which_faults_stand_for_the_defects_that_were_mended():
    assert "\n".join(mended_table()) in TABLE.read_text("utf-8")


def test_each_mended_defect_is_a_fault_or_has_a_reason():
    names = {one.name for one in seeded()}
    for one in mended():
        assert bool(one.faults) != bool(one.why), one.defect
        assert names.issuperset(one.faults), one.defect
