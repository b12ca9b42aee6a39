"""Telling: a listener hears every event, also when an interrupt comes upon it."""

from __future__ import annotations

from bthtn.agent.events import AgentEvent, AgentListener
from bthtn.agent.programming_errors import is_interrupt


def told(listener: AgentListener, event: AgentEvent) -> Exception | None:
    """Call a listener, and again after an interrupt. Returns the exception that it has raised."""
    try:
        listener(event)
    except BaseException as error:
        if is_interrupt(error, (listener,)):
            raise  # it has not been called
        if not is_interrupt(error, ()):
            return _raised(error)
        try:
            listener(event)  # it may not have heard it; ours look whether it is the same one
        except Exception as again:  # noqa: BLE001 - returned
            return again
        if not isinstance(error, Exception):
            raise
    return None


def _raised(error: BaseException) -> Exception:
    assert isinstance(error, Exception), "others are interrupts"
    return error
