"""Blocks World for goal-directed planning, with a variable for each thing that can differ."""

from __future__ import annotations

from typing import Literal

from bthtn import Domain, Fluent, FluentFamily, Primitive, State, fluent, fluents, primitive

Block = Literal["a", "b", "c", "d"]

TABLE, HAND, NOTHING = "table", "hand", ""


class Blocks(State):
    """The place of each block, whether it is a tower's top, and the block in the hand.

    A block on the table with nothing on it is what there is by default: that is true of a block
    that no state mentions, too.
    """

    hand: Fluent[str] = fluent(default=NOTHING)
    on: FluentFamily[str, str] = fluents(default=TABLE)
    is_top: FluentFamily[str, bool] = fluents(default=True)


strips = Domain("strips", Blocks)


@strips.primitive
def pickup(block: Block) -> Primitive:
    """From the table."""
    return primitive(
        precondition=(Blocks.on[block] == TABLE) & Blocks.is_top[block] & (Blocks.hand == NOTHING),
        effects=[
            Blocks.hand.becomes(block),
            Blocks.on[block].becomes(HAND),
            Blocks.is_top[block].becomes(False),
        ],
    )


@strips.primitive
def putdown(block: Block) -> Primitive:
    """Onto the table."""
    return primitive(
        precondition=Blocks.hand == block,
        effects=[
            Blocks.hand.becomes(NOTHING),
            Blocks.on[block].becomes(TABLE),
            Blocks.is_top[block].becomes(True),
        ],
    )


@strips.primitive
def stack(block: Block, below: Block) -> Primitive:
    """Onto another block."""
    return primitive(
        precondition=(Blocks.hand == block) & Blocks.is_top[below],
        effects=[
            Blocks.hand.becomes(NOTHING),
            Blocks.on[block].becomes(below),
            Blocks.is_top[block].becomes(True),
            Blocks.is_top[below].becomes(False),
        ],
    )


@strips.primitive
def unstack(block: Block, below: Block) -> Primitive:
    """Off another block."""
    return primitive(
        precondition=(Blocks.on[block] == below) & Blocks.is_top[block] & (Blocks.hand == NOTHING),
        effects=[
            Blocks.hand.becomes(block),
            Blocks.on[block].becomes(HAND),
            Blocks.is_top[block].becomes(False),
            Blocks.is_top[below].becomes(True),
        ],
    )
