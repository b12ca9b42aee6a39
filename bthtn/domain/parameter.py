"""Parameters of tasks, taken from the signature of a function, and arguments of calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from types import CellType, FunctionType
from typing import Any, Final, Generic, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from bthtn.errors import Diagnostic, DomainError
from bthtn.world.expression import Binding, Constant, Expression, Parameter, as_expression
from bthtn.world.truth import UNKNOWN, value_text

F = TypeVar("F", bound=Callable[..., Any])

_PLAIN: Final = frozenset({bool, int, float, str})
_MOST_BOUND: Final = 1_000
"""Arguments for which one function keeps what it is for them; then it begins anew."""

Parameters = tuple[Parameter[Any], ...]


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """The parameters of a task function, with types for those annotated with a class.

    Raises DomainError for ``*args``, ``**kwargs``, and positional- or keyword-only parameters.
    """
    try:
        hints = get_type_hints(function)
    except NameError:  # annotations that only a type checker can resolve: types go unchecked
        hints = {}
    found: list[Parameter[Any]] = []
    for position, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise DomainError(
                Diagnostic(
                    "BT103",
                    f"parameter '{parameter.name}' of '{function.__name__}' is"
                    f" {parameter.kind.description}",
                    hint="a task has a fixed number of named parameters",
                )
            )
        hint = hints.get(parameter.name)
        literals = get_args(hint) if get_origin(hint) is Literal else ()
        kinds = {type(value) for value in literals}
        kind = hint if isinstance(hint, type) else kinds.pop() if len(kinds) == 1 else None
        found.append(
            Parameter(parameter.name, position, kind, parameter.default, literals=literals)
        )
    return tuple(found)


def arguments(
    task: str, parameters: Parameters, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Expression[Any], ...]:
    """The arguments of one call, in order. Raises DomainError for a wrong count or type."""
    if not kwargs and len(args) == len(parameters):
        plain = _plain_arguments(parameters, args)
        if plain is not None:
            return plain
    free = [parameter for parameter in parameters if not parameter.is_fixed]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(one.name, kind, default=one.default) for one in free]
    )
    try:
        call = signature.bind(*args, **kwargs)
    except TypeError as error:
        wanted = ", ".join(one.name for one in free) or "no arguments"
        raise DomainError(
            Diagnostic("BT103", f"'{task}' takes {wanted}: {error}", where=f"call of '{task}'")
        ) from None
    call.apply_defaults()
    given = [call.arguments.get(one.name, one.default) for one in parameters]
    expressions = tuple(as_expression(value) for value in given)
    for value in given:
        if not isinstance(value, Hashable):
            raise DomainError(
                Diagnostic(
                    "BT103",
                    f"an argument of '{task}' is {type(value).__name__}, which can change",
                    hint="arguments are hashable: use a tuple instead of a list",
                )
            )
    for parameter, expression in zip(parameters, expressions, strict=True):
        _check_type(task, parameter, expression)
    return expressions


def _plain_arguments(
    parameters: Parameters, args: tuple[Any, ...]
) -> tuple[Expression[Any], ...] | None:
    """The arguments where each is a plain value of the declared type; None to look closer.

    Plain functions call tasks while planning, where binding a signature would take most of
    the time.
    """
    for parameter, value in zip(parameters, args, strict=True):
        kind = type(value)
        if kind not in _PLAIN or parameter.is_fixed:
            return None
        if parameter.type is not kind and parameter.type is not None:
            return None
    return tuple([Constant(value) for value in args])


def _check_type(task: str, parameter: Parameter[Any], given: Expression[Any]) -> None:
    if parameter.type is None:
        return
    if isinstance(given, Constant):
        fits = given.value is UNKNOWN or _fits(type(given.value), parameter.type)
        shown = f"{value_text(given.value)} is {type(given.value).__name__}"
    elif isinstance(given, Parameter) and given.type is not None:
        fits = _fits(given.type, parameter.type)
        shown = f"parameter '{given.name}' is {given.type.__name__}"
    else:
        return
    if not fits:
        raise DomainError(
            Diagnostic(
                "BT103",
                f"argument '{parameter.name}' of '{task}' is {parameter.type.__name__}; {shown}",
                where=f"call of '{task}'",
            )
        )


def _fits(given: type, wanted: type) -> bool:
    if given is bool:
        return wanted in (bool, object)
    return issubclass(given, wanted) or (given, wanted) == (int, float)


class Bindable(Generic[F]):
    """A user's function that can be given arguments in place of symbolic parameters.

    A task function runs once, with symbolic parameters; a lambda written inside it closes
    over those. For a call with actual arguments the same code gets cells that hold them. Functions
    for the arguments of late are kept.
    """

    __slots__ = ("_bound", "_mentions_parameters", "function")

    def __init__(self, function: F) -> None:
        self.function = function
        self._bound: dict[Any, F] = {}
        self._mentions_parameters = isinstance(function, FunctionType) and _symbols_in(function)

    def bound(self, binding: Binding) -> F:
        """The function for a call with these arguments."""
        if not binding or not self._mentions_parameters:
            return self.function
        key = (binding, *map(type, binding))
        try:
            found = self._bound.get(key)
        except TypeError:  # a value that cannot be hashed
            return cast("F", _with_values(cast("FunctionType", self.function), binding))
        if found is None:
            if len(self._bound) >= _MOST_BOUND:
                self._bound.clear()
            found = cast("F", _with_values(cast("FunctionType", self.function), binding))
            self._bound[key] = found
        return found


def _symbols_in(function: FunctionType) -> bool:
    """Whether the function closes over a parameter of its task, or has one for a default."""
    cells = function.__closure__ or ()
    if any(map(_symbolic, cells)):
        return True
    given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return any(isinstance(one, Parameter) for one in given)


def _with_values(function: FunctionType, binding: Binding) -> FunctionType:
    """The function with cells and defaults that hold values instead of parameters."""
    cells = function.__closure__ or ()
    defaults = function.__defaults__ or ()
    named = function.__kwdefaults__ or {}

    def actual(value: Any) -> Any:
        return binding[value.position] if isinstance(value, Parameter) else value

    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        tuple(map(actual, defaults)),
        tuple(CellType(actual(c.cell_contents)) if _symbolic(c) else c for c in cells),
    )
    made.__kwdefaults__ = {name: actual(value) for name, value in named.items()}
    return made


def _symbolic(cell: CellType) -> bool:
    try:
        return isinstance(cell.cell_contents, Parameter)
    except ValueError:  # the cell is still empty
        return False
