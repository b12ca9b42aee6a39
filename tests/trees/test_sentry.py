"""The sentry: a goal for each of his states, planned when the state changes."""

from dataclasses import replace
from pathlib import Path

import pytest

from bthtn.events import GoalEnded, LeafAborted, PlanAdopted
from bthtn.examples.trees.sentry import operators
from bthtn.kit import read_character
from bthtn.testing import RecordingListener


@pytest.fixture(scope="module")
def files():
    return read_character(Path(operators.__file__).parent, operators)


def watched(sentry, ticks=100):
    heard = RecordingListener()
    while not sentry.finished and sentry.ticks < ticks:
        for event in sentry.tick():
            heard(event)
    return heard


def plans(heard):
    return [
        (event.goal, [str(step) for step in event.plan.steps]) for event in heard.of(PlanAdopted)
    ]


BEAT = [("to the wall", ["walk('wall')"]), ("to the gate", ["walk('gate')"])]
REPEL = ("repel", ["walk('tower')", "take_spear", "walk('gate')", "thrust"])


def test_fine_goals_stand_beside_a_rough_one(files):
    """R000-42: the tree leads the beat place by place, and the plan leads the whole fight."""
    heard = watched(files.character())
    assert plans(heard) == [BEAT[0], REPEL, ("nap", ["nap"]), *BEAT]


def test_a_change_of_state_interrupts_and_plans_and_nothing_else_does(files):  # R000-31
    alarmed = replace(files, body=lambda _: operators.Night({1.5: "alarmed"}))
    heard = watched(alarmed.character(), ticks=30)
    assert plans(heard) == [BEAT[0], REPEL]
    assert [event.task for event in heard.of(LeafAborted)] == ["walk('wall')"]
    assert [event.goal for event in heard.of(GoalEnded)] == ["repel"]
