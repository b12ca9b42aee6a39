"""After a change, a check asks only those again who have read what follows from it."""

from collections import Counter

import pytest

from bthtn import Domain, Planner, method, primitive, priority
from bthtn.engine.plan import leaves
from bthtn.engine.replanning.incremental_check import IncrementalCheck
from bthtn.engine.replanning.rest import Rest
from bthtn.studio.testing.strategies import World
from tests.rests import INVALID, RUNNING, rest_of

STEPS = 50


@pytest.fixture
def domain():
    return Domain("reliance", World)


@pytest.fixture
def asked():
    """How often a condition that is a function was evaluated, by its name."""
    return Counter()


def relies(domain, goal, **given):
    """The reliance of a plan that begins in such a state."""
    plan = Planner(domain, goal).plan(World(**given))
    return IncrementalCheck(Rest.at_start(plan.tree), plan.domain, World(**given).frozen())


def now(**given):
    return World(**given).frozen()


def stepping(domain, asked, name, reads, effects=()):
    """A task whose condition is a function that counts its calls."""

    def condition(state):
        asked[name] += 1
        return reads(state)

    return domain.primitive(name, precondition=condition, effects=effects)


def test_only_those_who_read_what_has_changed_are_asked_again(domain, asked):
    lit = stepping(domain, asked, "lit", lambda state: state.lit or state.count >= 0)
    count = stepping(domain, asked, "count", lambda state: state.count >= 0)
    found = relies(domain, (lit(), count()))
    asked.clear()
    assert found.still(now(count=1))
    assert asked == {"count": 1}
    assert found.still(now(count=1))
    assert asked == {"count": 1}


def test_equal_steps_ask_the_same_once_until_somebody_writes_what_they_read(domain, asked):
    count = stepping(domain, asked, "count", lambda state: state.count >= 0)
    up = domain.primitive("up", effects=World.count.increases(1))
    found = relies(domain, ([count()] * STEPS, up(), [count()] * STEPS))
    asked.clear()
    assert found.still(now(count=1))
    assert asked == {"count": 2}


def test_who_comes_after_an_overwriting_step_is_not_asked(domain, asked):
    count = stepping(domain, asked, "count", lambda state: state.count >= 0)
    reset = domain.primitive("reset", effects=World.count.becomes(0))
    found = relies(domain, (reset(), [count()] * STEPS))
    asked.clear()
    assert found.still(now(count=5))
    assert asked == {}


def test_what_is_increased_on_the_way_is_followed(domain):
    up = domain.primitive("up", precondition=World.count < 2, effects=World.count.increases(1))
    found = relies(domain, (up(), up()))
    assert found.still(now(count=-3))
    assert not found.still(now(count=1))  # the second step breaks


def test_a_condition_that_reads_something_else_by_now_takes_a_check(domain):
    either = domain.primitive("either", precondition=World.lit | World.open)
    found = relies(domain, either(), open=True)
    assert {str(one) for one in found.validity.support} == {"lit"}
    assert not found.still(now(lit=False, open=True))
    found = relies(domain, either(), lit=False, open=True)
    assert {str(one) for one in found.validity.support} == {"lit", "open"}
    assert not found.still(now(lit=True, open=True))


def test_so_does_an_argument_of_what_has_begun(domain):
    step = domain.primitive("step")

    @domain.primitive
    def go(where: str):
        return primitive()

    @domain.compound
    def visit(where: str):
        yield method(step(), go(where))

    plan = Planner(domain, visit(World.place)).plan(World())
    steps = [*leaves(plan.tree)]
    rest = rest_of(plan.tree, {steps[0]: RUNNING, steps[1]: INVALID})
    found = IncrementalCheck(rest, plan.domain, now())
    assert found.still(now(count=1))
    assert not found.still(now(place="b"))


def test_so_does_what_no_condition_has_read_such_as_a_value_that_branches_leave(domain):
    up = domain.primitive("up", effects=World.count.increases(1))
    step = domain.primitive("step", precondition=World.count < 3)
    found = relies(domain, (priority(up(), up()), step()))
    assert not found.still(now(count=2))


def test_so_does_a_computed_effect_with_another_value(domain):
    copy = domain.primitive("copy", effects=World.count.becomes(World.ammo))
    step = domain.primitive("step", precondition=World.count < 3)
    found = relies(domain, (copy(), step()))
    assert found.still(now(count=9))
    assert not found.still(now(ammo=3))


def test_so_does_an_exception_of_a_condition(domain):
    divide = domain.primitive("divide", precondition=lambda state: 6 // state.count > 0)
    found = relies(domain, divide(), count=1)
    assert found.still(now(count=2))
    assert not found.still(now(count=0))


def test_alternatives_that_did_not_work_are_asked_again_too(domain):
    a, b = (
        domain.primitive(name, precondition=World.count < most)
        for name, most in (("a", 3), ("b", 9))
    )
    plan = Planner(domain, priority(a(), b())).plan(World())
    found = IncrementalCheck(Rest.at_start(plan.tree), plan.domain, now(count=4))
    assert found.validity.failure is None
    assert found.still(now(count=5))
    assert not found.still(now(count=2))


def test_the_condition_of_a_method_is_asked_as_a_step_is(domain):
    step = domain.primitive("step")

    @domain.compound
    def walk():
        yield method(step(), when=World.count < 3)

    found = relies(domain, (step(), walk()))
    assert found.still(now(count=2))
    assert not found.still(now(count=3))
