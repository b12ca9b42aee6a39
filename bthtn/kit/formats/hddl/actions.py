"""Actions of a file as primitive tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.engine.domain.builder import Primitive
from bthtn.engine.world.assignment import Assignment
from bthtn.kit.formats.hddl.functions import Functions
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import Action, Assign, Change, Increase
from bthtn.kit.formats.hddl.truths import Scope, Truth, Truths, equal, joined, negated
from bthtn.kit.formats.hddl.world import World

_Changed = tuple[str, list[Any], Truth, bool]
"""The predicate, its arguments, the condition, and what it becomes."""


class Actions:
    """Describes the actions of one problem."""

    def __init__(self, world: World, truths: Truths, source: Source, functions: Functions) -> None:
        self._world, self._truths = world, truths
        self._source, self._functions = source, functions

    def described(self, action: Action, scope: Scope, further: Sequence[Truth]) -> Primitive:
        """The primitive task; its precondition has further parts. Raises InputError."""
        condition = joined(
            [self._truths.of(action.condition, scope, self._source), *further], decisive=False
        )
        changes: list[_Changed] = []
        made: list[Assignment] = []
        costs: list[Any] = []
        minimizes = self._functions.minimizes
        for effect in action.effects:
            where = (self._source, action.at)
            for inner in self._truths.instances(effect.variables, scope, *where):
                truth = self._truths.of(effect.condition, inner, self._source)
                if isinstance(effect, Change):
                    values = [self._truths.term(term, inner) for term in effect.atom.terms]
                    changes.append((effect.atom.name, values, truth, effect.becomes))
                    continue
                if effect.target.name == minimizes and isinstance(effect, Increase):
                    costs.append(self._amount(effect, truth, inner))
                if effect.target.name in self._functions.changing:
                    made.append(self._given(effect, truth, inner))
        cost = sum(costs[1:], costs[0] if costs else 0) if minimizes else 1
        return Primitive(precondition=condition, effects=self._effects(changes) + made, cost=cost)

    def _effects(self, changes: Sequence[_Changed]) -> list[Assignment]:
        """What becomes false and then what becomes true, which stays so; then what depends."""
        conditional = {name for name, _, truth, _ in changes if truth is not True}
        made: list[Assignment] = []
        for becomes in (False, True):
            for name, values, _, wanted in changes:
                if wanted is becomes and name not in conditional:
                    made.append(self._world.fluent("predicate", name, values).becomes(becomes))
        return made + list(self._conditional([c for c in changes if c[0] in conditional]))

    def _conditional(self, changes: Sequence[_Changed]) -> Iterator[Assignment]:
        """Effects under conditions: what is true behind each is said of the state before."""
        seen: set[Any] = set()
        for name, values, _, _ in changes:
            key = (name, *(value if isinstance(value, str) else id(value) for value in values))
            if key in seen:
                continue
            seen.add(key)
            own = self._world.fluent("predicate", name, values)
            truths: dict[bool, list[Truth]] = {True: [], False: []}
            for other, given, truth, becomes in changes:
                if other == name:
                    same = map(equal, values, given)
                    truths[becomes].append(joined([*same, truth], decisive=False))
            stays = joined([own, negated(joined(truths[False], decisive=True))], decisive=False)
            yield own.becomes(joined([*truths[True], stays], decisive=True))

    def _given(self, effect: Assign | Increase, truth: Truth, scope: Scope) -> Assignment:
        """The change of a function."""
        if truth is not True:
            message = "changes of a function under a condition are not read"
            raise self._source.unsupported(effect.target.at, message)
        target = self._truths.value(effect.target, scope)
        if isinstance(effect, Assign):
            assignment: Assignment = target.becomes(self._truths.value(effect.value, scope))
        else:
            assignment = target.increases(self._truths.value(effect.amount, scope))
        return assignment

    def _amount(self, cost: Increase, truth: Truth, scope: Scope) -> Any:
        if truth is not True:
            message = "costs under a condition are not read"
            raise self._source.unsupported(cost.target.at, message)
        amount = self._truths.value(cost.amount, scope)
        if isinstance(amount, float) and amount < 0:
            raise self._source.unsupported(cost.target.at, "costs below zero are not read")
        return amount
