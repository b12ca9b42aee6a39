"""The operators of expressions: how two known values are compared and combined."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from types import MappingProxyType
from typing import Any, Final


def _in_order(value: Any) -> Any:
    """The value that ``<`` compares: for members of a plain Enum, their order of definition."""
    if isinstance(value, Enum) and not isinstance(value, (int, float, str)):
        return list(type(value)).index(value)
    return value


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: compare(_in_order(left), _in_order(right))


COMPARE: Final = MappingProxyType(
    {
        "==": operator.eq,
        "!=": operator.ne,
        "<": _ordered(operator.lt),
        "<=": _ordered(operator.le),
        ">": _ordered(operator.gt),
        ">=": _ordered(operator.ge),
    }
)
COMPUTE: Final = MappingProxyType(
    {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "//": operator.floordiv,
        "%": operator.mod,
    }
)


def ordering(symbol: str) -> Callable[[Any, Any], bool]:
    """The function that compares two known values by ``<``, ``<=``, ``>`` or ``>=``."""
    return COMPARE[symbol]
