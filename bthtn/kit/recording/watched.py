"""Watched: trees whose agents are heard, and their changes since the last look."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn.behaviours import Character, PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import (
    AgentEvent,
    AgentListener,
    AgentReloaded,
    LeafStarted,
    PlanAdopted,
)
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.behaviours.branch import running_leaves
from bthtn.engine.behaviours.plan_run import path_text
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.state import FrozenState
from bthtn.errors import InputError
from bthtn.kit.recording.event_log import event_data, fluent_name, plain_value
from bthtn.kit.recording.snapshot import Snapshots

FORMAT: Final = "bthtn-recording/1"

Line = dict[str, Any]
Watchable = Character | BehaviourTree | Behaviour


class Watched:
    """Trees, and the agents that are in them, each of which has a name of its own.

    From ``listen`` to ``close`` it hears all events of the agents, before the listeners that these
    have. Trees are called by the names of their first agents, ``tree_of`` each agent.
    """

    def __init__(
        self, watched: Iterable[Watchable], note: Callable[[AgentEvent], None] = lambda _: None
    ) -> None:
        """``note`` is called with each event at once.

        Raises InputError if there is no agent, or two of one name.
        """
        self._note = note
        self.agents: dict[str, Agent[Any, Any]] = {}
        self.tree_of: dict[str, str] = {}
        self._trees: dict[str, Watchable] = {}
        self._snapshots: dict[str, tuple[Behaviour, Snapshots]] = {}
        self._events: list[AgentEvent] = []
        self._heard: dict[str, tuple[AgentListener, AgentListener | None]] = {}
        for root in watched:
            self._add(root)
        if not self.agents:
            message = "there is no agent in what is to be recorded or watched"
            hint = "give it a Character, or a tree with a PlanGoal or another node of an agent"
            raise InputError("BT462", message, hint=hint)

    def _add(self, watched: Watchable) -> None:
        agents = _agents(watched)
        for agent in agents:
            if self.agents.setdefault(agent.name, agent) is not agent:
                hint = "give each agent a name of its own, by which they are told apart"
                raise InputError("BT462", f"two agents are called {agent.name!r}", hint=hint)
            self.tree_of.setdefault(agent.name, agents[0].name)
        if agents:
            self._trees.setdefault(agents[0].name, watched)

    @property
    def roots(self) -> list[Behaviour]:
        """The roots of the trees, which reloads may change."""
        return [_root(tree) for tree in self._trees.values()]

    @property
    def goals(self) -> Iterator[PlanGoal]:
        nodes = (node for root in self.roots for node in root.iterate())
        return (node for node in nodes if isinstance(node, PlanGoal))

    @property
    def time(self) -> float | None:
        """The time of the first agent's clock, None without one."""
        agent = next(iter(self.agents.values()))
        return None if agent.clock is None else agent.time()

    @property
    def events(self) -> tuple[AgentEvent, ...]:
        """The events since ``news`` was asked for."""
        return tuple(self._events)

    def listen(self) -> None:
        """Hear all events of the agents from now on."""
        for agent in self.agents.values():
            self._listen(agent)

    def close(self) -> None:
        """Hear no more; listeners are put back unless others were set since."""
        for name, (own, before) in self._heard.items():
            if self.agents[name].listener is own:
                self.agents[name].listener = before
        self._heard.clear()

    def about(self) -> list[Line]:
        """The state of each agent from which to go on, as in the first line of a recording."""
        goals: dict[str, list[PlanGoal]] = {name: [] for name in self.agents}
        for goal in self.goals:
            goals.setdefault(goal.agent.name, []).append(goal)
        return [
            {
                "agent": name,
                "tree": self.tree_of[name],
                "domains": [domain.name for domain in agent.domains],
                "beliefs": beliefs_data(agent),
                "goals": [goal.name for goal in goals[name]],
                "since": [event_data(event) for goal in goals[name] for event in _situation(goal)],
            }
            for name, agent in self.agents.items()
        ]

    def news(self) -> list[Line | AgentEvent]:
        """The events since the last call; after a reload also the beliefs it has led to."""
        events, self._events = self._events, []
        reloaded = dict.fromkeys(event.name for event in events if isinstance(event, AgentReloaded))
        beliefs = [
            {"beliefs": beliefs_data(self.agents[name]), "agent": name}
            for name in reloaded
            if name in self.agents
        ]
        return [*events, *beliefs]

    def forget_trees(self) -> None:
        """Let the next changes be whole trees."""
        self._snapshots.clear()

    def changes(self, tick: int, shown: Container[str] | None = None) -> Iterator[Line]:
        """The changes of each tree, or of those that are shown."""
        for name, watched in self._trees.items():
            if shown is not None and name not in shown:
                continue
            root = _root(watched)
            before, snapshots = self._snapshots.get(name, (None, None))
            if snapshots is None or before is not root:
                snapshots = Snapshots(root)
                self._snapshots[name] = (root, snapshots)
            if (change := snapshots.change()) is not None:
                yield {"view": tick, "agent": name, **change}

    def _listen(self, agent: Agent[Any, Any]) -> None:
        def hear(event: AgentEvent) -> None:
            # Agents may pass on what others emit, each of which is heard at its own agent.
            if self._heard and (event.agent == agent.name or event.agent not in self.agents):
                self._events.append(event)
                self._note(event)

        before = agent.listener
        self._heard[agent.name] = hear_too(agent, hear), before


def beliefs_data(agent: Agent[Any, Any]) -> dict[str, Any]:
    return state_data(agent.beliefs.frozen(), type(agent.beliefs.now).__schema__)


def state_data(state: FrozenState, schema: StateSchema) -> dict[str, Any]:
    """The values of all fluents, and of the members of families that are not as by default."""
    found = {fluent: state.get(fluent) for fluent in schema.fluents.values()} | dict(state.items())
    return {fluent_name(fluent): plain_value(value) for fluent, value in found.items()}


def _root(watched: Watchable) -> Behaviour:
    return watched if isinstance(watched, Behaviour) else watched.root


def _agents(watched: Watchable) -> list[Agent[Any, Any]]:
    """The agents of a tree, each once: that of a character first, then those of nodes."""
    own = [watched.agent] if isinstance(watched, Character) else []
    found = [*own, *(getattr(node, "agent", None) for node in _root(watched).iterate())]
    return list(dict.fromkeys(agent for agent in found if isinstance(agent, Agent)))


def _situation(goal: PlanGoal) -> Iterator[AgentEvent]:
    """The plan of a running goal, and its running steps, as the events with which they began."""
    if goal.status is not Status.RUNNING or goal.plan is None or not goal.children:
        return
    agent = goal.agent.name
    plan = replace(goal.plan, record=goal.record)  # with that of parts that were suspended
    adopted = PlanAdopted(goal.name, plan, "it runs already", plan_id=goal.plan_id)
    yield adopted.of(agent, 0, None)
    for leaf in running_leaves(goal.children[0]):
        path = path_text(leaf.path)
        started = LeafStarted(leaf.number, leaf.name, path, goal.name, plan_id=leaf.plan_id)
        yield started.of(agent, 0, None)
