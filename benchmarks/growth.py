"""How the time to freeze a domain and for its first answers grows with its size.

    python -m benchmarks.growth [--instructions | --write-docs] [words of rows ...]

What grows is named in each row: the tasks of a domain, the methods of one task, the steps of
one method, the methods inside one another, the branches and the alternatives of one node, the
nodes inside one another, the values of a variable, the parts of a condition, and the tasks of a
domain in which each has parameters, conditions of its own and several methods. A domain is frozen,
and then asked for ten plans, each from another state: the first, the second, the third and
the tenth are shown. The row *running* is a plan of so many steps, its tree, and the tick of an
agent after the first change of a belief that all steps read.

Processor time, the least of three, or instructions under callgrind, which repeat where times do
not. Each domain has a process of its own, so that nothing is found again of those before.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial, reduce
from multiprocessing import get_context
from operator import and_
from types import FunctionType
from typing import Any

from benchmarks import callgrind, page, report
from benchmarks.modes import planner_of
from benchmarks.timing import exponent
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    NetworkLike,
    Primitive,
    Settings,
    State,
    TaskCall,
    find_plan,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    primitive,
    priority,
)
from bthtn.behaviours import Agent, ManualClock, PlanGoal

ROUNDS, LONG = 3, 10_000
"""What is so long is measured once."""

Maker = Callable[[int], tuple[Domain[Any], TaskCall]]
"""Makes a domain of a size, and a goal."""
Use = Callable[[], object]


class World(State):
    """One number, which every task counts up, one that is only read, and places that are marked."""

    at: Fluent[int] = fluent(default=0)
    seen: Fluent[int] = fluent(default=0)
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


def running(size: int) -> tuple[Domain[World], TaskCall]:
    """As many steps by a task that calls itself; each reads what can change, and takes long."""
    domain = Domain("running", World)
    effects = World.at.increases(1)
    step = domain.primitive("step", precondition=World.seen >= 0, effects=effects, duration=10**6)

    def walk(to: int) -> Methods:
        yield method(when=World.at >= to)
        yield method(step(), again(to))

    again = domain.compound(walk)
    return domain, again(size)


def branches(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many parallel branches of one step each."""
    return _side_by_side(parallel, size)


