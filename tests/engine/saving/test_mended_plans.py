"""A plan that was mended is saved as it stands, and goes on as one that was not saved."""

from dataclasses import dataclass

import pytest

from bthtn import (
    Domain,
    Fluent,
    State,
    defer,
    fluent,
    method,
    parallel,
    pause,
    priority,
    retry,
    timeout,
    until,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Character,
    Elapsed,
    OperatorFailed,
    Operators,
    PlainData,
    PlanGoal,
)
from tests.engine.saving.test_saves import goes_on_from_any_tick


class Field(State):
    ammo: Fluent[int] = fluent(default=1)
    danger: Fluent[bool] = fluent(default=False)
    kills: Fluent[int] = fluent(default=0)


war = Domain("war", Field)
walk = war.primitive("walk")
reload_ = war.primitive("reload", precondition=Field.ammo > 0)
shoot = war.primitive("shoot", precondition=Field.ammo > 0, effects=Field.kills.increases(1))
stab = war.primitive("stab", effects=Field.kills.increases(1))
sweep = war.primitive("sweep", effects=Field.danger.becomes(False))
report = war.primitive("report")
salute = war.primitive("salute")


@war.compound
def attack():
    yield method(reload_(), shoot(), when=Field.ammo > 0)
    yield method(stab(), stab())


@war.compound
def secure():
    """Nothing to do, as long as there is no danger."""
    yield method(when=~Field.danger)
    yield method(sweep(), when=Field.danger)


@war.compound
def mission():
    yield method(walk(), attack(), report())


@dataclass
class Clock(PlainData):
    now: int = 0


def made(goal, changes, fails=()):
    """A soldier whose steps take some ticks, in a world that changes at some of them.

    The steps in ``fails`` fail; they say by their number which try of the goal it is.
    """
    operators, clock = Operators(), Clock()

    def work(agent, elapsed=Elapsed()):
        for _ in range(elapsed.ticks, 3):
            yield

    def failing(agent, elapsed=Elapsed()):
        yield from work(agent, elapsed)
        raise OperatorFailed("it is in vain")

    for task in (walk, reload_, shoot, stab, sweep, report, salute):
        for bind in (operators.bind, operators.on_resume):
            bind(task)(failing if task in fails else work)
    rex = Agent("Rex", war, Field(), body=None, operators=operators)

    def sense():
        clock.now += 1
        for changed, value in changes.get(clock.now, {}).items():
            rex.believe(changed, value)

    return Character(PlanGoal("goal", rex, goal), rex, sense=sense, world=clock)


def repairs(goal, changes, number=24, fails=()):
    """How often the plan is mended in a run that goes on in the same way from each of its ticks."""
    ticks = goes_on_from_any_tick(lambda: made(goal, changes, fails), number)
    kinds = [kind for tick in ticks for kind in tick]
    return kinds.count("PlanRepaired"), kinds


NO_AMMO = {2: {Field.ammo: 0}}
AND_AGAIN = {2: {Field.ammo: 0}, 3: {Field.ammo: 2}, 8: {Field.ammo: 0}}
DANGER = {2: {Field.danger: True}}


@pytest.mark.parametrize(
    "goal",
    [
        mission(),
        [walk(), timeout(20, attack()), report()],
        [walk(), parallel(attack(), [report(), salute()])],
        [walk(), priority(attack(), [attack(), salute()])],
        [with_cleanup(walk(), attack(), finally_=salute()), report()],
    ],
    ids=str,
)
def test_a_plan_that_was_mended_goes_on(goal):
    assert repairs(goal, NO_AMMO)[0] == 1


def test_a_plan_that_was_mended_twice_goes_on():
    goal = [walk(), attack(), secure(), report()]
    assert repairs(goal, NO_AMMO | {4: {Field.danger: True}})[0] == 2


def test_a_suspended_part_that_was_planned_and_then_mended_goes_on():
    goal = [walk(), pause(), walk(), attack(), report()]
    assert repairs(goal, {7: {Field.ammo: 0}})[0] == 1


def test_a_mended_part_with_a_suspended_part_in_it_goes_on():
    goal = [walk(), defer(mission()), report()]
    assert repairs(goal, {6: {Field.ammo: 0}}, 30)[0] == 1


def test_a_plan_of_nothing_but_what_was_planned_on_arrival_is_mended_and_goes_on():
    goal = [pause(), walk(), pause(), walk(), attack()]
    assert repairs(goal, {10: {Field.ammo: 0}}, 30)[0] == 1


def test_a_retried_part_with_a_mended_suspended_part_goes_on():
    goal = retry(3, pause(), walk(), attack(), salute())
    mended, kinds = repairs(goal, {3: {Field.ammo: 0}}, 26, fails=(salute,))
    assert (mended, kinds.count("PlanResumed")) == (1, 3)


@pytest.mark.parametrize(
    "goal",
    [
        [walk(), secure()],
        [walk(), priority([secure(), report()], [secure(), salute()])],
        [walk(), priority([report(), secure()], [salute(), secure()])],
        [walk(), parallel([secure(), report()], salute(), policy="primary")],
        [walk(), parallel([salute(), secure()], report())],
    ],
    ids=str,
)
def test_a_part_without_steps_that_gets_some_beside_a_lone_step_goes_on(goal):
    assert repairs(goal, DANGER)[0] == 1


def test_a_part_that_is_tried_until_something_holds_is_mended_and_goes_on():
    goal = until(Field.kills > 1, [walk(), attack()])
    assert repairs(goal, AND_AGAIN, 40)[0] >= 1
