"""Cleanups that are owed and steps that wait or end: a save in the middle changes nothing."""

from dataclasses import dataclass

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector

from bthtn import (
    Domain,
    Fluent,
    State,
    fluent,
    method,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Elapsed,
    OperatorFailed,
    Operators,
    PlainData,
    PlanGoal,
)
from tests.engine.saving.test_saves import goes_on_from_any_tick


class Ship(State):
    alarm: Fluent[bool] = fluent(default=False)
    calm: Fluent[bool] = fluent(default=True)


sea = Domain("sea", Ship)
row = sea.primitive("row", during=Ship.calm, uses="arms")
fish = sea.primitive("fish", uses="arms")
look = sea.primitive("look")
moor = sea.primitive("moor")
pump = sea.primitive("pump")


@sea.compound
def trip():
    yield method(with_cleanup(look(), row(), finally_=[moor(), pump()]))


@dataclass
class Clock(PlainData):
    now: int = 0


def made(tree, changes, *, fails=()):
    """A sailor whose steps take three ticks, in a sea that changes."""
    operators, clock = Operators(), Clock()

    def work(agent, elapsed=Elapsed()):
        for _ in range(elapsed.ticks, 3):
            yield

    def failing(agent, elapsed=Elapsed()):
        yield from work(agent, elapsed)
        raise OperatorFailed("it is in vain")

    for task in (row, fish, look, moor, pump):
        for bind in (operators.bind, operators.on_resume):
            bind(task)(failing if task in fails else work)
    jim = Agent("Jim", sea, Ship(), body=None, operators=operators)

    def sense():
        clock.now += 1
        for changed, value in changes.get(clock.now, {}).items():
            jim.believe(changed, value)

    return Character(tree(jim), jim, sense=sense, world=clock)


def alone(goal):
    return lambda jim: PlanGoal("goal", jim, goal)


def unless_alarm(goal):
    """A goal that is stopped when there is an alarm."""

    def tree(jim):
        alarm = Believes("alarm", jim, Ship.alarm)
        return Selector("root", memory=False, children=[alarm, PlanGoal("goal", jim, goal)])

    return tree


def kinds(tree, changes, number=20, **options):
    ticks = goes_on_from_any_tick(lambda: made(tree, changes, **options), number)
    return [kind for tick in ticks for kind in tick]


def test_a_cleanup_that_is_owed_is_done_after_a_save_at_any_tick():
    alarm = {3: {Ship.alarm: True}}
    found = kinds(unless_alarm(trip()), alarm)
    assert found.count("CleanupEnded") == 1


def test_the_cleanup_of_a_step_that_failed_is_done_too():
    found = kinds(alone(trip()), {}, fails=[row])
    assert found[:12].count("CleanupEnded") == 1
    assert "PlanFailed" in found


def test_a_step_that_is_given_up_when_its_condition_ends_is_given_up_once():
    found = kinds(alone(row()), {3: {Ship.calm: False}})
    assert found.count("LeafAborted") == 1


def test_a_step_that_waits_for_what_another_one_uses_goes_on_waiting():
    def tree(jim):
        goals = [PlanGoal("row", jim, row()), PlanGoal("fish", jim, fish())]
        return Parallel("both", ParallelPolicy.SuccessOnAll(synchronise=False), goals)

    found = kinds(tree, {})
    assert "LeafWaits" in found
