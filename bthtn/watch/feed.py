"""Feed: what a tick has changed, gathered in the thread that ticks.

A frame is made of references to data that never changes: events, snapshots of beliefs, and what
``Snapshots`` says is new in a tree. So it costs the tick little, and another thread may read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent, LeafStarted, PlanAdopted
from bthtn.behaviours import Character, PlanGoal
from bthtn.behaviours.branch import running_leaves
from bthtn.behaviours.plan_run import path_text
from bthtn.errors import Diagnostic, InputError
from bthtn.views.snapshot import Snapshots
from bthtn.world.state import FrozenState

ALWAYS_WATCHED: Final = 20
"""Up to so many trees are all watched; of more, those that a page has asked for."""

Watchable = Character | BehaviourTree | Behaviour


@dataclass(frozen=True, slots=True)
class Whole:
    """All that has to be known of an agent to go on from here."""

    agent: Agent[Any, Any]
    tree: str
    beliefs: FrozenState
    events: tuple[AgentEvent, ...]
    """The plans that run, and their running steps, as the events with which they began."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What one tick has changed. ``whole`` is set if the reader cannot go on from the last one."""

    tick: int
    time: float | None
    events: tuple[AgentEvent, ...]
    views: tuple[tuple[str, Mapping[str, Any]], ...]
    whole: tuple[Whole, ...] | None


class Feed:
    """The trees that are watched, their agents, and the events that these have emitted."""

    def __init__(self, watched: Iterable[Watchable]) -> None:
        """Raises InputError unless all agents have different names, and there is one."""
        self._roots: dict[str, Watchable] = {}
        self.agents: dict[str, Agent[Any, Any]] = {}
        self._tree_of: dict[str, str] = {}
        self._events: list[AgentEvent] = []
        for one in watched:
            self._add(one)
        if not self.agents:
            message = "no agent was found to be watched"
            hint = "give it a Character, or a tree with a PlanGoal or another node of an agent"
            raise InputError(Diagnostic("BT454", message, hint=hint))
        self._snapshots: dict[str, tuple[Behaviour, Snapshots]] = {}
        self.planned_from: dict[tuple[str, str], FrozenState] = {}
        """The beliefs with which the latest plan was adopted, by agent and goal."""
        self._shown = set(self._roots) if len(self._roots) <= ALWAYS_WATCHED else set[str]()

    def show(self, agent: str) -> None:
        """Send the tree of this agent from now on."""
        self._shown.add(self._tree_of[agent])

    def frame(self, tick: int, *, is_whole: bool) -> Frame:
        """What has changed since the last frame; or all, as if there had been none."""
        events, self._events = tuple(self._events), []
        if is_whole:
            self._snapshots.clear()
        agent = next(iter(self.agents.values()))
        time = None if agent.clock is None else agent.time()
        whole = tuple(self._whole()) if is_whole else None
        return Frame(tick, time, events, tuple(self._views()), whole)

    def goals(self) -> Iterator[PlanGoal]:
        """All goals of the trees."""
        for watched in self._roots.values():
            for node in root_of(watched).iterate():
                if isinstance(node, PlanGoal):
                    yield node

    def forget(self) -> None:
        """Drop what has changed since the last frame; the next one has to be whole."""
        self._events = []

    @property
    def events(self) -> tuple[AgentEvent, ...]:
        """The events since the last frame."""
        return tuple(self._events)

    def _add(self, watched: Watchable) -> None:
        root = root_of(watched)
        agents = _agents(watched, root)
        name = next(iter(agents), root.name)
        while name in self._roots:
            name += "'"
        self._roots[name] = watched
        for one in agents.values():
            if self.agents.setdefault(one.name, one) is not one:
                message = f"two agents are called {one.name!r}"
                hint = "give each agent a name of its own: pages tell them apart by it"
                raise InputError(Diagnostic("BT454", message, hint=hint))
            self._tree_of[one.name] = name
            self._listen(one)

    def _listen(self, agent: Agent[Any, Any]) -> None:
        """Hear all events of the agent, before the listener that it has."""
        feed, listener = self, agent.listener

        def hear(event: AgentEvent) -> None:
            feed._note(event)
            if listener is not None:
                listener(event)

        agent.listener = hear

    def _note(self, event: AgentEvent) -> None:
        if self._events and self._events[-1] is event:  # agents may pass on what others emit
            return
        self._events.append(event)
        if isinstance(event, PlanAdopted) and event.agent in self.agents:
            state = self.agents[event.agent].beliefs.frozen()
            self.planned_from[event.agent, event.goal] = state

    def _views(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, watched in self._roots.items():
            if name not in self._shown:
                continue
            root = root_of(watched)
            before, snapshots = self._snapshots.get(name, (None, None))
            if snapshots is None or before is not root:
                snapshots = Snapshots(root)
                self._snapshots[name] = (root, snapshots)
            if (change := snapshots.change()) is not None:
                yield name, change

    def _whole(self) -> Iterator[Whole]:
        goals: dict[str, list[AgentEvent]] = {}
        for goal in self.goals():
            if goal.status is Status.RUNNING:
                goals.setdefault(goal.agent.name, []).extend(_situation(goal))
        for agent in self.agents.values():
            events = tuple(goals.get(agent.name, ()))
            yield Whole(agent, self._tree_of[agent.name], agent.beliefs.frozen(), events)


def root_of(watched: Watchable) -> Behaviour:
    """The root of what is watched, which a reload may change."""
    return watched if isinstance(watched, Behaviour) else watched.root


def _agents(watched: Watchable, root: Behaviour) -> dict[str, Agent[Any, Any]]:
    if isinstance(watched, Character):
        return dict(watched.agents)
    found = (getattr(node, "agent", None) for node in root.iterate())
    return {one.name: one for one in found if isinstance(one, Agent)}


def _situation(goal: PlanGoal) -> Iterator[AgentEvent]:
    """The plan of a running goal, and its running steps, as events."""
    if goal.plan is None or not goal.children:
        return
    agent, plan_id = goal.agent.name, goal.plan_id
    adopted = PlanAdopted(goal.name, goal.plan, "it runs already", plan_id=plan_id)
    yield adopted.of(agent, 0, None)
    for leaf in running_leaves(goal.children[0]):
        path = path_text(leaf.path)
        started = LeafStarted(leaf.number, leaf.name, path, goal.name, plan_id=plan_id)
        yield started.of(agent, 0, None)
