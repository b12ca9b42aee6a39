"""Behaviours made after the pattern of equal plans are those that the plan alone would get."""

import pytest
from py_trees.common import Status
from py_trees.display import unicode_tree

from bthtn import Domain, method, null, parallel, pause, priority
from bthtn.behaviours import Agent, PlanGoal
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.testing.playground import World

errands = Domain("errands", World)
walk = errands.primitive("walk", duration=2)
call = errands.primitive("call")
shop = errands.primitive("shop", precondition=World.lit)
light = errands.primitive("light", effects=World.lit.becomes(True))


@errands.compound
def errand():
    yield method(light(), walk(), shop())


@errands.compound
def evening():
    yield method(errand(), call(), errand())


AGENTS = 5
KINDS = {
    "steps": (walk(), call()),
    "scopes": evening(),
    "branches": (parallel(evening(), (walk(), call()), policy="any"), walk()),
    "an empty branch": parallel(null(), walk(), policy="primary"),
    "alternatives": priority(shop(), (walk(), errand())),
    "a part that is planned later": (walk(), pause(), errand()),
    "more than is made at once": (evening(), evening(), evening(), evening()),
}


def goal(network):
    listener = RecordingListener()
    agent = Agent("she", errands, World(lit=False), body=None, listener=listener)
    return PlanGoal("goal", agent, network)


def life(goal):
    """What displays show after each tick, until the goal ends, and what its steps did."""
    shown = []
    while goal.status is Status.RUNNING or not shown:
        assert len(shown) < 100, "it hangs"
        goal.tick_once()
        shown.append(unicode_tree(goal, show_status=True))
    return shown, goal.agent.listener.lines()


@pytest.mark.parametrize("kind", KINDS)
def test_behaviours_after_a_pattern_are_those_of_the_plan_alone(kind):
    alone = life(goal(KINDS[kind]))
    assert [life(goal(KINDS[kind])) for _ in range(AGENTS)] == [alone] * AGENTS


def test_agents_that_run_equal_plans_at_once_have_behaviours_of_their_own():
    goals = [goal(KINDS["branches"]) for _ in range(AGENTS)]
    for one in goals:
        one.tick_once()
    nodes = [list(one.iterate()) for one in goals]
    assert len({node.id for tree in nodes for node in tree}) == AGENTS * len(nodes[0])
    assert len({life(one)[0][-1] for one in goals}) == 1
