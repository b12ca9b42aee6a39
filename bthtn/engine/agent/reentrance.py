"""Re-entrance: users' code that calls the tree in the middle of whose tick it runs.

The stack of calls says what is going on. A flag would have to be taken back, and an interrupt
(Ctrl-C, MemoryError) can prevent that at any line: the agent would be at work forever. So a flag
is only a hint: where it is up the stack is looked at, where it is down nothing is at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from sys import _getframe
from types import CodeType, FrameType
from typing import Any, Final, TypeVar

from bthtn.engine.agent.runtime import runtime_of
from bthtn.errors import ExecutionError

F = TypeVar("F", bound=Callable[..., Any])

_WORK: Final[dict[int, CodeType]] = {}
"""The code of the methods that are work, by id: to look up the code itself takes long."""


def work(method: F) -> F:
    """Decorator: in the middle of this method, its object and the ``agent`` of it are at work."""
    _WORK[id(method.__code__)] = method.__code__
    return method


def at_work(*, but_one: bool = False) -> Iterator[tuple[object, str]]:
    """The objects that are at work where this is called, and their methods, the innermost first.

    The innermost worker is left out for a method that is work itself.
    """
    frame: FrameType | None = _getframe(1)
    while frame is not None:
        if id(frame.f_code) in _WORK:
            if not but_one:
                yield frame.f_locals["self"], frame.f_code.co_name
            but_one = False
        frame = frame.f_back


def is_at_work(agent: Any, *, but_one: bool = False) -> bool:
    runtime = runtime_of(agent)
    return (runtime.is_ticked or runtime.at_work is not None) and any(
        worker is agent or getattr(worker, "agent", None) is agent
        for worker, _ in at_work(but_one=but_one)
    )


def refuse_at_work(agent: Any, what: str, *, but_one: bool = False) -> None:
    """Raise ExecutionError for a call that has to wait until the agent's tick is over."""
    if is_at_work(agent, but_one=but_one):
        raise in_the_middle(f"agent '{agent.name}' {what}")


def in_the_middle(what: str) -> ExecutionError:
    """The mistake of code that calls the tree in the middle of whose tick it runs."""
    hint = (
        "call it after the tick; from inside, agent.believe tells the tree something, and"
        " root.stop() stops it"
    )
    return ExecutionError("BT320", f"{what} in the middle of its own tick", hint=hint)
