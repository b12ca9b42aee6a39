"""How the time to freeze a domain and to plan with it for the first time grows with its size.

    python -m benchmarks.growth

Processor time, the least of three; what grows is named in each row: the tasks of a domain, the
methods of one task, the steps of one method, the methods inside one another, and the tasks of a
domain in which each has parameters, conditions of its own and several methods.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from types import FunctionType

from benchmarks.timing import exponent
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Planner,
    Primitive,
    State,
    TaskCall,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.planning import HtnSearch, SearchStatus, request

SIZES = (125, 250, 500, 1_000, 2_000)
ROUNDS = 3


class World(State):
    """One number, which every task counts up, and places that are marked."""

    at: Fluent[int] = fluent(default=0)
    marked: FluentFamily[int, bool] = fluents(default=False)


def tasks(size: int) -> tuple[Domain[World], TaskCall]:
    """A task of one method that calls as many compound tasks of one step each."""
    domain, step = _domain()
    names = [f"part{number}" for number in range(size)]
    parts = [domain.compound(_named(name, lambda: [method(step())])) for name in names]
    return domain, domain.compound(_named("all", lambda: [method(*(part() for part in parts))]))()


def methods(size: int) -> tuple[Domain[World], TaskCall]:
    """A task of as many methods, of which the last can be used."""
    domain, step = _domain()

    def choose() -> Methods:
        for number in range(size):
            yield method(step(), when=World.at == number + 1 - size)

    return domain, domain.compound(choose)()


def steps(size: int) -> tuple[Domain[World], TaskCall]:
    """A task of one method of as many steps."""
    domain, step = _domain()
    return domain, domain.compound(_named("all", lambda: [method(*[step()] * size)]))()


def nesting(size: int) -> tuple[Domain[World], TaskCall]:
    """As many tasks, each of which is a step and the next task."""
    domain, step = _domain()
    inner = domain.compound(_named("level0", lambda: [method(step())]))
    for number in range(1, size):
        inner = domain.compound(_named(f"level{number}", _around(step, inner)))
    return domain, inner()


def branching(size: int) -> tuple[Domain[World], TaskCall]:
    """A binary tree of compound tasks with a primitive task for each; a plan does half of them."""
    domain, half = Domain("branching", World), size // 2
    works: list[Callable[..., TaskCall]] = []
    for number in range(half):
        step = domain.primitive(_renamed(_marking, f"step{number}"))
        below = [one for one in (2 * number + 1, 2 * number + 2) if one < half]
        works.append(domain.compound(_renamed(_work(step, works, below), f"work{number}")))
    return domain, works[0](0)


def _marking(place: int) -> Primitive:
    effects = [World.marked[place].becomes(value=True), World.at.increases(1)]
    return primitive(precondition=(World.at >= 0) & ~World.marked[place], effects=effects)


def _work(step: Callable, works: list[Callable[..., TaskCall]], below: list[int]) -> Callable:
    def methods_of(place: int) -> Methods:
        yield method(step(place), when=World.at < 0)
        yield method(step(place), when=World.marked[place])
        yield method(step(place), *(works[one](place + one) for one in below))

    return methods_of


def _renamed(function: Callable, name: str) -> Callable:
    twin = FunctionType(function.__code__, function.__globals__, name, None, function.__closure__)
    twin.__annotations__ = function.__annotations__
    return twin


def _domain() -> tuple[Domain[World], Callable[[], TaskCall]]:
    domain = Domain("growing", World)
    return domain, domain.primitive("step", effects=World.at.increases(1))


def _named(name: str, body: Callable[[], list]) -> Callable[[], Methods]:
    def methods_of() -> Methods:
        yield from body()

    methods_of.__name__ = name
    return methods_of


def _around(step: Callable[[], TaskCall], inner: Callable[[], TaskCall]) -> Callable[[], list]:
    return lambda: [method(step(), inner())]


def frozen(domain: Domain[World], _: TaskCall) -> object:
    return domain.freeze()


def planned(domain: Domain[World], goal: TaskCall) -> object:
    return Planner(domain, goal).plan(World())


def planned_twice(domain: Domain[World], goal: TaskCall) -> object:
    """The second plan is that of functions which are generated for it."""
    planner = Planner(domain, goal)
    planner.plan(World())
    return planner.plan(World())


def searched(domain: Domain[World], goal: TaskCall) -> object:
    search = HtnSearch(request(domain, World(), goal))
    while search.advance(50) is SearchStatus.RUNNING:
        pass
    return search.plan


def least_seconds(make: Callable, use: Callable, size: int) -> float:
    """Processor time that the use of a new domain of this size takes."""
    found = []
    for _ in range(ROUNDS):
        made = make(size)
        gc.collect()
        begun = time.process_time()
        use(*made)
        found.append(time.process_time() - begun)
    return min(found)


def report() -> str:
    """A line for what grows and what is done, with the exponent of its time."""
    lines = [f"{'':28}" + "".join(f"{size:>9}" for size in SIZES) + "  exponent"]
    for make in (tasks, methods, steps, nesting, branching):
        for use in (frozen, searched, planned, planned_twice):
            seconds = [least_seconds(make, use, size) for size in SIZES]
            cells = "".join(f"{1_000 * one:7.1f}ms" for one in seconds)
            name = f"{make.__name__}, {use.__name__}"
            lines.append(f"{name:28}{cells}{exponent(SIZES, seconds):10.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())  # noqa: T201 - a script
