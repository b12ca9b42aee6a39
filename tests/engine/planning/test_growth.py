"""How the work of a search grows with the size of what it plans: counted in lines of Python.

Counts are the same on every machine. They do not see what a single line does (a slice, a union of
sets), only how often it is done.
"""

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    State,
    fluent,
    fluents,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from tests.counting import lines_of


class Yard(State):
    left: Fluent[int] = fluent(default=0)
    swept: Fluent[int] = fluent(default=0)
    noise: Fluent[int] = fluent(default=0)
    seen: FluentFamily[int, bool] = fluents(default=False)


yard = Domain("yard", Yard)
whistle = yard.primitive("whistle", effects=Yard.noise.increases(1))
sweep = yard.primitive("sweep", effects=[Yard.left.decreases(1), Yard.swept.increases(1)])


@yard.primitive
def see(place: int):
    return primitive(effects=Yard.seen[place].becomes(True))


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


def asides():
    """A recursive task that is called twice in each round, in the same state."""

    @(domain := Domain("asides", Yard)).compound
    def clean():
        yield method(when=Yard.left == 0)
        yield method(look(), look(), work(), clean())

    @domain.compound
    def look():
        yield method(when=Yard.left >= 0)
        yield method(clean())

    work = domain.primitive("work", effects=Yard.left.decreases(1))
    return domain, lambda size: clean()


def returning():
    """In each round, a method leads back to the state of the first, where it is cut."""

    @(domain := Domain("returning", Yard)).compound
    def clean():
        yield method(when=Yard.left == 0)
        yield method(dirty(), clean(), when=Yard.swept > 0)
        yield method(work(), clean())

    work = domain.primitive("work", effects=[Yard.left.decreases(1), Yard.swept.increases(1)])
    dirty = domain.primitive(
        "dirty", effects=[Yard.left.increases(Yard.swept), Yard.swept.becomes(0)]
    )
    return domain, lambda size: clean()


def seeing(size):
    return [see(place) for place in range(size)]


KINDS = {
    "nested parallel": nested(parallel),
    "nested priority": nested(priority),
    "one after the other": (yard, lambda size: sequence(*[sweep()] * size)),
    "side by side": (yard, lambda size: sequence(*[parallel(sweep(), whistle())] * size)),
    "many branches": (yard, lambda size: parallel(*[sweep() for _ in range(size)])),
    "many branches that write different fluents": (yard, lambda size: parallel(*seeing(size))),
    "many alternatives": (yard, lambda size: priority(*seeing(size))),
    "many alternatives in a branch": (
        yard,
        lambda size: parallel(priority(*seeing(size)), whistle()),
    ),
    "recursion": recursion(),
    "recursion beside recursion": asides(),
    "recursion back to the beginning": returning(),
}


def lines_for(kind, size):
    """How many lines of Python are done to plan a problem of this size."""
    domain, goal = KINDS[kind]
    search = HtnSearch.of(request(domain, Yard(left=size), goal(size)))
    count = lines_of(search.advance)
    assert search.status is SearchStatus.SOLVED
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_size_is_twice_the_work(kind):
    lines_for(kind, 5)  # what is only done once is done before
    small, large = lines_for(kind, 60), lines_for(kind, 120)
    assert large < 2.1 * small


def test_so_it_is_in_a_search_of_a_domain_that_nobody_has_asked_before():
    def lines(size):
        domain, goal = recursion()
        return lines_of(HtnSearch.of(request(domain, Yard(left=size), goal(size))).advance)

    assert lines(240) < 2.1 * lines(120)


def methods(size):
    """One task with so many methods."""

    @(domain := Domain("methods", Yard)).compound
    def choose():
        for number in range(size):
            yield method(work(), work(), choose(), when=Yard.left == number)

    work = domain.primitive("work", effects=Yard.left.decreases(1))
    return domain, choose()


def tasks(size):
    """So many tasks, one inside the other."""
    domain = Domain("tasks", Yard)
    inner = domain.primitive("work", effects=Yard.left.decreases(1))
    for number in range(size):
        inner = domain.compound(around(inner, number))
    return domain, inner()


def around(inner, number):
    def task():
        yield method(inner(), when=Yard.left > number)
        yield method(inner(), when=Yard.noise > number)

    task.__name__ = f"task_{number}"
    return task


def steps(size):
    """A method of so many steps."""

    @(domain := Domain("steps", Yard)).compound
    def walk():
        yield method(*[work()] * size, when=Yard.left > 0)

    work = domain.primitive("work", effects=Yard.left.decreases(1))
    return domain, walk()


@pytest.mark.parametrize(("make", "size"), [(methods, 40), (tasks, 40), (steps, 80), (steps, 800)])
def test_the_first_plan_of_a_domain_twice_as_large_takes_twice_the_work(make, size):
    def lines(size):
        domain, goal = make(size)
        asked = request(domain, Yard(left=1), goal)
        return lines_of(lambda: HtnSearch.of(asked).advance())

    small, large = lines(size), lines(2 * size)
    assert large < 2.2 * small
