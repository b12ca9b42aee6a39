"""Random draws as a pure function of a text: equal texts give equal draws.

A draw does not depend on a shared generator, the process or the platform. So a search that
backtracks, a replay and another implementation all get the same draw again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import Any, Final
from zlib import crc32

from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import DomainError

_Draws: Final = type("_Draws", (), {"(seed)": Fluent(0, values=ValueType((int,)), volatile=False)})
SEED: Final[Fluent[int]] = vars(_Draws)["(seed)"]
"""The seed of all draws of one planning request: a fluent of every state, in no schema."""

_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
"""What Python adds to the text of functions, and of objects without a text of their own."""

_POINTS: Final = 2**53
"""Number of possible draws: as many as a float can represent evenly between 0 and 1."""


def drawn_order(weights: Sequence[float], text: str) -> tuple[int, ...]:
    """All positions in random order, drawn by weight without replacement.

    Positions whose weight is not a positive finite number come last, in the given order.
    """
    usable = [weight if isfinite(weight) and weight > 0 else 0 for weight in weights]
    left = [position for position, weight in enumerate(usable) if weight]
    order: list[int] = []
    while len(left) > 1:
        point = _drawn(f"{text}:{len(order)}") * sum(usable[position] for position in left)
        order.append(_hit(left, usable, point))
        left.remove(order[-1])
    return (*order, *left, *(position for position, weight in enumerate(usable) if not weight))


def _hit(left: Sequence[int], weights: Sequence[float], point: float) -> int:
    for position in left[:-1]:
        point -= weights[position]
        if point < 0:
            return position
    return left[-1]


def _drawn(text: str) -> float:
    """A number from 0 (included) to 1 (excluded) that depends only on the text."""
    digest = sha256(text.encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big") % _POINTS / _POINTS


def phase_of(name: str) -> int:
    """A number by which things that are done every few ticks are spread over the ticks.

    It is computed from a name, and not counted, so that agents which were made before, in this
    game or in another one of the same process, make no difference.
    """
    return crc32(name.encode("utf-8", "backslashreplace"))


def stable_text(value: Any) -> str:
    """The value as a text that is the same in every process, and for equal values.

    Addresses are left out, since they differ between processes, and so does the order of a set.
    """
    if isinstance(value, float) and not value.is_integer():
        return repr(float(value))
    if isinstance(value, int | float):
        return repr(int(value))
    if isinstance(value, str):
        return repr(str.__str__(value))
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, tuple):
        return f"({' '.join(map(stable_text, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{' '.join(in_order(value))}}}"
    kind: Any = type(value)
    if kind.__repr__ is object.__repr__:
        return str(kind.__qualname__)
    if "__eq__" in vars(kind) and is_dataclass(value):
        shown = (
            stable_text(getattr(value, field.name)) for field in fields(value) if field.compare
        )
        return f"{kind.__qualname__}({' '.join(shown)})"
    return _ADDRESS.sub("", repr(value))


def values_in_order(values: Any, where: Callable[[], str], hint: str) -> list[Any]:
    """The values of a collection, those of a set in an order that every process shares.

    Raises DomainError for something else than a collection of hashable values.
    """
    is_plain = type(values) is tuple or type(values) is list
    if not is_plain and (isinstance(values, str) or not isinstance(values, Iterable)):
        raise DomainError("BT117", f"{value_text(values)} holds no values", where(), hint)
    is_set = not is_plain and isinstance(values, set | frozenset)
    found = sorted(values, key=stable_text) if is_set else list(values)
    for value in found:
        if type(value).__hash__ is None:
            message = f"{value!r} is {type(value).__name__}, which can change"
            raise DomainError("BT117", message, where(), hint)
    return found


def in_order(values: Any) -> list[str]:
    """The texts of a set's values, sorted, so that they do not depend on the process."""
    return sorted(map(stable_text, values))
