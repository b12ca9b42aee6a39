"""The decomposition that led to a plan as a table (semantics, requirement R001-08).

it  tasks to process                  plan                          record
0   be_trunk_thumper                  -                             -
1   navigate_to_enemy, trunk_slam     -                             0
2   trunk_slam                        navigate_to_enemy             0
3   -                                 navigate_to_enemy, slam_hard  0,1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, Final, assert_never

from bthtn.engine.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import children_of

HEADING: Final = ("it", "tasks to process", "plan", "record")
NOTHING: Final = "-"


@dataclass(frozen=True, slots=True)
class TableRow:
    """The tasks that were still to be planned, the steps so far, and the record so far."""

    tasks: tuple[str, ...]
    steps: tuple[str, ...]
    record: tuple[int, ...]

    def data(self) -> dict[str, Any]:
        """The row as a dictionary for JSON."""
        return {"tasks": [*self.tasks], "plan": [*self.steps], "record": [*self.record]}


def decomposition_table(plan: Plan) -> tuple[TableRow, ...]:
    """A row for the goal, and one after each task of the plan was decomposed or became a step.

    Branches of parallel and priority nodes follow each other, as the search plans them. Its
    vain attempts are not in the table.
    """
    pending: list[Node] = [plan.tree]
    steps: list[str] = []
    record: list[int] = []
    rows: list[TableRow] = []
    while pending:
        node = _first_task(pending)
        rows.append(TableRow(tuple(map(_text, reversed(pending))), tuple(steps), tuple(record)))
        match node:
            case ScopeNode():
                record.append(node.method)
                pending[-1] = node.child
            case TaskNode() | SuspendedNode():
                steps.append(_text(node))
                pending.pop()
            case None:
                return tuple(rows)
            case _:
                assert_never(node)
    rows.append(TableRow((), tuple(steps), tuple(record)))
    return tuple(rows)


def table_text(rows: Sequence[TableRow]) -> str:
    """The table as lines."""
    cells = [HEADING, *starmap(_cells, enumerate(rows))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def _cells(number: int, row: TableRow) -> tuple[str, str, str, str]:
    record = ",".join(map(str, row.record))
    texts = (", ".join(row.tasks), ", ".join(row.steps), record)
    tasks, steps, choices = (text or NOTHING for text in texts)
    return str(number), tasks, steps, choices


def _first_task(pending: list[Node]) -> ScopeNode | TaskNode | SuspendedNode | None:
    """The task on top, after the nodes above it that are no tasks became their children."""
    while pending:
        node = pending[-1]
        if isinstance(node, ScopeNode | TaskNode | SuspendedNode):
            return node
        pending[-1:] = reversed(children_of(node))
    return None


def _text(node: Node) -> str:
    return str(node).removesuffix(f" m{node.method}") if isinstance(node, ScopeNode) else str(node)
