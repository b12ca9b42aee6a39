"""Values as text that people write, and as JSON for logs.

Values in plans are in ``plan_json``; texts of fluents' values and of indices in
``bthtn.engine.world.value_type``, which knows more of their types than parameters have.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from enum import Enum
from typing import Any, Final

from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.errors import InputError, nearest

LONGEST_INTEGER: Final = 10_000
"""Bits of the longest integers written as decimals, since Python limits their digits."""
_WHOLE: Final = re.compile(r"[+-]?\d+")
_NOT_FINITE: Final = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)


def json_value(value: object) -> Any:
    """A value as JSON: a member of an Enum by name, values unknown to JSON by their text."""
    if isinstance(value, Enum):
        return value_text(value) if value is UNKNOWN else value.name
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return hex(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return value_text(value)


def value_from(text: str, parameter: Parameter[Any]) -> Any:
    """The value that a text denotes. Raises InputError when the parameter cannot have it."""
    kind, plain = parameter.type or object, unquoted(text)
    try:
        return _value(kind, text, plain)
    except (KeyError, ValueError):
        shown = f"'{parameter.name}' is {kind.__name__} and cannot be {shortened(text)}"
        raise InputError("BT103", shown, hint=_hint_for(kind, text)) from None


def finite_from(text: str, parameter: Parameter[Any]) -> Any:
    """As ``value_from``, for files: a number that is infinite, or none, is a mistake there."""
    value = value_from(text, parameter)
    is_number = isinstance(value, float) or (parameter.type is None and isinstance(value, str))
    if is_number and _NOT_FINITE.fullmatch(text.strip()):
        raise InputError("BT103", f"'{parameter.name}' is {text}", hint="write a finite number")
    if isinstance(value, float) and not math.isfinite(value):
        message = f"'{parameter.name}' is {shortened(text)}, which is too large"
        raise InputError("BT103", message, hint="write a finite number")
    return value


def _value(kind: type, text: str, plain: str) -> Any:
    if kind is object:
        return guessed(text) if plain == text else plain
    if kind is bool:
        return {"true": True, "false": False}[text.casefold()]
    if issubclass(kind, Enum):
        return kind[plain]
    if kind is float and _WHOLE.fullmatch(text):
        return int(text)
    if issubclass(kind, int | float | str):
        return kind(plain)
    raise ValueError(text)


def guessed(text: str) -> Any:
    """A value for a parameter without a type: a number or truth where it looks like one."""
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text, text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _hint_for(kind: type, text: str) -> str:
    if issubclass(kind, Enum):
        return nearest(text, [member.name for member in kind])
    hints = {
        bool: "write true or false",
        int: "write a whole number",
        float: "write a number, such as 2.5",
    }
    return hints.get(kind, f"values of type {kind.__name__} cannot be written as text")


def unquoted(text: str) -> str:
    """The text between the quotes, or the text itself when there are none."""
    if not QUOTED.fullmatch(text):
        return text
    try:
        with warnings.catch_warnings(action="error"):
            return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):  # an escape such as "\x" that Python cannot read
        return text[1:-1]


def shortened(text: str, longest: int = 60) -> str:
    """The text; the middle of one longer than ``longest`` characters is replaced by ``…``."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"
