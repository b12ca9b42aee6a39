"""Transcript: the ticks of trees, and the events of their agents, as lines of a recording.

A block has the lines of one tick. Events are in it as they are, since they never change: whoever
takes the block makes texts of them, in a thread of its own if it likes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent, AgentListener, AgentReloaded
from bthtn.agent.programming_errors import code_failed
from bthtn.behaviours import Character, PlanGoal
from bthtn.errors import Diagnostic, InputError
from bthtn.views.active import active_names
from bthtn.views.event_log import event_data, fluent_name, plain_value
from bthtn.views.snapshot import Snapshots

FORMAT: Final = "bthtn-recording/1"

Line = dict[str, Any]
Block = tuple[int, list[Line | AgentEvent]]
"""The number of a tick, and its lines."""
Watchable = Character | BehaviourTree | Behaviour


def texts(block: Block) -> Iterator[str]:
    """The lines of a block as JSON in ASCII, without line ends."""
    tick, lines = block
    for line in lines:
        data = line if isinstance(line, dict) else event_data(line, tick=tick)
        yield json.dumps(data, separators=(",", ":"))


class Transcript:
    """Gives a block to ``take`` at its beginning, after each tick, and at the end.

    Until then it hears all events of the agents in the trees, before the listeners that these have.
    """

    def __init__(self, watched: Iterable[Watchable], about: Mapping[str, Any]) -> None:
        """``about`` are further keys of the first line.

        Raises InputError if there is no agent, or two of one name.
        """
        self._watched = tuple(watched)
        characters = (one for one in self._watched if isinstance(one, Character))
        self._ticks = max((one.ticks for one in characters), default=0)
        self._take: Callable[[Block], None] = lambda _: None
        self._pending: list[Line | AgentEvent] = []
        self._agents: dict[str, Agent[Any, Any]] = {}
        self._views: list[tuple[str, Watchable, Behaviour, Snapshots]] = []
        self._heard: dict[str, tuple[AgentListener, AgentListener | None]] = {}
        self._is_over = False
        lines = [line for one in self._watched for line in self._added(one)]
        self._head = {"recording": FORMAT, **about, "agents": lines}
        if not lines:
            message = "no agent was found to be recorded"
            hint = "give it a Character, or a tree with a PlanGoal or another node of an agent"
            raise InputError(Diagnostic("BT462", message, hint=hint))

    def begin(self, take: Callable[[Block], None]) -> None:
        """Give the first line, and hear events from now on."""
        self._take = take
        for agent in self._agents.values():
            self._listen(agent)
        take((self._ticks, [self._head]))

    def tick(self) -> None:
        """Note what has happened since the last call; called after each tick of the loop."""
        self._ticks += 1
        roots = [_root(one) for one in self._watched]
        agent = next(iter(self._agents.values()))
        time = {} if agent.clock is None else {"time": agent.time()}
        active = [name for root in roots for name in active_names(root)]
        head: Line = {"tick": self._ticks, **time, "active": active}
        self._take((self._ticks, [head, *self._news(), *self._changes()]))

    def end(self, *, finished: bool, reason: str = "") -> None:
        """Note what has happened since the last tick, and that the run is over. Hears no more."""
        if self._is_over:
            return
        lines: list[Line | AgentEvent] = []
        if self._pending:
            lines = [{"stop": self._ticks}, *self._news(), *self._changes()]
        lines.append({"end": self._ticks, "finished": finished, "reason": reason})
        self._take((self._ticks, lines))
        self.close()

    def close(self) -> None:
        """Hear no more."""
        self._is_over = True
        for name, (own, before) in self._heard.items():
            if self._agents[name].listener is own:
                self._agents[name].listener = before

    def _added(self, watched: Watchable) -> Iterator[Line]:
        """The lines of the agents of a tree."""
        root = _root(watched)
        agents = _agents(watched, root)
        tree = agents[0].name if agents else ""
        if agents:
            self._views.append((tree, watched, root, Snapshots(root)))
        for agent in agents:
            if self._agents.setdefault(agent.name, agent) is not agent:
                message = f"two agents are called {agent.name!r}"
                hint = "give each agent a name of its own: a recording tells them apart by it"
                raise InputError(Diagnostic("BT462", message, hint=hint))
            goals = [one.name for one in root.iterate() if _is_goal_of(one, agent)]
            yield {
                "agent": agent.name,
                "tree": tree,
                "domains": [domain.name for domain in agent.domains],
                "beliefs": beliefs_data(agent),
                "goals": goals,
            }

    def _listen(self, agent: Agent[Any, Any]) -> None:
        before = agent.listener

        def hear(event: AgentEvent) -> None:
            nonlocal before
            # Agents may pass on what others emit, each of which is heard at its own agent.
            if not self._is_over and (event.agent == agent.name or event.agent not in self._agents):
                self._pending.append(event)
            if before is None:
                return
            try:
                before(event)
            except Exception as error:  # noqa: BLE001 - a listener must not end the recording
                before = None
                agent.emit(code_failed("listener", error))

        agent.listener = hear
        self._heard[agent.name] = hear, before

    def _news(self) -> Iterator[Line | AgentEvent]:
        """The events since the last block; after a reload also the beliefs it has led to."""
        events, self._pending = self._pending, []
        yield from events
        reloaded = {one.name: None for one in events if isinstance(one, AgentReloaded)}
        for name in reloaded:
            if name in self._agents:
                yield {"beliefs": beliefs_data(self._agents[name]), "agent": name}

    def _changes(self) -> Iterator[Line]:
        """What is new in each tree."""
        for number, (name, watched, before, known) in enumerate(self._views):
            root, snapshots = _root(watched), known
            if root is not before:
                snapshots = Snapshots(root)
                self._views[number] = name, watched, root, snapshots
            change = snapshots.change()
            if change is not None:
                yield {"view": self._ticks, "agent": name, **change}


def beliefs_data(agent: Agent[Any, Any]) -> dict[str, Any]:
    """The values of all fluents, and of the members of families that are not as by default."""
    state, fluents = agent.beliefs.frozen(), type(agent.beliefs.now).__schema__.fluents
    found = {fluent: state.get(fluent) for fluent in fluents.values()}
    found |= dict(state.items())
    return {fluent_name(fluent): plain_value(value) for fluent, value in found.items()}


def _root(watched: Watchable) -> Behaviour:
    """The root of a tree, which a reload may change."""
    return watched if isinstance(watched, Behaviour) else watched.root


def _agents(watched: Watchable, root: Behaviour) -> list[Agent[Any, Any]]:
    """The agents of a tree, each once: that of a character first, then those of nodes."""
    own = [watched.agent] if isinstance(watched, Character) else []
    found = [*own, *(getattr(node, "agent", None) for node in root.iterate())]
    return list(dict.fromkeys(one for one in found if isinstance(one, Agent)))


def _is_goal_of(node: Behaviour, agent: Agent[Any, Any]) -> bool:
    return isinstance(node, PlanGoal) and node.agent is agent
