"""Whatever a user's code raises becomes a failure; it never escapes a tick."""

import py_trees
import pytest
from py_trees.common import ParallelPolicy

from bthtn import Domain, Fluent, State, defer, fluent, primitive
from bthtn.behaviours import Agent, OperatorFailed, PlanGoal
from bthtn.engine.agent.events import (
    CodeFailed,
    GoalEnded,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    PlanFailed,
)
from bthtn.errors import PlanningError
from bthtn.studio.testing.doubles import RecordingListener, ScriptedError, ticks
from bthtn.studio.testing.strategies import World


def raising(state):
    raise ZeroDivisionError("by nought")


@pytest.mark.parametrize(
    ("place", "text"),
    [("make", "make was to fail"), ("start", "start was to fail"), ("tick", "tick 2 was to fail")],
)
def test_what_an_operator_raises_fails_the_step_and_is_kept(stage, place, text):
    script = "R!" if place == "tick" else "R"
    goal = stage.goal(stage.step("a", script, raises=(place,)), max_replans=0)
    assert ticks(goal, 2).endswith("F")
    ended = stage.heard.of(LeafEnded)[-1]
    assert isinstance(ended.error, ScriptedError)
    assert ended.reason.startswith(f"ScriptedError: {text} (doubles.py:")
    assert set(stage.heard.lines()) == {"start a", "failed a"}
    assert stage.heard.faults() == stage.code["a"].faults == []
    assert stage.code["a"].aborts == 0


def test_an_operator_that_says_why_it_failed_is_quoted(stage):
    def leave(agent):
        yield
        raise OperatorFailed("the door is locked")

    assert stage.play(stage.run_by("a", leave), 2) == "RF"
    [ended] = stage.heard.of(LeafEnded)
    assert ended.reason == "the door is locked"
    assert isinstance(ended.error, OperatorFailed)


def test_an_operator_may_fail_without_a_word(stage):
    def fail(agent):
        raise OperatorFailed

    assert stage.play(stage.run_by("a", fail), 1) == "F"
    assert stage.heard.of(LeafEnded)[0].reason == "the operator failed"


@pytest.mark.parametrize("kind", ["precondition", "exec_only"])
def test_a_condition_that_raises_at_the_start_refuses_the_step(stage, kind):
    asked = []

    def condition(state):
        asked.append(1)
        return raising(state) if kind == "exec_only" or len(asked) > 1 else True

    step = stage.step("a", "S", **{kind: condition})
    assert stage.play(step, 1) == "F"
    assert stage.heard.lines() == ["refused a"]
    [refused] = stage.heard.of(LeafRefused)
    assert "ZeroDivisionError: by nought" in refused.reason


