"""Random characters in still and moving worlds: what their events say is as it has to be."""

from collections import Counter

import pytest
from py_trees.common import Status

from bthtn.agent.leases import Leases
from bthtn.behaviours import Agent, LeafAborted, LeafEnded, PlanGoal, task_leaf
from bthtn.behaviours.hooks import PlanHooks
from bthtn.behaviours.step import StepRun
from tests.independent import running

SOME = 12


@pytest.fixture(scope="module")
def seen():
    """What was drawn, and heard, while some characters were checked."""
    counted = Counter()
    for number in range(SOME):
        faults = running.check(f"quick:{number}", counted)
        assert not faults, f"character quick:{number}: {faults}"
    return counted


def test_what_characters_do_is_as_it_has_to_be(seen):
    assert seen["characters"] == SOME
    assert seen["events"] > 100 * SOME


@pytest.mark.slow
def test_the_characters_are_of_all_kinds(seen):
    kinds = ("simulated", "generator", "function", "completion", "object", "hooks", "guards")
    kinds += (
        "expected",
        "ensures",
        "together",
        "decorators",
        "anytime",
        "check_rest",
        "horizon",
        "pause",
        "defer",
        "parallel",
    )
    happened = ("moves", "failures", "aborts", "interruptions", "rivals", "refused plans")
    happened += ("success", "failure", "reached", "not to be reached")
    assert not [one for one in (*kinds, *happened) if not seen[one]]


# Faults that are put into bthtn.


def is_noticed(words):
    """Whether a fault that is told in these words is found in one of the characters."""
    return any(
        words in fault
        for number in range(SOME)
        for fault in running.check(f"quick:{number}", Counter())
    )


def without(kind):
    emit = Agent.emit
    return lambda self, event: None if isinstance(event, kind) else emit(self, event)


@pytest.mark.slow
def test_an_end_that_is_not_told_is_noticed(monkeypatch):
    monkeypatch.setattr(Agent, "emit", without(LeafAborted))
    assert is_noticed("has started and never ended")


@pytest.mark.slow
def test_an_end_that_is_told_twice_is_noticed(monkeypatch):
    emit = Agent.emit

    def twice(self, event):
        emit(self, event)
        if isinstance(event, LeafEnded):
            emit(self, event)

    monkeypatch.setattr(Agent, "emit", twice)
    assert is_noticed("ended, and did not run")


@pytest.mark.slow
def test_a_lease_that_is_kept_is_noticed(monkeypatch):
    monkeypatch.setattr(Leases, "give_back", lambda self, key, holder: True)
    assert is_noticed("was kept")


@pytest.mark.slow
def test_a_condition_that_is_not_asked_is_noticed(monkeypatch):
    monkeypatch.setattr(task_leaf, "obstacle_to_start", lambda node, beliefs: None)
    monkeypatch.setattr(task_leaf, "obstacle_of", lambda condition, node, beliefs: None)
    assert is_noticed("its condition is false")


@pytest.mark.slow
def test_an_effect_that_is_not_written_is_noticed(monkeypatch):
    monkeypatch.setattr(StepRun, "_write", lambda self, moment: ())
    assert is_noticed("has ended, and")


@pytest.mark.slow
def test_a_hook_that_is_not_called_is_noticed(monkeypatch):
    monkeypatch.setattr(PlanHooks, "close", lambda self: None)
    assert is_noticed("on_plan_end of")


@pytest.mark.slow
def test_a_goal_that_never_ends_is_noticed(monkeypatch):
    monkeypatch.setattr(PlanGoal, "_find_plan", lambda self: Status.RUNNING)
    assert is_noticed("is not reached")


@pytest.mark.slow
def test_an_exception_that_leaves_a_tick_is_noticed(monkeypatch):
    monkeypatch.setattr(PlanHooks, "adopt", lambda self, tree: 1 / 0)
    assert is_noticed("left a tick")


@pytest.mark.slow
def test_a_tick_that_takes_long_is_noticed(monkeypatch):
    monkeypatch.setattr(running, "MOST_CALLS", 500)
    assert is_noticed("calls")
