"""Variables of a method: symbols for a value that is chosen while planning.

    @combat.compound
    def hide() -> Methods:
        spot = one_of(Soldier.spots, key=lambda state, spot: abs(spot - state.at))
        yield method(run_to(spot), duck(), when=spot != Soldier.watched)

A variable is a parameter whose values come from the domain instead of from a caller. It gets its
position among the arguments when the domain is frozen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field
from types import FunctionType, NoneType
from typing import Any, Final, TypeVar, cast, get_args, overload

from bthtn.checked import checked
from bthtn.engine.domain.bindable import held_by
from bthtn.engine.domain.choice import Key
from bthtn.engine.domain.function import FunctionEffect
from bthtn.engine.domain.network import Construct, Network
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.expression import (
    Binding,
    Constant,
    Expression,
    Matching,
    Parameter,
    StateView,
)
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import DomainError
from bthtn.records import record

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")

ValuesLike = (
    Expression[tuple[T, ...]]
    | Expression[frozenset[T]]
    | Relation[T]
    | Iterable[T]
    | Callable[[Any], Iterable[T]]
)
"""Everything that users may write as the values of a variable."""

_NOWHERE: Final = -1
_SEVERAL: Final = 2
_WHOLES: Final = (Expression, Assignment, FunctionEffect, Construct, *get_args(Network))
"""Classes whose instances keep their parts in slots, where variables are searched for."""
_ATOMS: Final = frozenset({bool, int, float, str, NoneType, Fluent, Constant, Parameter})
"""Classes whose direct instances hold no variable: most of what is looked at."""
_HINT: Final = "give it the values there are: one_of(('a', 'b')), one_of(Soldier.spots)"


class Choice:
    """What chooses the values of one variable, or of several at once."""

    __slots__ = ("is_joint", "key", "variables")

    def __init__(self, variables: tuple[Variable[Any], ...], key: Key | None) -> None:
        self.variables = variables
        self.key = key
        self.is_joint = len(variables) > 1 or isinstance(variables[0].values, Relation | Matching)
        """Whether conditions on the variables say which values there are to try."""
        for variable in variables:
            object.__setattr__(variable, "choice", self)


@record(eq=False, repr=False)
class Variable(Parameter[T]):
    """A parameter that takes each of ``values`` in turn.

    Its ``parts`` are the variables for those of its value, if it is unpacked.
    """

    values: Expression[Any] | Callable[[Any], Iterable[T]] = Constant(())
    parts: tuple[Any, ...] = ()
    choice: Choice = field(init=False)

    @property
    def is_placed(self) -> bool:
        """Whether a compound task uses it."""
        return self.position != _NOWHERE

    def call(self, name: str) -> None:
        """Give it a name, unless it has one."""
        object.__setattr__(self, "name", self.name or name)

    def place(self, position: int) -> None:
        """Set the index of its value among the arguments."""
        self.call("value")
        object.__setattr__(self, "position", position)

    def evaluate(self, view: StateView, binding: Binding = ()) -> T:  # noqa: ARG002 - protocol
        """The value that is being tried. Raises DomainError outside of a compound task."""
        if not self.is_placed:
            raise unplaced(self, "")
        return cast("T", binding[self.position])

    def __iter__(self) -> Iterator[Variable[Any]]:
        """A variable for each part of the value: ``a, b = one_of(Delivery.road)``.

        Raises DomainError where nothing says how many parts there are.
        """
        if not self.parts:
            parts: tuple[Variable[Any], ...] = tuple(
                Variable("", _NOWHERE, kind) for kind in _parts_of(self)
            )
            for part in parts:
                object.__setattr__(part, "choice", self.choice)
            object.__setattr__(self, "parts", parts)
            self.choice.is_joint = True
        return iter(self.parts)


def _parts_of(variable: Variable[Any]) -> list[type | None]:
    """The type of each part of a variable's value, None where it is not known."""
    described: list[ValueType | None] = []
    match variable.values:
        case Relation() as relation:
            described += relation.columns
        case Matching(relation=Relation() as relation, pattern=pattern):
            pairs = zip(relation.columns, pattern, strict=True)
            described += [column for column, part in pairs if part is None]
        case FluentReference(values=ValueType(items=ValueType(parts=parts))):
            described += parts
        case Constant(value=values):
            widths = {len(each) if isinstance(each, tuple) else 1 for each in values}
            described += [None] * (widths.pop() if len(widths) == 1 else 0)
    if len(described) < _SEVERAL:
        text = variable.values.text() if isinstance(variable.values, Expression) else "a function"
        message = f"nothing says how many parts the values of {text} have"
        hint = "unpack a relation, a list of tuples of one length, or Fluent[tuple[tuple[…], ...]]"
        raise DomainError("BT117", message, "one_of", hint)
    return [None if each is None or each.kind is object else each.kind for each in described]


def unplaced(variable: Variable[Any], where: str) -> DomainError:
    """The error for a variable that is used outside the methods of a compound task."""
    hint = "one_of is for the methods of a compound task: call it in the task's function"
    message = f"the variable '{variable.name or 'value'}' has no value here"
    return DomainError("BT118", message, where, hint)


