"""Generated functions look for a plan that beats a record, and leave nothing to the search."""

import pytest

from bthtn import Domain, Fluent, Planner, Settings, State, fluent, method, parallel, priority
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.fastpath import accelerated
from bthtn.planning.htn.fastpath.bound import limits
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus


class Host(State):
    eggs: Fluent[int] = fluent(default=0)
    guest: Fluent[bool] = fluent(default=False, volatile=True)


house = Domain("house", Host)
fry = house.primitive("fry", precondition=Host.eggs > 0)
bread = house.primitive("bread")
tea = house.primitive("tea")
juice = house.primitive("juice")
knock = house.primitive("knock")
lay_egg = house.primitive("lay_egg", effects=Host.eggs.increases(1))
sing = house.primitive("sing")


@house.compound
def eat():
    yield method(fry())
    yield method(bread())


@house.compound
def drink():
    yield method(juice())
    yield method(tea())


@house.compound
def breakfast():
    yield method(eat(), drink())
    yield method(drink())


@house.compound
def snack():
    yield method(priority(eat(), drink()))


@house.compound
def greet():
    yield method(when=Host.eggs == 0)
    yield method(when=Host.guest)


@house.compound
def work():
    yield method(lay_egg())
    yield method(sing())


@house.compound
def welcome():
    yield method(when=Host.eggs > 0)
    yield method(when=Host.eggs == 0)
    yield method(when=Host.guest)


@house.compound
def party():
    yield method(knock(), parallel(welcome(), (work(), work())))


@house.compound
def visit():
    yield method(knock(), parallel(greet(), (work(), work())))


def searched(goal, *bound, avoiding=None, settings=Settings(), **values):  # noqa: B008 - frozen
    """The search of functions alone, which takes as many expansions as the one before."""
    planner, record = Planner(house, goal, settings), MethodTraversalRecord(bound)
    asked = {"avoiding": avoiding or {}, "bound": record}
    first = planner.search(Host(**values), **asked)
    first.advance()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accelerated, "HtnSearch", None)
        search = planner.search(Host(**values), **asked)
        search.advance()
        assert (search.status, search.expansions) == (first.status, first.expansions)
        assert (search.plan and search.plan.record) == (first.plan and first.plan.record)
    return search


def found(*asked, **values):
    """The record of the plan that is found."""
    search = searched(*asked, **values)
    assert search.status is (SearchStatus.SOLVED if search.plan else SearchStatus.EXHAUSTED)
    return search.plan and [*search.plan.record]


@pytest.mark.parametrize(
    ("bound", "record"),
    [
        ((1, 1), [0, 1, 0]),  # smaller at the first place
        ((0, 1, 1), [0, 1, 0]),  # only at the last
        ((0, 1, 0), None),  # equal
        ((0, 1), None),  # the plan would continue it
        ((0, 1, 0, 3), None),  # it would continue the plan
        ((0, 0, 0), None),  # smaller than everything
        ((), None),
    ],
)
def test_only_a_plan_that_beats_the_bound_is_found(bound, record):
    assert found(breakfast(), *bound) == record


def test_nothing_is_tried_that_could_not_beat_the_bound():
    assert searched(breakfast(), 0, 0, 0, eggs=1).expansions == 3
    assert searched(breakfast()).expansions == 0


def test_each_request_has_a_bound_and_exclusions_of_its_own():
    assert found(breakfast(), 1, 0, avoiding={(juice, ()): "it failed"}) == [0, 1, 1]
    assert found(breakfast(), 1, 0, avoiding={(bread, ()): "it failed"}) is None
    assert found(breakfast(), 1, 1, avoiding={(bread, ()): "it failed"}) == [1, 0]


def test_an_alternative_that_must_not_be_dropped_is_not():
    assert found(snack(), 0, 0, 0, 0, 0, eggs=1) is None
    assert found(snack(), 0, 0, 1, 0, 1) == [0, 0, 1, 0, 0]


def test_a_branch_is_not_given_up_while_a_later_method_may_leave_a_shorter_record():
    # Who has knocked cannot foresee whether there is a guest, so the greeting may be left open.
    assert found(visit(), 0, 0, 1, 1) == [0, 0, 0]
    assert found(party(), 0, 1) == [0, 0, 0]  # the second welcome is cut, the third unknown


def test_the_best_sum_is_left_to_the_search():
    planner = Planner(house, breakfast(), Settings(cheapest=True))
    for _ in range(3):
        search = planner.search(Host(), bound=MethodTraversalRecord([1, 0]))
        assert isinstance(search, HtnSearch)
        assert search.advance() is SearchStatus.SOLVED


def test_no_choice_equals_the_last_limit():
    assert limits(MethodTraversalRecord([2, 1])) == (2, 0.5, float("inf"))
    assert limits(MethodTraversalRecord()) == (-0.5, float("inf"))
