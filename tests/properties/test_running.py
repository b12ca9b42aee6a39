"""PlanGoal runs plans as the running reference says, tick by tick.

Both run the same random scenes: the same steps start, end, are aborted and refused, the same
happens to the plans, and the goal has the same status and record in every tick. ``make running``
compares more than 100,000 ticks.
"""

from tests.engine.running.pair import compared
from tests.engine.running.scenes import scene
from tests.sizes import seeds

TELLING = (46, 160)
"""Scenes that show faults which none of the first thirty does.

46 is about cleanups in a plan that is replaced, 160 about reactive choices.
"""


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
    fault = first_fault([*seeds(quick=30, thorough=1_000, night=6_000), *TELLING])
    assert not fault, fault
