"""The plan in the record of a search, made on demand: its tree and the state it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from bthtn.domain.goal import Action
from bthtn.plan.nodes import Dropped, Node, NullNode, Suspension
from bthtn.plan.plan import SharedTree
from bthtn.planning.htn import assembly
from bthtn.planning.htn.assembly import Planned
from bthtn.planning.htn.by_arguments import are_interchangeable
from bthtn.planning.htn.memo import Answer
from bthtn.planning.htn.record import (
    ChosenMethod,
    Ensured,
    Entry,
    EvaluatedStep,
    Mark,
    actions_in,
    argument_reads,
    choices_in,
    planned_method,
    planned_step,
)
from bthtn.planning.htn.table import Body, MethodRow, PrimitiveRow
from bthtn.planning.htn.values import BEGUN, EarlierState, Trail, Values, known_value
from bthtn.world.expression import Binding


def plan_part(source: tuple[Any, ...], part: str) -> Any:
    """Make the named part of a plan that was found."""
    _, _, goal, state, expansions, record, trail, values, *_ = source
    match part:
        case "tree":
            return _shared_tree(source)
        case "record":
            return choices_in(record)
        case "predicted":
            return state.changed(_written(trail, values))
        case "expansions":
            return expansions
        case "goal":
            return goal.network
        case _:
            return getattr(goal, part)


def _shared_tree(source: tuple[Any, ...]) -> SharedTree:
    """Make the tree of a plan, or take that of an equal one; the plan becomes an answer."""
    _, _, goal, _, expansions, record, trail, values, (memo, bound, guard) = source

    def make() -> SharedTree:
        tree = tree_of(record, goal.body, goal.binding, EarlierState(values, trail))
        return SharedTree(tree, choices_in(record), {})

    if memo is None:
        return make()
    key = _key(record)
    tree = make() if key is None else memo.tree(key, len(record), make)
    if memo.keeps_answers:
        if guard is not None:
            guard.note_reads()
        answer = Answer(values.reads, tree, _written(trail, values), expansions)
        memo.keep(answer, bound, len(record) if key is None else 0)
    return tree


def _key(record: Sequence[Entry]) -> tuple[Any, ...] | None:
    """A key for all records that have an equal tree, None if it depends on the state as well."""
    key: list[Any] = []
    for what, args, _, instruction, _, _ in record:
        kind = type(what)
        if kind is PrimitiveRow or kind is MethodRow:
            is_fixed = what.planned is not None
            if not is_fixed or (instruction.reads and instruction.readings is None):
                return None
            if args:
                if not are_interchangeable(args):
                    return None
                key += (args, *map(type, args))
        elif kind is ChosenMethod or kind is EvaluatedStep or kind is Ensured:
            return None
        key.append(what)
    return tuple(key)


def _written(trail: Trail, values: Values) -> dict[Any, Any]:
    """Every fluent that a plan writes, with its value at the end."""
    return {
        fluent: known_value(values[fluent])
        for fluent, _ in trail
        if fluent in values and fluent is not BEGUN
    }


def plan_actions(source: tuple[Any, ...]) -> tuple[Action, ...] | None:
    """The primitive tasks of a plan, with their arguments; None with alternatives."""
    return actions_in(source[5])


def tree_of(record: Sequence[Entry], body: Body, binding: Binding, earlier: EarlierState) -> Node:
    """Return the plan tree of a record; ``earlier`` starts at its end and is moved to its start."""
    planned: list[Planned] = []
    asked: dict[int, frozenset[Any]] = {}
    for place in range(len(record) - 1, -1, -1):
        entry = record[place]
        what, _, length, instruction, around, _ = entry
        earlier.at(length)
        match what:
            case PrimitiveRow() | EvaluatedStep():
                planned.append(planned_step(entry, earlier))
            case MethodRow() | ChosenMethod():
                planned.append(planned_method(entry, earlier))
            case Mark() | Suspension() | Dropped() | Ensured() | NullNode():
                planned.append(what)
                continue
            case _:
                assert_never(what)
        if instruction.reads:
            asked[place] = argument_reads(instruction, around, earlier)
    planned.reverse()
    return assembly.tree_of(body, binding, planned, asked)
