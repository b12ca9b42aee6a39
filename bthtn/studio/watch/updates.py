"""Updates: the changes of a tick, gathered in the thread that ticks, and as lines.

An update refers to data that never changes: events, and the changes of trees. So it costs the
tick little, and another thread may write it down.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bthtn.engine.agent.events import AgentEvent, PlanAdopted
from bthtn.engine.world.state import FrozenState
from bthtn.kit.recording.event_log import event_data
from bthtn.kit.recording.known import Known
from bthtn.kit.recording.watched import FORMAT, Line, Watchable, Watched
from bthtn.studio.profile import Profile
from bthtn.studio.watch.pictures import Pictures
from bthtn.studio.watch.times import Times

ALWAYS_WATCHED: Final = 20
"""Up to so many trees are all watched; of more, those that a page has asked for."""


@dataclass(frozen=True, slots=True)
class Update:
    """The changes of one tick. ``whole`` is set if the reader cannot go on from the last update.

    Then it has all of each agent, as the first line of a recording. ``again`` is how often the run
    was begun anew.
    """

    tick: int
    time: float | None
    news: tuple[Line | AgentEvent, ...]
    whole: tuple[Line, ...] | None
    again: int = 0


class Feed:
    """The updates of ``watched`` trees, with the times of a ``profile`` if they are measured."""

    def __init__(
        self, watched: Iterable[Watchable], again: int = 0, *, profile: Profile | None = None
    ) -> None:
        """Raises InputError unless all agents have different names, and there is one."""
        self.again = again
        self.watched = Watched(watched, self._note)
        self.watched.listen()
        self.pictures = Pictures(self.watched.agents)
        self._times = Times(profile)
        self.planned_from: dict[tuple[str, str], FrozenState] = {}
        """The beliefs with which the latest plan was adopted, by agent and goal."""
        trees = set(self.watched.tree_of.values())
        self._shown = trees if len(trees) <= ALWAYS_WATCHED else set[str]()

    def show(self, agent: str) -> None:
        """Send the tree of this agent from now on."""
        self._shown.add(self.watched.tree_of[agent])

    def update(
        self, tick: int, *, is_whole: bool, is_seen: bool, is_standing: bool = False
    ) -> Update:
        """The changes since the last update; or all, as if there had been none.

        Pictures are drawn only where the update ``is_seen``. Times are told now and then, and
        always while the run ``is_standing``.
        """
        if is_whole:
            self.watched.forget_trees()
            self.pictures.forget()
        whole = tuple(self.watched.about()) if is_whole else None
        pictures = self.pictures.changes() if is_seen else ()
        times = self._times.changes(at_once=is_whole or is_standing)
        news = (*self.watched.news(), *self.watched.changes(tick, self._shown), *pictures, *times)
        return Update(tick, self.watched.time, news, whole, self.again)

    def _note(self, event: AgentEvent) -> None:
        agent = self.watched.agents.get(event.agent)
        if isinstance(event, PlanAdopted) and agent is not None:
            self.planned_from[agent.name, event.goal] = agent.beliefs.frozen()


class Lines:
    """Writes updates down, and knows the present beliefs, plans, running steps and trees."""

    def __init__(self, name: str, again: int = 0) -> None:
        self.again = again
        self._name = name
        self._tick = -1
        self._agents: dict[str, Known] = {}
        self._trees: dict[str, Known] = {}
        self._pictures: dict[str, Line] = {}
        self._times: list[Line] = []

    def of(self, update: Update) -> list[Line]:
        made: list[Line] = []
        if update.whole is not None:
            self._agents = {about["agent"]: Known(about) for about in update.whole}
            self._trees = {}
            for agent in self._agents.values():
                self._trees.setdefault(agent.about["tree"], agent)
            made.append(self._head())
        if update.tick != self._tick:
            time = {} if update.time is None else {"time": update.time}
            made.append({"tick": update.tick, **time})
            self._tick = update.tick
        for new in update.news:
            line = new if isinstance(new, dict) else event_data(new, tick=update.tick)
            known = self._trees if "view" in line else self._agents
            of = known.get(line.get("agent", ""))
            if "picture" in line:
                self._pictures[line["agent"]] = line
            elif "profile" in line:
                self._times = [line]
            elif of is not None:
                of.add(line)
            made.append(line)
        return made

    def whole(self) -> list[Line]:
        """Lines from which a reader can go on, without those before."""
        trees = (
            {"view": self._tick, "agent": name, "tree": agent.tree}
            for name, agent in self._trees.items()
            if agent.tree is not None
        )
        latest = (*self._pictures.values(), *self._times)
        return [self._head(), {"tick": self._tick}, *trees, *latest]

    def _head(self) -> Line:
        agents = [agent.line() for agent in self._agents.values()]
        again = {"again": self.again} if self.again else {}
        return {"recording": FORMAT, "name": self._name, **again, "agents": agents}


def text_of(lines: list[Line]) -> str:
    """Lines as text in ASCII, each a JSON object."""
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
