"""Telling: a listener hears every event, also when an interrupt comes upon it."""

from __future__ import annotations

from bthtn.engine.agent.events import AgentEvent, AgentListener
from bthtn.engine.agent.programming_errors import is_interrupt


def told_again(
    listener: AgentListener, event: AgentEvent, error: BaseException
) -> Exception | None:
    """Call a listener again which an interrupt has ended. Returns the exception of its own code.

    Raises the interrupt, but for a MemoryError.
    """
    if is_interrupt(error, (listener,)):
        raise error  # it has not been called
    if not is_interrupt(error, ()):
        assert isinstance(error, Exception), "others are interrupts"
        return error
    try:
        listener(event)  # it may not have heard it; ours look whether it is the same one
    except Exception as again:  # noqa: BLE001 - returned
        return again
    if not isinstance(error, Exception):
        raise error
    return None
