"""Arguments that come from fluents: what they were computed from is watched up to the start."""

import pytest
from py_trees.common import Status

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    defer,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    pause,
    primitive,
    priority,
    repeat,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import LeafRefused, PlanBroken, PlanKept
from bthtn.studio.testing.doubles import RecordingListener, ticks


class Post(State):
    target: Fluent[str] = fluent(default="a")
    near: Fluent[tuple] = fluent(default=("a", "b"))
    next_to: FluentFamily[str, str] = fluents(default="x")
    rounds: Fluent[int] = fluent(default=1)
    seen: Fluent[str] = fluent(default="a", volatile=True)


post = Domain("post", Post)
wait = post.primitive("wait", duration=2)
turn = post.primitive("turn", effects=Post.target.becomes("b"), duration=2)
take = post.primitive("take", effects=Post.near.becomes(("b",)), duration=2)


@post.primitive
def go(where: str):
    return primitive(duration=2)


@post.primitive
def chase(whom: str):
    return primitive(during=Post.target == whom, duration=9)


@post.compound
def visit(where: str):
    yield method(wait(), go(where))


@post.compound
def pass_on(where: str):
    yield method(visit(where))


@post.compound
def call_on(where: str):
    yield method(wait(), first_of((wait(), go(where))))


@post.compound
def approach():
    spot = one_of(Post.near)
    yield method(wait(), go(spot))


@post.compound
def find():
    spot = one_of(Post.near)
    yield method(go(spot))


@post.compound
def fetch():
    spot = one_of(Post.near)
    yield method(take(), go(spot))


@post.compound
def turn_and_go():
    yield method(turn(), go(Post.target))


@post.compound
def look_around(where: str):
    yield method(turn(), go(where))


@post.compound
def plainly():
    yield method(lambda state: (wait(), go(state.target)))


@post.compound
def plain_place():
    spot = one_of(Post.near)
    yield method(lambda state: (wait(), go(state.next_to[spot])))


@post.compound
def see():
    yield method(wait(), go(Post.seen))


def watching(goal, *, settings=Settings(), **beliefs):  # noqa: B008 - it is frozen
    """The goal, ticked once, its agent, and what is heard of it."""
    heard = RecordingListener()
    agent = Agent("bert", post, Post(**beliefs), body=None, listener=heard)
    behaviour = PlanGoal("goal", agent, goal, settings=settings)
    behaviour.tick_once()
    return agent, behaviour, heard


def over(behaviour):
    """Tick the goal until it has succeeded."""
    while behaviour.status is Status.RUNNING:
        behaviour.tick_once()
    assert behaviour.status is Status.SUCCESS
    return True


def gone(heard):
    return [line for line in heard.lines() if line.startswith("start go")]


FROM_TARGET = {
    "a call": (wait(), go(Post.target)),
    "a member of a family": (wait(), go(Post.next_to[Post.target])),
    "the call of a task": (wait(), visit(Post.target)),
    "a parameter of what has begun": visit(Post.target),
    "a parameter that is passed on": pass_on(Post.target),
    "a parameter in a construct": call_on(Post.target),
    "a plain method": (wait(), plainly()),
    "a plain method that has begun": plainly(),
    "an alternative": priority(visit(Post.target), wait()),
    "a branch": parallel((wait(), go(Post.target)), wait()),
    "a deferred task": (wait(), defer(visit(Post.target), now=True)),
    "behind a pause": (wait(), pause(now=True), visit(Post.target)),
}


@pytest.mark.parametrize("goal", FROM_TARGET.values(), ids=FROM_TARGET)
def test_the_argument_of_a_step_is_that_of_the_beliefs_in_which_it_starts(goal):
    for _ in range(2):  # the second one has the plan of the first
        agent, behaviour, heard = watching(goal, next_to={"a": "a", "b": "b"})
        agent.believe(Post.target, "b")
        assert over(behaviour)
        assert gone(heard) == ["start go('b')"]


def test_the_event_names_the_step_the_argument_and_both_values():
    agent, behaviour, heard = watching((wait(), go(Post.target)))
    agent.believe(Post.target, "b")
    behaviour.tick_once()
    (broken,) = heard.of(PlanBroken)
    assert broken.step == "go('a')"
    assert broken.reason == "where was 'a' when it was planned, and is 'b' now"
    assert str(broken.change) == "target: 'a' → 'b' (by sensor)"
    assert heard.lines() == ["start wait"], "what runs is not aborted"


def test_what_changes_back_before_the_next_tick_breaks_nothing():
    agent, behaviour, heard = watching((wait(), go(Post.target)))
    agent.believe(Post.target, "b")
    agent.believe(Post.target, "a")
    ticks(behaviour, 3)
    assert heard.of(PlanBroken) == []


