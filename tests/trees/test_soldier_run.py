"""Whole runs of the soldier: the one that newcomers see, and two hundred others."""

import re

import pytest

from bthtn.engine.agent.events import (
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
)
from bthtn.examples.trees.soldier.tree import character
from bthtn.studio.testing.doubles import RecordingListener
from tests.sizes import seeds

LIMIT = 200


def run(seed):
    """A run to its end: the character, everything he told, and what was told in which tick."""
    heard = RecordingListener()
    soldier = character(seed)
    ticks = []
    while not soldier.finished and soldier.ticks < LIMIT:
        events = soldier.tick()
        ticks.append((soldier.root.tip().name, events))
        heard.events.extend(events)
    heard.events.extend(soldier.stop())
    return soldier, heard, ticks


def first(ticks, holds):
    """The first tick in which something holds of where the tree stands, or of an event."""
    for number, (tip, events) in enumerate(ticks, 1):
        if holds(tip) or any(holds(event) for event in events):
            return number
    return pytest.fail("it never happens")


def is_leaf(kind, task):
    return lambda event: isinstance(event, kind) and event.task == task


# the run that newcomers see


@pytest.fixture(scope="module")
def shown():
    return run(0)


def test_the_shown_run_ends_well_and_soon(shown):
    soldier, _, ticks = shown
    world = soldier.agent.body.world
    assert soldier.finished
    assert len(ticks) <= 60
    assert world.soldier.alive
    assert not world.enemy.alive


def test_the_shown_run_tells_the_whole_story_in_order(shown):
    _, heard, ticks = shown
    dropped, (broken, *_) = heard.of(PlanAborted)[0], heard.of(PlanBroken)
    story = [
        first(ticks, lambda seen: seen == "patrol"),
        first(ticks, is_leaf(LeafStarted, "search_enemy")),
        first(ticks, is_leaf(LeafStarted, "move_to_cover")),
        first(ticks, is_leaf(LeafEnded, "no_line_of_fire")),
        first(ticks, lambda seen: seen is dropped),
        first(ticks, lambda seen: seen == "use medkit"),
        first(ticks, lambda seen: seen is broken),
        first(ticks, is_leaf(LeafEnded, "shoot")),
        len(ticks),
    ]
    assert story == sorted(set(story))
    assert dropped.reason == "'survive' took over"


def test_in_the_shown_run_cover_is_lost_and_another_plan_made_in_the_same_tick(shown):
    broken = shown[1].of(PlanBroken)[0]
    assert (broken.step, str(broken.change)) == (
        "move_to_cover",
        "cover: true → false (by sensor)",
    )
    (events,) = (events for _, events in shown[2] if broken in events)
    (adopted,) = (event.plan for event in events if isinstance(event, PlanAdopted))
    assert adopted.record[0] == 2
    assert any(is_leaf(LeafStarted, "keep_distance")(event) for event in events)


def test_in_the_shown_run_he_reloads_while_he_runs(shown):
    lines = shown[1].lines()
    run_to_cover = lines[lines.index("start move_to_cover") : lines.index("done move_to_cover")]
    assert "start reload" in run_to_cover


def test_in_the_shown_run_survival_interrupts_a_plan_in_its_middle(shown):
    _, heard, _ = shown
    aborted = [event.task for event in heard.of(LeafAborted)]
    assert aborted[0] == "shoot"
    dropped = heard.events.index(heard.of(PlanAborted)[0])
    assert any(isinstance(event, PlanAdopted) for event in heard.events[dropped:])


def test_in_the_shown_run_every_method_of_the_domain_is_used(shown):
    records = {tuple(event.plan.record) for event in shown[1].of(PlanAdopted)}
    assert {record[0] for record in records} == {0, 1, 2}
    assert {record[2:4] for record in records if record[0] == 1} == {(1, 0), (1, 1), (0, 1)}


# other runs


def told(heard):
    """The events as text, without addresses."""
    return re.sub(r"0x[0-9a-f]+", "", "\n".join(map(str, heard.events)))


@pytest.mark.parametrize("decade", seeds(quick=3, thorough=20))
def test_every_run_ends_and_every_step_in_it_ends_once(decade):
    for seed in range(10 * decade, 10 * decade + 10):
        soldier, heard, ticks = run(seed)
        assert soldier.finished or len(ticks) == LIMIT, seed
        assert heard.faults() == [], seed
        assert heard.running() == [], seed
        assert soldier.agent.body.world.soldier.health >= 0, seed
        assert not any(order.pending for order in soldier.agent.body.orders.values()), seed


@pytest.mark.parametrize("seed", [0, 1, 50, 199])
def test_the_same_seed_gives_the_same_run(seed):
    assert told(run(seed)[1]) == told(run(seed)[1])


@pytest.mark.slow
def test_other_seeds_give_other_runs():
    ends = {(len(ticks), soldier.agent.beliefs.now) for soldier, _, ticks in map(run, range(20))}
    assert len(ends) > 10


def test_two_soldiers_at_once_do_not_disturb_each_other():
    one, other = character(0), character(0)
    told_by_one, told_by_other = [], []
    for _ in range(57):
        told_by_one.extend(map(str, one.tick()))
        told_by_other.extend(map(str, other.tick()))
    alone = [str(event) for event in run(0)[1].events]
    clean = [re.sub(r"0x[0-9a-f]+", "", text) for text in (*told_by_one, *told_by_other, *alone)]
    assert clean[: len(alone)] == clean[len(alone) : -len(alone)] == clean[-len(alone) :]
