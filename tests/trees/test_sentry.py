"""The sentry: a goal for each of his states, planned when the state changes."""

from bthtn.behaviours import GoalEnded, LeafAborted, PlanAdopted
from bthtn.examples.trees.sentry.tree import Mood, character, sentry_when
from bthtn.testing import RecordingListener


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


def test_fine_goals_stand_beside_a_rough_one():
    """R000-42: the tree leads the beat place by place, and the plan leads the whole fight."""
    heard = watched(character())
    assert plans(heard) == [BEAT[0], REPEL, ("nap", ["nap"]), *BEAT]


def test_a_change_of_state_interrupts_and_plans_and_nothing_else_does():  # R000-31
    heard = watched(sentry_when({1.5: Mood.ALARMED}), ticks=30)
    assert plans(heard) == [BEAT[0], REPEL]
    assert [event.task for event in heard.of(LeafAborted)] == ["walk('wall')"]
    assert [event.goal for event in heard.of(GoalEnded)] == ["repel"]
