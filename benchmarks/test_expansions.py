"""How much is tried: the same number on every machine, so `counts.toml` holds it exactly.

A change that makes a planner try more, or less, is seen here, and has to be meant.
"""

import tomllib
from pathlib import Path

import pytest

from benchmarks.domains import backtracking, combat
from benchmarks.modes import MODES
from benchmarks.rows import ROWS, expansions
from bthtn import Domain, Fluent, State, find_plan, fluent, method
from bthtn.engine.planning import TaskPlanned

COUNTS = tomllib.loads((Path(__file__).parent / "counts.toml").read_text("utf-8"))
GATED = [
    row
    for row in ROWS
    if row.module != "combat" and not (row.module == "scan" and row.size > 1_000)
]


class Counter(State):
    """How far somebody has counted."""

    count: Fluent[int] = fluent(default=0)


counting = Domain("counting", Counter)
step = counting.primitive("step", effects=Counter.count.increases(1))


@counting.compound
def count_to(top: int):
    """One step at a time."""
    yield method(when=Counter.count >= top)
    yield method(step(), count_to(top))


def counted(row):
    """What `counts.toml` says for every case of a row."""
    counts = COUNTS[row.problem.replace(" ", "_")]
    return counts["cases"] if row.size is None else [counts[str(row.size)]]


@pytest.mark.parametrize("row", GATED, ids=lambda row: row.name)
def test_planning_takes_as_many_expansions_as_it_did(row):
    assert [expansions(question) for question in row.questions()] == counted(row)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", GATED, ids=lambda row: row.name)
def test_a_plan_says_how_many_expansions_it_took_in_every_mode(row, mode):
    plans = [MODES[mode](question)() for question in row.questions()]
    found = [count for count, plan in zip(counted(row), plans, strict=True) if plan is not None]
    assert [plan.expansions for plan in plans if plan is not None] == found


@pytest.mark.parametrize("mode", MODES)
def test_combat_takes_as_many_expansions_as_it_did(mode):
    found = {
        combat.named(case): MODES[mode](combat.question(case))().expansions for case in combat.CASES
    }
    assert found == COUNTS["combat"]


def test_a_thousand_steps_take_as_many_expansions_as_they_did():
    plan = find_plan(counting, Counter(), count_to(1_000))
    assert len(plan.steps) == 1_000
    assert plan.expansions == COUNTS["counting"]["1000"]


def test_every_count_belongs_to_a_row():
    named = {row.problem.replace(" ", "_"): set() for row in ROWS}
    for row in GATED:
        named[row.problem.replace(" ", "_")].add("cases" if row.size is None else str(row.size))
    others = ("counting", "instructions")
    kept = {name: set(counts) for name, counts in COUNTS.items() if name not in others}
    assert kept | {"combat": named["combat"]} == named


def test_the_expansions_of_backtracking_put_a_number_5460_times():
    asked = backtracking.question(None)
    events = []
    find_plan(asked.domain, asked.state, asked.goal, listener=events.append)
    put = [event for event in events if isinstance(event, TaskPlanned) and event.task[:3] == "put"]
    assert len(put) == sum(4**wheel for wheel in range(1, 7)) == 5_460
