"""A search that is only interested in what beats a record (semantics 2.8.4)."""

from dataclasses import replace

import pytest

from bthtn import UNKNOWN, Domain, Fluent, State, fluent, method, parallel, priority
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.planning.trace import MethodRejected
from tests.reference import Reference


class Cook(State):
    eggs: Fluent[int] = fluent(default=0)
    guest: Fluent[bool] = fluent(default=False)


kitchen = Domain("kitchen", Cook)
fry = kitchen.primitive("fry", precondition=Cook.eggs > 0)
bread = kitchen.primitive("bread")
tea = kitchen.primitive("tea")
juice = kitchen.primitive("juice", precondition=~Cook.guest)


@kitchen.compound
def eat():
    yield method(fry())
    yield method(bread())


@kitchen.compound
def drink():
    yield method(juice())
    yield method(tea())


@kitchen.compound
def breakfast():
    yield method(eat(), drink())
    yield method(drink())


def bounded(goal, *bound, **values):
    record = MethodTraversalRecord(bound)
    search = HtnSearch.of(request(kitchen, Cook(**values), goal, bound=record))
    search.advance()
    return search


@pytest.mark.parametrize(
    ("bound", "found"),
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
def test_only_a_plan_that_beats_the_bound_is_an_answer(bound, found):  # R001-12
    search = bounded(breakfast(), *bound)
    assert (search.plan and list(search.plan.record)) == found
    assert search.status is (SearchStatus.SOLVED if found else SearchStatus.EXHAUSTED)


@pytest.mark.parametrize("goal", [breakfast(), parallel(breakfast(), bread())])
def test_a_listener_is_told_which_methods_the_bound_cuts(goal):
    heard = []
    bound = MethodTraversalRecord((0, 1, 0))
    ListenedSearch(request(kitchen, Cook(), goal, bound=bound), heard.append).advance()
    cut = "no plan by it or a later method beats the record [0,1,0]"
    rejected = [event for event in heard if isinstance(event, MethodRejected)]
    told = [(one.task, one.method) for one in rejected if one.reason == cut]
    assert ("drink", 0) in told
    assert ("breakfast", 1) in told


def test_nothing_is_tried_that_could_not_beat_the_bound():
    assert bounded(breakfast(), 0, 0, 0, eggs=1).expansions == 3
    assert bounded(eat(), 0, eggs=1).expansions == 0
    assert bounded(breakfast()).expansions == 0


def test_where_an_earlier_choice_was_better_everything_below_it_is_free():
    search = bounded(breakfast(), 1, 0, guest=True)
    assert list(search.plan.record) == [0, 1, 1]


def test_an_alternative_is_not_dropped_because_it_does_not_beat_the_bound():
    goal = priority(eat(), drink())
    assert bounded(goal, 0, 0, 0, 0, eggs=1).status is SearchStatus.EXHAUSTED
    assert list(bounded(goal, 0, 1, 0, 1).plan.record) == [0, 1, 0, 0]
    assert list(bounded(goal, 1, 0, 0).plan.record) == [0, 1, 0, 0]


def test_what_stands_behind_a_part_that_is_left_open_in_a_branch_beats_nothing():
    domain = Domain("manners", Cook)
    lay_egg = domain.primitive("lay_egg", effects=Cook.eggs.increases(1))
    sing = domain.primitive("sing")

    @domain.compound
    def greet():
        yield method(when=Cook.eggs == 0)
        yield method(when=Cook.guest)

    @domain.compound
    def work():
        yield method(lay_egg())
        yield method(sing())

    goal = parallel(greet(), (work(), work()))
    asked = request(domain, Cook(guest=UNKNOWN), goal)
    plans = [list(plan.record) for plan in Reference(asked).plans()]
    # Laying eggs disturbs the greeting, unless the greeting is left to when the guest is seen.
    assert plans == [[0, 1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]
    search = HtnSearch.of(replace(asked, bound=MethodTraversalRecord([0, 1, 1])))
    assert search.advance() is SearchStatus.EXHAUSTED
    bounds = MethodTraversalRecord([1, 0]), MethodTraversalRecord([0, 2])
    bounded_plans = [next(Reference(replace(asked, bound=bound)).plans()) for bound in bounds]
    assert [list(plan.record) for plan in bounded_plans] == [[0, 1, 1], [0, 1, 1]]
