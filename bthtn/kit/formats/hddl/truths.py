"""Conditions of a file as conditions of bthtn, or as True or False where that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    as_expression,
)
from bthtn.engine.world.operations import COMPARE
from bthtn.kit.formats.hddl.parser import OBJECT
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import (
    And,
    Atom,
    Calculation,
    Compared,
    Condition,
    Declared,
    Equal,
    Exists,
    ForAll,
    Not,
    OfType,
    Or,
    Value,
)
from bthtn.kit.formats.hddl.world import World

MOST_INSTANCES: Final = 200_000
"""As many conditions and effects may the quantifiers of a problem stand for."""

Scope = Mapping[str, Any]
"""The meaning of each variable: a parameter, or the name of an object."""
Truth = Expression[bool] | bool


class Truths:
    """Makes conditions of one problem."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._instances = 0

    def term(self, term: str, scope: Scope) -> Any:
        """What a variable or an object stands for."""
        return scope[term] if term in scope else self._world.spelled[term]

    def of(self, condition: Condition, scope: Scope, source: Source) -> Truth:
        """The condition. Raises InputError for quantifiers that stand for too much."""
        match condition:
            case Atom(name, terms):
                values = [self.term(term, scope) for term in terms]
                if name not in self._world.changing and not any(map(_is_symbol, values)):
                    return tuple(values) in self._world.facts[name]
                found: Truth = self._world.fluent("predicate", name, values)
                return found
            case Equal(left, right):
                return equal(self.term(left, scope), self.term(right, scope))
            case Compared(symbol, left, right):
                return _compared(symbol, self.value(left, scope), self.value(right, scope))
            case OfType(term, types):
                return self.of_type(self.term(term, scope), types)
            case Not(part):
                return negated(self.of(part, scope, source))
            case And(parts) | Or(parts):
                truths = (self.of(part, scope, source) for part in parts)
                return joined(truths, decisive=isinstance(condition, Or))
            case ForAll(variables, part, at) | Exists(variables, part, at):
                scopes = self.instances(variables, scope, source, at)
                truths = (self.of(part, each, source) for each in scopes)
                return joined(truths, decisive=isinstance(condition, Exists))

    def value(self, value: Value, scope: Scope) -> Any:
        """What a value stands for: an object, a number, or an expression."""
        match value:
            case str():
                return self.term(value, scope)
            case Atom(name, terms):
                return self._world.fluent("function", name, [self.term(t, scope) for t in terms])
            case Calculation(symbol, left, right):
                parts = (self.value(left, scope), self.value(right, scope))
                return Arithmetic(symbol, *map(as_expression, parts))
            case number:
                return float(number)

    def of_type(self, value: Any, types: tuple[str, ...]) -> Truth:
        """Whether an object is of one of these types."""
        if OBJECT in types:
            return True
        if not _is_symbol(value):
            return value in self._world.of_types(types)
        kinds = (self._world.fluent("type", name, (value,)) for name in types)
        return joined(kinds, decisive=True)

    def instances(
        self, variables: Sequence[Declared], scope: Scope, source: Source, at: int
    ) -> Iterator[Scope]:
        """The scope with each combination of objects for these variables.

        Raises InputError if they are too many.
        """
        for values in product(*(self._world.of_types(each.types) for each in variables)):
            self._instances += 1
            if self._instances > MOST_INSTANCES:
                message = f"quantifiers stand for more than {MOST_INSTANCES:,} conditions"
                raise source.unsupported(at, message)
            yield {**scope, **{each.name: v for each, v in zip(variables, values, strict=True)}}


def _compared(symbol: str, left: Any, right: Any) -> Truth:
    if _is_symbol(left) or _is_symbol(right):
        return Comparison(symbol, as_expression(left), as_expression(right))
    return bool(COMPARE[symbol](left, right))


def _is_symbol(value: Any) -> bool:
    return isinstance(value, Expression)


def equal(left: Any, right: Any) -> Truth:
    """Whether two values are the same object."""
    if not isinstance(left, Expression):
        return equal(right, left) if isinstance(right, Expression) else bool(left == right)
    return Comparison("==", left, right if isinstance(right, Expression) else Constant(right))


def negated(truth: Truth) -> Truth:
    """The opposite."""
    return Negation(truth) if isinstance(truth, Expression) else not truth


def joined(truths: Iterable[Truth], *, decisive: bool) -> Truth:
    """A conjunction, or if ``decisive`` a disjunction, without the parts whose value is known."""
    parts: list[Expression[bool]] = []
    for truth in truths:
        if truth is decisive:
            return decisive
        if isinstance(truth, Junction) and truth.decisive is decisive:
            parts += truth.parts
        elif isinstance(truth, Expression):
            parts.append(truth)
    if not parts:
        return not decisive
    return parts[0] if len(parts) == 1 else Junction(tuple(parts), decisive)
