"""Experience: what one goal of an agent has learned from its failures.

``replanning.retries`` decides; here it is told what happens, and watches the beliefs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.agent.events import GoalWaits, TaskAvoided
from bthtn.domain.domain import FrozenDomain
from bthtn.plan.nodes import Node, TaskNode
from bthtn.planning.avoided import Avoided
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import Search
from bthtn.replanning import blame
from bthtn.replanning.failure_memory import Failure
from bthtn.replanning.monitor import Break
from bthtn.replanning.progress import Progress
from bthtn.replanning.retries import Retries
from bthtn.replanning.retrying import Retrying
from bthtn.world.fluent import Fluent
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState


class Experience:
    """Owned by one goal; it outlives the goal's plans, and ends with ``close``."""

    def __init__(
        self, agent: Agent[Any, Any], goal: str, domain: FrozenDomain, retrying: Retrying
    ) -> None:
        self._agent = agent
        self._goal = goal
        self._domain = domain
        self._retries = Retries(retrying)
        self._watch = agent.beliefs.watch()
        self._read: RecordingState | None = None

    def tick(self) -> None:
        """Another tick of the goal begins."""
        changes = self._watch.changes.values()
        if not changes:
            self._retries.ticked()
            return
        own = [change.fluent for change in changes if change.source == self._goal]
        others = [change.fluent for change in changes if change.source != self._goal]
        self._retries.ticked(others, own)
        self._watch.forget()

    def plan_with(self, domain: FrozenDomain) -> None:
        """Failures are those of this domain from now on."""
        self._domain = domain

    @property
    def obstacle(self) -> str:
        """Why the goal is not tried in this tick, nothing when it is."""
        waiting = self._retries.waiting
        return "" if waiting is None else waiting.text(self._retries.tick)

    def search(self, planner: Planner[Any], state: FrozenState, *, resumes: bool = False) -> Search:
        """A search without what is avoided; when others were in vain, what it reads is recorded."""
        avoided = self._retries.avoided
        if self._retries.is_in_vain or (resumes and self._retries.remembers):
            search, self._read = planner.recorded(state, avoiding=avoided)
            return search
        self._read = None
        return planner.search(state, avoiding=avoided)

    @property
    def avoided(self) -> Avoided:
        """What plans have to go without now."""
        return self._retries.avoided

    @property
    def situation(self) -> tuple[FrozenState, Avoided]:
        """What a part of a plan is planned anew from, and without."""
        return self._agent.beliefs.frozen(), self.avoided

    def begin(self) -> None:
        """The goal begins another attempt."""
        self._retries.began()

    def found(self) -> None:
        """A plan was found."""
        self._retries.found()

    def finished(self, node: TaskNode) -> None:
        """A step has succeeded."""
        if self._retries.remembers:
            self._retries.worked((node.task, node.args))

    def failed(self, progress: Progress, node: Node, reason: str) -> None:
        """A step, or a part that was to be planned on arrival, has made the plan fail."""
        beliefs = self._agent.beliefs
        failure = blame.failed(progress, node, reason, self._domain, beliefs)
        if failure is not None and self._read is not None and not isinstance(node, TaskNode):
            failure = replace(failure, reads=blame.fluents_in(frozenset(self._read.readings)))
        self._remember(failure)

    def broke(self, progress: Progress, broken: Break) -> None:
        """The plan would not work to its end, and nobody else is to blame."""
        self._remember(blame.broke(progress, broken, self._domain))

    def in_vain(self, reason: str) -> None:
        """The goal ends without success."""
        waiting = self._retries.in_vain(reason, None if self._read is None else self._read.readings)
        self._read = None
        self._look()
        if waiting is not None:
            names, ticks = _names(waiting.fluents), waiting.until - self._retries.tick - 1
            self._agent.emit(GoalWaits(self._goal, waiting.failures, reason, ticks, names))

    def succeeded(self) -> None:
        """The goal has been reached."""
        self._retries.succeeded()
        self._look()

    def close(self) -> None:
        """Nobody will ask any more."""
        self._watch.close()

    def _remember(self, failure: Failure | None) -> None:
        if failure is None:
            return
        known = self._retries.failed(failure)
        self._look()
        if known is not None:
            fluents, ticks = _names(failure.reads), known.until - self._retries.tick - 1
            told = (known.count, failure.reason, ticks, fluents)
            self._agent.emit(TaskAvoided(self._goal, failure.text, *told))

    def _look(self) -> None:
        """Watch what matters now."""
        self._watch.over(self._retries.watched)


def _names(fluents: frozenset[Fluent[Any]]) -> tuple[str, ...]:
    return tuple(sorted(map(str, fluents)))
