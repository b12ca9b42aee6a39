"""records: immutable classes, made without writing source text for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(kind: type[T], /) -> type[T]: ...


@overload
def record(*, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    kind: type[T] | None = None,
    /,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - the names of `dataclass`
) -> type[T] | Callable[[type[T]], type[T]]:
    """What ``dataclass(frozen=True, slots=True)`` makes, in a tenth of the time.

    ``dataclass`` writes and compiles six methods for each class; all records share those below.
    ``fields``, ``replace`` and the like take records for dataclasses. What users call with
    ``checked`` arguments remains a dataclass, whose ``__init__`` has a signature.
    """
    if kind is None:
        return lambda kind: _made(kind, eq=eq, repr=repr)
    return _made(kind, eq=eq, repr=repr)


def _made(declared: type[T], *, eq: bool, repr: bool) -> type[T]:  # noqa: A002 - as above
    kind: Any = dataclass(init=False, repr=False, eq=False, slots=True)(declared)
    given = [part for part in fields(kind) if part.init]
    given.sort(key=lambda part: part.kw_only is True)
    kind._record_names = tuple(part.name for part in given)
    kind._record_setters = tuple(getattr(kind, part.name).__set__ for part in given)
    kind._record_defaults = {part.name: make for part in given if (make := _maker(part))}
    left = [part for part in fields(kind) if not part.init]
    kind._record_left = {part.name: make for part in left if (make := _maker(part))}
    has_more = kind._record_left or hasattr(kind, "__post_init__")
    methods: dict[str, Any] = {
        "__init__": _init_and_more if has_more else _init,
        "__setattr__": _set,
        "__delattr__": _delete,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if eq:
        kind._record_values = _getter([part.name for part in fields(kind) if part.compare])
        methods |= {"__eq__": equal_fields, "__hash__": _hash}
    if repr:
        methods["__repr__"] = _repr
    for name, method in methods.items():
        if vars(declared).get(name) is None:  # Python sets __hash__ to None beside an __eq__
            setattr(kind, name, method)
    return kind  # type: ignore[no-any-return]  # with attributes that no annotation tells


def _maker(part: Field[Any]) -> Callable[[], Any] | None:
    """What makes the value of a field that is not given; None if it must be given."""
    if part.default_factory is not MISSING:
        return part.default_factory
    return None if part.default is MISSING else lambda: part.default


def _getter(names: list[str]) -> Any:
    """The values of these attributes, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return staticmethod(lambda owner: tuple(getattr(owner, name) for name in names))


def replaced(made: T, **others: Any) -> T:
    """The record with other values in some fields: ``replace``, in a quarter of the time.

    All of its fields are given; nothing is done after ``__init__``.
    """
    kind: Any = type(made)
    new: T = object.__new__(kind)
    for name, put in zip(kind._record_names, kind._record_setters):  # noqa: B905 - see ``_init``
        put(new, others[name] if name in others else getattr(made, name))
    return new


def _init(self: Any, *values: Any, **named: Any) -> None:
    setters = self._record_setters
    if named or len(values) != len(setters):
        values = _completed(self, values, named)
    for put, value in zip(setters, values):  # noqa: B905 - `strict` takes longer than a field
        put(self, value)


def _init_and_more(self: Any, *values: Any, **named: Any) -> None:
    _init(self, *values, **named)
    for name, make in self._record_left.items():
        object.__setattr__(self, name, make())
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _completed(made: Any, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The values of all fields. Raises TypeError if one is missing, or there is no such field."""
    missing, defaults = made._record_names[len(values) :], made._record_defaults
    try:
        rest = [named[name] if name in named else defaults[name]() for name in missing]
    except KeyError:
        raise _misfit(type(made), values, named) from None
    if len(values) > len(made._record_names) or any(name not in missing for name in named):
        raise _misfit(type(made), values, named)
    return (*values, *rest)


def _misfit(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> TypeError:
    """The error of a call whose arguments are not the fields, in Python's words."""
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=kind._record_defaults.get(name, Parameter.empty),
        )
        for name in kind._record_names
    ]
    try:
        Signature(parameters).bind(*values, **named)
    except TypeError as error:
        return TypeError(f"{kind.__name__}: {error}")
    raise AssertionError("arguments that fit have been taken")


def _set(self: object, name: str, value: object) -> NoReturn:  # noqa: ARG001 - of all objects
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> NoReturn:  # noqa: ARG001 - of all objects
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, part.name) for part in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for part, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, part.name, value)


def equal_fields(self: Any, other: Any) -> bool:
    """The ``__eq__`` of records: of one class, with equal fields."""
    if self.__class__ is not other.__class__:
        return NotImplemented  # type: ignore[no-any-return]  # fine in methods named so
    is_equal: bool = self._record_values(self) == other._record_values(other)
    return is_equal


def _hash(self: Any) -> int:
    return hash(self._record_values(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
