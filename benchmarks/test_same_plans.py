"""Every planner gives the same plan for every case: otherwise there would be nothing to compare."""

import sys

import pytest

from benchmarks.contestants import DifferentPlans, differences, equal_ones, of_bthtn, of_gtpyhop
from benchmarks.domains.troll import SLAMS_OF_A_TRUNK
from benchmarks.rows import ROWS, Row

NEEDS_BACKTRACKING = {"fps", "backtracking", "chase 10", "chase 100", "chase 1,000"}

pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")


@pytest.fixture(autouse=True)
def deep_recursion():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("row", [row for row in ROWS if row.peer], ids=lambda row: row.name)
def test_gtpyhop_gives_the_same_plans_and_its_greedy_strategy_where_nothing_has_to_be_retaken(row):
    equal, left_out = equal_ones(row)
    assert {one.name for one in equal} >= {"find_plan", "GTPyhop recursive_dfs"}
    assert bool(left_out) == (row.name in NEEDS_BACKTRACKING)


@pytest.mark.parametrize("row", [row for row in ROWS if row.peer], ids=lambda row: row.name)
def test_the_plans_of_other_names_are_the_same_too(row):
    ours, theirs = of_bthtn(row)[0], of_gtpyhop(row)[0]
    if row.size is None or row.size <= 100:
        assert ours.answers(7) == theirs.answers(7) != ours.answers()


def test_a_different_plan_is_seen(monkeypatch):
    row = next(row for row in ROWS if row.name == "troll")
    peer = row.peer_module
    monkeypatch.setitem(peer.the_domain._action_dict, "uproot_trunk", lambda state: False)
    with pytest.raises(DifferentPlans, match="uproot_trunk"):
        equal_ones(row)


def test_a_missing_plan_is_a_difference():
    row = Row("troll", ((True, False, SLAMS_OF_A_TRUNK),))
    (wrong,) = differences(row, [[("slam",)]], [None])
    assert "None found" in wrong


def test_the_fight_of_ten_rounds_has_29_steps_and_of_a_thousand_2999():
    steps = {
        row.size: len(of_bthtn(row)[0].answers()[0]) for row in ROWS if row.problem == "troll fight"
    }
    assert steps == {1: 2, 10: 29, 100: 299, 1_000: 2_999}


def test_the_plan_for_two_hundred_blocks_has_700_steps():
    (row,) = (row for row in ROWS if row.name == "blocks 200")
    assert len(of_bthtn(row)[0].answers()[0]) == 700


def test_gtpyhop_turns_as_many_wheels_as_there_are_combinations(monkeypatch):
    (row,) = (row for row in ROWS if row.problem == "backtracking")
    domain = row.peer_module.the_domain
    put, turned = domain._action_dict["put"], []

    def counted(state, wheel, number):
        turned.append(wheel)
        return put(state, wheel, number)

    monkeypatch.setitem(domain._action_dict, "put", counted)
    assert of_gtpyhop(row)[0].answers()[0] is not None
    assert len(turned) == sum(4**wheel for wheel in range(1, 7)) == 5_460
