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

    The ``__post_init__`` of the class is not called.
    """
    unfilled: Any = frozen
    parts: list[tuple[str, Any, Any]] = []
    for known in fields(unfilled):
        defaults: dict[str, Any] = {
            "default": known.default,
            "default_factory": known.default_factory,
        }
        parts.append((known.name, Any, field(**defaults, kw_only=known.kw_only)))

    def freeze(new: Any) -> None:
        new.__class__ = frozen

    opened: Callable[..., T] = unfrozen(frozen)
    filled = make_dataclass(frozen.__name__, parts, namespace={"__post_init__": freeze})
    for name in ("__init__", "__post_init__"):
        setattr(opened, name, vars(filled)[name])
    return opened
