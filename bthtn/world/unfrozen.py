"""Objects of frozen dataclasses, filled before they are frozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def unfrozen(frozen: type) -> Any:
    """A subclass of a frozen dataclass with slots whose objects can be changed.

    Set all attributes of an object that ``__new__`` has made; then assign the frozen class to its
    ``__class__``. That takes a sixth of the instructions of the frozen class's ``__init__``, which
    calls ``object.__setattr__`` for each attribute.
    """
    changing = {name: getattr(object, name) for name in ("__init__", "__setattr__", "__delattr__")}
    return type(frozen.__name__, (frozen,), {"__slots__": (), **changing})


def quickly(frozen: type[T]) -> Callable[..., T]:
    """A function that makes the same objects as a call of the frozen dataclass, see ``unfrozen``.

    It is for classes whose fields have no default factories.
    """
    unfilled: Any = frozen
    parts = [
        (given.name, Any, field(default=given.default, kw_only=given.kw_only))
        for given in fields(unfilled)
    ]

    def freeze(new: Any) -> None:
        new.__class__ = frozen

    opened: Callable[..., T] = unfrozen(frozen)
    filled = make_dataclass(frozen.__name__, parts, namespace={"__post_init__": freeze})
    for name in ("__init__", "__post_init__"):
        setattr(opened, name, vars(filled)[name])
    return opened
