"""Character: an agent, its tree, and the world around it, a tick at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent


class Character:
    """Somebody who can be watched: every tick the world moves, is sensed, and the tree acts.

    ``sense`` moves the world on, and may write what the agent perceives into its beliefs; then the
    agent's sensors are read. ``finished`` says when there is nothing more to see.
    """

    def __init__(
        self,
        root: Behaviour,
        agent: Agent[Any, Any],
        *,
        sense: Callable[[], None],
        finished: Callable[[], bool] = lambda: False,
    ) -> None:
        self.root = root
        self.agent = agent
        self.ticks = 0
        self._sense = sense
        self._finished = finished
        self._events: list[AgentEvent] = []
        self._listener = agent.listener
        agent.listener = self._hear
        root.setup_with_descendants()

    def _hear(self, event: AgentEvent) -> None:
        self._events.append(event)
        if self._listener is not None:
            self._listener(event)

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to see."""
        return self._finished()

    def tick(self) -> tuple[AgentEvent, ...]:
        """Let one tick pass; what happened in it, in order."""
        self._events.clear()
        self.ticks += 1
        self._sense()
        self.agent.aborts.go_on(self)
        self.agent.sense()
        self.root.tick_once()
        return tuple(self._events)

    def stop(self) -> tuple[AgentEvent, ...]:
        """Take the tree down; what that aborted."""
        self._events.clear()
        self.root.stop(Status.INVALID)
        for node in list(self.root.iterate()):
            node.shutdown()
        return tuple(self._events)