def test_the_exception_of_a_condition_is_kept(stage):
    stage.play(stage.step("a", "S", exec_only=raising), 1)
    [refused] = stage.heard.of(LeafRefused)
    assert isinstance(refused.error, PlanningError)
    assert isinstance(refused.error.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("kind", ["effects", "actual"])
def test_an_effect_that_raises_fails_the_step(stage, kind):
    asked = []

    def effect(state):
        asked.append(1)
        if kind == "actual" or len(asked) > 1:
            raising(state)

    assert stage.play(stage.step("a", "S", **{kind: effect}), 1) == "F"
    [ended] = stage.heard.of(LeafEnded)
    assert isinstance(ended.error, PlanningError)
    assert isinstance(ended.error.__cause__, ZeroDivisionError)


def test_the_reason_of_a_plan_s_failure_names_the_node(stage):
    stage.play(stage.step("a", "!"), 1)
    [failed] = stage.heard.of(PlanFailed)
    assert failed.reason.startswith("a: ScriptedError: tick 1 was to fail (doubles.py:")


def test_a_condition_that_raises_while_planning_fails_the_goal(stage):
    assert stage.play(stage.step("a", precondition=raising), 2) == "FF"
    [ended, _] = stage.heard.of(GoalEnded)
    assert isinstance(ended.error, PlanningError)
    assert "by nought" in ended.reason


class UncannyError(Exception):
    """An exception that cannot even be printed."""

    def __str__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize("place", ["operator", "condition"])
def test_an_exception_that_cannot_be_printed_is_contained_too(stage, place):
    def uncanny(_):
        raise UncannyError

    if place == "operator":
        step = stage.run_by("a", uncanny)
    else:
        step = stage.step("a", "S", exec_only=uncanny)
    assert stage.play(step, 1) == "F"


def test_an_answer_that_cannot_be_printed_is_contained_too(stage):
    class Answer:
        def __repr__(self):
            raise ZeroDivisionError

    class Code:
        def start(self):
            pass

        def tick(self):
            return Answer()

        def abort(self):
            raise AssertionError("it has ended by itself")

    assert stage.play(stage.run_by("a", lambda agent: Code()), 1) == "F"
    assert stage.heard.lines() == ["start a", "failed a"]


class Ledger(State):
    """A world in which a division is a condition."""

    whole: Fluent[int] = fluent(default=4)
    part: Fluent[int] = fluent(default=1)


def ledger_goal(*, deferred):
    domain = Domain("ledger", Ledger)
    idle = domain.primitive("idle")
    split = domain.primitive("split", precondition=(Ledger.whole % Ledger.part) == 0)
    heard = RecordingListener()
    agent = Agent("clerk", domain, Ledger(), body=None, listener=heard)
    last = defer(split()) if deferred else split()
    return agent, heard, PlanGoal("books", agent, (idle(), idle(), last), budget=1, max_replans=0)


@pytest.mark.parametrize("deferred", [False, True])
def test_a_world_in_which_a_condition_raises_while_the_plan_is_made_is_contained(deferred):
    agent, heard, goal = ledger_goal(deferred=deferred)
    assert ticks(goal, 2) == "RR"
    agent.believe(Ledger.part, 0)
    assert ticks(goal, 8).count("F") > 0
    assert "ZeroDivisionError" in heard.of(GoalEnded)[0].reason


def test_one_agent_s_failure_stops_no_other_agent(stage):
    broken, fine = stage.step("a", "!"), stage.step("b", "S")
    other = PlanGoal("other", Agent("other", stage.domain, World(), body=None), fine)
    together = py_trees.composites.Parallel(
        "both", ParallelPolicy.SuccessOnOne(), [stage.goal(broken), other]
    )
    assert ticks(together, 1) == "S"


def test_a_goal_whose_condition_raises_says_so_when_it_is_asked_why(stage):
    goal = stage.goal(stage.step("a", "S", precondition=raising), max_replans=0)
    goal.tick_once()
    assert "ZeroDivisionError: by nought" in goal.explain()


def test_a_condition_that_raises_when_the_reason_is_looked_for_leaves_the_goal_without_one(stage):
    answers = iter([False])

    def now_and_then(state):
        for answer in answers:
            return answer and state.lit
        return raising(state)

    goal = stage.goal(stage.step("a", "S", precondition=now_and_then), max_replans=0)
    goal.tick_once()
    assert (goal.status, goal.feedback_message) == (
        py_trees.common.Status.FAILURE,
        "there is no plan",
    )
    assert "ZeroDivisionError: by nought" in stage.heard.of(CodeFailed)[0].reason


def test_an_argument_that_cannot_be_computed_any_more_refuses_the_step(stage):
    @stage.domain.primitive
    def go_far(steps: int):
        return primitive(actual=World.open.becomes(True))

    wait = stage.step("wait", "S", actual=World.count.becomes(0))
    goal = stage.goal((wait, go_far(6 // World.count)), max_replans=0, count=2)
    assert ticks(goal, 2).endswith("F")
    assert [event.task for event in stage.heard.of(LeafStarted)] == ["wait"]
    assert "ZeroDivisionError" in goal.feedback_message
