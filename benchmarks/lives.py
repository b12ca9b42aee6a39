"""Lives of characters with one goal, as samples: plans begin, beliefs change, crowds tick."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from benchmarks import by_hand
from benchmarks.domains import combat
from benchmarks.sample import Sample, Use, World, always
from bthtn import Domain, NetworkLike, State, TaskCall, method, pause
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.examples.domains.combat import domain

AGENTS = 24
TICKS = 3
"""Of a combat: who has a target, cover and ammunition hides in the first, and shoots."""


def felt() -> Iterator[Sample]:
    """What is seen of a character: how soon he does something else, and what his acts cost."""
    yield Sample("a belief changes, and a better plan's behaviour runs", _switch)
    yield Sample("life of a combat plan", partial(_life, combat.CASES[0]))
    yield Sample("the same nodes by hand, made and ticked", _life_by_hand)
    tree = by_hand.fight(soldier := by_hand.Soldier())
    yield Sample("the same nodes by hand, only ticked", always(partial(_act, tree, soldier)))


def lives() -> Iterator[Sample]:
    """A character with one goal, from nothing until it is reached; and crowds of them."""
    yield from felt()
    for ahead in (10, 300):
        change = partial(_change, _waiting(ahead))
        yield Sample(f"a relevant change with {ahead} steps ahead", change)
    yield Sample("the first one with 300 steps ahead", _first_change, times=2)
    yield Sample("a tick in which a suspended part is planned", partial(_arrive, *_two_halves()))
    ways = _two_ways()
    yield Sample("a plan of 10 steps from nothing", partial(_begin, *ways))
    yield Sample("the same, with its first step kept", partial(_adopt, *ways))
    for steps in (100, 1_000):
        yield Sample(f"{steps:,} steps planned and begun", partial(_begin, *_steps(steps)), times=2)
    for steps in (100, 10_000):
        first = partial(_first_tick, *_steps(steps))
        yield Sample(f"first tick of a plan of {steps:,} steps", first, times=2)
    crowds = {"": {}, ", heard": {"listener": id}}
    for name, given in crowds.items():
        tick = _Crowd(**given).tick
        yield Sample(f"tick of an agent in a crowd{name}", always(tick), per=AGENTS)


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
        for _ in range(TICKS):
            _tick(goal)
            clock.advance(1)
        assert goal.status is Status.SUCCESS, "the target is hit"

    return live


def _switch(_: int) -> Use:
    """A soldier backs off while he shoots, sees cover, and runs for it in the same tick."""
    goal, clock = _goal(domain.combat, domain.Soldier(target=True), domain.fight())
    _tick(goal)
    clock.advance(1)

    def switch() -> None:
        goal.agent.believe(domain.Soldier.cover, value=True)
        _tick(goal)
        assert goal.tip().name == "move_to_cover", "the better plan runs"

    return switch


def _life_by_hand(_: int) -> Use:
    return lambda: _act(by_hand.fight(soldier := by_hand.Soldier()), soldier)


def _act(tree: Behaviour, soldier: by_hand.Soldier) -> None:
    """Tick the tree of a soldier who has a target to its end, as often as the plan is ticked."""
    soldier.target, soldier.now = True, 0.0
    for _ in range(TICKS):
        tree.tick_once()
        soldier.now += 1
    assert tree.status is Status.SUCCESS, "the target is hit"


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


def _two_halves() -> tuple[Domain[World], TaskCall]:
    """A step, after whose end two others are planned."""
    domain = Domain("two halves", World)
    step = domain.primitive("step", precondition=World.at >= 0, effects=World.at.increases(1))
    begin = domain.primitive("begin", duration=10**6)

    @domain.compound
    def walk() -> Any:
        yield method(step(), pause(), step(), begin())

    return domain, walk()


def _arrive(domain: Domain[World], walk: TaskCall, _: int) -> Use:
    goal, clock = _goal(domain, World(), walk)
    while goal.plan is None:
        _tick(goal)
    clock.advance(1)

    def arrive() -> None:
        _tick(goal)
        step = goal.tip()
        assert step is not None, "the second half is planned"
        assert step.name == "begin", "the first step of it has ended"

    return arrive


def _first_tick(domain: Domain[World], walk: TaskCall, _: int) -> Use:
    """The tick in which a plan begins that was found before."""
    goal, _clock = _goal(domain, World(), walk)
    while not goal.prepare():
        pass
    return partial(_tick, goal)


class _Crowd:
    """Soldiers that fight over and over; with a listener if one is ``given``."""

    def __init__(self, **given: Any) -> None:
        self._clock = ManualClock()
        asked = [combat.question(combat.CASES[number % 8]) for number in range(AGENTS)]
        given |= {"body": None, "clock": self._clock}
        self._goals = [
            PlanGoal("goal", Agent("a", q.domain, q.state, **given), q.goal) for q in asked
        ]

    def tick(self) -> None:
        """One tick of each."""
        self._clock.advance(1)
        for goal in self._goals:
            _tick(goal)
