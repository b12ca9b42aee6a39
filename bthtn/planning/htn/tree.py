"""The plan in the record of a search, made on demand: its tree and the state it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, assert_never

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.goal import Action
from bthtn.domain.network import Network
from bthtn.plan.nodes import Dropped, Node, NullNode, Suspension
from bthtn.plan.plan import SharedTree
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn import assembly
from bthtn.planning.htn.assembly import Planned
from bthtn.planning.htn.by_arguments import are_interchangeable
from bthtn.planning.htn.guard import RecursionGuard
from bthtn.planning.htn.memo import Answer, PlanMemo
from bthtn.planning.htn.prepared import PreparedGoal
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
from bthtn.world.state import FrozenState


class Found(NamedTuple):
    """A plan as a search has found it: what its fields are made from when they are first read.

    With a ``memo`` the plan becomes an answer there, once its tree is made.
    """

    prepared: PreparedGoal
    state: FrozenState
    expansions: int
    entries: list[Entry]
    trail: Trail
    values: Values
    memo: PlanMemo | None
    bound: MethodTraversalRecord | None
    guard: RecursionGuard | None

    @property
    def domain(self) -> FrozenDomain:
        """The domain that was planned with."""
        return self.prepared.domain

    @property
    def goal(self) -> Network:
        """The goal."""
        return self.prepared.network

    @property
    def binding(self) -> Binding:
        """The values of the parameters in the goal."""
        return self.prepared.binding

    @property
    def record(self) -> MethodTraversalRecord:
        """The choices."""
        return choices_in(self.entries)

    @property
    def predicted(self) -> FrozenState:
        """The state after the plan."""
        return self.state.changed(_written(self.trail, self.values))

    @property
    def shared_tree(self) -> SharedTree:
        """The tree, or that of an equal plan."""
        memo = self.memo
        if memo is None:
            return self._made()
        entries, values = self.entries, self.values
        key = _key(entries)
        tree = self._made() if key is None else memo.tree(key, len(entries), self._made)
        if memo.keeps_answers:
            if self.guard is not None:
                self.guard.note_reads()
            answer = Answer(values.reads, tree, _written(self.trail, values), self.expansions)
            memo.keep(answer, self.bound, len(entries) if key is None else 0)
        return tree

    def _made(self) -> SharedTree:
        entries, goal = self.entries, self.prepared
        earlier = EarlierState(self.values, self.trail)
        tree = tree_of(entries, goal.body, goal.binding, earlier)
        return SharedTree(tree, choices_in(entries), {})

    def actions(self) -> tuple[Action, ...] | None:
        """The primitive tasks with their arguments; None with alternatives."""
        return actions_in(self.entries)


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
