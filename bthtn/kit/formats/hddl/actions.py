"""Actions of a file as primitive tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.engine.domain.builder import Primitive
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import as_expression
from bthtn.kit.formats.hddl.functions import Functions
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import Action, Assign, Change, Increase
from bthtn.kit.formats.hddl.truths import Scope, Truth, Truths, equal, joined, negated
from bthtn.kit.formats.hddl.world import World

_Changed = tuple[str, list[Any], Truth, bool]
"""The predicate, its arguments, the condition, and what it becomes."""


_Given = tuple[Assign | Increase, Truth, Scope]
"""The change of a function, its condition, and the meaning of its variables."""


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
        given: list[_Given] = []
        costs: list[Any] = []
        minimizes = self._functions.minimizes
        for effect in action.effects:
            where = (self._source, action.at)
            for inner in self._truths.instances(effect.variables, scope, *where):
                truth = self._truths.of(effect.condition, inner, self._source)
                if truth is False:
                    continue
                if isinstance(effect, Change):
                    values = [self._truths.term(term, inner) for term in effect.atom.terms]
                    changes.append((effect.atom.name, values, truth, effect.becomes))
                    continue
                if effect.target.name == minimizes and isinstance(effect, Increase):
                    costs.append(self._amount(effect, truth, inner))
                if effect.target.name in self._functions.changing:
                    given.append((effect, truth, inner))
        cost = sum(costs[1:], costs[0] if costs else 0) if minimizes else 1
        effects = self._effects(changes) + self._of_functions(given)
        return Primitive(precondition=condition, effects=effects, cost=cost)

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

    def _of_functions(self, given: Sequence[_Given]) -> list[Assignment]:
        """The changes of functions."""
        assigned = Counter(each.target.name for each, _, _ in given if isinstance(each, Assign))
        for effect, truth, _ in given:
            if truth is not True and assigned[effect.target.name] > 1:
                message = f"'{effect.target.name}' gets several values, one under a condition"
                raise self._source.unsupported(effect.target.at, message)
        return [self._of_function(*each) for each in given]

    def _of_function(self, effect: Assign | Increase, truth: Truth, scope: Scope) -> Any:
        """The change of a function. Under a condition, a number counts once if it holds.

        ``when c: n becomes 3`` is ``n becomes c * 3 + (not c) * n``.
        """
        target = self._truths.value(effect.target, scope)
        if isinstance(effect, Increase):
            return target.increases(_times(truth, self._truths.value(effect.amount, scope)))
        value = self._truths.value(effect.value, scope)
        if truth is True:
            return target.becomes(value)
        if target.value_type is not float:
            message = "objects that a function becomes under a condition are not read"
            raise self._source.unsupported(effect.target.at, message)
        return target.becomes(_times(truth, value) + _times(negated(truth), target))

    def _amount(self, cost: Increase, truth: Truth, scope: Scope) -> Any:
        if truth is not True:
            message = "costs under a condition are not read"
            raise self._source.unsupported(cost.target.at, message)
        amount = self._truths.value(cost.amount, scope)
        if isinstance(amount, float) and amount < 0:
            raise self._source.unsupported(cost.target.at, "costs below zero are not read")
        return amount


def _times(truth: Truth, number: Any) -> Any:
    """The number if the condition holds, else 0."""
    return number if truth is True else as_expression(truth) * number
