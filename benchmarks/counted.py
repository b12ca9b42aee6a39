"""What ``benchmarks.instructions`` measures, a row for each: plans, lives of plans, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from benchmarks import growth
from benchmarks.domains import blocks, combat, fps, functions, soldier, travel, troll
from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    PlanCache,
    Planner,
    Primitive,
    State,
    TaskCall,
    find_plan,
    fluent,
    fluents,
    method,
    parallel,
    primitive,
    priority,
)
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.domain.network import NetworkLike
from bthtn.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.world.beliefs import Beliefs

Use = Callable[[], object]
AGENTS = 50


@dataclass(frozen=True)
class Row:
    """What is measured: ``make`` gets the number of a use and returns what is counted."""

    name: str
    make: Callable[[int], Use]
    times: int = 10
    per: int = 1
    """What the count is divided by, besides ``times``."""


class World(State):
    """What plans of equal steps read."""

    at: Fluent[int] = fluent(default=0)
    seen: Fluent[bool] = fluent(default=True, volatile=True)
    flag: Fluent[bool] = fluent(default=True)
    other: Fluent[bool] = fluent(default=True)
    members: FluentFamily[int, int] = fluents(default=0)


def single_plans() -> Iterator[Row]:
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
        yield Row(f"{name}: plan", _always(partial(planner.plan, state)))
        for part in ("actions", "tree"):
            yield Row(f"{name}: {part}", _always(partial(_part, planner, state, part)))
        yield Row(f"{name}: search", _always(lambda p=planner, s=state: p.search(s).advance()))
        asked_anew = partial(find_plan, question.domain, state, question.goal)
        yield Row(f"{name}: find_plan", _always(asked_anew))


def features() -> Iterator[Row]:
    """A plan of three steps with one feature each."""
    for name, options in {
        "plain data": {},
        "volatile": {"when": World.seen},
        "function condition": {"when": lambda s: s.flag},
        "function method": {"body": lambda step, _: method(lambda _: (step(), step(), step()))},
        "parallel": {"body": lambda step, aside: method(parallel(step(), aside()), step())},
        "priority": {"body": lambda step, aside: method(priority(step(), aside()), step(), step())},
        "unknown value": {"state": World(other=UNKNOWN)},
        "cheapest": {"settings": replace(DEFAULT_SETTINGS, cheapest=True)},
    }.items():
        yield Row(f"three steps, {name}: plan", _always(partial(_planned, *_featured(**options))))


def lives() -> Iterator[Row]:
    """A character with one goal, from nothing until it is reached; and crowds of them."""
    yield Row("life of a combat plan", partial(_life, combat.CASES[0]))
    for ahead in (10, 300):
        yield Row(f"a relevant change with {ahead} steps ahead", partial(_change, _waiting(ahead)))
    yield Row("the first one with 300 steps ahead", _first_change, times=2)
    ways = _two_ways()
    yield Row("a plan of 10 steps from nothing", partial(_begin, *ways))
    yield Row("the same, with its first step kept", partial(_adopt, *ways))
    for steps in (100, 1_000):
        yield Row(f"{steps:,} steps planned and begun", partial(_begin, *_steps(steps)), times=2)
    for steps in (100, 10_000):
        first = partial(_first_tick, *_steps(steps))
        yield Row(f"first tick of a plan of {steps:,} steps", first, times=2)
    for name, crowd in {"": _Crowd(None), ", one cache": _Crowd(PlanCache())}.items():
        yield Row(f"tick of an agent in a crowd{name}", _always(crowd.tick), times=20, per=AGENTS)


def sizes() -> Iterator[Row]:
    """A write, a snapshot and a plan in a large state; the first plan of a large domain."""
    for members in (10, 10_000):
        state = World(members=dict.fromkeys(range(members), 1))
        yield Row(f"write and snapshot, {members:,} members", partial(_snapshot, Beliefs(state)))
        yield Row(f"a plan over 10 of {members:,} members", partial(_touching, _ten(), state))
    for tasks in (100, 400):
        yield Row(f"first plan, {tasks} tasks", partial(_first_plan, tasks), times=2)


def rows() -> list[Row]:
    """All that is measured."""
    return [*single_plans(), *features(), *lives(), *sizes()]


def _always(use: Use) -> Callable[[int], Use]:
    return lambda _: use


def _part(planner: Planner[Any], state: Any, part: str) -> None:
    getattr(planner.plan(state), part)


def _planned(planner: Planner[Any], state: Any) -> None:
    assert planner.plan(state) is not None, "three steps are a plan"


def _featured(
    body: Callable[[Any, Any], Any] | None = None,
    *,
    when: Any = True,
    state: State | None = None,
    settings: Settings = DEFAULT_SETTINGS,
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

    return Planner(domain, walk(), settings), (state or World()).frozen()


def _goal(domain: Domain[Any], state: State, goal: NetworkLike) -> tuple[PlanGoal, ManualClock]:
    clock = ManualClock()
    return PlanGoal("goal", Agent("a", domain, state, body=None, clock=clock), goal), clock


def _tick(goal: PlanGoal) -> None:
    goal.agent.sense()
    goal.tick_once()


def _life(case: combat.Case, _: int) -> Use:
    question = combat.question(case)
    goal, clock = _goal(question.domain, question.state, question.goal)

    def live() -> None:
        for _ in range(30):
            _tick(goal)
            if goal.status is not goal.status.RUNNING:
                return
            clock.advance(1)
        raise AssertionError("a combat takes less than half a minute")

    return live


def _steps(number: int) -> tuple[Domain[World], TaskCall]:
    domain = Domain("steps", World)
    step = domain.primitive("step", precondition=World.at >= 0, duration=10**6)

    @domain.compound
    def walk() -> Any:
        yield method(*[step()] * number)

    return domain, walk()


def _waiting(ahead: int) -> PlanGoal:
    domain, walk = _steps(ahead)
    goal, _ = _goal(domain, World(), walk)
    _tick(goal)
    return goal


def _change(goal: PlanGoal, number: int) -> Use:
    def change() -> None:
        goal.agent.believe(World.at, number + 1)
        _tick(goal)

    return change


def _first_change(number: int) -> Use:
    return _change(_waiting(300), number)


def _two_ways(steps: int = 9) -> tuple[Domain[World], TaskCall]:
    """A plan that is better while the flag is set, and one that begins with the same step."""
    domain = Domain("two ways", World)
    near, far = (
        domain.primitive(name, precondition=World.at >= 0, effects=World.at.increases(1))
        for name in ("near", "far")
    )
    begin = domain.primitive("begin", duration=10**6)

    @domain.compound
    def walk() -> Any:
        yield method(begin(), *[near()] * steps, when=World.flag)
        yield method(begin(), *[far()] * steps)

    return domain, walk()


def _adopt(domain: Domain[World], walk: TaskCall, _: int) -> Use:
    goal, _clock = _goal(domain, World(flag=False), walk)
    _tick(goal)

    def adopt() -> None:
        goal.agent.believe(World.flag, value=True)
        _tick(goal)
        assert goal.record == (0,), "the better plan is adopted"

    return adopt


def _begin(domain: Domain[World], walk: TaskCall, _: int) -> Use:
    goal, _clock = _goal(domain, World(), walk)

    def begin() -> None:
        while goal.plan is None:
            _tick(goal)

    return begin


def _first_tick(domain: Domain[World], walk: TaskCall, _: int) -> Use:
    """The tick in which a plan begins that was found before."""
    goal, _clock = _goal(domain, World(), walk)
    while not goal.prepare():
        pass
    return partial(_tick, goal)


class _Crowd:
    """Soldiers that fight over and over, and look into the same cache if there is one."""

    def __init__(self, cache: PlanCache | None) -> None:
        self._clock = ManualClock()
        asked = [combat.question(combat.CASES[number % 8]) for number in range(AGENTS)]
        given: dict[str, Any] = {"body": None, "clock": self._clock, "cache": cache}
        self._goals = [
            PlanGoal("goal", Agent("a", q.domain, q.state, **given), q.goal) for q in asked
        ]

    def tick(self) -> None:
        """One tick of each."""
        self._clock.advance(1)
        for goal in self._goals:
            _tick(goal)


def _first_plan(tasks: int, _: int) -> Use:
    return partial(growth.planned, *growth.tasks(tasks))


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


def _touching(planner: Planner[World], state: World, number: int) -> Use:
    fresh = state.frozen().changed({World.at: number + 1})
    return partial(_planned, planner, fresh)


def _snapshot(beliefs: Beliefs[Any], number: int) -> Use:
    def write() -> None:
        beliefs.write(World.at, number + 1)
        beliefs.frozen()

    return write