def alternatives(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many alternatives, of which one is chosen at run time."""
    return _side_by_side(priority, size)


def _side_by_side(
    construct: Callable[..., NetworkLike], size: int
) -> tuple[Domain[World], TaskCall]:
    domain = Domain("growing", World)
    mark = domain.primitive(_renamed(_marking_alone, "mark"))
    every = domain.compound(_named("all", lambda: [method(construct(*map(mark, range(size))))]))
    return domain, every()


def networks(size: int) -> tuple[Domain[World], TaskCall]:
    """A method of as many parallel nodes inside one another, each beside a step."""
    domain, step = _domain()
    network: NetworkLike = step()
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


def frozen_and_asked(make: Maker, size: int) -> Iterator[Use]:
    """Freeze a new domain, and ask it ten times for actions."""
    domain, goal = make(size)
    yield domain.freeze
    for number in range(ANSWERS):
        yield partial(planned, domain, goal, World(seen=number).frozen())


def planned(domain: Domain[World], goal: TaskCall, state: Any) -> None:
    """Plan, and read the actions; the first time, the planner is made, too."""
    plan = planner_of(domain, goal, DEEP).plan(state)
    assert plan is not None, "there is always a plan"
    _ = plan.actions


def walked(make: Maker, size: int) -> Iterator[Use]:
    """Make a long plan and its tree, and change what all of its steps read while it runs."""
    domain, goal = make(size)
    found: list[Any] = []
    yield lambda: found.append(find_plan(domain, World(), goal, DEEP))
    yield lambda: found[0].tree
    agent = Agent("a", domain, World(), body=None, clock=ManualClock())
    running = PlanGoal("goal", agent, goal, settings=DEEP)

    def tick() -> None:
        agent.sense()
        running.tick_once()

    while running.plan is None:
        tick()
    agent.believe(World.seen, 1)
    yield tick


SIZES = (10, 100, 300, 1_000, 3_000)
LENGTHS = (10, 100, 1_000, 10_000, 100_000)
DEEP = Settings(max_depth=10**6)
ANSWERS, SHOWN = 10, {1: "first", 2: "second", 3: "third", 10: "tenth"}
STAGES = {
    frozen_and_asked: ("freeze", *(SHOWN.get(n, "") for n in range(1, ANSWERS + 1))),
    walked: ("plan", "tree", "first change"),
}
"""The names of what is used one after the other; those without a name are not shown."""
MAKERS: dict[Maker, tuple[Callable[[Maker, int], Iterator[Use]], Sequence[int]]] = {
    **dict.fromkeys((branching, tasks, methods, nesting), (frozen_and_asked, SIZES)),
    **dict.fromkeys((branches, alternatives, values, conditions), (frozen_and_asked, SIZES)),
    steps: (frozen_and_asked, SIZES),
    # deeper ones are refused, as py_trees ticks by recursion
    networks: (frozen_and_asked, (20, 40, 80, 140)),
    running: (walked, LENGTHS),
}
PUBLISHED = (branching, tasks, running)
"""What the manual shows."""


def chosen(words: Sequence[str]) -> list[Maker]:
    """The makers that have one of the words in their names, those of the manual without words."""
    return [m for m in MAKERS if any(word in m.__name__ for word in words)] or [*PUBLISHED]


def least(make: Maker, size: int) -> list[float]:
    """Milliseconds of the processor of each stage that is shown."""
    rounds = ROUNDS if size < LONG else 1
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        runs = [pool.apply(_once, (make, size)) for _ in range(rounds)]
    return [1_000 * min(times) for times in zip(*runs, strict=True)]


def _once(make: Maker, size: int) -> list[float]:
    course, _ = MAKERS[make]
    found = []
    for stage, use in zip(STAGES[course], course(make, size), strict=True):
        gc.collect()
        gc.freeze()
        begun = time.process_time()
        use()
        took = time.process_time() - begun
        if stage:
            found.append(took)
    return found


def run_marked(words: Sequence[str]) -> None:
    """Use every row at every size, and mark it: what runs under callgrind."""
    for make in chosen(words):
        course, sizes = MAKERS[make]
        for size in sizes:
            for stage, use in zip(STAGES[course], course(make, size), strict=True):
                gc.collect()
                with callgrind.marked() if stage else nullcontext():
                    use()


def counted(words: Sequence[str]) -> Callable[[Maker, int], list[float]]:
    """Millions of instructions instead of milliseconds."""
    counts = iter(callgrind.counts("benchmarks.growth", ["--use", *words]))
    return lambda make, _: [next(counts) / 1e6 for stage in STAGES[MAKERS[make][0]] if stage]


def table(
    make: Maker, measured: Callable[[Maker, int], list[float]] = least, unit: str = "ms"
) -> report.Table:
    """A line for each stage, with the exponent of its growth."""
    course, sizes = MAKERS[make]
    found = [measured(make, size) for size in sizes]
    lines = [[f"{make.__name__}, {unit}", *map(report.exact, sizes), "exponent"]]
    for stage, took in zip(filter(None, STAGES[course]), zip(*found, strict=True), strict=True):
        # at the smallest size, what is done once takes the time
        cells = [*map(report.number, took), f"{exponent(sizes[1:], took[1:]):.2f}"]
        lines.append([stage, *cells])
    return lines


def main(*arguments: str) -> None:
    """Show a table for what grows."""
    words = [one for one in arguments if not one.startswith("--")]
    if "--use" in arguments:
        run_marked(words)
        return
    how = (counted(words), "millions of instructions") if "--instructions" in arguments else ()
    for make in chosen(words):
        name = make.__name__ if make in PUBLISHED else "other"
        page.show({name: table(make, *how)}, arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
