"""What a step takes is given back on every path."""

import pytest
from py_trees.common import Status

from bthtn import defer, parallel
from bthtn.behaviours import Agent, OperatorFailed, PlanGoal, Running
from bthtn.engine.agent.events import LeaseReturned, LeaseTaken
from bthtn.studio.testing.doubles import RecordingListener, ScriptedError, ticks
from bthtn.studio.testing.strategies import World


def taking(end, taken="token"):
    """An operator that takes something, and ends in this way in its second tick."""

    def operator(agent) -> Running:
        if not agent.take(taken):
            raise OperatorFailed(f"somebody else has the {taken}")
        yield
        end()

    return operator


def fails():
    raise OperatorFailed("it broke")


def raises():
    raise ScriptedError


def succeeds():
    """Nothing more to do."""


def balanced(stage):
    taken, returned = stage.heard.of(LeaseTaken), stage.heard.of(LeaseReturned)
    return len(taken) == len(returned) > 0 and len(stage.actor.leases) == 0


@pytest.mark.parametrize("end", [succeeds, fails, raises])
def test_it_is_given_back_when_the_step_ends(stage, end):
    goal = stage.goal(stage.run_by("a", taking(end)), max_replans=0)
    ticks(goal, 1)
    assert len(stage.actor.leases) == 1
    ticks(goal, 1)
    assert balanced(stage)


def test_it_is_given_back_before_the_end_is_told(stage):
    ticks(stage.goal(stage.run_by("a", taking(succeeds))), 2)
    assert stage.heard.story()[1:-1] == [
        "start a",
        "a #1 has token",
        "a #1 gave back token",
        "done a",
    ]


def test_it_is_given_back_when_the_step_is_interrupted(stage):
    goal = stage.goal(stage.run_by("a", taking(succeeds)))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert balanced(stage)


def test_it_is_given_back_when_the_tree_is_taken_down(stage):
    goal = stage.goal(stage.run_by("a", taking(succeeds)))
    ticks(goal, 1)
    goal.shutdown()
    assert balanced(stage)


def test_it_is_given_back_when_the_step_may_not_go_on(stage):
    goal = stage.goal(stage.run_by("a", taking(succeeds), during=World.open), max_replans=0)
    ticks(goal, 2)
    assert balanced(stage)


@pytest.mark.parametrize("place", ["make", "start"])
def test_it_is_given_back_when_the_step_does_not_get_going(stage, place):
    class Broken:
        def __init__(self, agent):
            agent.take("token")
            self.reach("make")

        def reach(self, here):
            if here == place:
                raise ScriptedError

        def start(self):
            self.reach("start")

        def tick(self):
            """Never called."""

        def abort(self):
            """Never called."""

    assert stage.play(stage.run_by("a", Broken), 1) == "F"
    assert balanced(stage)


def test_an_abort_that_takes_time_keeps_it_until_it_is_done(stage):
    def slow(agent) -> Running:
        agent.take("token")
        try:
            yield
        finally:
            assert agent.take("second token")
            yield

    goal = stage.goal(stage.run_by("a", slow))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert len(stage.actor.leases) == 2
    for _ in range(2):
        stage.actor.aborts.go_on(stage)
    assert balanced(stage)


def test_an_abort_that_is_cut_off_gives_it_back(stage):
    def slow(agent) -> Running:
        agent.take("token")
        try:
            yield
        finally:
            yield

    goal = stage.goal(stage.run_by("a", slow))
    ticks(goal, 1)
    goal.shutdown()
    assert balanced(stage)


def test_what_ends_the_program_gives_it_back(stage):
    def leave():
        raise KeyboardInterrupt

    goal = stage.goal(stage.run_by("a", taking(leave)))
    ticks(goal, 1)
    with pytest.raises(KeyboardInterrupt):
        ticks(goal, 1)
    assert balanced(stage)


def test_two_steps_cannot_have_the_same(stage):
    first, second = stage.run_by("a", taking(succeeds)), stage.run_by("b", taking(succeeds))
    goal = stage.goal(parallel(first, second), max_replans=0)
    assert ticks(goal, 1) == "F"
    assert "somebody else has the token" in goal.feedback_message


def test_nor_can_two_agents(stage):
    step = stage.run_by("a", taking(succeeds))
    first = stage.goal(step)
    heard = RecordingListener()
    other = Agent(
        "other",
        stage.domain,
        World(),
        body=None,
        operators=stage.operators,
        listener=heard,
        leases=stage.actor.leases,
    )
    second = PlanGoal("second", other, step, max_replans=5)
    first.tick_once()
    second.tick_once()
    assert heard.lines() == ["start a", "failed a"]
    ticks(first, 1)
    ticks(second, 1)
    assert heard.lines()[2:] == ["start a"]


def test_a_step_may_give_it_back_early(stage):
    def early(agent) -> Running:
        agent.take("token")
        yield
        agent.give_back("token")
        yield

    goal = stage.goal(stage.run_by("a", early))
    ticks(goal, 2)
    assert balanced(stage)
    ticks(goal, 1)
    assert balanced(stage)


def test_a_step_inside_of_a_step_has_what_that_has(stage):
    inner = stage.run_by("inner", taking(succeeds))

    def nested(agent):
        agent.take("token")
        return PlanGoal("nested", agent, inner)

    goal = stage.goal(stage.run_by("outer", nested))
    assert ticks(goal, 2) == "RS"
    assert len(stage.heard.of(LeaseTaken)) == 1
    assert balanced(stage)


def test_what_is_planned_on_arrival_gives_back_too(stage):
    step = stage.run_by("a", taking(succeeds))
    goal = stage.goal(defer(step))
    assert ticks(goal, 2) == "RS"
    assert balanced(stage)
