"""How the work of a search grows with the size of what it plans: counted in lines of Python.

Counts are the same on every machine. They do not see what a single line does (a slice, a union of
sets), only how often it is done.
"""

import sys

import pytest

from bthtn import Domain, Fluent, State, fluent, method, parallel, priority, sequence
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request


class Yard(State):
    left: Fluent[int] = fluent(default=0)
    swept: Fluent[int] = fluent(default=0)
    noise: Fluent[int] = fluent(default=0)


yard = Domain("yard", Yard)
whistle = yard.primitive("whistle", effects=Yard.noise.increases(1))
sweep = yard.primitive("sweep", effects=[Yard.left.decreases(1), Yard.swept.increases(1)])


def nested(construct):
    """Branches inside branches, as many levels as there is left to do."""

    @(domain := Domain("nested", Yard)).compound
    def spread():
        yield method(when=Yard.left == 0)
        yield method(work(), construct(spread(), hum()))

    work = domain.primitive("work", effects=[Yard.left.decreases(1), Yard.swept.increases(1)])
    hum = domain.primitive("hum", effects=Yard.noise.increases(1))
    return domain, lambda size: spread()


def recursion():
    @(domain := Domain("recursion", Yard)).compound
    def clean():
        yield method(when=Yard.left == 0)
        yield method(work(), clean())

    work = domain.primitive("work", effects=Yard.left.decreases(1))
    return domain, lambda size: clean()


KINDS = {
    "nested parallel": nested(parallel),
    "nested priority": nested(priority),
    "one after the other": (yard, lambda size: sequence(*[sweep()] * size)),
    "side by side": (yard, lambda size: sequence(*[parallel(sweep(), whistle())] * size)),
    "recursion": recursion(),
}


def lines_for(kind, size):
    """How many lines of Python are done to plan a problem of this size."""
    domain, goal = KINDS[kind]
    search = HtnSearch(request(domain, Yard(left=size), goal(size)))
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        search.advance()
    finally:
        sys.settrace(before)
    assert search.status is SearchStatus.SOLVED
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_size_is_twice_the_work(kind):
    lines_for(kind, 5)  # what is only done once is done before
    small, large = lines_for(kind, 60), lines_for(kind, 120)
    assert large < 2.1 * small
