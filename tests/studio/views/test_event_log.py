"""One event as a line, as plain data, and in a log."""

import json
import logging
from dataclasses import fields
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import Domain, Fluent, FluentFamily, State, find_plan, fluent, fluents
from bthtn.behaviours import Agent, AgentEvent, OperatorFailed, Operators, PlanGoal
from bthtn.engine.world.diff import Change
from bthtn.events import (
    BeliefChanged,
    GoalEnded,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    LeaseTaken,
    PlanAdopted,
    SensorFailed,
)
from bthtn.kit.recording import event_data, line_of, log_listener

KINDS = get_args(AgentEvent)


class Dog(State):
    bones: Fluent[object] = fluent(default=3)
    buried: FluentFamily[object, bool] = fluents(default=False)


yard = Domain("yard", Dog)
dig = yard.primitive("dig")


class Hostile:
    def __repr__(self):
        raise ValueError("no")


def example(kind, text):
    """An event of this kind with the text wherever it has one."""
    values = {
        "leaf": 1,
        "failures": 2,
        "ticks": 3,
        "tick": 7,
        "time": 2.5,
        "succeeded": False,
        "again": True,
        "plan": find_plan(yard, Dog(), dig()),
        "change": Change(Dog.bones, text, (text, 1.5), text),
        "key": (text, 2),
        "uses": (text,),
        "fluents": (text,),
        "error": ValueError(text),
        "before": 1e300,
        "now": -0.5,
    }
    return kind(**{one.name: values.get(one.name, text) for one in fields(kind)})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_is_plain_data_with_the_names_of_its_fields(kind):
    data = event_data(example(kind, "x"))
    names, context = (
        [one.name for one in fields(kind)],
        ["tick", "agent", "time", "goal", "plan_id"],
    )
    first = [name for name in context if name in names]
    others = [name for name in names if name not in context]
    assert list(data) == ["event", *first, *others]
    assert data["event"].replace("_", "") == kind.__name__.lower()
    assert json.loads(json.dumps(data)) == data


@given(st.sampled_from(KINDS), st.text())
def test_events_with_names_of_every_kind_become_json_and_one_line(kind, text):
    event = example(kind, text)
    assert json.loads(json.dumps(event_data(event, agent=text)))["event"]
    line = line_of(event)
    assert "\n" not in line
    assert line.isprintable()


def test_an_event_of_a_step_names_its_goal_and_its_reason():
    heard = []
    operators = Operators()

    @operators.bind(dig)
    def _(agent):
        raise OperatorFailed("the ground is frozen")

    agent = Agent("Rex", yard, Dog(), body=None, operators=operators, listener=heard.append)
    PlanGoal("play", agent, dig()).tick_once()
    started, ended = (event_data(event) for event in heard if hasattr(event, "leaf"))
    assert started == {
        "event": "leaf_started",
        "tick": 0,
        "agent": "Rex",
        "goal": "play",
        "plan_id": "Rex #1",
        "leaf": 1,
        "task": "dig",
        "path": "",
    }
    assert (ended["goal"], ended["task"]) == ("play", "dig")
    assert ended["reason"] == "the ground is frozen"


def test_tick_agent_and_time_are_left_out_of_an_event_that_no_agent_has_emitted():
    assert event_data(GoalEnded("play", succeeded=True)) == {
        "event": "goal_ended",
        "goal": "play",
        "succeeded": True,
        "reason": "",
        "error": None,
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10**5_000, hex(10**5_000)),
        (float("nan"), "nan"),
        ((1, "a", (True,)), [1, "a", [True]]),
        (Hostile(), "<Hostile>"),
        ("\ud800", "\ud800"),
    ],
    ids=["long", "nan", "tuple", "hostile", "surrogate"],
)
def test_values_that_json_does_not_know_are_still_written(value, shown):
    data = event_data(BeliefChanged(Change(Dog.bones, 3, value, "nose")))
    assert data["change"] == {"fluent": "bones", "before": 3, "after": shown, "source": "nose"}
    json.loads(json.dumps(data))
    json.loads(json.dumps(event_data(LeaseTaken(value, "dig #1"))))


def test_an_index_that_cannot_be_printed_leaves_the_name_of_the_family():
    member = Dog.buried[Hostile()]
    data = event_data(BeliefChanged(Change(member, False, True, "nose")))
    assert data["change"]["fluent"] == "buried"


# lines


def test_the_line_of_an_event_has_its_reason():
    assert line_of(LeafRefused(1, "dig", "bones is 0")) == "refused dig — bones is 0"
    assert line_of(SensorFailed("nose", "cold", ValueError())) == "nose failed: cold"
    assert line_of(LeafStarted(1, "dig", "")) == "start dig"
    assert line_of(LeafRefused(1, "dig", "bones is 0"), reasons=False) == "refused dig"


# logging


def test_a_listener_logs_every_event_and_failures_as_warnings(caplog):
    plan = find_plan(yard, Dog(), dig())
    log = log_listener(logging.getLogger("yard.rex"))
    with caplog.at_level(logging.INFO, "yard.rex"):
        for event in (
            PlanAdopted("play", plan, "the goal is new"),
            LeafEnded(1, "dig", succeeded=False, reason="100% frozen"),
            GoalEnded("play", succeeded=True),
        ):
            log(event)
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("INFO", "PlanAdopted play — the goal is new"),
        ("WARNING", "failed dig — 100% frozen"),
        ("INFO", "play succeeded"),
    ]
    assert caplog.records[1].event.task == "dig"


def test_a_logger_of_several_agents_says_whose_event_it_is(caplog):
    log = log_listener(logging.getLogger("yard"))
    with caplog.at_level(logging.INFO, "yard"):
        for name in ("Rex", "Bo"):
            PlanGoal("play", Agent(name, yard, Dog(), body=None, listener=log), dig()).tick_once()
    assert "Rex: start dig" in caplog.messages
    assert "Bo: start dig" in caplog.messages
    assert {record.event.agent for record in caplog.records} == {"Rex", "Bo"}


def test_a_logger_that_wants_only_warnings_gets_only_those(caplog):
    log = log_listener(logging.getLogger("yard.rex"))
    with caplog.at_level(logging.WARNING, "yard.rex"):
        log(LeafStarted(1, "dig", ""))
        log(GoalEnded("play", succeeded=False, reason="no"))
    assert caplog.messages == ["play failed — no"]
