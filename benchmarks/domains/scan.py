"""A keeper of boxes: Python functions that look at all of them, or into a table with all of them.

In a *loop*, a *comprehension* and with *any* they read a fluent of each box; the last one counts.
The *table* is a dictionary of the module, such as the map of a world, and read once for each step.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.modes import Question
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    primitive,
)

HEAVY, WAY = 7, 10
MEMBERS = (10, 100, 1_000, 10_000, 100_000)
NEXT = {boxes: {box: (box + 1) % boxes for box in range(boxes)} for boxes in MEMBERS}
"""The box that stands next to a box, by how many boxes there are."""


class Store(State):
    """Boxes by their numbers."""

    keeper: Fluent[str] = fluent(default="keeper 0")
    boxes: Fluent[int] = fluent(default=0)
    weight: FluentFamily[int, int] = fluents(default=0)
    held: Fluent[int] = fluent(default=-1)
    walked: Fluent[int] = fluent(default=0)
    at: Fluent[int] = fluent(default=0)


store = Domain("store", Store)


@store.compound
def take_by_loop() -> Methods:
    """The heaviest box."""

    def m_take(s: Store) -> Any:
        heaviest, most = -1, -1
        for box in range(s.boxes):
            weight = s.weight[box]
            if weight > most:
                heaviest, most = box, weight
        return (lift(s.keeper, heaviest), put_away(s.keeper, heaviest))

    yield method(m_take)


@store.compound
def take_by_comprehension() -> Methods:
    """The first of the heavy boxes."""

    def m_take(s: Store) -> Any:
        heavy = [box for box in range(s.boxes) if s.weight[box] >= HEAVY]
        return (lift(s.keeper, heavy[0]), put_away(s.keeper, heavy[0]))

    yield method(m_take)


@store.compound
def take_if_any() -> Methods:
    """The last box, if any box is heavy."""
    yield method(
        lambda s: (lift(s.keeper, s.boxes - 1), put_away(s.keeper, s.boxes - 1)),
        when=lambda s: any(s.weight[box] >= HEAVY for box in range(s.boxes)),
    )


@store.compound
def walk_along() -> Methods:
    """From one box to the next, ten times."""
    yield method(lambda s: () if s.walked == WAY else None)
    yield method(lambda s: (step(s.keeper, NEXT[s.boxes][s.at]), walk_along()))


@store.primitive
def lift(keeper: str, box: int) -> Primitive:
    """With both hands."""

    def lifted(s: Store) -> None:
        s.held = box

    return primitive(precondition=lambda s: s.held == -1, effects=lifted)


@store.primitive
def put_away(keeper: str, box: int) -> Primitive:
    """Where it weighs nothing."""

    def put(s: Store) -> None:
        s.held = -1
        s.weight[box] = 0

    return primitive(precondition=lambda s: s.held == box, effects=put)


@store.primitive
def step(keeper: str, to: int) -> Primitive:
    """To a box."""

    def there(s: Store) -> None:
        s.at = to
        s.walked += 1

    return primitive(effects=there)


@cache
def weights(boxes: int) -> dict[int, int]:
    """Light boxes, and a heavy one at the end."""
    return {box: box % HEAVY for box in range(boxes - 1)} | {boxes - 1: HEAVY}


def by_loop(boxes: int, number: int = 0) -> Question:
    """Find the heaviest of so many boxes."""
    return Question(store, _state(boxes, number), take_by_loop())


def by_comprehension(boxes: int, number: int = 0) -> Question:
    """Find the heavy ones."""
    return Question(store, _state(boxes, number), take_by_comprehension())


def by_any(boxes: int, number: int = 0) -> Question:
    """Is any of them heavy?"""
    return Question(store, _state(boxes, number), take_if_any())


def by_table(boxes: int, number: int = 0) -> Question:
    """Walk past some of them; their weights are of no concern."""
    return Question(store, Store(keeper=f"keeper {number}", boxes=boxes), walk_along())


def _state(boxes: int, number: int) -> Store:
    return Store(keeper=f"keeper {number}", boxes=boxes, weight=weights(boxes))
