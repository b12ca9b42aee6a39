"""Actions of a file as primitive tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.engine.domain.builder import Primitive
from bthtn.engine.world.assignment import Assignment
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import Action, Atom, Change, Increase
from bthtn.kit.formats.hddl.truths import Scope, Truth, Truths, equal, joined, negated
from bthtn.kit.formats.hddl.world import World

_Changed = tuple[str, list[Any], Truth, bool]
"""The predicate, its arguments, the condition, and what it becomes."""


class Actions:
    """Describes the actions of one problem. ``minimizes`` is the function that is their cost."""

    def __init__(self, world: World, truths: Truths, source: Source, minimizes: str) -> None:
        self._world, self._truths = world, truths
        self._source, self._minimizes = source, minimizes

    def described(self, action: Action, scope: Scope, further: Sequence[Truth]) -> Primitive:
        """The primitive task; its precondition has further parts. Raises InputError."""
        condition = joined(
            [self._truths.of(action.condition, scope, self._source), *further], decisive=False
        )
        changes: list[_Changed] = []
        costs: list[Any] = []
        for effect in action.effects:
            where = (self._source, action.at)
            for inner in self._truths.instances(effect.variables, scope, *where):
                truth = self._truths.of(effect.condition, inner, self._source)
                if isinstance(effect, Change):
                    values = [self._truths.term(term, inner) for term in effect.atom.terms]
                    changes.append((effect.atom.name, values, truth, effect.becomes))
                elif effect.target.name == self._minimizes:
                    costs.append(self._amount(effect, truth, inner))
        cost = sum(costs[1:], costs[0] if costs else 0) if self._minimizes else 1
        return Primitive(precondition=condition, effects=self._effects(changes), cost=cost)

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

    def _amount(self, cost: Increase, truth: Truth, scope: Scope) -> Any:
        if truth is not True:
            message = "costs under a condition are not read"
            raise self._source.unsupported(cost.target.at, message)
        if not isinstance(cost.amount, Atom):
            return cost.amount
        values = [self._truths.term(term, scope) for term in cost.amount.terms]
        return self._world.fluent("function", cost.amount.name, values)
