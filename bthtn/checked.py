"""``checked``: wrong arguments get a BthtnError that suggests right ones."""

from __future__ import annotations

import sys
from collections import abc
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from itertools import chain
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from bthtn.errors import ArgumentError, nearest

F = TypeVar("F", bound=Callable[..., Any])
Kinds = tuple[type, ...]

_MOST_KINDS: Final = 4
"""Annotations of more classes describe something that the function itself looks at."""

# What the same thing is called elsewhere: in other arguments, other planners and earlier versions.
_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "when": ("precondition",),
        "condition": ("precondition", "when"),
        "precondition": ("when",),
        "preconditions": ("precondition", "when"),
        "effect": ("effects",),
        "resources": ("uses",),
        "time": ("duration",),
        "priority": ("value",),
        "rest": ("backoff",),
    }
)

_UNREAD: Final[list[Callable[[], None]]] = []
"""What reads the annotations of each function that has not been called yet."""


def checked(function: F) -> F:
    """Decorator: raise ArgumentError for arguments that do not fit the function's signature.

    Arguments are compared with annotations that name classes; those with others are left to
    the function. A class is checked when it is called.
    """
    if isinstance(function, type):
        function.__init__ = checked(function.__init__)  # type: ignore[misc]  # the class's own
        return function
    kinds, positional, read = _read_later(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kinds:
            read()
        given: Iterable[tuple[tuple[str, Kinds], Any]]
        given = zip(positional, args)  # noqa: B905 - `strict` takes longer than a check
        if kwargs:
            named = (((name, kinds.get(name, ())), value) for name, value in kwargs.items())
            given = chain(given, named)
        for (name, wanted), value in given:
            # The first question answers most, and the second one is slow where it says no.
            if wanted and type(value) not in wanted and not isinstance(value, wanted):
                raise _wrong_type(_as_called(function, args), name, value, kinds)
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside of the function
            raise _misfit(_as_called(function, args), kwargs, str(error)) from None

    return cast("F", call)


def read_annotations() -> None:
    """Read the annotations of all checked functions that are imported.

    That takes longer than an import may, so it is left to the first call, which may be in a tick.
    """
    while _UNREAD:
        _UNREAD.pop()()


def _read_later(
    function: Callable[..., Any],
) -> tuple[dict[str, Kinds], list[tuple[str, Kinds]], Callable[[], None]]:
    """The classes of each parameter and those of the positional ones, and what fills them in."""
    kinds: dict[str, Kinds] = {}
    positional: list[tuple[str, Kinds]] = []

    def read() -> None:
        if not kinds:
            kinds.update(_kinds_of(function))
            positional.extend((name, kinds.get(name, ())) for name in _positional(function))

    _UNREAD.append(read)
    return kinds, positional, read


def _kinds_of(function: Callable[..., Any]) -> dict[str, Kinds]:
    """The classes of each parameter, by name in order; empty where no check is possible."""
    hints = get_type_hints(function)
    return {name: _kinds(hints.get(name)) or () for name in _names(function)} or {"": ()}


def _positional(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters in front of ``*args`` and of those by name only."""
    parameters = signature(function).parameters.values()
    return [
        parameter.name
        for parameter in parameters
        if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]


def _kinds(hint: object) -> Kinds | None:
    """The classes that an annotation names; None if it describes anything else."""
    if isinstance(hint, TypeVar):
        return _kinds(hint.__bound__)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        kinds = [
            (NoneType,) if argument is NoneType else _kinds(argument) for argument in get_args(hint)
        ]
        known = [kind for named in kinds for kind in named or ()]
        is_clear = all(kinds) and len(known) <= _MOST_KINDS
        return tuple(dict.fromkeys(known)) if is_clear and abc.Callable not in known else None
    kind = origin if isinstance(origin, type) else hint
    if not isinstance(kind, type) or kind in (object, Any):
        return None
    if getattr(kind, "_is_protocol", False):
        return None
    return (float, int) if kind is float else (kind,)


def _wrong_type(
    function: Callable[..., Any], name: str, value: object, kinds: dict[str, Kinds]
) -> ArgumentError:
    wanted = kinds[name]
    shown = " or ".join(kind.__name__ for kind in wanted)
    fitting = {} if value is None else kinds  # None says nothing about where it belongs
    others = [
        other for other, kind in fitting.items() if other != name and isinstance(value, kind or ())
    ]
    hint = f"give it {shown}" + (", called: add brackets" if callable(value) else "")
    if isinstance(value, type) and issubclass(value, wanted):
        hint = f"add brackets: {value.__name__}()"
    elif others:
        hint = f"is that the argument '{others[0]}'? write {_in_order(function)}"
    called = f"'{name}' of {_called(function)}"
    return argument_error(f"{called} is {shown}; {value!r} is {type(value).__name__}", hint)


def _misfit(function: Callable[..., Any], kwargs: Mapping[str, Any], reason: str) -> ArgumentError:
    names = [name for name in _names(function) if name != "self"]
    for name in kwargs:
        if name not in names:
            synonyms = [synonym for synonym in _SYNONYMS.get(name, ()) if synonym in names]
            hint = f"did you mean '{synonyms[0]}'?" if synonyms else nearest(name, names)
            return argument_error(f"{_called(function)} has no argument '{name}'", hint)
    reason = reason.partition("() ")[2] or reason
    return argument_error(f"{_called(function)}: {reason}", f"it takes {', '.join(names)}")


def _names(function: Callable[..., Any]) -> list[str]:
    parameters = signature(function).parameters.values()
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [parameter.name for parameter in parameters if parameter.kind in named]


def _in_order(function: Callable[..., Any]) -> str:
    """The call with the names of the arguments that it needs: ``find_plan(domain, state, …)``."""
    parameters = signature(function).parameters
    needed = [
        parameter for parameter in parameters.values() if parameter.default is Parameter.empty
    ]
    names = [parameter.name for parameter in needed if parameter.name != "self"]
    more = ["…"] if len(needed) < len(parameters) else []
    return f"{_called(function).removesuffix('(…)')}({', '.join([*names, *more])})"


def _as_called(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """The function; an ``__init__`` with the name of the class that was called, not of its base."""
    if function.__name__ != "__init__" or not args:
        return function
    named = wraps(function)(lambda: None)
    named.__qualname__ = type(args[0]).__qualname__
    return named


def _called(function: Callable[..., Any]) -> str:
    name = function.__qualname__.removesuffix(".__init__")
    return f"{name}(…)"


def argument_error(message: str, hint: str) -> ArgumentError:
    """The error, placed at the line outside of this package that made the call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return ArgumentError("BT126", message, f"{frame.f_code.co_filename}:{frame.f_lineno}", hint)


def _is_own(module: str) -> bool:
    return module.startswith("bthtn.") and not module.startswith("bthtn.examples.")
