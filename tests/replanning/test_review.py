"""Review: which record has to be beaten, and what is predicted, as a plan goes on."""

import pytest

from bthtn import Domain, Planner, defer, method, parallel, pause
from bthtn.replanning.review import LONGEST_BOUND, Review
from bthtn.testing.strategies import World
from bthtn.world.beliefs import Beliefs


@pytest.fixture
def domain():
    return Domain("review", World)


def reviewed(domain, goal):
    """A review that has adopted the plan for a goal, and the plan."""
    planner, beliefs = Planner(domain, goal), Beliefs(World())
    review, plan = Review(planner, beliefs, "goal"), planner.plan(World())
    review.adopted(plan)
    return review, plan


def test_records_of_later_parts_are_appended_as_long_as_their_places_can_be_told(domain):
    a = domain.primitive("a")

    @domain.compound
    def second():
        yield method(a(), when=World.open)
        yield method(a())

    def planned(*goal):
        return Planner(domain, goal).plan(World())

    review, _ = reviewed(domain, (second(), pause(), second()))
    assert review.bound == (1,)
    review.resumed(planned(second(), defer(second())))
    assert review.bound == (1, 1)
    review.resumed(planned(second(), parallel(defer(second()), second())))
    assert review.bound == (1, 1, 1)
    review.resumed(planned(second()))
    assert review.bound == (1, 1, 1)


def test_a_record_without_end_is_cut(domain):
    a = domain.primitive("a")

    @domain.compound
    def for_ever():
        yield method(a(), defer(for_ever()))

    review, plan = reviewed(domain, for_ever())
    for _ in range(2 * LONGEST_BOUND):
        review.resumed(plan)
    assert len(review.bound) == LONGEST_BOUND


def test_the_predicted_state_has_what_finished_steps_were_planned_to_do(domain):
    a = domain.primitive("a", effects=World.count.increases(2), expected=World.open.becomes(True))
    b = domain.primitive("b", effects=World.place.becomes("b"))
    review, plan = reviewed(domain, (a(), a(), b()))
    first, second, _ = plan.steps
    review.finished(first, [])
    review.finished(second, [])
    assert review.predicted == World(count=4, open=True).frozen()


def test_closed_it_watches_nothing(domain):
    a = domain.primitive("a", precondition=World.lit)
    planner, beliefs = Planner(domain, a()), Beliefs(World())
    review = Review(planner, beliefs, "goal")
    review.adopted(planner.plan(World()))
    assert beliefs.watched > 0
    review.close()
    assert beliefs.watched == 0
