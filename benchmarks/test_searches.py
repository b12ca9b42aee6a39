"""Every mode of a search really asks for what it says, and the tables name all of them."""

import pytest

from benchmarks import cold, felt, growth, searches
from benchmarks.counted import feature_planners
from benchmarks.modes import steps_of
from benchmarks.rows import ROWS
from benchmarks.timing import Pace


@pytest.mark.parametrize("name", ["travel", "troll fight 1", "blocks 5", "combat", "soldier"])
def test_every_mode_finds_the_plain_plan_or_rests_after_it(name):
    (row,) = (row for row in ROWS if row.name == name)
    question = row.questions()[0]
    asks = searches.modes(row.module)
    plain = steps_of(asks[searches.PLAIN](question)())
    for mode, prepare in asks.items():
        found = steps_of(prepare(question)())
        if mode == "bound":
            assert found is None, "the first plan is the best one"
        elif mode in ("any_order", "unordered", "achieve"):
            assert found == [*plain, ("rest",)]
        elif mode == "check_rest":
            assert found == plain[: len(found)], "the rest is suspended"
        else:
            assert found == plain, mode


def test_a_row_says_how_many_times_as_long_each_mode_takes():
    pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")
    head, *lines = searches.table(["troll fight 1"], Pace(batch=0.0001, rounds=1))
    assert head[:3] == ["plain plan = 1", "µs, plain", "GTPyhop"]
    assert {*head} >= {*searches.NETWORKS, "listener", "bound", "horizon", "exclusion"}
    assert [line[0] for line in lines] == ["troll fight 1", "median", "most"]


def test_a_cold_start_is_measured_for_every_script():
    pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")
    _, *lines = cold.table(rounds=1)
    assert [line[0] for line in lines] == [*cold.SCRIPTS]


def test_the_first_answers_of_a_domain_and_the_ticks_of_a_long_plan_are_measured():
    assert len(growth.least(growth.tasks, 10)) == 5
    assert len(growth.least(growth.running, 10)) == 3


def test_what_is_felt_is_timed_and_every_feature_beside_plain_data():
    tables = felt.tables(uses=3)
    assert len(tables["felt"]) == 5
    plain, *others = tables["features"][1:]
    assert (plain[2], plain[4]) == ("1.00", "1.00")
    assert [plain[0], *(line[0] for line in others)] == [*feature_planners()]
