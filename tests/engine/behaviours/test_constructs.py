"""Choices and orders in goals run like everything else, also when a part is planned on arrival."""

import pytest
from py_trees.common import Status

from bthtn import (
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    any_order,
    defer,
    first_of,
    fluent,
    method,
    one_of,
    partial_order,
    pause,
    primitive,
    repeat,
)
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import PlanResumed
from bthtn.studio.testing.doubles import RecordingListener


class Site(State):
    wood: Fluent[int] = fluent(default=2)
    roof: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="gate")


site = Domain("site", Site)
saw = site.primitive("saw", precondition=Site.wood > 0, effects=Site.wood.decreases(1))
cover = site.primitive("cover", effects=Site.roof.becomes(True))
paint = site.primitive("paint", precondition=Site.roof)
rest = site.primitive("rest")


@site.primitive
def walk(to: str) -> Primitive:
    return primitive(precondition=Site.at != to, effects=Site.at.becomes(to))


@site.compound
def look_round(who: str):
    spot = one_of(("gate", "hall"))
    yield method(walk(spot), pause(), walk(who), first_of(walk(who), walk(spot)))


def run(goal, settings=None):
    """The steps that are done for a goal, and the number of parts planned on arrival."""
    heard = RecordingListener()
    agent = Agent("builder", site, Site(), body=None, listener=heard)
    behaviour = PlanGoal("work", agent, goal, settings=settings or Settings())
    for _ in range(60):
        behaviour.tick_once()
        if behaviour.status is not Status.RUNNING:
            break
    assert behaviour.status is Status.SUCCESS, heard.story()
    done = [line.removeprefix("done ") for line in heard.lines() if line.startswith("done ")]
    return done, len(heard.of(PlanResumed))


@pytest.mark.parametrize("horizon", [None, 1, 2])
@pytest.mark.parametrize(
    ("goal", "done"),
    [
        (any_order(paint(), cover(), rest()), ["cover", "paint", "rest"]),
        (
            partial_order("a < b", b=rest(), c=saw(), a=(walk("a"), cover())),
            ["saw", "walk('a')", "cover", "rest"],
        ),
        (repeat(Site.wood, saw()), ["saw", "saw"]),
        (first_of(paint(), (rest(), rest())), ["rest", "rest"]),
        (look_round("x"), ["walk('hall')", "walk('x')", "walk('hall')"]),
        ((rest(), defer(look_round("x"))), ["rest", "walk('hall')", "walk('x')", "walk('hall')"]),
    ],
    ids=["any_order", "partial_order", "repeat", "first_of", "one_of", "deferred"],
)
def test_what_is_planned_at_once_or_bit_by_bit_is_done(goal, done, horizon):
    steps, resumed = run(goal, Settings(horizon=horizon))
    assert steps == done
    assert resumed > 0 or horizon is None or len(done) <= horizon


def test_a_goal_is_read_once_and_its_tasks_stay_the_same():
    agent = Agent("builder", site, Site(), body=None)
    goal = PlanGoal("work", agent, first_of(paint(), rest()))
    goal.tick_once()
    first = goal.plan
    goal.stop(Status.INVALID)
    goal.tick_once()
    assert goal.plan is not first
    assert goal.plan.tree.task is first.tree.task
    assert goal.plan.domain is first.domain
