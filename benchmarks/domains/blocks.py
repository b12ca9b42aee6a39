"""Blocks on a table, rebuilt tower by tower from the bottom.

A block goes to its place when all below is done; what stands in the way goes to the table, so
no block moves more than twice. Fluents answer what a domain would otherwise have to search
for: what a block stands on, what stands on it, which block is to be placed after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random

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

TABLE, HAND, NOTHING = "table", "hand", "nothing"
SPARE = 10
"""Blocks that are there at least, so that few can change places in many ways."""


class Blocks(State):
    """Blocks, a hand, and the wanted towers, which do not change."""

    on: FluentFamily[str, str] = fluents(default=TABLE)
    above: FluentFamily[str, str] = fluents(default=NOTHING)
    holding: Fluent[str] = fluent(default=NOTHING)
    first: Fluent[str] = fluent(default=NOTHING)
    goal: FluentFamily[str, str] = fluents(default=TABLE)
    after: FluentFamily[str, str] = fluents(default=NOTHING)


blocks = Domain("blocks", Blocks)


@blocks.compound
def rebuild() -> Methods:
    """Have all the wanted towers."""
    yield method(place_from(Blocks.first))


@blocks.compound
def place_from(block: str) -> Methods:
    """Place a block and all those that come after it."""
    yield method(when=block == NOTHING)
    yield method(place(block), place_from(Blocks.after[block]))


@blocks.compound
def place(block: str) -> Methods:
    """Bring a block to where it is wanted; below that place all is done."""
    goal = Blocks.goal[block]
    yield method(when=Blocks.on[block] == goal)
    yield method(clear(block), take(block), putdown(block), when=goal == TABLE)
    yield method(clear(block), clear(goal), take(block), stack(block, goal))


@blocks.compound
def clear(block: str) -> Methods:
    """Put everything that stands on a block on the table."""
    yield method(when=Blocks.above[block] == NOTHING)
    yield method(uncover(block, Blocks.above[block]))


@blocks.compound
def uncover(block: str, top: str) -> Methods:
    """Take one block off another."""
    yield method(clear(top), unstack(top, block), putdown(top))


@blocks.compound
def take(block: str) -> Methods:
    """Have a clear block in the hand."""
    yield method(pickup(block), when=Blocks.on[block] == TABLE)
    yield method(unstack(block, Blocks.on[block]))


@blocks.primitive
def pickup(block: str) -> Primitive:
    """From the table."""
    return primitive(
        precondition=(Blocks.on[block] == TABLE)
        & (Blocks.above[block] == NOTHING)
        & (Blocks.holding == NOTHING),
        effects=[Blocks.on[block].becomes(HAND), Blocks.holding.becomes(block)],
    )


@blocks.primitive
def putdown(block: str) -> Primitive:
    """Onto the table."""
    return primitive(
        precondition=Blocks.holding == block,
        effects=[Blocks.on[block].becomes(TABLE), Blocks.holding.becomes(NOTHING)],
    )


@blocks.primitive
def unstack(block: str, below: str) -> Primitive:
    """From another block."""
    return primitive(
        precondition=(Blocks.on[block] == below)
        & (Blocks.above[block] == NOTHING)
        & (Blocks.holding == NOTHING),
        effects=[
            Blocks.on[block].becomes(HAND),
            Blocks.above[below].becomes(NOTHING),
            Blocks.holding.becomes(block),
        ],
    )


@blocks.primitive
def stack(block: str, below: str) -> Primitive:
    """Onto another block."""
    return primitive(
        precondition=(Blocks.holding == block) & (Blocks.above[below] == NOTHING),
        effects=[
            Blocks.on[block].becomes(below),
            Blocks.above[below].becomes(block),
            Blocks.holding.becomes(NOTHING),
        ],
    )


Towers = tuple[tuple[str, ...], ...]
"""Blocks from the bottom to the top, tower by tower."""


@dataclass(frozen=True)
class Case:
    """The towers that stand there, and the towers that are wanted."""

    start: Towers
    goal: Towers


def case(size: int) -> Case:
    """Towers of so many blocks, always the same ones."""
    draw = Random(2_020_000 + size)  # noqa: S311 - to be the same everywhere is its purpose
    return Case(_towers(size, draw), _towers(size, draw))


def _towers(size: int, draw: Random) -> Towers:
    """Each block goes onto the latest tower, or with a chance of one in twelve begins another."""
    names = [f"b{number:03}" for number in range(size)]
    draw.shuffle(names)
    towers: list[list[str]] = []
    for name in names:
        if not towers or draw.randrange(12) == 0:
            towers.append([])
        towers[-1].append(name)
    return tuple(map(tuple, towers))


def stands_on(towers: Towers) -> dict[str, str]:
    """What each block stands on."""
    return {block: below for tower in towers for below, block in pairwise((TABLE, *tower))}


def order_of(towers: Towers) -> tuple[str, ...]:
    """The blocks as they are to be placed: each tower from the bottom to the top."""
    return tuple(block for tower in towers for block in tower)


def renamed(case: Case, number: int) -> Case:
    """The same towers, in which the blocks have changed places; a few more take part."""
    if not number:
        return case
    blocks = sorted(order_of(case.start))
    names = [f"b{block:03}" for block in range(max(len(blocks), SPARE))]
    draw = Random(number)  # noqa: S311 - to be the same everywhere is its purpose
    given = dict(zip(blocks, draw.sample(names, len(blocks)), strict=True))

    def other(towers: Towers) -> Towers:
        return tuple(tuple(map(given.__getitem__, tower)) for tower in towers)

    return Case(other(case.start), other(case.goal))


def question(case: Case, number: int = 0) -> Question:
    """From towers to towers."""
    case = renamed(case, number)
    on, order = stands_on(case.start), order_of(case.goal)
    state = Blocks(
        on=on,
        above={below: block for block, below in on.items() if below != TABLE},
        first=order[0],
        goal=stands_on(case.goal),
        after=dict(pairwise(order)),
    )
    return Question(blocks, state, rebuild())
