"""ProgrammingErrors: exceptions of user code that are bugs, each logged once and counted.

An OperatorFailed is an answer of the world. Every other exception is a mistake in the code that
raised it: it is contained, logged with its traceback the first time, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from logging import Logger, getLogger
from pathlib import PurePath
from traceback import walk_tb
from types import MappingProxyType
from typing import Any, Final, TypeGuard

from bthtn.engine.agent import events
from bthtn.engine.agent.operators import OperatorFailed
from bthtn.errors import BthtnError, InputError, exception_text

LOGGER: Final[Logger] = getLogger("bthtn")


class ProgrammingErrors:
    """The programming errors of one agent, counted by kind.

    A kind is the code that ran, the class of the exception, and the line that raised it. The first
    error of each kind is logged, and with ``strict`` kept until ``raise_first`` raises it.
    """

    __slots__ = ("_agent", "_counts", "_raised", "_strict")

    def __init__(self, agent: str, *, strict: bool) -> None:
        self._agent = agent
        self._strict = strict
        self._counts: dict[str, int] = {}
        self._raised: tuple[BaseException, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many errors there were of each kind."""
        return MappingProxyType(self._counts)

    def note(self, event: events.AgentEvent) -> None:
        """Count the error of an event, if it has one, and log the first of its kind."""
        error: BaseException | None = getattr(event, "error", None)
        if not is_programming_error(error) or not (where := _where(event)):
            return
        kind = f"{where}: {type(_origin(error)).__name__}{_place(error)}"
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] > 1:
            return
        text = "%s of agent '%s' raised %s; more errors of this kind are only counted"
        LOGGER.error(text, where, self._agent, text_of(error), exc_info=error)
        if self._strict:
            self._raised += (error,)

    def raise_first(self) -> None:
        """Raise the first error that was kept, and drop the others."""
        if self._raised:
            error, self._raised = self._raised[0], ()
            raise error


def is_programming_error(error: BaseException | None) -> TypeGuard[Exception]:
    """Whether an exception is a mistake in users' code, and not the answer of an operator."""
    return isinstance(error, Exception) and not isinstance(error, OperatorFailed)


def is_interrupt(error: BaseException, codes: Iterable[object]) -> bool:
    """Whether it came upon our own code at any line: Ctrl-C, or no memory, not raised in ``codes``.

    Those are functions of users, or the code of such; what they raise is theirs.
    """
    if isinstance(error, Exception) and not isinstance(error, MemoryError):
        return False
    theirs = list(map(_code_of, codes))
    return not any(
        frame.f_code is code for frame, _ in walk_tb(error.__traceback__) for code in theirs
    )


def _code_of(called: Any) -> object:
    """The code that runs when something is called; itself, if it is code."""
    while isinstance(called, partial):
        called = called.func
    if isinstance(called, type):
        called = vars(called).get("__init__")
    elif not hasattr(called, "__code__") and callable(called):
        called = called.__call__
    return getattr(called, "__code__", called)


def text_of(error: BaseException) -> str:
    """The class, message and place of an exception; only the message of an OperatorFailed."""
    if isinstance(error, OperatorFailed):
        return exception_text(error).partition(": ")[2] or "the operator failed"
    error = first_of(error)
    place = "" if isinstance(error, BthtnError) else _place(error)  # its own text has one
    return f"{exception_text(error)}{place}"


def first_of(error: BaseException) -> BaseException:
    """The error itself; of a group, as that of an asyncio TaskGroup, the first one inside."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def code_failed(code: str, error: BaseException) -> events.CodeFailed:
    return events.CodeFailed(code, text_of(error), error)


def give_up(view: str, error: Exception) -> None:
    """Log that a view of a run, such as its recording, has raised: the run goes on without it."""
    if isinstance(error, InputError):
        LOGGER.error("%s is given up: %s", view, error)
    else:
        LOGGER.error("%s is given up: %s", view, text_of(error), exc_info=error)


def _place(error: BaseException) -> str:
    """The line that raised an exception of users' code: `` (operators.py:12)``."""
    origin = _origin(error)
    frames = list(walk_tb(origin.__traceback__))
    if not frames or isinstance(origin, BthtnError):
        return ""
    frame, line = frames[-1]
    return f" ({PurePath(frame.f_code.co_filename).name}:{line})"


def _origin(error: BaseException) -> BaseException:
    """The exception of users' code that an error of a search was made of, or the error itself."""
    cause = error.__cause__ if isinstance(error, BthtnError) else None
    return first_of(error if cause is None else cause)


def _where(event: events.AgentEvent) -> str:
    """The code that raised the error of an event, without arguments; "" for other events."""
    match event:
        case events.SensorFailed(sensor):
            return f"sensor '{sensor}'"
        case events.LeafEnded(_, task) | events.LeafAborted(_, task) | events.LeafRefused(_, task):
            return f"step '{task.partition('(')[0]}'"
        case events.PlanHookFailed(_, hook, task):
            return f"{hook} of '{task.partition('(')[0]}'"
        case events.CleanupEnded(_, task):
            return f"cleanup '{task}'"
        case events.GoalEnded(goal):
            return f"goal '{goal}'"
        case events.CodeFailed(code):
            return code
        case _:
            return ""
