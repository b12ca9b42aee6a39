"""Character: an agent, its tree and its world, ticked together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent
from bthtn.agent.programming_errors import code_failed
from bthtn.behaviours.attach import attach
from bthtn.checked import checked
from bthtn.world.sharing import Unpicklable


class Character(Unpicklable):
    """Runs a tree in a world: at every tick the world advances, sensors are read, the tree acts.

    ``sense`` advances the world by a tick and may write into the agent's beliefs; then the
    agent's sensors are read. ``finished`` is whether the run is over. What these two raise leaves
    the tick: they are the caller's world, not the agent.
    """

    @checked
    def __init__(
        self,
        root: Behaviour,
        agent: Agent[Any, Any],
        *,
        sense: Callable[[], None],
        finished: Callable[[], bool] = lambda: False,
    ) -> None:
        self.root = root
        self.tree = BehaviourTree(root)
        self.agent = agent
        self.ticks = 0
        self._sense = sense
        self._finished = finished
        self._events: list[AgentEvent] = []
        self._listener = agent.listener
        agent.listener = self._hear
        attach(self.tree, agent)
        root.setup_with_descendants()

    def _hear(self, event: AgentEvent) -> None:
        self._events.append(event)
        if self._listener is None:
            return
        try:
            self._listener(event)
        except Exception as error:  # noqa: BLE001 - a listener must not disturb the character
            self._listener = None
            self.agent.emit(code_failed("listener", error))

    @property
    def finished(self) -> bool:
        """Whether the run is over."""
        return self._finished()

    def tick(self) -> tuple[AgentEvent, ...]:
        """Run one tick; the events of it, in order."""
        self._events.clear()
        self.ticks += 1
        self._sense()
        self.tree.tick()
        return tuple(self._events)

    def stop(self) -> tuple[AgentEvent, ...]:
        """Stop and shut down the tree; the events of that."""
        self._events.clear()
        self.tree.shutdown()
        return tuple(self._events)
