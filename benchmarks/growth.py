"""How the time to freeze a domain and to plan with it for the first time grows with its size.

    python -m benchmarks.growth [--instructions] [words of rows ...]

Processor time, the least of three, or instructions under callgrind, which repeat where times do
not. What grows is named in each row: the tasks of a domain, the methods of one task, the steps of
one method, the methods inside one another, the branches and the alternatives of one node, the
nodes inside one another, the values of a variable, the parts of a condition, and the tasks of a
domain in which each has parameters, conditions of its own and several methods.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import and_
from types import FunctionType

from benchmarks import callgrind
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
    one_of,
    parallel,
    primitive,
    priority,
)
from bthtn.domain.network import Network
from bthtn.planning import HtnSearch, SearchStatus, request
from bthtn.planning.htn.generated import code_of

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


def branches(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many parallel branches of one step each."""
    return _side_by_side(parallel, size)


def alternatives(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many alternatives, of which one is chosen at run time."""
    return _side_by_side(priority, size)


def _side_by_side(construct: Callable[..., Network], size: int) -> tuple[Domain[World], TaskCall]:
    domain = Domain("growing", World)
    mark = domain.primitive(_renamed(_marking_alone, "mark"))
    every = domain.compound(_named("all", lambda: [method(construct(*map(mark, range(size))))]))
    return domain, every()


def networks(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many parallel nodes inside one another, each beside a step."""
    domain, step = _domain()
    network: Network = step()
    for _ in range(1, size):
        network = parallel(step(), network)
    return domain, domain.compound(_named("all", lambda: [method(network)]))()


def values(size: int) -> tuple[Domain[World], TaskCall]:
    """A method with a variable of as many values, of which the last can be used."""
    domain = Domain("growing", World)
    mark = domain.primitive(_renamed(_marking_alone, "mark"))

    def choose() -> Methods:
        number = one_of(range(size))
        yield method(mark(number), when=number >= size - 1)

    return domain, domain.compound(choose)()


def conditions(size: int) -> tuple[Domain[World], TaskCall]:
    """A task with a precondition of as many parts and as many effects."""
    domain = Domain("growing", World)
    parts = [~World.marked[number] for number in range(size)]
    effects = [World.marked[number].becomes(value=True) for number in range(size)]
    step = domain.primitive("step", precondition=reduce(and_, parts), effects=effects)
    return domain, domain.compound(_named("all", lambda: [method(step())]))()


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


def _marking_alone(place: int) -> Primitive:
    return primitive(effects=World.marked[place].becomes(value=True))


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


SIZES = (125, 250, 500, 1_000, 2_000)
MAKERS = {
    **dict.fromkeys((tasks, methods, steps, nesting), SIZES),
    **dict.fromkeys((branches, alternatives, values, conditions), SIZES),
    networks: (20, 40, 80, 140),  # deeper ones are refused, as py_trees ticks by recursion
    branching: SIZES,
}
USES = (frozen, searched, planned, planned_twice)


def rows(words: Sequence[str]) -> list[tuple[str, Callable, Callable, Sequence[int]]]:
    """Name, maker, use and sizes of each row that has one of the words, of all without words."""
    every = [(f"{m.__name__}, {u.__name__}", m, u, MAKERS[m]) for m in MAKERS for u in USES]
    return [row for row in every if not words or any(word in row[0] for word in words)]


def least_seconds(make: Callable, use: Callable, size: int) -> float:
    """Processor time that the use of a new domain of this size takes."""
    found = []
    for _ in range(ROUNDS):
        made = make(size)
        _forget()
        begun = time.process_time()
        use(*made)
        found.append(time.process_time() - begun)
    return min(found)


def _forget() -> None:
    """Leave nothing to be found again, or looked at, of what was planned before."""
    code_of.cache_clear()
    gc.collect()
    gc.freeze()


def timed(words: Sequence[str]) -> Iterator[list[float]]:
    """Milliseconds of each row at each of its sizes."""
    for _, make, use, sizes in rows(words):
        yield [1_000 * least_seconds(make, use, size) for size in sizes]


def run_marked(words: Sequence[str]) -> None:
    """Use every row at every size, and mark it: what runs under callgrind."""
    for _, make, use, sizes in rows(words):
        use(*make(10))
        for size in sizes:
            made = make(size)
            _forget()
            with callgrind.marked():
                use(*made)


def counted(words: Sequence[str]) -> Iterator[list[float]]:
    """Millions of instructions of each row at each of its sizes."""
    counts = iter(callgrind.counts("benchmarks.growth", ["--use", *words]))
    for *_, sizes in rows(words):
        yield [next(counts) / 1e6 for _ in sizes]


def main(*arguments: str) -> None:
    """Print a line for what grows and what is done, with the exponent of its time."""
    words = [one for one in arguments if not one.startswith("--")]
    if "--use" in arguments:
        run_marked(words)
        return
    is_counted = "--instructions" in arguments
    unit = "millions of instructions" if is_counted else "milliseconds"
    sys.stdout.write(f"{unit:28}{'':45}  exponent\n")
    measured = counted(words) if is_counted else timed(words)
    for (name, *_, sizes), found in zip(rows(words), measured, strict=True):
        cells = "".join(f"{one:9.1f}" for one in found)
        sys.stdout.write(f"{name:28}{cells:45}{exponent(sizes, found):10.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
