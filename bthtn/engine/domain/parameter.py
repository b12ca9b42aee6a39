"""Parameters of tasks, taken from the signature of a function, and arguments of calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from bthtn.engine.world.expression import Constant, Expression, Parameter, as_expression
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.engine.world.unfrozen import unfrozen
from bthtn.errors import DomainError, nearest

_PLAIN: Final = frozenset({bool, int, float, str})

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
            which = f"parameter '{parameter.name}' of '{function.__name__}'"
            instead = "a task has a fixed number of named parameters"
            raise DomainError("BT103", f"{which} is {parameter.kind.description}", hint=instead)
        hint = hints.get(parameter.name)
        literals = get_args(hint) if get_origin(hint) is Literal else ()
        kinds = {type(value) for value in literals}
        named = _named(hint)
        kind = named if isinstance(named, type) else kinds.pop() if len(kinds) == 1 else None
        known = (parameter.name, position, kind, parameter.default)
        found.append(Parameter(*known, literals=literals, annotation=hint))
    return tuple(found)


def _named(hint: Any) -> Any:
    """What a type is that ``NewType`` has made, any other as it is."""
    while (named := getattr(hint, "__supertype__", None)) is not None:
        hint = named
    return hint


def arguments(
    task: str, parameters: Parameters, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Expression[Any], ...]:
    """The arguments of one call, in order. Raises DomainError for a wrong count or type."""
    given: Sequence[Any] = args
    is_whole = not kwargs and len(args) == len(parameters)
    if is_whole and (plain := _plain_arguments(parameters, args)) is not None:
        return plain
    if not is_whole or any(parameter.is_fixed for parameter in parameters):
        given = _bound(task, parameters, args, kwargs)
    return tuple(argument(task, *both) for both in zip(parameters, given, strict=True))


def argument(task: str, parameter: Parameter[Any], given: object) -> Expression[Any]:
    """The argument of a call. Raises DomainError for one that the parameter cannot have."""
    if not isinstance(given, Hashable):
        message = f"an argument of '{task}' is {type(given).__name__}, which can change"
        hint = "arguments are hashable: use a tuple instead of a list"
        raise DomainError("BT103", message, hint=hint)
    expression = as_expression(given)
    _check_type(task, parameter, expression)
    return expression


def _bound(
    task: str, parameters: Parameters, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[Any]:
    """The value given for each parameter, in order. Raises DomainError for a wrong count."""
    free = [parameter for parameter in parameters if not parameter.is_fixed]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(parameter.name, kind, default=parameter.default) for parameter in free]
    )
    try:
        call = signature.bind(*args, **kwargs)
    except TypeError as error:
        wanted = ", ".join(parameter.name for parameter in free) or "no arguments"
        message = f"'{task}' takes {wanted}: {error}"
        raise DomainError("BT103", message, f"call of '{task}'") from None
    call.apply_defaults()
    return [call.arguments.get(parameter.name, parameter.default) for parameter in parameters]


_OpenConstant: Final = unfrozen(Constant)


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
        if parameter.literals and value not in parameter.literals:
            return None
    made: list[Expression[Any]] = []
    for value in args:
        constant = _OpenConstant()
        constant.value = value
        constant.__class__ = Constant
        made.append(constant)
    return tuple(made)


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
    hint = ""
    if fits and parameter.literals and isinstance(given, Constant):
        fits = given.value is UNKNOWN or given.value in parameter.literals
        shown = f"{value_text(given.value)} is none of its values"
        hint = nearest(str(given.value), map(str, parameter.literals))
    if not fits:
        message = f"argument '{parameter.name}' of '{task}' is {parameter.type.__name__}; {shown}"
        raise DomainError("BT103", message, f"call of '{task}'", hint)


def _fits(given: type, wanted: type) -> bool:
    if given is bool:
        return wanted in (bool, object)
    return issubclass(given, wanted) or (given, wanted) == (int, float)
