"""PlanningSchedule and Budget limit the expansions that goals use, per frame and per tick.

    schedule = PlanningSchedule(budget=5_000)
    goals = [PlanGoal("fight", agent, fight(), budget=schedule) for agent in crowd]

    schedule.next_frame()          once per frame, before the trees are ticked

A goal that plans requests an allowance, and reports the expansions it has used. A goal whose
allowance was too small waits, and gets a reserved part of the next frame's budget.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from bthtn.errors import Diagnostic, DomainError, ExecutionError
from bthtn.planning.protocol import Search, SearchStatus
from bthtn.world.sharing import Unpicklable


class PlanningClient(Protocol):
    """**Protocol:** a goal that plans for an ``agent``. Clients are compared by identity."""

    agent: Any
    name: str

    def __hash__(self) -> int:
        """The hash by identity, as ``object`` defines it."""
        ...


@dataclass(slots=True)
class _Attention:
    """How often an agent's goals may plan, and how urgently; ``phase`` is its number."""

    phase: int
    priority: int = 1
    every: int = 1
    asleep: bool = False


@dataclass(slots=True)
class _Claim:
    """A waiting goal: its number in order of arrival, its urgency, and its reserved expansions."""

    client: PlanningClient
    number: int
    urgency: int
    reserved: int = 0
    is_active: bool = True


class PlanningSchedule(Unpicklable):
    """Distributes at most ``budget`` expansions per frame among many goals.

    The most urgent of the waiting goals are served first. Urgency grows by the agent's priority
    with every frame of waiting and starts from zero when a goal was served, so that no goal
    starves. The budget is split evenly among them, in parts of at least ``least`` expansions;
    goals for which nothing is left wait longer. Expansions that a goal does not use are available
    to goals that request their allowance later in the same frame.
    """

    def __init__(self, budget: int, *, least: int = 50) -> None:
        """Raises ExecutionError for a budget that allows nothing."""
        if budget < 1 or least < 1:
            message = f"a schedule has {budget} expansions per frame, at least {least} for a goal"
            raise ExecutionError(Diagnostic("BT202", message, hint="both have to be above zero"))
        self.budget = budget
        self.least = min(least, budget)
        self.frame = 0
        self._free = budget
        self._claims: dict[PlanningClient, _Claim] = {}
        self._numbers = 0
        self._attention: WeakKeyDictionary[Hashable, _Attention] = WeakKeyDictionary()
        self._seen = 0
        self._granted = 0

    @property
    def used(self) -> int:
        """Expansions used in this frame."""
        return self.budget - self._free - sum(one.reserved for one in self._claims.values())

    @property
    def waiting(self) -> int:
        """Number of goals that wait."""
        return len(self._claims)

    def attend(self, agent: Hashable, *, priority: int = 1, every: int = 1) -> None:
        """Set an agent's priority, and let its goals plan only every ``every`` frames.

        Agents with the same ``every`` take turns. Raises ExecutionError for numbers below one.
        """
        if priority < 1 or every < 1:
            message = f"priority is {priority}, every is {every}"
            raise ExecutionError(Diagnostic("BT202", message, hint="both have to be above zero"))
        attention = self._attention_for(agent)
        attention.priority, attention.every = priority, every

    def sleep(self, agent: Hashable) -> None:
        """Stop planning for an agent's goals until it is woken; running plans continue."""
        self._attention_for(agent).asleep = True

    def wake(self, agent: Hashable) -> None:
        """Let an agent's goals plan again."""
        self._attention_for(agent).asleep = False

    def is_due(self, agent: Hashable) -> bool:
        """Whether the agent's goals may plan in this frame; if not, its tree need not be ticked."""
        attention = self._attention_for(agent)
        return not attention.asleep and (self.frame + attention.phase) % attention.every == 0

    def next_frame(self) -> None:
        """Begin a frame with a full budget, and reserve parts of it for waiting goals.

        Goals that were due in the last frame and requested nothing are removed.
        """
        kept = [one for one in self._claims.values() if one.is_active or not self.is_due(_of(one))]
        self._claims = {one.client: one for one in kept}
        self.frame += 1
        self._free = self.budget
        due = [one for one in kept if self.is_due(_of(one))]
        for one in kept:
            one.reserved = 0
        for one in due:
            one.is_active = False
            one.urgency += self._attention_for(_of(one)).priority
        due.sort(key=lambda one: (-one.urgency, one.number))
        share = max(self.least, self.budget // len(due)) if due else 0
        for one in due[: self.budget // share if share else 0]:
            one.reserved = share
            self._free -= share

    def allowance(self, client: PlanningClient) -> int:
        """Number of expansions that a goal may use now; it has to call ``used_by`` afterwards."""
        claim = self._claims.get(client)
        if claim is not None:
            claim.is_active = True
            self._free, claim.reserved = self._free + claim.reserved, 0
        granted = self._free if self.is_due(client.agent) else 0
        self._granted = granted
        self._free -= granted
        return granted

    def used_by(self, client: PlanningClient, expansions: int, *, waiting: bool) -> None:
        """Return the unused part of a goal's latest allowance; ``waiting`` if it needs more."""
        self._free += self._granted - expansions
        served, self._granted = self._granted > 0, 0
        if not waiting:
            self._claims.pop(client, None)
        elif served or client not in self._claims:
            self._numbers += 1
            self._claims[client] = _Claim(client, self._numbers, urgency=0)

    def _attention_for(self, agent: Hashable) -> _Attention:
        """Attention for an agent; a new agent gets the next phase."""
        if agent not in self._attention:
            self._attention[agent] = _Attention(phase=self._seen)
            self._seen += 1
        return self._attention[agent]


def _of(claim: _Claim) -> Hashable:
    agent: Hashable = claim.client.agent
    return agent


def advance(
    search: Search, budget: int | PlanningSchedule | None, client: PlanningClient
) -> SearchStatus:
    """Advance a search as far as a budget allows. Raises PlanningError from a user's function."""
    if not isinstance(budget, PlanningSchedule):
        return search.advance(budget)
    before = search.expansions
    granted = budget.allowance(client)
    try:
        return search.advance(granted)
    finally:
        waiting = search.status is SearchStatus.RUNNING
        budget.used_by(client, search.expansions - before, waiting=waiting)


class Budget:
    """The expansions left in a tick, shared by all searches of one goal.

    With a schedule, each search requests an allowance from it instead.
    """

    def __init__(self, per_tick: int | PlanningSchedule | None, client: PlanningClient) -> None:
        """Raises DomainError for a budget below one."""
        if isinstance(per_tick, int) and per_tick <= 0:
            message = f"the budget of '{client.name}' is {per_tick}"
            hint = "give it expansions per tick, or None for as many as it takes"
            raise DomainError(Diagnostic("BT202", message, hint=hint))
        self.per_tick = per_tick
        self._left = per_tick
        self._client = client

    def renew(self) -> None:
        """Restore the full budget at the beginning of a tick."""
        self._left = self.per_tick

    def advance(self, search: Search) -> SearchStatus:
        """Advance a search within the budget. Raises PlanningError from a user's function."""
        before = search.expansions
        status = advance(search, self._left, self._client)
        if isinstance(self._left, int):
            self._left -= search.expansions - before
        return status
