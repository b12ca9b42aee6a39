"""A character whose steps are done by a program: what it is told, and what it may say."""

import json
import re
from contextlib import suppress
from enum import Enum
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    State,
    fluent,
    fluents,
    primitive,
)
from bthtn.behaviours import Agent, Believes, Character, ManualClock, Operators, PlanGoal, attach
from bthtn.errors import InputError
from bthtn.kit.engines.session import EngineSession
from bthtn.kit.recording.event_log import EVENT_KINDS


class Place(Enum):
    HALL = "hall"
    YARD = "yard"


class Guard(State):
    at: Fluent[Place] = fluent(default=Place.HALL)
    alarm: Fluent[bool] = fluent(default=False)
    target: Fluent[str | None] = fluent(default=None)
    spot: Fluent[tuple] = fluent(default=(0, 0))
    oil: Fluent[int] = fluent(default=3)
    wind: Fluent[float] = fluent(default=0.0)
    name: Fluent[str] = fluent(default="")
    seen: FluentFamily[str, int] = fluents(default=0)


watch = Domain("watch", Guard)
ring = watch.primitive("ring", during=Guard.alarm)
rest = watch.primitive("rest")
nod = watch.primitive("nod", effects=Guard.oil.decreases(1))


@watch.primitive
def go(to: Place, path: tuple, whom: str | None) -> Primitive:
    return primitive(effects=Guard.at.becomes(to))


def guard(name="Hal", **bound):
    """An agent with operators in Python for some tasks."""
    operators = Operators(simulates_others=True)
    for task, operator in bound.items():
        operators.bind(task)(operator)
    return Agent(name, watch, Guard(), body=None, operators=operators)


def session_of(*goal, agent=None, **options):
    agent = agent or guard()
    return telling(EngineSession(Character(PlanGoal("goal", agent, goal), agent, **options))), agent


def telling(session):
    """A session that tells of all events, in English too."""
    session.events, session.texts = EVENT_KINDS, True
    return session


def told(answer):
    """What has happened, in English."""
    return [event["text"] for event in answer["events"]]


def started(answer):
    return [(step["step"], step["task"]) for step in answer["starts"]]


def test_a_step_is_started_by_the_engine_and_over_when_it_says_so():
    session, agent = session_of(go(Place.YARD, (1, 2), None), rest())
    first = session.tick({})
    assert first["starts"] == [
        {
            "step": 1,
            "agent": "Hal",
            "task": "go",
            "template": "go",
            "args": {"to": "YARD", "path": [1, 2], "whom": None},
        }
    ]
    assert json.loads(json.dumps(first)) == first
    assert (first["tick"], first["status"], first["aborts"]) == (1, "RUNNING", [])
    assert session.tick({})["starts"] == []
    second = session.tick({"ended": {"1": True}})
    assert started(second) == [(2, "rest")]
    assert agent.beliefs.now.at is Place.YARD
    assert "done go(YARD, (1, 2), none)" in told(second)
    assert session.tick({"ended": {"2": True}})["status"] == "SUCCESS"


def test_a_list_that_is_nested_too_deeply_is_no_belief():
    session, agent = session_of(rest())
    nested = []
    for _ in range(5_000):
        nested = [nested]
    (refused,) = session.tick({"beliefs": {"spot": nested, "oil": 1}})["refused"]
    assert refused["where"] == "beliefs.spot"
    assert (agent.beliefs.now.spot, agent.beliefs.now.oil) == ((0, 0), 1)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [("it is locked", "it is locked"), (False, "the engine"), ("", "the engine")],
)
def test_a_failure_has_the_reason_that_the_engine_gives(outcome, reason):
    session, _ = session_of(rest())
    session.tick({})
    log = told(session.tick({"ended": {"1": outcome}}))
    assert log[0].startswith(f"failed rest — {reason}")


def test_a_step_with_an_operator_in_python_is_done_there():
    done = []
    session, _ = session_of(nod(), rest(), agent=guard(nod=done.append))
    assert started(session.tick({})) == [(1, "rest")]
    assert len(done) == 1


def test_what_the_tree_gives_up_is_aborted_and_its_end_ignored():
    agent = guard()
    alarm = [Believes("alarm", agent, Guard.alarm), PlanGoal("ring", agent, ring())]
    root = Selector(
        "root", False, [Sequence("alarm", False, alarm), PlanGoal("rest", agent, rest())]
    )
    session = EngineSession(Character(root, agent))
    assert started(session.tick({})) == [(1, "rest")]
    second = session.tick({"beliefs": {"alarm": True}})
    assert (started(second), second["aborts"]) == ([(2, "ring")], [1])
    third = session.tick({"ended": {"1": True}, "beliefs": {"alarm": False}})
    assert (started(third), third["aborts"]) == ([(3, "rest")], [2])
    assert started(session.tick({})) == []
    assert session.close() == [3]


def test_a_step_that_is_given_up_in_its_first_tick_is_not_heard_of():
    session, _ = session_of(rest())
    session.character.tree.add_post_tick_handler(lambda tree: tree.root.stop(Status.INVALID))
    answer = session.tick({})
    assert (answer["starts"], answer["aborts"]) == ([], [])


