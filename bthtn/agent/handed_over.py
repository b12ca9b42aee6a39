"""Functions that an agent is handed: what no call can do is found at once."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature


def suspends(function: object) -> str:
    """What it is if a call only makes an object and runs nothing, else an empty text."""
    if iscoroutinefunction(function) or isasyncgenfunction(function):
        return "a coroutine function, which nobody awaits"
    if isgeneratorfunction(function):
        return "a generator function, which nobody goes through"
    return ""


def misfit(function: Callable[..., object], *arguments: str) -> str:
    """Why it cannot be called with arguments of these names in order; an empty text if it can."""
    try:
        taken = signature(function)
    except (TypeError, ValueError):  # a builtin says nothing about its arguments
        return ""
    try:
        taken.bind(*arguments)
    except TypeError as error:
        return f"is called with ({', '.join(arguments)}): {error}"
    return ""
