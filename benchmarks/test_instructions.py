"""Every row that `make instructions` counts has a name of its own, and does what it says."""

from benchmarks import counted, instructions, page


def test_every_row_of_single_plans_and_features_finds_its_plan():
    for row in (*counted.single_plans(), *counted.features()):
        row.make(0)()


def test_the_manual_has_the_rows_that_are_counted():
    assert list(page.rows("instructions")) == [row.name for row in instructions.chosen([])]
