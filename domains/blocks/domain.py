"""Blocks World: an arm that holds one block at a time piles them up anew."""

from __future__ import annotations

from typing import Final

from bthtn import (
    Fluent,
    FluentFamily,
    NetworkLike,
    State,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
)
from bthtn.examples.domains.design import Design, Task

Goal = tuple[tuple[str, str], ...]
"""Pairs of a block and its place: ``(("a", "b"), ("b", "table"))``."""

BLOCKS: Final = ("a", "b", "c", "d")


class Table(State):
    """Where the blocks are. A block that is ``on`` nothing does not exist."""

    hand: Fluent[str] = fluent(default="")
    on: FluentFamily[str, str] = fluents(default="")
    is_top: FluentFamily[str, bool] = fluents(default=False)


def height(block: str, goal: Goal) -> int:
    """How many blocks are to be below this one, as far as the goal says."""
    below, steps = dict(goal), 0
    while below.get(block, "table") != "table" and steps < len(goal):
        block, steps = below[block], steps + 1
    return steps


def next_block(table: Table, goal: Goal) -> str:
    """The block to be moved next: one that goes to the table, else the lowest one; "" at last."""
    wrong = [(block, below) for block, below in goal if table.on[block] != below]
    on_the_table = [block for block, below in wrong if below == "table"]
    lowest = sorted([block for block, _ in wrong], key=lambda block: height(block, goal))
    return next(iter(on_the_table + lowest), "")


class Piling(Design, state=Table):
    """Blocks World as a network of tasks, for an arm that may hold a block at the beginning."""

    def achieve(self, goal: Goal) -> Task:
        """目的の状態へブロックを積みなおす: settle the blocks from the table upwards."""

        def settle(table: Table) -> NetworkLike:
            block = next_block(table, goal)
            return (self.move(block, dict(goal)[block]), self.achieve(goal)) if block else ()

        yield method(settle)

    def move(self, a: str, b: str) -> Task:
        """ブロックの移動: make room above both, then take one and put it on the other."""
        room = Table.is_top[b] | (b == "table")
        yield method(self.put(a, b), when=(Table.hand == a) & room)
        yield method(
            lambda table: (self.putdown(table.hand), self.move(a, b)), when=Table.hand != ""
        )
        yield method(self.clear(a), self.move(a, b), when=~Table.is_top[a])
        yield method(self.clear(b), self.move(a, b), when=~room)
        yield method(self.get(a), self.put(a, b))

    def clear(self, a: str) -> Task:
        """Put the blocks on it onto the table."""
        block = one_of(BLOCKS)
        yield method(self.move(block, "table"), when=Table.on[block] == a)

    def get(self, a: str) -> Task:
        """ブロックを持つ: from the table, or from another block."""
        free = (Table.hand == "") & Table.is_top[a]
        yield method(self.pickup(a), when=free & (Table.on[a] == "table"))
        yield method(
            lambda table: self.unstack(a, table.on[a]), when=free & (Table.on[a] != "table")
        )

    def put(self, a: str, b: str) -> Task:
        """ブロックを置く: on the table, or on another block."""
        yield method(self.putdown(a), when=(Table.hand == a) & (b == "table"))
        yield method(self.stack(a, b), when=(Table.hand == a) & Table.is_top[b])

    def pickup(self, a: str) -> Task:
        """Take it from the table."""
        return primitive(
            precondition=(Table.hand == "") & Table.is_top[a] & (Table.on[a] == "table"),
            effects=[
                Table.hand.becomes(a),
                Table.is_top[a].becomes(False),
                Table.on[a].becomes("hand"),
            ],
        )

    def putdown(self, a: str) -> Task:
        """Put what is in the hand on the table."""
        return primitive(
            precondition=Table.hand == a,
            effects=[
                Table.hand.becomes(""),
                Table.is_top[a].becomes(True),
                Table.on[a].becomes("table"),
            ],
        )

    def stack(self, a: str, b: str) -> Task:
        """Put what is in the hand on another block."""
        return primitive(
            precondition=(Table.hand == a) & Table.is_top[b],
            effects=[
                Table.hand.becomes(""),
                Table.is_top[a].becomes(True),
                Table.is_top[b].becomes(False),
                Table.on[a].becomes(b),
            ],
        )

    def unstack(self, a: str, b: str) -> Task:
        """Take it from another block."""
        return primitive(
            precondition=(Table.hand == "") & Table.is_top[a] & (Table.on[a] == b),
            effects=[
                Table.hand.becomes(a),
                Table.is_top[a].becomes(False),
                Table.is_top[b].becomes(True),
                Table.on[a].becomes("hand"),
            ],
        )


class Literal(Piling):
    """As in the talk, where ``move`` has no good way to begin with a block in the hand."""

    def move(self, a: str, b: str) -> Task:
        """A table is no top, and nothing can be cleared while the hand is full."""
        holds, covered = Table.hand == a, ~Table.is_top[b]
        yield method(self.put(a, b), when=holds & Table.is_top[b])
        yield method(self.clear(b), self.put(a, b), when=holds & covered)
        yield method(self.clear(a), self.move(a, b), when=~holds & ~Table.is_top[a])
        top = ~holds & Table.is_top[a]
        yield method(self.clear(b), self.move(a, b), when=top & covered & (b != "table"))
        yield method(self.get(a), self.put(a, b), when=top & (~covered | (b == "table")))


blocks = Piling("blocks")
literal = Literal("blocks:literal")
