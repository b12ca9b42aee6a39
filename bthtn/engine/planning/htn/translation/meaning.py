"""The objects that the names in a function stand for, and the assumptions of that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, EnumMeta
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from math import isnan
from types import FunctionType, ModuleType
from typing import Any, Final

from bthtn.engine.planning.htn.translation.written import NotTranslatable
from bthtn.engine.world.expression import Constant, Expression, Parameter

_PLAIN: Final = frozenset({bool, int, float, str, type(None)})
_OTHER_CALLS: Final = CO_ASYNC_GENERATOR | CO_COROUTINE | CO_GENERATOR | CO_VARARGS | CO_VARKEYWORDS


@dataclass(frozen=True, slots=True, eq=False)
class Assumption:
    """That ``holder.name``, or ``holder[name]`` if ``is_item``, still is the very same object."""

    holder: Any
    name: str
    is_item: bool
    found: Any

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal assumptions."""
        return id(self.holder), self.name

    @property
    def holds(self) -> bool:
        try:
            now = self.holder[self.name] if self.is_item else getattr(self.holder, self.name)
        except (KeyError, ValueError):  # the name is gone, the cell empty
            return False
        return now is self.found


class Meaning:
    """The objects of the names of one function. All that was asked for is ``assumed``.

    ``parameters`` are the names of its parameters; all but the first have defaults. Its task has
    ``arity`` parameters.
    """

    def __init__(self, function: object, arity: int) -> None:
        if type(function) is not FunctionType:
            raise NotTranslatable
        code = function.__code__
        if not code.co_argcount or code.co_kwonlyargcount or code.co_flags & _OTHER_CALLS:
            raise NotTranslatable
        self.function = function
        self._arity = arity
        self._cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        self.parameters = code.co_varnames[: code.co_argcount]
        self._locals = frozenset((*code.co_varnames, *code.co_cellvars))
        self.assumed: list[Assumption] = []
        self._assume(function, "__code__", is_item=False)
        if len(self.parameters) > 1:
            self._assume(function, "__defaults__", is_item=False)

    def defaults(self) -> Iterator[tuple[str, Expression[Any]]]:
        """The parameters behind the first one, with their defaults."""
        names, given = self.parameters[1:], self.function.__defaults__ or ()
        if len(given) != len(names):
            raise NotTranslatable  # with a default for the state, or a parameter without one
        for name, value in zip(names, given, strict=True):
            yield name, self.data(value)

    def data(self, value: object) -> Expression[Any]:
        """The expression of a value that cannot change. Raises NotTranslatable."""
        if isinstance(value, Parameter) and value.position < self._arity:
            return value
        if not is_unchanging(value):
            raise NotTranslatable
        return Constant(value)

    def of(self, name: str) -> Any:
        """The object that a name stands for which is no variable of the function itself.

        Raises NotTranslatable for a builtin, and for a name that stands for nothing.
        """
        if name in self._cells:
            try:
                return self._assume(self._cells[name], "cell_contents", is_item=False)
            except ValueError:  # the cell is still empty
                raise NotTranslatable from None
        if name in self._locals or name not in self.function.__globals__:
            raise NotTranslatable
        return self._assume(self.function.__globals__, name, is_item=True)

    def attribute(self, holder: Any, name: str) -> Any:
        """The object that is an attribute of one: a member of an Enum, a name of a module."""
        if isinstance(holder, EnumMeta) and name in holder.__members__:
            return holder.__members__[name]
        if type(holder) is ModuleType and name in vars(holder):
            return self._assume(vars(holder), name, is_item=True)
        raise NotTranslatable

    def _assume(self, holder: Any, name: str, *, is_item: bool) -> Any:
        found = holder[name] if is_item else getattr(holder, name)
        self.assumed.append(Assumption(holder, name, is_item, found))
        return found


def is_unchanging(value: object) -> bool:
    """Whether the value is plain, a member of an Enum, or a collection of such that stays.

    A NaN is none: in a tuple or a set it is equal to nothing but the very same object.
    """
    if type(value) is float and isnan(value):
        return False
    if type(value) in (tuple, frozenset):
        assert isinstance(value, tuple | frozenset), "as its type says"
        return all(map(is_unchanging, value))
    return type(value) in _PLAIN or isinstance(value, Enum)
