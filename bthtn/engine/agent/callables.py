"""Checks of callables that users give to agents, when they are given."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature

from bthtn.errors import ExecutionError


def suspends(function: object) -> str:
    """That a call only makes an object and runs nothing; an empty text if it runs something."""
    if iscoroutinefunction(function) or isasyncgenfunction(function):
        return "is a coroutine function, which is never awaited"
    if isgeneratorfunction(function):
        return "is a generator function, which is never run through"
    return ""


def check_listener(listener: object, agent: str) -> None:
    """Raise ExecutionError for what cannot be called with events."""
    fault = suspends(listener)
    if not callable(listener) or isinstance(listener, type):
        fault = f"is {listener!r}, which cannot be called with events"
    if fault:
        hint = "give it a function of the event, or an object: RecordingListener()"
        raise ExecutionError("BT110", f"the listener of agent '{agent}' {fault}", hint=hint)


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
