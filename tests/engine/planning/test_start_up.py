"""How the work before and at the first plan grows with a domain: counted in calls of functions.

Counts are the same on every machine. The exponent is that of the power of the size by which they
grow: 1 for what is done once for each task, 0 for what is done once.
"""

import gc
import sys
from math import log

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.engine.planning.protocol import SearchStatus
from tests.sizes import size

FEW, MANY = size(quick=(60, 240), thorough=(250, 2_000))


class Yard(State):
    at: Fluent[int] = fluent(default=0)
    lit: Fluent[bool] = fluent(default=True)
    dug: FluentFamily[int, bool] = fluents(default=False)


def yard(tasks):
    """A domain of so many tasks: half of them are primitive, the others a tree of two branches."""
    domain, half = Domain("yard", Yard), tasks // 2
    for number in range(half):
        domain.primitive(digging(number))
    for number in range(half):
        below = [2 * number + 1, 2 * number + 2]
        domain.compound(working(domain, number, [one for one in below if one < half]))
    return domain


def digging(number):
    def dig(place: int) -> Primitive:
        effects = [Yard.dug[place].becomes(True), Yard.at.increases(1)]
        return primitive(precondition=(Yard.at >= 0) & ~Yard.dug[place], effects=effects)

    dig.__name__ = f"dig_{number}"
    return dig


def working(domain, number, below):
    def work(place: int):
        dig = domain.task(f"dig_{number}")
        yield method(dig(place), when=Yard.at > 10**6)
        yield method(dig(place), when=Yard.dug[place])
        yield method(
            dig(place + number),
            *(domain.task(f"work_{one}")(place) for one in below),
            when=Yard.lit,
        )

    work.__name__ = f"work_{number}"
    return work


def calls_of(work):
    """How many functions of Python are called."""
    count = 0

    def called(frame, event, argument):
        nonlocal count
        count += event == "call"

    gc.collect()
    gc.disable()  # others' finalizers would be counted
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def asked(planner):
    """Search to the end, and look at the plan."""
    search = planner.search(Yard())
    assert search.advance() is SearchStatus.SOLVED
    assert search.plan.steps


def start_up(tasks, number):
    """The calls for the domain, and for the first searches for a plan of the task of a number."""
    domain, planners = yard(tasks), []

    def prepare():
        planners.append(Planner(domain, domain.task(f"work_{number % (tasks // 2)}")(0)))

    counts = {"freezing": calls_of(lambda: domain.freeze().has_values)}
    counts["preparing"] = calls_of(prepare)
    for which in ("first search", "second search", "third search"):
        counts[which] = calls_of(lambda: asked(planners[0]))
    return counts


def exponents(number):
    """By which power of the number of tasks each count grows."""
    start_up(FEW, number)  # what is only done once is done before
    few, many = start_up(FEW, number), start_up(MANY, number)
    return {what: log(many[what] / few[what]) / log(MANY / FEW) for what in few}


@pytest.fixture(scope="module")
def all_tasks():
    return exponents(0)


def test_a_domain_is_frozen_and_planned_with_in_linear_time(all_tasks):
    assert all(power < 1.1 for power in all_tasks.values()), all_tasks
    assert all_tasks["first search"] > 0.9, "the plan has a step for every second task"
