"""Objects of frozen dataclasses, filled before they are frozen."""

from __future__ import annotations

from typing import Any


def unfrozen(frozen: type) -> Any:
    """A subclass of a frozen dataclass with slots whose objects can be changed.

    Set all attributes of an object that ``__new__`` has made; then assign the frozen class to its
    ``__class__``. That takes a sixth of the instructions of the frozen class's ``__init__``, which
    calls ``object.__setattr__`` for each attribute.
    """
    changing = {one: getattr(object, one) for one in ("__init__", "__setattr__", "__delattr__")}
    return type(frozen.__name__, (frozen,), {"__slots__": (), **changing})
