"""Three-valued truth: true, false, unknown, and the strong Kleene connectives."""

from __future__ import annotations

from enum import Enum
from typing import Final

from bthtn.engine.world.names import in_one_line


class Unknown(Enum):
    """The type of ``UNKNOWN``: the value of a fluent that is not known."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN is neither true nor false; test `value is UNKNOWN` first")


UNKNOWN: Final = Unknown.UNKNOWN

Truth = bool | Unknown


def negation(truth: Truth) -> Truth:
    """Not ``truth``; unknown stays unknown."""
    return UNKNOWN if truth is UNKNOWN else not truth


def value_text(value: object) -> str:
    """A value as one line of text: ``true``, ``3``, ``'tokyo'``, ``MELEE``."""
    if value is UNKNOWN:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return in_one_line(value.name)
    if value is None:
        return "none"
    try:
        text = repr(value)
    except ValueError:
        if not isinstance(value, int):
            raise
        return hex(value)  # it has more digits than Python writes
    return in_one_line(_with_sorted_sets(value) if "frozenset({" in text else text)


def _with_sorted_sets(value: object) -> str:
    """Python's text of a value, with the elements of sets in the same order in every process."""
    if type(value) is frozenset and value:
        return f"frozenset({{{', '.join(sorted(map(_with_sorted_sets, value)))}}})"
    if type(value) is tuple:
        parts = ", ".join(map(_with_sorted_sets, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    return repr(value)


def same_value(one: object, other: object) -> bool:
    """Whether two values are indistinguishable; all floats that are not a number are."""
    return one is other or one == other or (one != one and other != other)  # noqa: PLR0124 - NaN