def test_an_abort_between_two_ticks_is_in_the_next_answer():
    session, _ = session_of(rest())
    session.tick({})
    session.character.root.stop(Status.INVALID)
    answer = session.tick({})
    assert (started(answer), answer["aborts"]) == ([(2, "rest")], [1])


def test_beliefs_are_written_as_in_scenarios():
    session, agent = session_of(rest())
    session.tick(
        {
            "beliefs": {
                "at": "YARD",
                "spot": [3, 4],
                "target": "Ann",
                "oil": "unknown",
                "seen[Ann]": 2,
            }
        }
    )
    now = agent.beliefs.now
    assert (now.at, now.spot, now.target) == (Place.YARD, (3, 4), "Ann")
    assert agent.beliefs.get(Guard.oil) is UNKNOWN
    assert now.seen["Ann"] == 2
    session.tick({"beliefs": {"target": None}})
    assert agent.beliefs.now.target is None


def test_a_number_may_be_written_with_or_without_a_fraction():
    session, agent = session_of(rest())
    session.tick({"beliefs": {"oil": 4.0, "wind": 2}})
    assert repr(agent.beliefs.now.oil) == "4"
    assert agent.beliefs.now.wind == 2.0


def test_tuples_in_tuples_are_arrays_in_arrays():
    session, agent = session_of(go(Place.YARD, ((1, None), (Place.HALL,)), None))
    assert session.tick({})["starts"][0]["args"]["path"] == [[1, None], ["HALL"]]
    session.tick({"beliefs": {"spot": [[1, 2], [[3]]]}})
    assert agent.beliefs.now.spot == ((1, 2), ((3,),))


def test_beliefs_are_those_of_all_agents_or_of_one():
    hal, ann = guard("Hal"), guard("Ann")
    root = Sequence("both", False, [PlanGoal("a", hal, rest()), PlanGoal("b", ann, rest())])
    session = telling(EngineSession(Character(root, hal)))
    answer = session.tick({"beliefs": {"oil": 7, "Ann": {"alarm": True}}})
    assert (hal.beliefs.now.oil, ann.beliefs.now.oil) == (7, 7)
    assert (hal.beliefs.now.alarm, ann.beliefs.now.alarm) == (False, True)
    (change,) = [event for event in answer["events"] if "alarm" in event["text"]]
    assert (change["agent"], change["text"]) == ("Ann", "alarm: false → true (by engine)")


def test_agents_that_are_attached_already_are_sensed_once_in_a_tick():
    hal, ann = guard("Hal"), guard("Ann")
    root = Sequence("both", False, [PlanGoal("a", hal, rest()), PlanGoal("b", ann, rest())])
    character = Character(root, hal)
    attach(character.tree, ann)
    session = EngineSession(character)
    with patch.object(ann, "sense", wraps=ann.sense) as sense:
        session.tick({})
    assert sense.call_count == 1


@pytest.mark.parametrize("listens", [False, True])
def test_the_events_are_those_of_all_agents(listens):
    hal, ann = guard("Hal"), guard("Ann")
    heard = []
    ann.listener = heard.append if listens else None
    goals = [PlanGoal("a", hal, rest()), PlanGoal("b", ann, nod())]
    root = Parallel("both", ParallelPolicy.SuccessOnAll(), goals)
    session = EngineSession(Character(root, hal))
    session.events = frozenset({"leaf_started", "leaf_ended"})
    events = session.tick({})["events"]
    assert [(event["agent"], event["task"]) for event in events] == [
        ("Hal", "rest"),
        ("Ann", "nod"),
    ]
    ended = session.tick({"ended": {"1": True, "2": "her neck is stiff"}})["events"]
    reasons = [event["reason"] for event in ended if event["agent"] == "Ann" and "reason" in event]
    assert reasons == ["her neck is stiff"]
    assert bool(heard) == listens


def test_seconds_advance_the_clock_of_the_world():
    class World:
        clock = ManualClock()

    session, _ = session_of(rest(), world=World())
    session.advance(0.5)
    session.advance(1)
    assert World.clock() == 1.5


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"belief": {}}, "told by 'belief'.*'beliefs'"),
        ({"beliefs": 3}, "'beliefs' is 3"),
        ({"beliefs": {"oli": 3}}, "no fluent 'oli'.*'oil'"),
        ({"beliefs": {"oil": "much"}}, "'oil' is int"),
        ({"beliefs": {"oil": [[]]}}, "oil"),
        ({"beliefs": {"oil": 4.5}}, "4.5 is float"),
        ({"beliefs": {"at": None}}, "'at' is Place"),
        ({"beliefs": {"name": None}}, "'name' is str"),
        ({"beliefs": {"at": "MOON"}}, "MOON"),
        ({"beliefs": {"oil": 1, "Hall": {"oil": 1}}}, "no agent 'Hall'"),
        ({"beliefs": {"oil": 1}, "ended": {"2": True}}, "no step has the number '2'"),
        ({"beliefs": {"oil": 1}, "ended": {"x": True}}, "no step has the number 'x'"),
        ({"beliefs": {"oil": 1}, "ended": {"9" * 9_999: True}}, "no step has the number '9"),
        ({"beliefs": {"oil": 1}, "ended": {"1": 1}}, "has ended with 1"),
        ({"beliefs": {"oil": 1}, "progress": {"1": 2}}, "progress of a step is 2"),
        ({"beliefs": {"oil": 1}, "progress": {"1": True}}, "progress of a step is True"),
        ({"beliefs": {"oil": 1}, "progress": {"4": 0.5}}, "no step has the number '4'"),
    ],
)
def test_what_cannot_be_used_of_a_request_is_refused_by_its_name_and_the_rest_counts(
    request_, message
):
    session, _ = session_of(rest())
    session.tick({})
    answer = session.tick({**request_, "ended": {"1": True} | request_.get("ended", {})})
    (fault,) = answer["refused"]
    assert fault["code"] == "BT434"
    assert re.search(message, f"{fault['message']}; {fault['hint']}")
    assert answer["status"] == ("RUNNING" if "has ended with" in message else "SUCCESS")
    assert "refused" not in session.tick({})


