"""An operator that never ends, beside one that does."""

import pytest
from py_trees.common import Status

from bthtn import Domain, State, parallel
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import GoalEnded
from bthtn.studio.testing.doubles import RecordingListener, ticks


class Guard(State):
    """A guard who believes nothing."""


class Post:
    """A guard with one thing to do that ends and one that never does."""

    def __init__(self):
        self.domain = Domain("post", Guard)
        self.walk = self.domain.primitive("walk")
        self.watch = self.domain.primitive("watch")
        self.cleaned_up = []
        operators = Operators(simulates_others=True)
        operators.bind(self.walk)(self.walking)
        operators.bind(self.watch)(self.watching)
        self.heard = RecordingListener()
        self.agent = Agent(
            "guard", self.domain, Guard(), body=None, operators=operators, listener=self.heard
        )

    def walking(self, agent):
        yield
        yield

    def watching(self, agent):
        try:
            while True:
                yield
        finally:
            self.cleaned_up.append("watch")

    def goal(self, *steps, policy):
        return PlanGoal("guard", self.agent, parallel(*(step() for step in steps), policy=policy))


@pytest.fixture
def post():
    return Post()


@pytest.mark.parametrize("watch_first", [True, False])
def test_with_any_the_one_that_ends_ends_both(post, watch_first):
    steps = (post.watch, post.walk) if watch_first else (post.walk, post.watch)
    goal = post.goal(*steps, policy="any")
    assert ticks(goal, 3) == "RRS"
    assert sorted(post.heard.lines()[2:]) == ["aborted watch", "done walk"]
    assert post.cleaned_up == ["watch"]
    assert post.heard.of(GoalEnded)[0].succeeded


def test_with_primary_the_end_of_the_first_ends_both(post):
    goal = post.goal(post.walk, post.watch, policy="primary")
    assert ticks(goal, 3) == "RRS"
    assert post.heard.lines()[2:] == ["done walk", "aborted watch"]
    assert post.cleaned_up == ["watch"]


def test_with_primary_the_end_of_the_second_ends_nothing(post):
    goal = post.goal(post.watch, post.walk, policy="primary")
    assert ticks(goal, 50) == "R" * 50
    assert post.heard.running() == ["watch"]
    goal.stop(Status.INVALID)
    assert post.heard.lines()[-2:] == ["done walk", "aborted watch"]
    assert post.cleaned_up == ["watch"]


def test_with_all_the_one_that_never_ends_is_waited_for(post):
    goal = post.goal(post.walk, post.watch, policy="all")
    assert ticks(goal, 50) == "R" * 50
    goal.shutdown()
    assert post.heard.faults() == []
    assert post.cleaned_up == ["watch"]