@overload
def one_of(
    values: Expression[tuple[T, ...]] | Expression[frozenset[T]] | Relation[T],
    /,
    *,
    key: Callable[[Any, T], Any] | None = None,
    name: str = "",
) -> T: ...
@overload
def one_of(
    values: Iterable[T] | Callable[[Any], Iterable[T]],
    /,
    *,
    key: Callable[[Any, T], Any] | None = None,
    name: str = "",
) -> T: ...
@overload
def one_of(
    first: ValuesLike[T], second: ValuesLike[U], /, *, key: Callable[[Any, T, U], Any] | None = None
) -> tuple[T, U]: ...
@overload
def one_of(
    first: ValuesLike[T],
    second: ValuesLike[U],
    third: ValuesLike[V],
    /,
    *,
    key: Callable[[Any, T, U, V], Any] | None = None,
) -> tuple[T, U, V]: ...
@overload
def one_of(
    first: ValuesLike[Any],
    second: ValuesLike[Any],
    third: ValuesLike[Any],
    fourth: ValuesLike[Any],
    /,
    *others: ValuesLike[Any],
    key: Key | None = None,
) -> tuple[Any, ...]: ...
@checked
def one_of(*values: Any, key: Key | None = None, name: str = "") -> Any:
    """A variable of a method: the search tries the values until one leads to a plan.

    ``values`` is an iterable, an expression such as a fluent that holds a tuple, a relation, or a
    function of the state. They are tried in order; with ``key``, a function of the state and a
    value, those with the lowest key first. A set is sorted by its values' texts. The name is that
    of the local variable in the function that yields the method, unless ``name`` is given.

    With several arguments it makes as many variables, whose values are chosen at once: those of
    the last one change first. Values that are tuples can be unpacked to variables,
    ``a, b = one_of(Delivery.road)``. Of these, and of relations, only values are tried for which
    no part of the method's ``when`` is false.

    Raises DomainError for empty values, and for values that are not hashable.
    """
    if not values:
        raise DomainError("BT105", "one_of() has nothing in it", hint=_HINT)
    made = tuple(_variable(each, name) for each in values)
    Choice(made, key)
    return made if len(made) > 1 else made[0]


def _variable(values: Any, name: str) -> Variable[Any]:
    if isinstance(values, Expression):
        return Variable(name, _NOWHERE, values=values)
    if isinstance(values, Iterable) and not isinstance(values, str):
        known = _checked(values)
        kinds = {type(value) for value in known}
        kind = kinds.pop() if len(kinds) == 1 else None
        return Variable(name, _NOWHERE, kind, values=Constant(known))
    if not callable(values):
        raise DomainError("BT117", f"{value_text(values)} holds no values", "one_of", _HINT)
    return Variable(name, _NOWHERE, values=values)


def _checked(values: Iterable[Any]) -> Any:
    """The values, checked: a frozenset for a set, which is sorted later, else a tuple."""
    known = frozenset(values) if isinstance(values, set | frozenset) else tuple(values)
    if not known:
        raise DomainError("BT105", "one_of() has nothing in it", hint=_HINT)
    for value in known:
        if isinstance(value, Expression):
            message = f"{value.text()} is an expression, and no value"
            hint = "use it as the argument itself, or give a function: one_of(lambda state: ...)"
            raise DomainError("BT117", message, "one_of", hint)
        if not isinstance(value, Hashable):
            message = f"{value!r} is {type(value).__name__}, which can change"
            hint = "values are hashable: use a tuple instead of a list"
            raise DomainError("BT117", message, "one_of", hint)
    return known


def variables_in(*things: object) -> tuple[Variable[Any], ...]:
    """The variables that are mentioned, in order, each after those that its values depend on."""
    found: dict[int, Variable[Any]] = {}  # by id: symbols cannot be keys
    seen: set[int] = set()
    for thing in things:
        if type(thing) in _ATOMS:
            continue
        if isinstance(thing, TaskCall) and _ATOMS.issuperset(map(type, thing.args)):
            continue  # without the search below: so it is with nearly all parts of methods
        for variable in _mentioned(thing, seen):
            found.setdefault(id(variable), variable)
    return tuple(found.values())


def _mentioned(thing: object, seen: set[int]) -> Iterator[Variable[Any]]:
    """Variables in networks, expressions, effects, and the functions that close over them."""
    if type(thing) in _ATOMS or id(thing) in seen:
        return
    if isinstance(thing, Variable):
        for each in thing.choice.variables:
            yield from _mentioned(each.values, seen)
        yield from _mentioned(thing.choice.key, seen)
        yield thing
        return
    seen.add(id(thing))
    for inside in _inside(thing):
        yield from _mentioned(inside, seen)


def _inside(thing: object) -> Iterable[object]:
    match thing:
        case TaskCall():
            return thing.args
        case FunctionType():
            return held_by(thing)
        case _ if isinstance(thing, _WHOLES):
            slots = (
                name for kind in type(thing).__mro__ for name in vars(kind).get("__slots__", ())
            )
            return [getattr(thing, name) for name in slots if hasattr(thing, name)]
        case _:
            return held_by(thing)
