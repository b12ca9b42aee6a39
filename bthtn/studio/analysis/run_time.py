"""Footprints of steps at run time, as far as they are known before.

Planning ignores `exec_only` and `during` conditions, and all effects except `effects` and
`expected`, so they are in no planned footprint. Their reads and writes are known if they are data;
those of a plain function, or of a family's member with a computed index, depend on the state.
"""

from __future__ import annotations

from typing import Any, assert_never

from bthtn.engine.domain.function import FunctionEffect
from bthtn.engine.plan import nodes
from bthtn.engine.plan.nodes import Node
from bthtn.engine.plan.walk import footprint, leaves, preorder
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.expression import (
    NOTHING_KNOWN,
    Binding,
    Constant,
    Expression,
    Parameter,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint, Write


def whole_footprint(root: Node) -> Footprint | None:
    """The footprint of the tree, including run time; None if it is not known.

    None also if there is a step without writes and resources: such a step waits or checks
    something, so its place among the other steps matters, and a footprint cannot express that.
    """
    added: list[Footprint | None] = []
    for _, node in preorder(root):
        match node:
            case nodes.SuspendedNode():
                return None
            case nodes.TaskNode():
                more = _at_run_time(node)
                if more is None or not (
                    node.footprint.writes or more.writes or node.footprint.uses
                ):
                    return None
                added.append(more)
            case nodes.PriorityNode():
                added.extend(_mentioned(leaf.task.precondition, leaf.args) for leaf in leaves(node))
            case nodes.ScopeNode() | nodes.SequenceNode() | nodes.ParallelNode() | nodes.NullNode():
                pass
            case _:
                assert_never(node)
    together = footprint(root)
    sure = isinstance(root, nodes.TaskNode)
    for more in added:
        if more is None:
            return None
        if more.reads or more.writes:
            together = together.then(more if sure else more.unsure())
    return together


def _at_run_time(step: nodes.TaskNode) -> Footprint | None:
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
    target = effect.target.ground(NOTHING_KNOWN, args)
    read = _mentioned(effect.value, args)
    if read is None or not isinstance(target, Fluent):
        return None
    write: Write = effect.write(NOTHING_KNOWN, args)
    return Footprint(read.reads, {target: write})


def _mentioned(expression: Expression[Any], args: Binding) -> Footprint | None:
    """All fluents that an expression mentions as reads; None if they depend on the state.

    An evaluation may read fewer of them.
    """
    found: list[Fluent[Any]] = []
    for leaf in leaves_of(expression):
        if isinstance(leaf, FluentReference):
            fluent = leaf.ground(NOTHING_KNOWN, args)
            if not isinstance(fluent, Fluent):
                return None
            found.append(fluent)
        elif not isinstance(leaf, Constant | Parameter):
            return None
    return Footprint(frozenset(found))
