"""Every mode of a search really asks for what it says, and the tables name all of them."""

from benchmarks import felt, searches
from benchmarks.counted import feature_planners
from benchmarks.modes import steps_of
from benchmarks.rows import ROWS


def question(name, case):
    (row,) = (row for row in ROWS if row.name == name)
    return row.questions[case]


def test_each_mode_asks_for_something_else():
    found = {mode: ask() for mode, ask in searches.modes(question("travel", 44)).items()}
    plain = found["plain"].plan
    for mode in ("slices", "listener"):
        assert steps_of(found[mode].plan) == steps_of(plain)
    assert found["cheapest"].plan.cost < plain.cost
    assert found["bounded"].plan is None, "the first plan is the best one"
    assert plain.steps[0].task not in [step.task for step in found["after a failure"].plan.steps]
    assert found["values"].plan.domain.has_values
    assert found["bounded"].expansions < found["plain"].expansions < found["values"].expansions


def test_a_row_says_how_far_the_modes_are_apart():
    head, line = searches.table(["blocks 5"])
    assert head[0] == "plain search = 1"
    assert set(head[2:-1]) == set(searches.modes(question("blocks 5", 0))) - {searches.PLAIN}
    ratios = [1.0, *map(float, line[2:-1])]
    assert abs(float(line[-1]) - max(ratios) / min(ratios)) < 0.05


def test_what_is_felt_is_timed_and_every_feature_beside_plain_data():
    tables = felt.tables(uses=3)
    assert len(tables["felt"]) == 5
    plain, *others = tables["features"][1:]
    assert (plain[2], plain[4]) == ("1.00", "1.00")
    assert [plain[0], *(line[0] for line in others)] == [*feature_planners()]
