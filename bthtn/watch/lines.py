"""Lines: frames as the lines of a recording, and all that has to be known at any tick."""

from __future__ import annotations

import json
from typing import Any, Final

from bthtn.agent.agent import Agent
from bthtn.plan.codec import json_value
from bthtn.views.event_log import event_data
from bthtn.views.snapshot import updated
from bthtn.watch.feed import Frame, Whole
from bthtn.world.state import FrozenState

FORMAT: Final = "bthtn-recording/1"
_BEGINS: Final = frozenset({"plan_adopted", "plan_repaired"})
_ENDS: Final = frozenset({"goal_ended", "plan_aborted", "plan_failed", "plan_broken"})
_STEP_ENDS: Final = frozenset({"leaf_ended", "leaf_aborted"})

Line = dict[str, Any]


class Lines:
    """Writes frames down, and knows the beliefs, plans, running steps and trees of now."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tick = -1
        self._agents: dict[str, Line] = {}
        self._trees: dict[str, Line] = {}

    def of(self, frame: Frame) -> list[Line]:
        """The lines of a frame."""
        made: list[Line] = []
        if frame.whole is not None:
            self._agents = {one.agent.name: _agent_line(one) for one in frame.whole}
            self._trees.clear()
            made.append(self._head())
        if frame.tick != self._tick:
            time = {} if frame.time is None else {"time": frame.time}
            made.append({"tick": frame.tick, **time})
            self._tick = frame.tick
        for event in frame.events:
            line = event_data(event, tick=frame.tick)
            self._note(line)
            made.append(line)
        for tree, change in frame.views:
            self._trees[tree] = updated(self._trees.get(tree), change)
            made.append({"view": frame.tick, "agent": tree, **change})
        return made

    def whole(self) -> list[Line]:
        """Lines from which a reader can go on, without those before."""
        tick = {"tick": self._tick}
        trees = (
            {"view": self._tick, "agent": name, "tree": tree} for name, tree in self._trees.items()
        )
        return [self._head(), tick, *trees]

    def _head(self) -> Line:
        agents = [{**one, "since": list(one["since"].values())} for one in self._agents.values()]
        return {"recording": FORMAT, "name": self._name, "agents": agents}

    def _note(self, line: Line) -> None:
        """Keep the beliefs, plans and running steps of an agent up to date."""
        agent = self._agents.get(line.get("agent", ""))
        if agent is None:
            return
        kind, since = line["event"], agent["since"]
        if kind == "belief_changed":
            agent["beliefs"][line["change"]["fluent"]] = line["change"]["after"]
        elif kind in _BEGINS:
            since[line["goal"]] = line
        elif kind in _ENDS:
            since.pop(line["goal"], None)
        elif kind == "leaf_started":
            since[line["leaf"]] = line
        elif kind in _STEP_ENDS:
            since.pop(line["leaf"], None)


def text_of(lines: list[Line]) -> str:
    """Lines as text, each a JSON object."""
    return "\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in lines)


def beliefs_of(agent: Agent[Any, Any], state: FrozenState) -> dict[str, Any]:
    """The values of all fluents, and of the members of families that are not as by default."""
    plain = agent.domain.schema.fluents.values()
    found = {str(one): json_value(state.get(one)) for one in plain}
    for fluent, value in state.items():
        found.setdefault(str(fluent), json_value(value))
    return found


def _agent_line(one: Whole) -> Line:
    agent = one.agent
    return {
        "agent": agent.name,
        "tree": one.tree,
        "domains": [domain.name for domain in agent.domains],
        "beliefs": beliefs_of(agent, one.beliefs),
        "since": {
            line["leaf"] if line["event"] == "leaf_started" else line["goal"]: line
            for line in map(event_data, one.events)
        },
    }
