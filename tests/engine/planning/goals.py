"""Small worlds with goals, and random ones: what goal-directed search is tested with."""

from enum import Enum
from functools import cache, reduce
from operator import and_, or_
from random import Random

from bthtn import UNKNOWN, Domain, Fluent, FluentFamily, State, achieve, fluent, fluents
from bthtn.engine.domain.task_effects import projected
from bthtn.engine.planning.protocol import Settings, request
from bthtn.engine.planning.strips.forward import SimulatedState
from bthtn.engine.world.footprint import RecordingView


class Level(Enum):
    """A value that is compared in order."""

    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"


class Lab(State):
    """A few fluents of every kind."""

    a: Fluent[bool] = fluent(default=False)
    b: Fluent[bool] = fluent(default=False)
    c: Fluent[bool] = fluent(default=False)
    level: Fluent[Level] = fluent(default=Level.LOW)
    count: Fluent[int] = fluent(default=0)
    seen: Fluent[bool] = fluent(default=False, volatile=True)
    box: FluentFamily[str, bool] = fluents(default=False)


BOOLS = (Lab.a, Lab.b, Lab.c, Lab.seen, Lab.box["x"], Lab.box["y"])


def literal(draw: Random):
    """A condition without parts."""
    kind = draw.randrange(8)
    if kind == 0:
        value = draw.choice(list(Level))
        return draw.choice([Lab.level == value, Lab.level != value, Lab.level > value])
    if kind == 1:
        value = draw.randrange(3)
        return draw.choice([Lab.count == value, Lab.count >= value, value > Lab.count])
    one = draw.choice(BOOLS)
    return one if draw.random() < 0.6 else ~one


def condition(draw: Random, most: int = 3):
    """A conjunction, now and then with a disjunction in it."""
    parts = [literal(draw) for _ in range(draw.randint(1, most))]
    if draw.random() < 0.2:
        parts.append(reduce(or_, [literal(draw), literal(draw) & literal(draw)]))
    whole = reduce(and_, parts)
    return ~whole if draw.random() < 0.1 else whole


def effect(draw: Random):
    """One change to a constant."""
    kind = draw.randrange(7)
    if kind == 0:
        return Lab.level.becomes(draw.choice(list(Level)))
    if kind == 1:
        return Lab.count.becomes(draw.randrange(4))
    return draw.choice(BOOLS).becomes(draw.random() < 0.65)


def problem(seed: int, *, unknown: bool = False, **how):
    """A random domain, state and goal, always the same for a seed.

    Two goals in three can be reached: they are where a random walk has come to.
    """
    settings = how.pop("settings", Settings())
    domain, state, goal = _drawn(seed, unknown)
    return request(domain, state, achieve(goal, **how), settings)


@cache
def _drawn(seed: int, unknown: bool):
    draw = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
    domain = Domain("lab", Lab)
    tasks = [
        domain.primitive(
            f"do_{number}",
            precondition=condition(draw, 3) if draw.random() < 0.95 else None,
            effects=[effect(draw) for _ in range(draw.randint(1, 2))],
            cost=draw.choice([0, 1, 1, 2, 3]),
        )
        for number in range(draw.randint(4, 12))
    ]
    values = {name: draw.random() < 0.25 for name in ("a", "b", "c", "seen")}
    if unknown:
        values |= {name: UNKNOWN for name in ("a", "c") if draw.random() < 0.5}
    state = Lab(**values, level=draw.choice(list(Level)), box={"x": draw.random() < 0.5})
    return domain, state, walked(draw, tasks, state) if draw.random() < 0.67 else condition(draw, 4)


def walked(draw: Random, tasks, state):
    """Some of what is different behind a random walk."""
    reached = SimulatedState(state.frozen())
    for _ in range(25):
        step = projected(draw.choice(tasks), (), RecordingView(reached))
        if step.possible is True and step.writes is not None:
            reached = reached.after(step.writes)
    changed = [
        fluent
        for fluent in (*BOOLS, Lab.level, Lab.count)
        if reached.get(fluent) is not UNKNOWN and reached.get(fluent) != reached.base.get(fluent)
    ]
    picked = draw.sample(changed, min(len(changed), draw.randint(1, 4)))
    parts = [fluent == reached.get(fluent) for fluent in picked]
    return reduce(and_, parts) if parts else condition(draw, 4)


def pursuit_of(asked):
    """The goal of a request."""
    return asked.domain.methods[asked.goal.task][0].body.pursuit
