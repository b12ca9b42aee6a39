"""Columns of sheets: their headings, and the values of their cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from bthtn.engine.text.conditions import condition_from_text, expression_from_text
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import Unknown

_COMMA: Final = re.compile(r"([+-]?\d+),(\d+)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, other headings of it, and the ``field`` of the row that it fills.

    ``read`` makes a value of the text in a cell. It raises ValueError when the text is not as
    ``wanted`` describes, or a BthtnError.
    """

    heading: str
    field: str
    read: Callable[[str], Any] = str
    wanted: str = "a text"
    also: tuple[str, ...] = ()
    is_required: bool = False


def with_point(text: str) -> str:
    """A number that is written with a decimal comma, ``1,5``, with a point; other texts as is."""
    return _COMMA.sub(r"\1.\2", text) if _COMMA.fullmatch(text) else text


def number(text: str) -> float:
    """The finite number that a cell holds. Raises ValueError."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def whole(text: str) -> int:
    """The whole number above zero that a cell holds. Raises ValueError."""
    value = int(text)
    if value <= 0:
        raise ValueError(text)
    return value


def condition_column(heading: str, state: type[State]) -> Column:
    """A column of conditions on this class of states, ``near and ammo > 2``."""
    return Column(
        heading, folded(heading), lambda text: condition_from_text(text, state.__schema__)
    )


def number_column(heading: str, state: type[State]) -> Column:
    """A column of numbers that may depend on the state, ``100 - health``."""

    def read(text: str) -> Expression[Any]:
        expression = expression_from_text(text, state.__schema__)
        with suppress(ArithmeticError):  # as with other values it may be a number
            if not _is_number(expression.evaluate(state().frozen())):
                raise ValueError(text)
        return expression

    return Column(heading, folded(heading), read, "a number, or write it like  100 - health")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Unknown) and not isinstance(value, bool)


def folded(heading: str) -> str:
    """The heading without spaces and underscores, in small letters."""
    return re.sub(r"[\s_]", "", heading).casefold()
