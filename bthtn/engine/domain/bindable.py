"""Bindable: a user's function that closes over symbols, called with values in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from enum import Enum
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any, Final, Generic, TypeVar, cast

from bthtn.engine.world.expression import (
    Binding,
    Constant,
    Expression,
    Parameter,
    leaves_of,
    operands,
)
from bthtn.engine.world.fluent import MemberOf

F = TypeVar("F", bound=Callable[..., Any])

_PLAIN: Final = frozenset({bool, int, str, type(None)})
_MOST_BOUND: Final = 1_000
"""Arguments for which one function keeps what it is for them; then it begins anew."""
_LARGEST: Final = 1_000
"""Containers with more in them are data, in which no symbol is searched for."""


class Bindable(Generic[F]):
    """A user's function that can be given arguments in place of symbolic parameters.

    A task function runs once, with symbolic parameters; a lambda written inside it closes
    over those, and so may functions, partials and callable objects that it uses. For a call with
    actual arguments each of them gets a copy that holds values, and shares everything else: what
    changes around a function changes for every call. The copies for the arguments of late are kept.
    """

    __slots__ = ("_bound", "_mentions_parameters", "function")

    def __init__(self, function: F) -> None:
        self.function = function
        self._bound: dict[Any, tuple[F, Binding]] = {}
        """The copies by arguments, each with these: they are held, as a key may name them by id."""
        self._mentions_parameters = _mentions(function, set())

    def bound(self, binding: Binding) -> F:
        """The function for a call with these arguments."""
        if not binding or not self._mentions_parameters:
            return self.function
        plain = _PLAIN.issuperset(map(type, binding))
        key = (binding, *map(type, binding)) if plain else _key(binding)
        known = self._bound.get(key)
        if known is not None:
            return known[0]
        copies = _Copies(binding)
        made = cast("F", copies.of(self.function))
        if not copies.are_snapshots:
            if len(self._bound) >= _MOST_BOUND:
                self._bound.clear()
            self._bound[key] = made, binding
        return made


def _key(value: Any) -> Any:
    """A key that only values have which can stand for this one, as long as this one is there."""
    kind = type(value)
    if kind is tuple:
        return (kind, *map(_key, value))
    if kind is float:
        return (kind, repr(value))  # 0.0 equals -0.0
    return (kind, value if kind in _PLAIN or isinstance(value, Enum) else id(value))


def held_by(value: object) -> Iterator[object]:
    """The objects that a function, partial, method, callable object or container holds."""
    match value:
        case FunctionType():
            yield from map(_content, value.__closure__ or ())
            yield from value.__defaults__ or ()
            yield from (value.__kwdefaults__ or {}).values()
        case partial():
            yield from (value.func, *value.args, *value.keywords.values())
        case MethodType():
            yield from (value.__func__, value.__self__)
        case tuple() | list() if len(value) <= _LARGEST:
            yield from value
        case dict() if len(value) <= _LARGEST:
            yield from value.values()
        case _ if _is_callable_object(value):
            yield from vars(value).values()


def _is_callable_object(value: object) -> bool:
    """Whether it is an object of a user's class with ``__call__``."""
    return callable(value) and not isinstance(value, type) and hasattr(value, "__dict__")


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # the cell is still empty
        return None


def _mentions(value: object, seen: set[int]) -> bool:
    """Whether a parameter can be reached from it."""
    if isinstance(value, Expression):
        inside = (value.index,) if isinstance(value, MemberOf) else operands(value)
        return isinstance(value, Parameter) or any(_mentions(part, seen) for part in inside)
    if id(value) in seen:
        return False
    seen.add(id(value))
    return any(_mentions(part, seen) for part in held_by(value))


class _Copies:
    """Copies of objects that hold parameters, with these values in their place.

    They ``are_snapshots`` if one of an object is among them that may change.
    """

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._made: dict[int, Any] = {}
        self.are_snapshots = False

    def of(self, value: Any) -> Any:
        """The value itself if no parameter can be reached from it, else its copy."""
        if isinstance(value, Expression):
            return self._evaluated(value)
        if id(value) not in self._made:
            if not _mentions(value, set()):
                return value
            self._copy(value)
        return self._made[id(value)]

    def _evaluated(self, expression: Expression[Any]) -> Any:
        """The value of an expression that needs no state, the member that an index refers to."""
        if isinstance(expression, MemberOf):
            index = self._evaluated(expression.index)
            return expression if isinstance(index, Expression) else expression.family[index]
        if not _is_stateless(expression):
            return expression
        return expression.evaluate(cast("Any", None), self._binding)

    def _copy(self, value: Any) -> None:
        made = self._made
        self.are_snapshots |= not isinstance(value, FunctionType | partial | MethodType | tuple)
        match value:
            case FunctionType():
                self._copy_function(value)
            case partial():
                named = {name: self.of(argument) for name, argument in value.keywords.items()}
                made[id(value)] = partial(self.of(value.func), *map(self.of, value.args), **named)
            case MethodType():
                made[id(value)] = MethodType(self.of(value.__func__), self.of(value.__self__))
            case list():
                made[id(value)] = items = copy(value)
                items[:] = map(self.of, value)
            case tuple():
                parts = tuple(map(self.of, value))
                is_plain = type(value) is tuple
                made[id(value)] = parts if is_plain else type(value)(*parts)  # a named tuple
            case dict():
                made[id(value)] = table = copy(value)
                table.update({key: self.of(item) for key, item in value.items()})
            case _:
                made[id(value)] = twin = copy(value)
                vars(twin).update({name: self.of(part) for name, part in vars(value).items()})

    def _copy_function(self, function: FunctionType) -> None:
        around = function.__closure__ or ()
        cells = tuple(CellType() if _mentions(_content(cell), set()) else cell for cell in around)
        twin = FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            tuple(map(self.of, function.__defaults__ or ())),
            cells,
        )
        self._made[id(function)] = twin  # before its cells: they may hold the function itself
        for cell, before in zip(cells, around, strict=True):
            if cell is not before:
                cell.cell_contents = self.of(before.cell_contents)
        named = function.__kwdefaults__ or {}
        twin.__kwdefaults__ = {name: self.of(default) for name, default in named.items()}
        twin.__dict__ = function.__dict__


def _is_stateless(expression: Expression[Any]) -> bool:
    """Whether the value depends on nothing but parameters."""
    return all(isinstance(leaf, Parameter | Constant) for leaf in leaves_of(expression))
