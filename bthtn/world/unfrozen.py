"""Objects of frozen dataclasses, filled before they are frozen."""

from __future__ import annotations

from typing import Any


def unfrozen(frozen: type) -> Any:
    """A class with the slots of a frozen dataclass that is not frozen, and has no ``__init__``.

    Set all attributes of its object; then assign the frozen class to ``__class__``. That takes a
    sixth of the instructions of the frozen class's ``__init__``, which calls ``object.__setattr__``
    for each attribute.
    """
    return type(frozen.__name__, frozen.__bases__, {"__slots__": vars(frozen)["__slots__"]})
