"""The arithmetic of the results, and who takes part in a run."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import suite
from benchmarks.__main__ import run
from benchmarks.contestants import of_bthtn
from benchmarks.modes import AGAIN, MODES
from benchmarks.report import tables
from benchmarks.rows import ROWS, chosen
from benchmarks.timing import Pace

BRIEF = Pace(batch=0.0001, rounds=2)


def test_the_exponent_of_a_curve_is_found():
    sizes = [10, 20, 50, 200]
    assert suite.exponent(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    assert suite.exponent(sizes, [7 for _ in sizes]) == pytest.approx(0)


def test_growth_leaves_out_who_does_not_take_part_at_every_size():
    def row(size, **least):
        return {"problem": "fight", "size": size, "times": least}

    rows = [row(10, all=1.0, some=1.0), row(100, all=10.0), row(1_000, all=100.0, some=1.0)]
    (found,) = suite.growth(rows)
    assert found["sizes"] == [10, 100, 1_000]
    assert found["exponents"] == {"all": pytest.approx(1)}


def test_a_ratio_compares_with_the_fastest_peer_that_backtracks():
    mode = next(iter(MODES))
    took = {mode: 2.0, "GTPyhop iterative_greedy": 1.0}
    assert suite.ratios(took | dict(zip(suite.PEERS, (7.0, 6.0), strict=True))) == {mode: 3}
    assert suite.ratios(took) == {}


def test_ratios_are_summed_up_over_the_rows_of_some_problems():
    def row(problem, ratio):
        return {"problem": problem, "ratios": dict.fromkeys(MODES, ratio)}

    rows = [row("fps", 9.0), row("blocks", 2.0), row("blocks", 4.0), row("chase", 1.0)]
    found = suite.summary(rows, ("fps", "blocks"))
    assert found[next(iter(MODES))] == {"median": 4, "least": 2, "rows": 3}
    assert suite.summary(rows, ("soldier",)) == {}


def test_every_batch_asks_for_other_plans_but_where_it_is_said():
    (row,) = (row for row in ROWS if row.name == "blocks 5")
    for one in of_bthtn(row):
        plans = [one.answer(ask()) for ask in (*one.asks(2), *one.asks(1))]
        assert len({tuple(plan) for plan in plans}) == (1 if one.name in AGAIN else 3)


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
    assert set(made) == {"machine", "summary", "ratios", "times", "memory"}
    assert [line[0] for line in made["times"]] == ["µs per plan", "fps", "combat"]
    assert [row["left_out"] for row in data["rows"]] == [["GTPyhop iterative_greedy"], []]


def test_only_public_names_of_planning_are_used():
    sources = Path(suite.__file__).parent.rglob("*.py")
    inside = {path.name for path in sources if "bthtn.engine.planning." in path.read_text("utf-8")}
    assert inside <= {Path(__file__).name}


def test_bad_input_of_the_command_ends_with_2(capsys):
    assert run(["--quick", "--write-docs"]) == 2
    pytest.importorskip("gtpyhop", reason="the peer comes with the extra 'bench'")
    assert run(["--rows", "chess"]) == 2
    assert "no rows for chess" in capsys.readouterr().err