def test_a_request_that_is_no_dictionary_changes_nothing():
    session, _ = session_of(rest())
    with pytest.raises(InputError, match=r"BT434.*is told list"):
        session.tick([])
    assert session.tick({})["tick"] == 1


def test_every_value_is_judged_alone():
    session, agent = session_of(rest())
    beliefs = {"oil": 2.0, "at": "MOON", "name": "Hal", "oli": 1, "spot": [1.0, float("nan")]}
    answer = session.tick({"beliefs": beliefs, "ended": {"7": True}, "second": 3})
    assert [fault["where"] for fault in answer["refused"]] == [
        *("beliefs.at", "beliefs.oli", "beliefs.spot", "ended.7", "second")
    ]
    assert (agent.beliefs.now.oil, agent.beliefs.now.name) == (2, "Hal")


class Numbers(State):
    count: Fluent[int] = fluent(default=0)
    either: Fluent[int | str] = fluent(default=0)
    pair: Fluent[tuple[int, str]] = fluent(default=(0, ""))
    length: Fluent[float] = fluent(default=0.0)
    parts: Fluent[tuple[float, ...]] = fluent(default=())
    seen: FluentFamily[str, int] = fluents(default=0)


@pytest.fixture
def numbers():
    domain = Domain("numbers", Numbers)
    stay = domain.primitive("stay")
    operators = Operators(simulates_others=True)
    agent = Agent("Ann", domain, Numbers(), body=None, operators=operators)
    return EngineSession(Character(PlanGoal("goal", agent, stay()), agent)), agent


@pytest.mark.parametrize(
    ("name", "given", "believed"),
    [
        *(("count", 99.0, 99), ("either", 99.0, 99), ("pair", [99.0, "a"], (99, "a"))),
        *(("seen[Bob]", 99.0, 99), ("length", 99, 99), ("parts", [1, 2.5], (1, 2.5))),
    ],
)
def test_a_whole_number_is_an_int_where_that_is_wanted(numbers, name, given, believed):
    session, agent = numbers
    assert "refused" not in session.tick({"beliefs": {name: given}})
    found = agent.beliefs.get(agent.domain.schema.variable(name))
    assert (found, type(found)) == (believed, type(believed))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_refused(numbers, wrong):
    session, agent = numbers
    answer = session.tick({"beliefs": {"length": wrong, "parts": [1.0, wrong], "count": 1}})
    assert [fault["where"] for fault in answer["refused"]] == ["beliefs.length", "beliefs.parts"]
    assert (agent.beliefs.now.length, agent.beliefs.now.parts) == (0.0, ())
    assert agent.beliefs.now.count == 1


def test_no_belief_goes_through_the_tree(monkeypatch):
    session, _ = session_of(rest())
    asked = []
    known = Character.agents
    monkeypatch.setattr(Character, "agents", property(lambda it: asked.append(1) or known.fget(it)))
    session.tick({"beliefs": {"oil": 2, "name": "Hal", "Hal": {"oil": 1}}})
    assert asked == []


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = st.sampled_from(["oil", "at", "spot", "seen[Ann]", "seen[", "Hal", "1", "2", "-1", "²"])
VALUES = st.recursive(
    LEAVES | st.sampled_from(["YARD", "unknown", "none"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
    max_leaves=6,
)
REQUESTS = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "beliefs": VALUES | st.dictionaries(NAMES, VALUES, max_size=3),
        "ended": VALUES | st.dictionaries(NAMES, st.booleans() | VALUES, max_size=3),
        "progress": VALUES | st.dictionaries(NAMES, VALUES, max_size=3),
    },
)


@given(st.lists(REQUESTS, max_size=8))
def test_whatever_is_asked_is_a_tick_or_an_error_and_nothing_else(requests):
    session, _ = session_of(rest(), go(Place.YARD, (), None))
    ticks = 0
    for request in requests:
        with suppress(InputError):
            answer = session.tick(request)
            ticks += 1
            assert answer["tick"] == ticks
            json.dumps(answer, allow_nan=False)
    assert session.tick({})["tick"] == ticks + 1
