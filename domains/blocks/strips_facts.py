"""Blocks World in facts, as STRIPS has them: a fact holds or it does not."""

from __future__ import annotations

from typing import Literal

from bthtn import Domain, Fluent, FluentFamily, Primitive, State, fluent, fluents, primitive

Block = Literal["a", "b", "c"]


class Facts(State):
    """OnTable(a), On(a,b), Clear(a), Holding(a), HandEmpty; no fact holds by default.

    The two blocks of On(a,b) are one index: ``on[a,b]``.
    """

    on_table: FluentFamily[str, bool] = fluents(default=False)
    on: FluentFamily[str, bool] = fluents(default=False)
    clear: FluentFamily[str, bool] = fluents(default=False)
    holding: FluentFamily[str, bool] = fluents(default=False)
    hand_empty: Fluent[bool] = fluent(default=False)


strips_facts = Domain("strips_facts", Facts)


@strips_facts.primitive
def pickup(block: Block) -> Primitive:
    """From the table."""
    needed = (Facts.on_table[block], Facts.clear[block], Facts.hand_empty)
    return primitive(
        precondition=needed[0] & needed[1] & needed[2],
        effects=[Facts.holding[block].becomes(True), *(fact.becomes(False) for fact in needed)],
    )


@strips_facts.primitive
def putdown(block: Block) -> Primitive:
    """Onto the table."""
    return primitive(
        precondition=Facts.holding[block],
        effects=[
            Facts.on_table[block].becomes(True),
            Facts.clear[block].becomes(True),
            Facts.hand_empty.becomes(True),
            Facts.holding[block].becomes(False),
        ],
    )


@strips_facts.primitive
def stack(block: Block, below: Block) -> Primitive:
    """Onto another block."""
    return primitive(
        precondition=Facts.holding[block] & Facts.clear[below],
        effects=[
            Facts.on[block + "," + below].becomes(True),
            Facts.clear[block].becomes(True),
            Facts.hand_empty.becomes(True),
            Facts.holding[block].becomes(False),
            Facts.clear[below].becomes(False),
        ],
    )


@strips_facts.primitive
def unstack(block: Block, below: Block) -> Primitive:
    """Off another block."""
    return primitive(
        precondition=Facts.on[block + "," + below] & Facts.clear[block] & Facts.hand_empty,
        effects=[
            Facts.holding[block].becomes(True),
            Facts.clear[below].becomes(True),
            Facts.on[block + "," + below].becomes(False),
            Facts.clear[block].becomes(False),
            Facts.hand_empty.becomes(False),
        ],
    )
