"""Feed: what a tick has changed, gathered in the thread that ticks.

A frame is made of references to data that never changes: events, and what is new in a tree. So it
costs the tick little, and another thread may read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent, PlanAdopted
from bthtn.recording.watched import Line, Watchable, Watched
from bthtn.world.state import FrozenState

ALWAYS_WATCHED: Final = 20
"""Up to so many trees are all watched; of more, those that a page has asked for."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What one tick has changed. ``whole`` is set if the reader cannot go on from the last one.

    Then it has what is to be known of each agent, as in the first line of a recording.
    """

    tick: int
    time: float | None
    news: tuple[Line | AgentEvent, ...]
    whole: tuple[Line, ...] | None


class Feed:
    """The frames of ``watched`` trees."""

    def __init__(self, watched: Iterable[Watchable]) -> None:
        """Raises InputError unless all agents have different names, and there is one."""
        self.watched = Watched(watched, self._note)
        self.watched.listen()
        self.planned_from: dict[tuple[str, str], FrozenState] = {}
        """The beliefs with which the latest plan was adopted, by agent and goal."""
        trees = set(self.watched.tree_of.values())
        self._shown = trees if len(trees) <= ALWAYS_WATCHED else set[str]()

    def show(self, agent: str) -> None:
        """Send the tree of this agent from now on."""
        self._shown.add(self.watched.tree_of[agent])

    def frame(self, tick: int, *, is_whole: bool) -> Frame:
        """What has changed since the last frame; or all, as if there had been none."""
        if is_whole:
            self.watched.forget_trees()
        whole = tuple(self.watched.about()) if is_whole else None
        news = (*self.watched.news(), *self.watched.changes(tick, self._shown))
        return Frame(tick, self.watched.time, news, whole)

    def forget(self) -> None:
        """Drop what has changed since the last frame; the next one has to be whole."""
        self.watched.news()

    @property
    def agents(self) -> Mapping[str, Agent[Any, Any]]:
        """The agents of the trees, by their names."""
        return self.watched.agents

    def _note(self, event: AgentEvent) -> None:
        if isinstance(event, PlanAdopted) and event.agent in self.agents:
            state = self.agents[event.agent].beliefs.frozen()
            self.planned_from[event.agent, event.goal] = state
