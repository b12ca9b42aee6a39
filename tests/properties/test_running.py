"""PlanGoal runs plans as the running reference says, tick by tick.

Both run the same random scenes: the same steps start, end, are aborted and refused, the same
happens to the plans, and the goal has the same status and record in every tick. ``make running``
compares more than 100,000 ticks.
"""

from collections import Counter
from dataclasses import replace

import pytest

from bthtn.behaviours import branch, cleanup, handover, memory, parallel, suspended
from bthtn.replanning import own_effects, policy, repair, rest, review
from tests.running.pair import compared
from tests.running.scenes import scene
from tests.sizes import seeds


def first_fault(numbers):
    """The first scene of these that differs: where, and what has to be; empty if none does."""
    for number in numbers:
        drawn = scene(number)
        planned, specified = compared(drawn)
        for tick, (ours, theirs) in enumerate(zip(planned, specified, strict=True)):
            if ours != theirs:
                return f"scene {number}, tick {tick}:\n{ours}\nhas to be\n{theirs}\nin\n{drawn}"
    return ""


def test_plan_goal_does_in_every_tick_what_the_reference_says():
    fault = first_fault(seeds(quick=200, thorough=1_000, night=6_000))
    assert not fault, fault


LEAST = {
    "start": 2_000,
    "done": 1_500,
    "failed": 300,
    "refused": 200,
    "aborted": 150,
    "aborting": 30,
    "plan adopted": 2_000,
    "plan resumed": 800,
    "plan failed": 700,
    "plan broken": 30,
    "plan repaired": 100,
    "plan replaced": 100,
    "surprise": 20,
    "handed over": 20,
    "task avoided": 80,
    "goal waits": 150,
    "waits": 20,
    "plan aborted": 150,
    "clean up": 40,
    "cleaned up": 15,
}


@pytest.mark.slow
def test_in_the_scenes_happens_what_they_are_drawn_for():
    counts = Counter()
    for drawn in map(scene, range(500)):
        for events, _ in compared(drawn)[1]:
            kinds = Counter(event[0] for event in events)
            counts.update(kinds)
            replaced = "plan replaced" in kinds
            counts["surprise"] += replaced and drawn.replanning["interrupt"] == "surprise"
            counts["handed over"] += replaced and "aborted" not in kinds
    assert not {kind: counts[kind] for kind, number in LEAST.items() if counts[kind] < number}


def without_one_fluent(validity):
    return replace(validity, support=frozenset(sorted(validity.support, key=str)[1:]))


def instead(place, name, result):
    """A fault: a method that does something else, given what it would return."""

    def seed(monkeypatch):
        right = getattr(place, name)
        monkeypatch.setattr(place, name, lambda *args, **named: result(right(*args, **named)))

    return pytest.param(seed, id=f"{place.__name__}.{name}")


FAULTS = [
    instead(repair.Repair, "_next", lambda _: None),
    instead(rest.Rest, "_is_entered", lambda _: False),
    instead(branch, "_anew", lambda _: frozenset()),
    instead(repair, "_disturbs", lambda _: False),
    instead(review.Review, "_validity", without_one_fluent),
    instead(review.Review, "_is_something_free_again", lambda _: False),
    instead(handover, "_is_same_call", lambda _: False),
    instead(parallel, "_fails_plan", lambda _: False),
    instead(suspended.Suspended, "_must_wait", lambda _: False),
    instead(policy.RetryPolicy, "rest_after", lambda length: length + 1 if length > 1 else length),
    instead(memory.FailureMemory, "_end_of_wait", lambda end: end + 1),
    instead(memory.FailureMemory, "_matters", lambda _: False),
    instead(own_effects.OwnEffects, "finished", lambda _: None),
    instead(rest, "_has_leaves", lambda _: True),
    instead(cleanup.OwedCleanup, "_must_wait", lambda _: False),
    instead(handover._Handover, "_fits", lambda _: True),
    instead(handover, "_first_cleanups", lambda _: []),
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", FAULTS)
def test_a_fault_of_plan_goal_is_noticed(monkeypatch, seed):
    seed(monkeypatch)
    assert first_fault(range(6_000))
