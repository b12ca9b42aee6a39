"""Decorators of a part of a plan: when its end has to come, and what is made of it.

A part of a network is decorated by functions of ``decorated``, such as ``retry(3, a)``. The
anonymous task that stands for it has the decorator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Timeout:
    """Aborts the part, and fails, when it has run for so many ticks."""

    word: ClassVar[str] = "timeout"
    number: int


@dataclass(frozen=True, slots=True)
class Retry:
    """Begins the part again when it has failed, until it has failed so many times."""

    word: ClassVar[str] = "retry"
    number: int


@dataclass(frozen=True, slots=True)
class Cooldown:
    """Keeps the part from being planned or begun for so many ticks after its success."""

    word: ClassVar[str] = "cooldown"
    number: int


@dataclass(frozen=True, slots=True)
class Invert:
    """Succeeds when the part fails, and fails when it succeeds."""

    word: ClassVar[str] = "invert"
    number: ClassVar[None] = None


Decorator = Timeout | Retry | Cooldown | Invert


def decorator_text(decorator: Decorator) -> str:
    """``retry 3``, ``invert``."""
    if decorator.number is None:
        return decorator.word
    return f"{decorator.word} {decorator.number}"


def opening_text(decorator: Decorator) -> str:
    """The beginning of a decorated part as it is written: ``retry(3, ``, ``invert(``."""
    return f"{decorator.word}(" + ("" if decorator.number is None else f"{decorator.number}, ")
