"""``fluent`` and ``fluents``: how a State class declares its fluents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar, cast

from bthtn.checked import checked
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.truth import UNKNOWN, Unknown
from bthtn.engine.world.value_type import ValueType

T = TypeVar("T")


@checked
def fluent(
    *,
    default: T | Unknown,
    type: type[T] | None = None,  # noqa: A002 - as the built-in says it
    volatile: bool = False,
) -> Fluent[T]:
    """Declare a fluent. Its values are those that its annotation describes.

    ``type`` is for annotations that cannot be read while the program runs; without either, the
    type is that of the default. Raises StateError when the default is not of that type.
    """
    is_stated = type is not None
    made = Fluent(
        cast("T", default), values=_values(default, type), volatile=volatile, is_stated=is_stated
    )
    if is_stated:
        made.check(default)
    return made


@checked
def fluents(
    *,
    default: T | Unknown,
    index: type | None = None,
    objects: Iterable[Any] = (),
    type: type[T] | None = None,  # noqa: A002 - as in `fluent`
    volatile: bool = False,
) -> FluentFamily[Any, T]:
    """Declare a family of fluents that share a name, a type and a default.

    Indices and values are those that the annotation describes: ``FluentFamily[tuple[str, str],
    int]`` has two indices of type ``str``. ``objects`` are the only indices, where they are
    known; so are the members of an Enum, and the values of a ``Literal``. ``index`` and ``type``
    are for annotations that cannot be read. Raises StateError as ``fluent`` does.
    """
    known = tuple(objects)
    indices = None
    if known:
        indices = ValueType(tuple(dict.fromkeys(map(_type, known))), known)
    elif index is not None:
        indices = ValueType((index,))
    return FluentFamily(fluent(default=default, type=type, volatile=volatile), indices)


_type: Final = type  # the built-in, where a parameter has its name


def _values(default: object, stated: type | None) -> ValueType | None:
    """The values that the given type or, without one, the default describes."""
    if stated is not None:
        return ValueType((stated,), is_optional=default is None)
    return None if default is None or default is UNKNOWN else ValueType((type(default),))
