"""Review: which record has to be beaten, and what is predicted, as a plan goes on."""

from typing import NamedTuple

import pytest

from bthtn import Domain, Planner, defer, method, parallel, pause
from bthtn.engine.plan.equivalence import LONGEST_BOUND
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.policy import Decision
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.review import Review
from bthtn.engine.replanning.running_plan import AtWork
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.world.beliefs import Beliefs
from bthtn.studio.testing.strategies import World
from tests.rests import RUNNING, rest_of


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


class Running(NamedTuple):
    """A plan that has come so far."""

    now: Rest
    can_be_replaced: bool

    def rest(self):
        return self.now

    def place(self):
        return id(self.now)

    def report(self, raised):
        pass

    def give_up(self, ended):
        pass

    def at_work(self):
        return AtWork(
            [step for step in self.now.unfinished() if self.now.status(step) is RUNNING],
            self.can_be_replaced,
        )


def newest(review):
    """The planner that it was made with: the domain stays the same."""
    return review._optimality._finder


def looked(review, rest, budget=None, *, interruptible=True):
    """What is said in a tick: decisions and reasons."""
    allowance = Budget(budget, None)
    verdicts = review.verdicts(Running(rest, interruptible), allowance, newest(review))
    return [(verdict.decision, verdict.reason) for verdict in verdicts]


def chosen(domain, condition=World.open):
    """A goal with a better plan on a condition, its review, the plan and where that stands."""
    best, second = domain.primitive("best"), domain.primitive("second")

    @domain.compound
    def choose():
        yield method(best(), when=condition)
        yield method(second())

    planner, beliefs = Planner(domain, choose()), Beliefs(World())
    review, plan = Review(planner, beliefs, "goal"), planner.plan(World())
    now = beliefs.frozen()
    review.adopted(plan, works_in=now, found=Start(now, NOTHING_AVOIDED))
    rest = rest_of(plan.tree, {plan.steps[0]: RUNNING})
    assert looked(review, rest) == []
    return review, beliefs, rest


def test_what_may_not_be_interrupted_is_not_asked_and_asked_as_soon_as_it_may_be(domain):
    review, beliefs, rest = chosen(domain)
    beliefs.write(World.open, True, "sensor")
    assert looked(review, rest, interruptible=False) == []
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]


@pytest.fixture(name="asked")
def asked_fixture(monkeypatch):
    """The states from which planners have searched."""
    asked, search = [], Planner.search

    def counted(planner, start, *more, **named):
        asked.append(start)
        return search(planner, start, *more, **named)

    monkeypatch.setattr(Planner, "search", counted)
    return asked


def test_where_the_running_plan_was_the_best_no_second_search_shows_the_surprise(domain, asked):
    review, beliefs, rest = chosen(domain)
    asked.clear()
    beliefs.write(World.open, True, "sensor")
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]
    assert asked == [beliefs.frozen()]


def test_a_search_is_not_repeated_where_all_comparisons_are_as_they_were(domain, asked):
    review, beliefs, rest = chosen(domain, World.count > 5)
    asked.clear()
    for count in (1, 2, 5, 3):
        beliefs.write(World.count, count, "sensor")
        assert looked(review, rest) == [(Decision.KEEP, "there is nothing better")]
        assert asked == [World(count=1).frozen()]
    beliefs.write(World.count, 6, "sensor")
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]


@pytest.mark.parametrize("condition", [World.count > World.count - 1, World.count % 2 == 3])
def test_a_search_is_repeated_where_the_value_itself_may_matter(domain, asked, condition):
    review, beliefs, rest = chosen(domain, condition & World.open)
    asked.clear()
    for count in (1, 2):
        beliefs.write(World.count, count, "sensor")
        looked(review, rest)
    assert asked == [World(count=1).frozen(), World(count=2).frozen()]


class Unseen(Running):
    """A running plan that nobody may check."""

    def rest(self):
        raise AssertionError("it is checked")


def test_what_is_replaced_is_not_checked_before_if_nothing_that_it_touches_has_changed(domain):
    review, beliefs, rest = chosen(domain)
    beliefs.write(World.open, True, "sensor")
    verdicts = review.verdicts(
        Unseen(rest, can_be_replaced=True), Budget(None, None), newest(review)
    )
    assert next(verdicts).decision is Decision.ADOPT
    with pytest.raises(AssertionError, match="it is checked"):
        next(verdicts)  # it was not replaced after all


def test_what_is_found_when_it_may_not_be_interrupted_is_found_again_when_it_may(domain):
    review, beliefs, rest = chosen(domain)
    beliefs.write(World.open, True, "sensor")
    assert looked(review, rest, budget=1) == []
    held = looked(review, rest, interruptible=False)
    assert held == [(Decision.KEEP, "it may not be interrupted now")]
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]


def test_a_function_that_raises_finds_nothing_better_and_is_told(domain):
    best, second = domain.primitive("best"), domain.primitive("second")

    @domain.compound
    def choose():
        yield method(best(), when=lambda state: 4 // state.count > 3)
        yield method(second())

    planner, beliefs = Planner(domain, choose()), Beliefs(World(count=2))
    review, plan = Review(planner, beliefs, "goal"), planner.plan(World(count=2))
    review.adopted(plan)
    rest = rest_of(plan.tree, {plan.steps[0]: RUNNING})
    looked(review, rest)
    beliefs.write(World.count, 0, "sensor")
    ((decision, reason),) = looked(review, rest)
    assert decision is Decision.KEEP
    assert reason.startswith("there is nothing better: [BT201]")


def test_what_cannot_bring_a_better_plan_is_heard_of_once_and_never_again(domain):
    review, beliefs, rest = chosen(domain)
    heard = []
    for value in (1, 2, 3):
        before = beliefs.watched
        beliefs.write(World.count, value)
        heard.append(len(review._optimality._chances.changes))
        assert looked(review, rest) == []
        assert beliefs.watched <= before
    assert heard == [1, 0, 0]
    beliefs.write(World.open, True)
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [(lambda state: state.open, World.open), (World.at[World.place], World.at["a"])],
    ids=["a function is asked", "any member of a family may be"],
)
def test_what_cannot_be_told_beforehand_is_heard_of(domain, condition, wanted):
    review, beliefs, rest = chosen(domain, condition)
    beliefs.write(World.count, 1)
    looked(review, rest)
    beliefs.write(wanted, True)
    assert looked(review, rest) == [(Decision.ADOPT, "it is better, and a surprise")]


def test_closed_it_watches_nothing(domain):
    a = domain.primitive("a", precondition=World.lit)
    planner, beliefs = Planner(domain, a()), Beliefs(World())
    review = Review(planner, beliefs, "goal")
    review.adopted(planner.plan(World()))
    assert beliefs.watched > 0
    review.close()
    assert beliefs.watched == 0
