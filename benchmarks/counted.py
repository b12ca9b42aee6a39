"""What ``benchmarks.instructions`` measures, a sample for each row: plans, lives, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from benchmarks import growth
from benchmarks.domains import blocks, combat, fps, functions, soldier, travel, troll
from benchmarks.lives import lives
from benchmarks.sample import Sample, Use, World, always
from bthtn import (
    UNKNOWN,
    Domain,
    Planner,
    Primitive,
    Settings,
    State,
    find_plan,
    method,
    parallel,
    primitive,
    priority,
)
from bthtn.engine.world.beliefs import Beliefs

YARDSTICK = "plain Python"


def plain_python() -> Sample:
    """A fixed piece of Python, of what searches and trees are made of: calls, tuples, look-ups.

    Gates are counts beside this one, so that they hold for each build of a version of Python.
    Who changes it has to measure all of them anew.
    """
    return Sample(YARDSTICK, always(_plain_python))


def single_plans() -> Iterator[Sample]:
    """A plan from one state in each domain: choices alone, with arguments, as a tree, searched."""
    asked = {
        "fps": fps.question(fps.CASES[-2]),
        "travel": travel.question(travel.CASES[-1]),
        "troll": troll.question(troll.CASES[0]),
        "blocks 20": blocks.question(blocks.case(20)),
        "combat": combat.question(combat.CASES[0]),
        "soldier, functions": soldier.question(soldier.CASES[0]),
        "blocks 20, functions": functions.question(blocks.case(20)),
    }
    for name, question in asked.items():
        planner = Planner(question.domain, question.goal)
        state = question.state.frozen()
        yield Sample(f"{name}: plan", always(partial(planner.plan, state)))
        yield Sample(f"{name}: actions", always(partial(part_of_plan, planner, state, "actions")))
        # What it has made a tree of, a planner remembers.
        again = Planner(question.domain, question.goal)
        yield Sample(f"{name}: tree", always(partial(part_of_plan, again, state, "tree")))
        yield Sample(f"{name}: search", always(lambda p=planner, s=state: p.search(s).advance()))
        asked_anew = partial(find_plan, question.domain, state, question.goal)
        yield Sample(f"{name}: find_plan", always(asked_anew))


def features() -> Iterator[Sample]:
    """A plan of three steps with one feature each."""
    for name, (planner, state) in feature_planners().items():
        yield Sample(f"three steps, {name}: plan", always(partial(_planned, planner, state)))
        if name in ("plain data", "parallel", "priority"):
            tree = partial(part_of_plan, planner, state, "tree")
            yield Sample(f"three steps, {name}: tree", always(tree))
    planner, state = _featured(_either)
    part = find_plan(planner.domain, state, planner.goal).suspended[0]
    yield Sample("three steps, priority: resumed", always(partial(_resumed, planner, part, state)))


def feature_planners() -> dict[str, tuple[Planner[World], Any]]:
    """Who plans the three steps, and from which state, by the name of the feature."""
    featured: dict[str, dict[str, Any]] = {
        "plain data": {},
        "volatile": {"when": World.seen},
        "function condition": {"when": lambda s: s.flag},
        "function method": {"body": lambda step, _: method(lambda _: (step(), step(), step()))},
        "parallel": {"body": lambda step, aside: method(parallel(step(), aside()), step())},
        "priority": {"body": _either},
        "unknown value": {"state": World(other=UNKNOWN)},
        "cheapest": {"settings": Settings(cheapest=True)},
    }
    return {name: _featured(**options) for name, options in featured.items()}


def sizes() -> Iterator[Sample]:
    """A write, a snapshot and a plan in a large state; the first plan of a large domain."""
    for members in (10, 10_000):
        yield Sample(f"write and snapshot, {members:,} members", partial(_snapshot, members))
        yield Sample(f"a plan over 10 of {members:,} members", partial(_touching, _ten(), members))
    for tasks in (100, 400):
        yield Sample(f"first plan, {tasks} tasks", partial(_first_plan, tasks), times=2)


def samples() -> list[Sample]:
    """All that is measured."""
    return [plain_python(), *single_plans(), *features(), *lives(), *sizes()]


@dataclass(slots=True)
class _Cell:
    value: int
    rest: _Cell | None


def _plain_python() -> int:
    known: dict[int, int] = {}
    log: list[tuple[int, int]] = []
    agenda: _Cell | None = None
    for number in range(200):
        agenda = _Cell(_seen(known, number % 17, number), agenda)
        log.append((number, agenda.value))
        if number % 3 == 0:
            log.pop()
    while agenda is not None:
        known[agenda.value] = len(log)
        agenda = agenda.rest
    return sum(value for value, _ in log) + len(known)


def _seen(known: dict[int, int], place: int, value: int) -> int:
    before = known.get(place, 0)
    known[place] = value
    return before


def part_of_plan(planner: Planner[Any], state: Any, part: str) -> None:
    """Plan, and make a part of the plan, such as its ``actions`` or its ``tree``."""
    getattr(planner.plan(state), part)


def _either(step: Any, aside: Any) -> Any:
    return method(priority(step(), aside()), step(), step())


def _resumed(planner: Planner[Any], part: Any, state: Any) -> None:
    search = Planner.resuming(planner.domain, part).search(state)
    search.advance()
    assert search.plan is not None, "a step is a plan"


def _planned(planner: Planner[Any], state: Any) -> None:
    assert planner.plan(state) is not None, "three steps are a plan"


def _featured(
    body: Callable[[Any, Any], Any] | None = None,
    *,
    when: Any = True,
    state: State | None = None,
    settings: Settings | None = None,
) -> tuple[Planner[World], Any]:
    domain = Domain("three steps", World)
    step = domain.primitive("step", precondition=World.at >= 0, effects=World.at.increases(1))
    aside = domain.primitive("aside", precondition=World.flag)

    @domain.compound
    def walk() -> Any:
        yield method(step(), when=World.at > 9)
        if body is not None:
            yield body(step, aside)
        else:
            yield method(step(), step(), step(), when=when)

    return Planner(domain, walk(), settings or Settings()), (state or World()).frozen()


def _first_plan(tasks: int, _: int) -> Use:
    domain, goal = growth.tasks(tasks)

    def plan() -> None:
        growth.planned(domain, goal, growth.World())

    return plan


def _ten() -> Planner[World]:
    domain = Domain("ten members", World)

    @domain.primitive
    def raised(member: int) -> Primitive:
        effect = World.members[member].increases(1)
        return primitive(precondition=World.members[member] > 0, effects=effect)

    @domain.compound
    def all_raised() -> Any:
        yield method(*map(raised, range(10)))

    return Planner(domain, all_raised())


@cache
def _large(members: int) -> World:
    return World(members=dict.fromkeys(range(members), 1))


@cache
def _beliefs(members: int) -> Beliefs[World]:
    return Beliefs(_large(members))


def _touching(planner: Planner[World], members: int, number: int) -> Use:
    fresh = _large(members).frozen().changed({World.at: number + 1})
    return partial(_planned, planner, fresh)


def _snapshot(members: int, number: int) -> Use:
    beliefs = _beliefs(members)

    def write() -> None:
        beliefs.write(World.at, number + 1)
        beliefs.frozen()

    return write
