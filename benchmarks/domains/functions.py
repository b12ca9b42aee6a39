"""Blocks as a port from GTPyhop writes it: every condition, effect and method is a function."""

from __future__ import annotations

from typing import Any

from benchmarks.domains.blocks import HAND, NOTHING, TABLE, Blocks, Case
from benchmarks.domains.blocks import question as data_question
from benchmarks.modes import Question
from bthtn import Domain, Methods, Primitive, method, primitive

blocks = Domain("blocks of functions", Blocks)


@blocks.compound
def rebuild() -> Methods:
    """Have all the wanted towers."""
    yield method(lambda s: place_from(s.first))


@blocks.compound
def place_from(block: str) -> Methods:
    """Place a block and all those that come after it."""

    def m_place(s: Blocks) -> Any:
        if block == NOTHING:
            return ()
        return (place(block), place_from(s.after[block]))

    yield method(m_place)


@blocks.compound
def place(block: str) -> Methods:
    """Bring a block to where it is wanted; below that place all is done."""

    def m_done(s: Blocks) -> Any:
        return () if s.on[block] == s.goal[block] else None

    def m_to_table(s: Blocks) -> Any:
        if s.goal[block] == TABLE:
            return (clear(block), take(block), putdown(block))
        return None

    def m_to_block(s: Blocks) -> Any:
        goal = s.goal[block]
        return (clear(block), clear(goal), take(block), stack(block, goal))

    yield method(m_done)
    yield method(m_to_table)
    yield method(m_to_block)


@blocks.compound
def clear(block: str) -> Methods:
    """Put everything that stands on a block on the table."""
    yield method(lambda s: () if s.above[block] == NOTHING else None)
    yield method(lambda s: uncover(block, s.above[block]))


@blocks.compound
def uncover(block: str, top: str) -> Methods:
    """Take one block off another."""
    yield method(lambda s: (clear(top), unstack(top, block), putdown(top)))


@blocks.compound
def take(block: str) -> Methods:
    """Have a clear block in the hand."""
    yield method(lambda s: pickup(block) if s.on[block] == TABLE else None)
    yield method(lambda s: unstack(block, s.on[block]))


@blocks.primitive
def pickup(block: str) -> Primitive:
    """From the table."""

    def free(s: Blocks) -> bool:
        return s.on[block] == TABLE and s.above[block] == NOTHING and s.holding == NOTHING

    def lifted(s: Blocks) -> None:
        s.on[block] = HAND
        s.holding = block

    return primitive(precondition=free, effects=lifted)


@blocks.primitive
def putdown(block: str) -> Primitive:
    """Onto the table."""

    def put(s: Blocks) -> None:
        s.on[block] = TABLE
        s.holding = NOTHING

    return primitive(precondition=lambda s: s.holding == block, effects=put)


@blocks.primitive
def unstack(block: str, below: str) -> Primitive:
    """From another block."""

    def free(s: Blocks) -> bool:
        return s.on[block] == below and s.above[block] == NOTHING and s.holding == NOTHING

    def lifted(s: Blocks) -> None:
        s.on[block] = HAND
        s.above[below] = NOTHING
        s.holding = block

    return primitive(precondition=free, effects=lifted)


@blocks.primitive
def stack(block: str, below: str) -> Primitive:
    """Onto another block."""

    def free(s: Blocks) -> bool:
        return s.holding == block and s.above[below] == NOTHING

    def stacked(s: Blocks) -> None:
        s.on[block] = below
        s.above[below] = block
        s.holding = NOTHING

    return primitive(precondition=free, effects=stacked)


def question(case: Case, number: int = 0) -> Question:
    """The same towers, with functions for everything."""
    asked = data_question(case, number)
    return Question(blocks, asked.state, rebuild())
