"""Several functions that hear one agent: none of them disturbs another by what it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import AgentEvent, AgentListener
from bthtn.engine.agent.programming_errors import code_failed

Listener = Callable[[AgentEvent], object]


def hear_too(agent: Agent[Any, Any], hear: AgentListener) -> AgentListener:
    """Let a function hear all events before the agent's listener; each until it raises.

    Returns the listener that the agent has now.
    """
    first, listener = cast("Listener", hear_alone(agent, hear)), agent.listener
    latest: AgentEvent | None = None
    before = None if listener is None else hear_alone(agent, listener)

    def hear_both(event: AgentEvent) -> None:
        nonlocal latest
        if event is not latest:  # else an interrupt came when it was heard before
            _, latest = first(event), event
        if before is not None:
            before(event)

    agent.listener = hear_both
    return hear_both


def hear_alone(agent: Agent[Any, Any], hear: AgentListener) -> AgentListener:
    """A listener that disturbs no other: one that raises hears no more, and the agent says so."""
    is_heard = True

    def heard(event: AgentEvent) -> None:
        nonlocal is_heard
        try:
            try:
                if is_heard:
                    hear(event)
            except MemoryError:
                hear(event)  # it may not have heard it
        except Exception as error:  # noqa: BLE001 - contained and reported
            is_heard = False
            agent.emit(code_failed("listener", error))

    return heard
