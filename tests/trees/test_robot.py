"""The robot in the flat: whatever goes wrong, nothing is owed, and every failure has a reason."""

import json
from random import Random

import pytest

from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.events import GoalEnded, LeafEnded
from bthtn.examples.trees.robot.body import BRAKING
from bthtn.examples.trees.robot.senses import PATIENCE
from bthtn.examples.trees.robot.tree import character, end, invariants
from bthtn.kit.recording import line_of
from bthtn.studio.testing.invariants import Invariants

LONGEST = 2 * (PATIENCE + 60)
"""Ticks for two orders, each of which is answered in time, and for the way home."""
NO_REASONS = ("", "there is no plan")


def a_run(seed):
    """A run in which more goes wrong than in others, up to three times as often as by default."""
    made = character(seed)
    flat, dice = made.agent.body.flat, Random(seed)  # noqa: S311 - dice, not secrets
    flat.mishaps, flat.clumsiness = dice.uniform(0, 0.05), dice.uniform(0, 0.3)
    return made


def unexplained(made, events):
    """Failures of steps and goals whose reason says nothing, or is not in the explanation."""
    goals = {node.name: node for node in made.root.iterate() if isinstance(node, PlanGoal)}
    failed = [it for it in events if isinstance(it, LeafEnded | GoalEnded) and not it.succeeded]
    for event in failed:
        if event.reason in NO_REASONS:
            yield f"{line_of(event)}: {event.reason}"
        if isinstance(event, GoalEnded):
            explained = goals[event.goal].explain()
            if event.reason not in explained:
                yield f"{event.reason} is not in: {explained}"


def faults_to_its_end(made, after_tick):
    """What is wrong in a run to its end: by the events, after each tick, and when it is over."""
    faults = []
    while not made.finished and made.ticks < LONGEST:
        faults += unexplained(made, made.tick())
        faults += after_tick()
    flat = made.agent.body.flat
    if not made.finished or len(flat.answers) < len(flat.orders):
        faults.append(f"stuck after {made.ticks} ticks in the {flat.at}: {made.agent.beliefs.now}")
    return faults


def faults_of(seed):
    """What is wrong in a run to its end, after which the robot is stopped."""
    made = a_run(seed)
    watch = Invariants(made, invariants)
    return faults_to_its_end(made, watch.after_tick) + after_its_end(made, watch)


def after_its_end(made, watch):
    """What is owed when the robot was stopped."""
    end(made)
    faults = watch.stop()
    if made.agent.body.running or made.agent.aborts:
        faults.append(f"goals go on: {made.agent.body.running}")
    return faults + [str(error) for error in made.agent.errors]


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_owed_and_nobody_stuck(seed):
    assert faults_of(seed) == []


@pytest.mark.slow  # as the test above, for more seeds
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_so_it_is_in_five_hundred_runs(first):
    faults = {seed: faults_of(seed) for seed in range(first, first + 50)}
    assert {seed: found for seed, found in faults.items() if found} == {}


@pytest.mark.parametrize("ticks", range(1, 30, 4))
def test_stopped_at_any_time_it_stands_still_and_owes_nothing(ticks):
    made = a_run(3)
    watch = Invariants(made, invariants)
    for _ in range(ticks):
        made.tick()
    assert after_its_end(made, watch) == []


def faults_when_loaded(seed, ticks):
    """What is wrong in the rest of a run that was saved after so many ticks."""
    made, loaded = a_run(seed), character(seed)
    for _ in range(ticks):
        made.tick()
    loaded.load(json.loads(json.dumps(made.save())))
    return faults_to_its_end(loaded, lambda: invariants(loaded))


@pytest.mark.parametrize("ticks", range(1, 60, 11))
def test_loaded_it_sends_its_goal_anew_and_does_what_is_left(ticks):
    assert faults_when_loaded(3, ticks) == []


@pytest.mark.slow  # as the test above, at every tick of other runs
@pytest.mark.parametrize("seed", range(8))
def test_so_it_does_at_any_tick(seed):
    assert [faults_when_loaded(seed, ticks) for ticks in range(60)] == [[]] * 60


def test_the_end_lasts_until_the_wheels_have_stopped():
    made = character(8)
    body = made.agent.body
    while not body.running:
        made.tick()
    before = body.node.seconds
    end(made)
    assert body.running == []
    assert body.node.seconds - before >= BRAKING


def told(seed):
    made = character(seed)
    lines = []
    while not made.finished:
        lines += [f"{event.tick} {line_of(event)}" for event in made.tick()]
    return lines


def test_the_same_seed_tells_the_same_story():
    assert told(8) == told(8)
    assert told(8) != told(9)
