"""The arithmetic of the results, and who takes part in a run."""

import json
import sys
from dataclasses import replace

import pytest

from benchmarks import suite
from benchmarks.__main__ import run
from benchmarks.features import FEATURES
from benchmarks.modes import MODES
from benchmarks.report import PEERS, _feature_ratios, _slower, tables
from benchmarks.rows import chosen
from benchmarks.timing import Pace, Spread

BRIEF = Pace(batch=0.0001, rounds=2)


def test_the_exponent_of_a_curve_is_found():
    sizes = [10, 20, 50, 200]
    assert suite.exponent(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    assert suite.exponent(sizes, [7 for _ in sizes]) == pytest.approx(0)


def test_growth_leaves_out_who_does_not_take_part_at_every_size():
    def row(size, **medians):
        times = {name: {"median": median} for name, median in medians.items()}
        return {"problem": "fight", "size": size, "times": times}

    rows = [row(10, all=1.0, some=1.0), row(100, all=10.0), row(1_000, all=100.0, some=1.0)]
    (found,) = suite.growth(rows)
    assert found["sizes"] == [10, 100, 1_000]
    assert found["exponents"] == {"all": pytest.approx(1)}


def test_a_ratio_compares_batches_of_one_round_with_the_fastest_peer():
    (mode, *others) = MODES
    slow = {name: [1.0, 1.0, 1.0] for name in others}
    batches = {mode: [1.0, 2.0, 1.0], **slow, "fast peer": [3.0, 6.0, 3.0], "slow": [9.0, 9.0, 9.0]}
    assert suite.fastest_peer(batches) == "fast peer"
    assert suite.ratios(batches)[mode] == {"median": 3, "lower": 3, "upper": 3}
    assert suite.ratios({mode: [1.0], **slow}) == {}


def test_median_and_quartiles():
    assert Spread.of([5.0, 1.0, 2.0, 4.0, 3.0]) == Spread(median=3, lower=2, upper=4)


def test_rows_are_chosen_by_problem():
    assert [row.name for row in chosen(["troll"])][:2] == ["troll", "troll fight 1"]
    with pytest.raises(ValueError, match="no rows for chess; there are backtracking, blocks"):
        chosen(["blocks", "chess"])


def test_results_of_a_run_become_json_and_every_table():
    pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")
    before = sys.getrecursionlimit()
    data = suite.run(["fps", "combat"], BRIEF, lambda what: None)
    assert sys.getrecursionlimit() == before
    assert json.loads(json.dumps(data))["machine"] == data["machine"]
    made = tables(data)
    assert set(made) >= {"times", "ratios", "work", "memory", "features", "feature_ratios"}
    assert [line[0] for line in made["times"]] == ["µs per plan", "fps", "combat"]
    assert [row["left_out"] for row in data["rows"]] == [["GTPyhop iterative_greedy"], []]


def test_features_are_really_asked_for():
    (question,) = (row.questions[0] for row in chosen(["troll"]) if row.name == "troll fight 10")
    whole = MODES["find_plan"](question)()
    near = MODES["find_plan"](FEATURES["a horizon of one step"].asked(question))()
    assert (len(near.steps), len(whole.steps)) == (1, 29)
    told = []
    listener = FEATURES["events"].asked(question).listener
    MODES["find_plan"](replace(question, listener=lambda event: told.append(listener(event))))()
    assert len(told) > len(whole.steps)
    assert FEATURES["the footprint"].used(whole).writes == whole.footprint.writes
    assert not FEATURES["no recursion guard"].asked(question).settings.strict_recursion


def test_a_plan_up_to_a_horizon_is_not_compared_with_whole_ones():
    times = {f"{mode}: {name}": {"median": 1.0} for mode in MODES for name in FEATURES}
    row = {"row": "fps", "peer": "peer", "times": times | {"peer": {"median": 3.0}}}
    compared = _feature_ratios([row])
    assert {line[1] for line in compared[1:]} == set(FEATURES) - {"a horizon of one step"}
    assert {cell for line in compared[1:] for cell in line[2:]} == {"3.00"}


def test_only_rows_where_a_mode_is_slower_are_listed():
    def row(name, median):
        times = {mode: {"median": median} for mode in MODES} | {PEERS[0]: {"median": 2.0}}
        return {"row": name, "times": times}

    slower = _slower([row("quick", 1.0), row("slow", 5.0)])
    assert [line[:2] for line in slower[1:]] == [["slow", "GTPyhop, recursive"]]
    assert set(slower[1][2:]) == {"2.50"}
    assert _slower([row("quick", 1.0)])[1][0] == "none"


def test_bad_input_of_the_command_ends_with_2(capsys):
    assert run(["--quick", "--write-docs"]) == 2
    pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")
    assert run(["--rows", "chess"]) == 2
    assert "no rows for chess" in capsys.readouterr().err
