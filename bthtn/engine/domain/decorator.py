"""Decorators of a part of a plan: limits of its time, and changes of its status.

A part of a network is decorated by functions of ``decorated``, such as ``retry(3, a)``. The
anonymous task that stands for it has the decorator.
"""

from __future__ import annotations

from typing import ClassVar

from bthtn.engine.domain.number import Seconds
from bthtn.records import record


@record
class TimeoutDecorator:
    """Aborts the part, and fails, when it has run for so many ticks or seconds."""

    word: ClassVar[str] = "timeout"
    number: int | Seconds


@record
class RetryDecorator:
    """Begins the part again when it has failed, until it has failed so many times."""

    word: ClassVar[str] = "retry"
    number: int


@record
class CooldownDecorator:
    """Keeps the part from being planned or begun for such a time after its success."""

    word: ClassVar[str] = "cooldown"
    number: int | Seconds


@record
class InvertDecorator:
    """Succeeds when the part fails, and fails when it succeeds."""

    word: ClassVar[str] = "invert"
    number: ClassVar[None] = None


Decorator = TimeoutDecorator | RetryDecorator | CooldownDecorator | InvertDecorator


def decorator_text(decorator: Decorator) -> str:
    """``retry 3``, ``timeout seconds(2.5)``, ``invert``."""
    if decorator.number is None:
        return decorator.word
    return f"{decorator.word} {_number_text(decorator.number)}"


def opening_text(decorator: Decorator) -> str:
    """The beginning of a decorated part as it is written: ``retry(3, ``, ``invert(``."""
    if decorator.number is None:
        return f"{decorator.word}("
    return f"{decorator.word}({_number_text(decorator.number)}, "


def _number_text(number: int | Seconds) -> str:
    return f"seconds({number.length})" if isinstance(number, Seconds) else str(number)
