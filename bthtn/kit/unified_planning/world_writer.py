"""What is true, what there is, and conditions on it, as Unified Planning has them.

What nothing asks for is not written: fluents, types and objects are made when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, Final, NoReturn

from unified_planning.model import Fluent as Named
from unified_planning.model import Object
from unified_planning.model import Parameter as Argument

from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    Related,
    TupleOf,
)
from bthtn.engine.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.engine.world.operations import COMPARE
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import DomainError

WITHOUT_FORM: Final = "BT443"
Scope = Mapping[int, Any]
"""What stands for the parameter at each position."""


class World:
    """Writes conditions and values into a problem. ``where`` names what is being written."""

    def __init__(self, problem: Any, state: FrozenState, schema: Any) -> None:
        self._problem, self._state, self._schema = problem, state, schema
        self._manager = problem.environment.expression_manager
        self._types = problem.environment.type_manager
        self._taken: set[str] = set()
        self._kinds: dict[type, Any] = {}
        self._objects: dict[tuple[Any, Any], Any] = {}
        self._fluents: dict[Any, Any] = {}
        self._listed: dict[tuple[Any, ...], Any] = {}
        self.where = "the goal"

    def refuse(self, what: str, hint: str = "") -> NoReturn:
        """Raise the DomainError for something that has no form there."""
        message = f"there is nothing in Unified Planning for {what}"
        raise DomainError(WITHOUT_FORM, message, self.where, hint)

    def named(self, text: str) -> str:
        """A name like this that nothing else has: there all names are different."""
        text = text or "nothing"
        name, number = text, 2
        while name in self._taken:
            name, number = f"{text}_{number}", number + 1
        self._taken.add(name)
        return name

    # types and values

    def type_of(self, kind: type, what: str) -> Any:
        """The type of values of a class. ``what`` is of it, for messages."""
        numbers: dict[type, Callable[[], Any]] = {
            bool: self._types.BoolType,
            int: self._types.IntType,
            float: self._types.RealType,
        }
        if kind in numbers:
            return numbers[kind]()
        if kind is not str and not issubclass(kind, Enum):
            hint = "use numbers, truth values, strings, or the members of an Enum"
            self.refuse(f"{what}, which is {kind.__name__}", hint)
        if kind not in self._kinds:
            name = "Name" if kind is str else kind.__name__
            self._kinds[kind] = self._types.UserType(self.named(name))
        return self._kinds[kind]

    def object_type(self, kind: type, what: str) -> Any:
        """The same of arguments and indices, which are objects."""
        if kind is bool or kind in (int, float):
            self.refuse(f"{what}, which is {kind.__name__}", "use strings or an Enum")
        return self.type_of(kind, what)

    def constant(self, value: Any, kind: Any) -> Any:
        """A value of a type."""
        if isinstance(value, bool):
            return self._manager.Bool(value)
        if isinstance(value, int):
            return self._manager.Int(value)
        if isinstance(value, float):
            return self._manager.Real(Fraction(value))
        if not kind.is_user_type():
            self.refuse(f"the value {value!r}")
        key = (kind, value)
        if key not in self._objects:
            text = "none" if value is None else getattr(value, "name", value)
            made = Object(self.named(text), kind, self._problem.environment)
            self._problem.add_object(made)
            self._objects[key] = self._manager.ObjectExp(made)
        return self._objects[key]

    # fluents

    def fluent(self, thing: Any) -> Any:
        """The fluent of one, of a family or of a relation."""
        if thing not in self._fluents:
            make = self._relation if isinstance(thing, Relation) else self._family_or_fluent
            self._fluents[thing] = make(thing)
        return self._fluents[thing]

    def _declared(self, text: str, kind: Any, indices: Sequence[ValueType], default: Any) -> Any:
        """A fluent, which is added to the problem."""
        name = self.named(text)
        environment = self._problem.environment
        kinds = [self.object_type(each.kind, f"the index of '{text}'") for each in indices]
        parameters = [Argument(f"of_{n}", each, environment) for n, each in enumerate(kinds, 1)]
        made = Named(name, kind, parameters, environment)
        self._problem.add_fluent(made, default_initial_value=self.constant(default, kind))
        return made

    def _family_or_fluent(self, thing: Fluent[Any] | FluentFamily[Any, Any]) -> Any:
        family = thing if isinstance(thing, FluentFamily) else None
        prototype = thing.prototype if isinstance(thing, FluentFamily) else thing
        default = prototype.default if family else self._state.get(prototype)
        members = [f for f in self._state.values if family and f.name == thing.name]
        values = {member.index: self._state.get(member) for member in members}
        if UNKNOWN in (default, *values.values()):
            self.refuse(f"'{thing.name}', which is unknown", "give it a value")
        kind = self.type_of(prototype.values.kind, f"'{thing.name}'")
        indices = (family.indices.parts or (family.indices,)) if family else ()
        made = self._declared(thing.name, kind, indices, default)
        for index, value in values.items():
            given = index if len(indices) > 1 else (index,)
            node = made(*map(self.constant, given, _types_of(made)))
            self._problem.set_initial_value(node, self.constant(value, kind))
        return made

    def _relation(self, relation: Relation[Any]) -> Any:
        rows: Any = self._state.get(relation)
        return self._true_of(relation.name, relation.columns, rows)

    def _true_of(self, text: str, columns: Sequence[ValueType], rows: Iterable[Any]) -> Any:
        """A fluent that is true of these rows, and stays so."""
        made = self._declared(text, self._types.BoolType(), columns, default=False)
        for row in rows:
            given = row if len(columns) > 1 else (row,)
            node = made(*map(self.constant, given, _types_of(made)))
            self._problem.set_initial_value(node, self._manager.TRUE())
        return made

    def among(self, values: Sequence[Any], text: str, arguments: Sequence[Any]) -> Any:
        """The condition that an argument is one of these values, or several one of these rows."""
        rows = tuple(dict.fromkeys(values))
        if not rows:
            return self._manager.FALSE()
        if rows not in self._listed:
            width = len(arguments)
            first = rows[0] if width > 1 else rows[:1]
            columns = [ValueType((str if each is None else type(each),)) for each in first]
            self._listed[rows] = self._true_of(text, columns, rows)
        return self._listed[rows](*arguments)

    # conditions

    def condition(self, expression: Expression[Any], scope: Scope) -> Any:
        """A condition, or an expression that is true or false."""
        match expression:
            case Constant(value=bool() as value):
                return self._manager.Bool(value)
            case Negation(operand):
                return self._manager.Not(self.condition(operand, scope))
            case Junction(parts, decisive):
                join = self._manager.Or if decisive else self._manager.And
                return join(*(self.condition(part, scope) for part in parts))
            case Comparison(symbol, left, right):
                return self._compared(symbol, left, right, scope)
            case Related(Relation() as relation, values):
                made = self.fluent(relation)
                return made(*self._arguments(values, _types_of(made), scope))
            case Fluent() | MemberOf() | Parameter():
                return self.value(expression, scope)
        return self.refuse(f"'{expression}'", "write it as data, not as a function")

    def _compared(
        self, symbol: str, left: Expression[Any], right: Expression[Any], scope: Scope
    ) -> Any:
        first = self.value(left, scope)
        second = self.value(right, scope, first.type)
        if symbol in ("==", "!="):
            is_truth = first.type.is_bool_type()
            same = (self._manager.Iff if is_truth else self._manager.Equals)(first, second)
            return same if symbol == "==" else self._manager.Not(same)
        if first.type.is_user_type():
            return self._ordered(symbol, left, right, scope)
        orders = {
            "<": self._manager.LT, "<=": self._manager.LE,
            ">": self._manager.GT, ">=": self._manager.GE,
        }  # fmt: skip
        return orders[symbol](first, second)

    def _ordered(
        self, symbol: str, left: Expression[Any], right: Expression[Any], scope: Scope
    ) -> Any:
        """An order of members of an Enum: one of those that have it to the constant."""
        if not isinstance(right, Constant) or not isinstance(right.value, Enum):
            self.refuse(f"the order '{left} {symbol} {right}' of objects")
        node = self.value(left, scope)
        members = [m for m in type(right.value) if COMPARE[symbol](m, right.value)]
        same = (self._manager.Equals(node, self.constant(m, node.type)) for m in members)
        return self._manager.Or(*same)

    def value(self, expression: Expression[Any], scope: Scope, kind: Any = None) -> Any:
        """An expression with any value; a constant is one of this type."""
        match expression:
            case Constant(value):
                known = kind or self.type_of(type(value), f"'{expression}'")
                return self.constant(value, known)
            case Parameter(position=position) if position in scope:
                return scope[position]
            case Fluent(index=None) if not isinstance(expression, Relation):
                return self.fluent(expression)()
            case Fluent(name=name, index=index) if not isinstance(expression, Relation):
                made = self.fluent(self._schema.named(name))
                parts = index if isinstance(index, tuple) else (index,)
                return made(*map(self.constant, parts, _types_of(made)))
            case MemberOf(family=family, index=index):
                made = self.fluent(family)
                parts = index.parts if isinstance(index, TupleOf) else (index,)
                return made(*self._arguments(parts, _types_of(made), scope))
            case Arithmetic(symbol, left, right) if symbol in ("+", "-", "*"):
                calculate = {
                    "+": self._manager.Plus, "-": self._manager.Minus, "*": self._manager.Times,
                }  # fmt: skip
                sides = (self.value(left, scope), self.value(right, scope))
                if not all(each.type.is_int_type() or each.type.is_real_type() for each in sides):
                    self.refuse(f"'{expression}', which computes no number")
                return calculate[symbol](*sides)
            case Comparison() | Negation() | Junction() | Related():
                return self.condition(expression, scope)
        return self.refuse(f"'{expression}'", "write it as data, not as a function")

    def _arguments(
        self, values: Iterable[Expression[Any]], kinds: Iterable[Any], scope: Scope
    ) -> list[Any]:
        return [self.value(v, scope, kind) for v, kind in zip(values, kinds, strict=True)]


def _types_of(made: Any) -> list[Any]:
    """The types of a fluent's parameters."""
    return [each.type for each in made.signature]
