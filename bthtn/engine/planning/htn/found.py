"""The plan in the record of a search, made on demand: its tree and the state it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.network import Network
from bthtn.engine.plan.plan import SharedTree
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.htn.assembly import tree_of
from bthtn.engine.planning.htn.by_arguments import are_interchangeable
from bthtn.engine.planning.htn.guard import RecursionGuard
from bthtn.engine.planning.htn.memo import Answer, PlanMemo
from bthtn.engine.planning.htn.prepared import PreparedGoal
from bthtn.engine.planning.htn.projected_state import (
    BEGUN,
    EarlierState,
    Trail,
    Values,
    known_value,
)
from bthtn.engine.planning.htn.record import (
    WHAT,
    ChosenMethod,
    Ensured,
    Entry,
    EvaluatedStep,
    actions_in,
    choices_in,
    is_plain,
)
from bthtn.engine.planning.htn.table import MethodRow, PrimitiveRow
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.state import FrozenState

_PART: Final = itemgetter(0, 1)
_ARGS: Final = itemgetter(1)
_CALL: Final = itemgetter(3)
_ROWS: Final = frozenset({PrimitiveRow, MethodRow})
_DEPENDENT: Final = frozenset({ChosenMethod, EvaluatedStep, Ensured})
"""What was planned by evaluation depends on the state."""


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
        return self.prepared.domain

    @property
    def goal(self) -> Network:
        return self.prepared.network

    @property
    def binding(self) -> Binding:
        """The values of the parameters in the goal."""
        return self.prepared.binding

    @property
    def record(self) -> MethodTraversalRecord:
        return choices_in(self.entries)

    @property
    def predicted(self) -> FrozenState:
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
            written, in_turn = _written(self.trail, values), is_plain(entries)
            answer = Answer(values.reads, tree, written, self.expansions, is_in_turn=in_turn)
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
    if not _DEPENDENT.isdisjoint(map(type, map(WHAT, record))):
        return None
    for what in set(map(WHAT, record)):
        if type(what) in _ROWS and what.planned is None:
            return None
    for call in set(map(_CALL, record)):
        if call is not None and call.reads and call.readings is None:
            return None
    args = [*chain.from_iterable(map(_ARGS, record))]
    return (*map(_PART, record), *map(type, args)) if are_interchangeable(args) else None


def _written(trail: Trail, values: Values) -> dict[Any, Any]:
    """Every fluent that a plan writes, with its value at the end."""
    return {
        fluent: known_value(values[fluent])
        for fluent in dict(trail)
        if fluent in values and fluent is not BEGUN
    }
