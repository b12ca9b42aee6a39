"""What a step reads and writes only when it is run, as far as that can be told beforehand.

Planning leaves `exec_only` and `during` conditions alone, and effects that are not there from a
success alone: they are in no footprint.
Data can be looked into; what a plain function asks for, or which member of a family an index
will name, cannot be told without a state.
"""

from __future__ import annotations

from typing import Any

from bthtn.domain.function import FunctionEffect
from bthtn.plan.nodes import Node, PriorityNode, SuspendedNode, TaskNode
from bthtn.plan.walk import footprint, leaves, preorder
from bthtn.world.assignment import Assignment, Reference
from bthtn.world.expression import (
    Arithmetic,
    Binding,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
)
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, Write
from bthtn.world.truth import UNKNOWN, Unknown


def whole_footprint(root: Node) -> Footprint | None:
    """What the tree reads, writes and uses, at run time too; None when that cannot be told.

    Nor can it be told of a step that changes nothing and occupies nothing. It waits, or asks:
    it is there for its place among the others, and no footprint says which these are.
    """
    added: list[Footprint | None] = []
    for _, node in preorder(root):
        match node:
            case SuspendedNode():
                return None
            case TaskNode():
                more = _at_run_time(node)
                if more is None or not (
                    node.footprint.writes or more.writes or node.footprint.uses
                ):
                    return None
                added.append(more)
            case PriorityNode():
                added.extend(_mentioned(leaf.task.precondition, leaf.args) for leaf in leaves(node))
    together = footprint(root)
    sure = isinstance(root, TaskNode)
    for more in added:
        if more is None:
            return None
        if more.reads or more.writes:
            together = together.then(more if sure else more.unsure())
    return together


def _at_run_time(step: TaskNode) -> Footprint | None:
    task, together = step.task, Footprint()
    for condition in (task.exec_only, task.during):
        read = _mentioned(condition, step.args)
        if read is None:
            return None
        together = together.then(read)
    for sure, effects in (
        (True, (*task.on_start, *task.actual)),
        (False, (*task.on_failure, *task.on_abort)),
    ):
        for effect in effects:
            more = None if isinstance(effect, FunctionEffect) else _assigned(effect, step.args)
            if more is None:
                return None
            together = together.then(more if sure else more.unsure())
    return together


def _assigned(effect: Assignment, args: Binding) -> Footprint | None:
    target = effect.target.ground(_NOTHING_KNOWN, args)
    read = _mentioned(effect.value, args)
    if read is None or not isinstance(target, Fluent):
        return None
    write: Write = effect.write(_NOTHING_KNOWN, args)
    return Footprint(read.reads, {target: write})


def _mentioned(expression: Expression[Any], args: Binding) -> Footprint | None:
    """The reads of an expression, whatever the state; None when they depend on it.

    An evaluation reads no more than it needs. This is more: every fluent that is mentioned.
    """
    found: list[Fluent[Any]] = []
    pending = [expression]
    while pending:
        match pending.pop():
            case Constant() | Parameter():
                pass
            case Comparison(_, left, right) | Arithmetic(_, left, right):
                pending += (left, right)
            case Negation(operand):
                pending.append(operand)
            case Junction(parts):
                pending += parts
            case Reference() as reference:
                fluent = reference.ground(_NOTHING_KNOWN, args)
                if not isinstance(fluent, Fluent):
                    return None
                found.append(fluent)
            case _:
                return None
    return Footprint(frozenset(found))


class _NothingKnown:
    """A view of a state of which nothing is known."""

    def get(self, _: Expression[Any], /) -> Unknown:
        return UNKNOWN


_NOTHING_KNOWN = _NothingKnown()