def test_a_step_that_has_started_keeps_its_argument():
    agent, behaviour, heard = watching(go(Post.target))
    agent.believe(Post.target, "b")
    assert ticks(behaviour, 2) == "RS"
    assert gone(heard) == ["start go('a')"]
    assert heard.of(PlanBroken) == heard.of(PlanKept) == []


def test_unless_its_task_says_that_it_is_watched_while_it_runs():
    agent, behaviour, heard = watching(chase(Post.target))
    agent.believe(Post.target, "b")
    behaviour.tick_once()
    assert heard.lines() == ["start chase('a')", "aborted chase('a')", "start chase('b')"]


def test_what_a_step_before_it_will_write_is_no_change():
    agent, behaviour, heard = watching(turn_and_go())
    agent.believe(Post.target, "c")
    ticks(behaviour, 4)
    assert heard.of(PlanBroken) == []
    assert gone(heard) == ["start go('b')"]


def test_what_a_step_has_written_since_its_decomposition_began_is_no_change():
    agent, behaviour, heard = watching(look_around(Post.target))
    agent.believe(Post.rounds, 2)
    ticks(behaviour, 4)
    assert heard.of(PlanBroken) == []
    assert gone(heard) == ["start go('a')"]


def test_a_volatile_argument_is_that_of_the_tick_in_which_its_step_is_reached():
    agent, behaviour, heard = watching(see())
    agent.believe(Post.seen, "b")
    ticks(behaviour, 4)
    assert gone(heard) == ["start go('b')"]


def test_a_value_is_one_of_the_values_when_its_step_starts():
    agent, behaviour, heard = watching(approach())
    agent.believe(Post.near, ("c", "a"))
    behaviour.tick_once()
    assert heard.of(PlanBroken) == [], "the choice was made when it began"
    agent, behaviour, heard = watching(approach())
    agent.believe(Post.near, ("b",))
    ticks(behaviour, 3)
    assert gone(heard) == ["start go('b')"]


def test_a_value_that_was_not_begun_with_gives_way_to_one_that_comes_before_it():
    agent, behaviour, heard = watching((wait(), find()))
    agent.believe(Post.near, ("c", "a"))
    ticks(behaviour, 3)
    assert gone(heard) == ["start go('c')"]
    assert heard.of(PlanBroken)[0].reason == "spot = 'c' comes before spot = 'a' now"


def test_a_value_that_a_step_has_taken_is_still_the_one():
    agent, behaviour, heard = watching(fetch())
    ticks(behaviour, 1)
    agent.believe(Post.near, ("b", "c"))
    ticks(behaviour, 3)
    assert gone(heard) == ["start go('a')"]


def test_a_plain_method_of_a_value_is_watched_as_well():
    agent, behaviour, heard = watching(plain_place())
    agent.believe(Post.next_to["a"], "y")
    ticks(behaviour, 3)
    assert gone(heard) == ["start go('y')"]


def test_the_number_of_repetitions_is_watched_until_the_first_one_has_begun():
    agent, behaviour, heard = watching((wait(), repeat(Post.rounds, go("a"))), rounds=5)
    agent.believe(Post.rounds, 2)
    ticks(behaviour, 3)
    (broken,) = heard.of(PlanBroken)
    assert broken.reason == "times was 5 when it was planned, and is 2 now"
    agent.believe(Post.rounds, 1)
    assert over(behaviour)
    assert len(gone(heard)) == 2


def test_a_suspended_part_has_the_parameters_of_now():
    settings = Settings(horizon=1)
    agent, behaviour, heard = watching(visit(Post.target), settings=settings)
    agent.believe(Post.target, "b")
    behaviour.tick_once()
    assert heard.of(PlanBroken)[0].reason == "go('a') would be go('b') now"
    assert over(behaviour)
    assert gone(heard) == ["start go('b')"]


def test_with_check_rest_what_was_foreseen_is_not_gone_to():
    settings = Settings(horizon=1, check_rest=True)
    agent, behaviour, heard = watching((wait(), visit(Post.target)), settings=settings)
    agent.believe(Post.target, "b")
    assert over(behaviour)
    assert gone(heard) == ["start go('b')"]


def test_a_change_in_the_tick_of_its_start_refuses_a_step():
    heard, operators = RecordingListener(), Operators(simulates_others=True)

    @operators.bind(wait)
    def look(agent):
        yield
        agent.believe(Post.target, "b")

    agent = Agent("bert", post, Post(), body=None, operators=operators, listener=heard)
    behaviour = PlanGoal("goal", agent, (wait(), go(Post.target)))
    behaviour.tick_once()
    assert over(behaviour)
    (refused,) = heard.of(LeafRefused)
    assert refused.reason == "where was 'a' when it was planned, and is 'b' now"
    assert gone(heard) == ["start go('b')"]
