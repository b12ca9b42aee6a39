"""How long single calls take: planning in the combat domain, and one tick of a running plan.

`python -m benchmarks` compares whole problems with other planners; these are looked at one by one,
with the means of pytest-benchmark. What is asserted are counts of expansions: times are
information, and differ from machine to machine.
"""

import tomllib
from pathlib import Path

import pytest

from benchmarks.domains.combat import CASES, named, question
from bthtn import Domain, Fluent, State, find_plan, fluent, method
from bthtn.behaviours import Agent, PlanGoal
from bthtn.examples.domains.combat.domain import combat, fight

COUNTS = tomllib.loads((Path(__file__).parent / "counts.toml").read_text("utf-8"))
STATES = {named(case): question(case).state for case in CASES}


class Counter(State):
    """How far somebody has counted."""

    count: Fluent[int] = fluent(default=0)


counting = Domain("counting", Counter)
step = counting.primitive("step", effects=Counter.count.increases(1))
wait = counting.primitive("wait", duration=10**9)


@counting.compound
def count_to(top: int):
    """One step at a time."""
    yield method(when=Counter.count >= top)
    yield method(step(), count_to(top))


def expansions_by_case():
    """What planning takes in every case."""
    return {name: find_plan(combat, state, fight()).expansions for name, state in STATES.items()}


def test_planning_all_cases_takes_as_many_expansions_as_it_did(benchmark):
    assert benchmark(expansions_by_case) == COUNTS["combat"]


def test_planning_a_thousand_steps_takes_as_many_expansions_as_it_did(benchmark):
    plan = benchmark(find_plan, counting, Counter(), count_to(1_000))
    assert len(plan.steps) == 1_000
    assert plan.expansions == COUNTS["counting"]["1000"]


@pytest.mark.parametrize("name", ["target cover", "target", "nothing"])
def test_planning(benchmark, name):
    assert benchmark(find_plan, combat, STATES[name], fight()) is not None


def test_one_tick_of_a_running_plan(benchmark):
    goal = PlanGoal("wait", Agent("somebody", counting, Counter(), body=None), wait())
    goal.tick_once()
    benchmark(goal.tick_once)
    assert goal.tip().name == "wait"
