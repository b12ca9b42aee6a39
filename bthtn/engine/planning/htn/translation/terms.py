"""Expressions of syntax trees: the reads, comparisons and arithmetic of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from bthtn.engine.planning.htn.translation.meaning import Meaning
from bthtn.engine.planning.htn.translation.written import NotTranslatable
from bthtn.engine.world.assignment import FluentReference
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    TupleOf,
    operands,
)
from bthtn.engine.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.engine.world.state import State
from bthtn.errors import BthtnError

_EQUALITIES: Final = MappingProxyType({ast.Eq: "==", ast.NotEq: "!="})
_ORDERS: Final = MappingProxyType({ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="})
ARITHMETIC: Final = MappingProxyType(
    {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
)
_NUMBERS: Final = frozenset({int, float})
_FALSE: Final = MappingProxyType({int: 0, float: 0, str: ""})
_ACCESS: Final = frozenset(
    {"__getattribute__", "__getattr__", "__setattr__", "over", "write_fluent"}
)


class Terms:
    """Makes expressions of the parts of one function.

    ``variables`` has the expressions that its variables stand for, at one place in the function,
    ``written`` the values of fluents that it has written; members of ``families_written`` cannot be
    read any more.
    """

    def __init__(self, meaning: Meaning, state_class: type[State]) -> None:
        own = state_class.__mro__[: state_class.__mro__.index(State)]
        if any(_ACCESS & vars(base).keys() for base in own):
            raise NotTranslatable  # reading an attribute means what the author says
        self._meaning = meaning
        self._named = {name: found for base in reversed(own) for name, found in vars(base).items()}
        self._state = meaning.parameters[0]
        self.variables: Mapping[str, Expression[Any]] = dict(meaning.defaults())
        self.written: dict[Fluent[Any], Expression[Any]] = {}
        self.families_written: set[FluentFamily[Any, Any]] = set()

    # values

    def value(self, node: ast.expr) -> Expression[Any]:
        match node:
            case ast.Constant(value=value):
                return self._meaning.data(value)
            case ast.Name() | ast.Attribute():
                return self._named_value(node)
            case ast.Subscript(value=family, slice=index):
                return self._element(self.declared(family), self.value(index))
            case ast.Tuple(elts=parts):
                return _tuple([self.value(part) for part in parts])
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return Constant(-number)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return Arithmetic(ARITHMETIC[type(op)], self.value(left), self.value(right))
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return self._decision(node)
            case _:
                raise NotTranslatable

    def _named_value(self, node: ast.Name | ast.Attribute) -> Expression[Any]:
        if isinstance(node, ast.Name) and node.id in self.variables:
            return self.variables[node.id]
        if not self._is_of_state(node):
            return self._meaning.data(self.named(node))
        found = self.declared(node)
        if type(found) is not Fluent:
            raise NotTranslatable
        return self.written.get(found, found)

    def _element(self, family: Any, index: Expression[Any]) -> Expression[Any]:
        if family in self.families_written:
            raise NotTranslatable
        return self.member(family, index)

    def _decision(self, node: ast.expr) -> Condition:
        """The value of a decision: ``and`` and ``or`` return one of their parts."""
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                if kind_of(self.value(part)) is not bool:
                    raise NotTranslatable
        return self.truth(node)

    def named(self, node: ast.expr) -> Any:
        """The object that a name, or an attribute of one, stands for: a task, a value."""
        match node:
            case ast.Name(id=name) if name not in self.variables and name != self._state:
                return self._meaning.of(name)
            case ast.Attribute(value=ast.Name() as holder, attr=attribute):
                return self._meaning.attribute(self.named(holder), attribute)
        raise NotTranslatable

    def declared(self, node: ast.expr) -> Any:
        """The fluent, or the family of such, that an attribute of the state is.

        Raises NotTranslatable for everything else: a table, and a fluent that is not read from the
        state but named, which is an expression.
        """
        if self._is_of_state(node):
            assert isinstance(node, ast.Attribute), "as it is one of the state"
            found = self._named.get(node.attr)
            if type(found) in (Fluent, FluentFamily):
                return found
        raise NotTranslatable

    def _is_of_state(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name)):
                return name == self._state and name not in self.variables
            case _:
                return False

    def member(self, family: Any, index: Expression[Any]) -> FluentReference[Any]:
        """The member of a family. Raises NotTranslatable for a fluent, or no valid index."""
        if type(family) is not FluentFamily:
            raise NotTranslatable
        try:
            member: FluentReference[Any] = family[
                index.value if isinstance(index, Constant) else index
            ]
        except (BthtnError, TypeError):
            raise NotTranslatable from None
        return member

    # conditions

    def truth(self, node: ast.expr) -> Condition:
        """Whether an expression counts as true. Raises NotTranslatable."""
        match node:
            case ast.BoolOp(op=op, values=parts):
                conditions = tuple(self.truth(part) for part in parts)
                return Junction(conditions, decisive=isinstance(op, ast.Or))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Negation(self.truth(operand))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                pairs = zip(ops, pairwise([left, *rest]), strict=True)
                links = tuple(self._compared(op, *pair) for op, pair in pairs)
                return links[0] if len(links) == 1 else Junction(links, decisive=False)
            case ast.IfExp(test=test, body=body, orelse=other):
                return either(self.truth(test), self.truth(body), self.truth(other))
            case _:
                return _as_truth(self.value(node))

    def _compared(self, op: ast.cmpop, one: ast.expr, other: ast.expr) -> Condition:
        left = self.value(one)
        if isinstance(op, ast.In | ast.NotIn):
            found = self._one_of(left, other)
            return found if isinstance(op, ast.In) else Negation(found)
        right = self.value(other)
        if type(op) in _EQUALITIES:
            return Comparison(_EQUALITIES[type(op)], left, right)
        if type(op) in _ORDERS:
            texts = kind_of(left) is str and kind_of(right) is str
            if texts or (_is_number(left) and _is_number(right)):
                return Comparison(_ORDERS[type(op)], _summed(left), _summed(right))
        if isinstance(op, ast.Is | ast.IsNot) and _is_same_when_equal(left, right):
            return Comparison("==" if isinstance(op, ast.Is) else "!=", left, right)
        raise NotTranslatable

    def _one_of(self, value: Expression[Any], among: ast.expr) -> Condition:
        """Whether the value is one of several constants."""
        if isinstance(among, ast.List | ast.Set):
            values = [self.value(part) for part in among.elts]
        else:
            whole = self.value(among)
            if not isinstance(whole, Constant) or type(whole.value) not in (tuple, frozenset):
                raise NotTranslatable
            values = [Constant(item) for item in whole.value]
        kind = kind_of(value)
        if kind not in (bool, int, str) or not values:
            raise NotTranslatable  # a NaN is in a collection without being equal to itself
        if not all(isinstance(item, Constant) for item in values):
            raise NotTranslatable
        parts = tuple(Comparison("==", value, item) for item in values)
        return Junction(parts, decisive=True)


def _is_number(value: Expression[Any]) -> bool:
    """Whether it is a number, as far as parameters are what they are declared to be."""
    match value:
        case Parameter(type=kind):
            return kind is int
        case Arithmetic(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case _:
            return kind_of(value) in _NUMBERS


def _summed(number: Expression[Any]) -> Expression[Any]:
    """The number, so that it raises where a parameter is none: members of an Enum have an order."""
    return Arithmetic("+", number, Constant(0)) if isinstance(number, Parameter) else number


def _tuple(parts: list[Expression[Any]]) -> Expression[Any]:
    values = [part.value for part in parts if isinstance(part, Constant)]
    return Constant(tuple(values)) if len(values) == len(parts) else TupleOf(tuple(parts))


def either(condition: Condition, one: Condition, other: Condition) -> Condition:
    """The condition that the first of two holds where another condition does, else the second."""
    if isinstance(other, Constant) and not other.value:
        return Junction((condition, one), decisive=False)
    if isinstance(one, Constant) and one.value:
        return Junction((condition, other), decisive=True)
    first = Junction((condition, one), decisive=False)
    second = Junction((Negation(condition), other), decisive=False)
    return Junction((first, second), decisive=True)


def kind_of(value: Expression[Any]) -> type | None:
    """The type of all values that the expression can have, int also for float; None if unsure."""
    match value:
        case Constant(value=known):
            return type(known)
        case Fluent() | MemberOf():
            return None if value.values.is_optional else value.value_type
        case Comparison() | Negation() | Junction():
            return bool
        case Arithmetic(left=left, right=right):
            kinds = {kind_of(left), kind_of(right)}
            if kinds <= _NUMBERS:
                return int if kinds == {int} else float
            return None
        case _:
            return None


def may_raise(value: Expression[Any]) -> bool:
    """Whether evaluating the expression can fail, as every read can; true when in doubt."""
    match value:
        case Constant() | Parameter():
            return False
        case Negation() | Junction() | TupleOf():
            return any(map(may_raise, operands(value)))
        case _:
            return True


def evaluated(values: Iterable[Expression[Any]], then: Condition) -> Condition:
    """A condition that is true where another one is, and evaluates all these before."""
    first = tuple(
        Junction((Comparison("==", value, Constant(None)), Constant(value=True)), decisive=True)
        for value in values
    )
    return Junction((*first, then), decisive=False) if first else then


def always_evaluated(value: Expression[Any]) -> Iterator[Expression[Any]]:
    """The expressions inside one, and itself, that are evaluated whenever it is."""
    yield value
    if isinstance(value, Junction):
        yield from always_evaluated(value.parts[0])
    elif isinstance(value, MemberOf):
        yield from always_evaluated(value.index)
    else:
        for operand in operands(value):
            yield from always_evaluated(operand)


def _as_truth(value: Expression[Any]) -> Condition:
    kind = kind_of(value)
    if kind is bool:
        return value
    if kind is None or kind not in _FALSE:
        raise NotTranslatable  # None and members of an Enum are no answers of a condition
    if isinstance(value, Constant):
        return Constant(bool(value.value))
    return Comparison("!=", value, Constant(_FALSE[kind]))


def _is_same_when_equal(left: Expression[Any], right: Expression[Any]) -> bool:
    """Whether values of the two expressions are equal only if they are one object."""
    if not isinstance(right, Constant) or not isinstance(left, Fluent | MemberOf):
        return False
    kind = left.value_type
    is_enum = issubclass(kind, Enum) and kind.__eq__ is object.__eq__
    if right.value is None:
        return is_enum or kind in (bool, int, float, str)
    return is_enum and kind is type(right.value)
