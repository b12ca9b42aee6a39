"""The work of a tick grows no faster than its plan, and no text is made that nobody reads.

Work is counted in calls of Python functions, which does not depend on the machine.
"""

import sys

import pytest
from py_trees.common import Status

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    State,
    defer,
    fluent,
    fluents,
    parallel,
    primitive,
    priority,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.studio.testing.doubles import RecordingListener


class Counter(State):
    noise: Fluent[int] = fluent(default=0)
    done: Fluent[int] = fluent(default=0)
    marks: FluentFamily[int, int] = fluents(default=0, index=int)


def counting(goal_of, size):
    """The calls of the most expensive tick after the first, in which everything is planned."""
    domain = Domain("counting", Counter)
    quick = domain.primitive(
        "quick", precondition=Counter.noise >= 0, effects=Counter.done.becomes(1)
    )
    slow = domain.primitive("slow", precondition=Counter.noise >= 0, duration=1)

    @domain.primitive
    def mark(number: int):
        return primitive(effects=Counter.marks[number].becomes(1), duration=1)

    agent = Agent("agent", domain, Counter(), body=None)
    tree = PlanGoal("goal", agent, goal_of(size, quick, slow, mark), budget=None)
    tree.tick_once()
    worst = 0
    for tick in range(3):
        agent.believe(Counter.noise, tick + 1)
        worst = max(worst, _calls(tree.tick_once))
    return worst


def _calls(function):
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


GOALS = {
    "parts that are planned one after the other": lambda n, quick, slow, _mark: (
        slow(),
        *(defer(quick(), ensures=Counter.done.becomes(1)) for _ in range(n)),
    ),
    "branches that are planned in the same tick": lambda n, _quick, slow, _mark: parallel(
        *((slow(), defer(slow()), defer(slow()), slow()) for _ in range(n // 4))
    ),
    "parts that are planned at once": lambda n, quick, slow, _mark: (
        slow(),
        *(defer(quick(), ensures=Counter.done.becomes(1), now=True) for _ in range(n)),
    ),
    "branches that end in the same tick": lambda n, _quick, _slow, mark: parallel(
        *map(mark, range(n))
    ),
    "steps": lambda n, quick, slow, _mark: (slow(), *[quick()] * n),
    "alternatives": lambda n, quick, slow, _mark: (slow(), *[priority(slow(), quick())] * n),
}


@pytest.mark.parametrize("name", GOALS)
def test_twice_the_plan_is_at_most_twice_the_work(name):
    small, large = (counting(GOALS[name], size) for size in (100, 200))
    assert large < 2.2 * small, (small, large)


class Shy:
    """Somebody who notes it when he is asked for his name."""

    asked = 0

    def __repr__(self):
        Shy.asked += 1
        return "shy"


@pytest.mark.parametrize("is_heard", [False, True])
def test_steps_and_their_leases_are_asked_for_a_text_only_if_somebody_listens(is_heard):
    domain, operators, shy = Domain("greeting", Counter), Operators(), Shy()

    @domain.primitive
    def greet(whom: Shy):
        return primitive(effects=Counter.done.increases(1))

    @operators.bind(greet)
    def greeting(agent, whom):
        assert agent.take("hand")
        yield

    operators.on_plan_start(greet)(lambda agent, whom: agent.take("floor"))
    heard = RecordingListener()
    given = {"listener": heard} if is_heard else {}
    agent = Agent("agent", domain, Counter(), body=None, operators=operators, **given)
    goal = PlanGoal("goal", agent, (greet(shy), greet(shy)))
    Shy.asked = 0
    while goal.status is not Status.SUCCESS:
        goal.tick_once()
    assert (Shy.asked > 0) is is_heard
    assert agent.beliefs.now.done == 2
