"""PlanningSchedule: one budget of expansions per frame, shared by many agents.

    schedule = PlanningSchedule(budget=5_000)
    goals = [PlanGoal("fight", agent, fight(), budget=schedule) for agent in crowd]

    schedule.next_frame()          once per frame, before the trees are ticked

A goal that plans asks for its allowance, and says what it has used. Who did not get enough
waits, and has a part of the next frame's budget reserved.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from bthtn.errors import Diagnostic, ExecutionError
from bthtn.planning.protocol import Search, SearchStatus


class Planning(Protocol):
    """**Protocol:** whoever plans for an agent; a goal. Told apart by identity."""

    agent: Any

    def __hash__(self) -> int:
        """As objects have it."""
        ...


@dataclass(slots=True)
class _Attention:
    """How much attention an agent gets; ``phase`` is its place among all agents."""

    phase: int
    priority: int = 1
    every: int = 1
    asleep: bool = False


@dataclass(slots=True)
class _Claim:
    """A goal that waits: since when, in which order it came, and what is kept for it."""

    planning: Planning
    number: int
    urgency: int
    reserved: int = 0
    asked: bool = True


class PlanningSchedule:
    """How many expansions each of many goals may use in this frame; together at most ``budget``.

    Goals that wait are served the most urgent first: urgency grows by the agent's priority with
    every frame of waiting, and begins anew when a goal was served, so that everybody gets a turn.
    The budget is split evenly among them, but nobody gets less than ``least``: others wait
    instead. What a goal leaves over is for those who ask after it in the same frame.
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
        self._claims: dict[Planning, _Claim] = {}
        self._numbers = 0
        self._attention: WeakKeyDictionary[Hashable, _Attention] = WeakKeyDictionary()
        self._seen = 0
        self._granted = 0

    @property
    def used(self) -> int:
        """Expansions that were used in this frame."""
        return self.budget - self._free - sum(one.reserved for one in self._claims.values())

    @property
    def waiting(self) -> int:
        """How many goals wait for more."""
        return len(self._claims)

    def attend(self, agent: Hashable, *, priority: int = 1, every: int = 1) -> None:
        """Serve an agent's goals that urgently, and only every so many frames.

        Agents with the same ``every`` take turns. Raises ExecutionError for numbers below one.
        """
        if priority < 1 or every < 1:
            message = f"priority is {priority}, every is {every}"
            raise ExecutionError(Diagnostic("BT202", message, hint="both have to be above zero"))
        attention = self._attention_for(agent)
        attention.priority, attention.every = priority, every

    def sleep(self, agent: Hashable) -> None:
        """Let an agent's goals plan nothing until it is woken. What runs goes on."""
        self._attention_for(agent).asleep = True

    def wake(self, agent: Hashable) -> None:
        """Let an agent's goals plan again."""
        self._attention_for(agent).asleep = False

    def is_due(self, agent: Hashable) -> bool:
        """Whether the agent's goals may plan in this frame; of use to skip the rest of it, too."""
        attention = self._attention_for(agent)
        return not attention.asleep and (self.frame + attention.phase) % attention.every == 0

    def next_frame(self) -> None:
        """A new frame begins: what was left is lost, and those who wait come first.

        Who could have asked in the last frame and did not is forgotten.
        """
        kept = [one for one in self._claims.values() if one.asked or not self.is_due(_of(one))]
        self._claims = {one.planning: one for one in kept}
        self.frame += 1
        self._free = self.budget
        due = [one for one in kept if self.is_due(_of(one))]
        for one in kept:
            one.reserved = 0
        for one in due:
            one.asked = False
            one.urgency += self._attention_for(_of(one)).priority
        due.sort(key=lambda one: (-one.urgency, one.number))
        share = max(self.least, self.budget // len(due)) if due else 0
        for one in due[: self.budget // share if share else 0]:
            one.reserved = share
            self._free -= share

    def allowance(self, planning: Planning) -> int:
        """How many expansions a goal may use now; ``used_by`` says how many it did use."""
        claim = self._claims.get(planning)
        if claim is not None:
            claim.asked = True
            self._free, claim.reserved = self._free + claim.reserved, 0
        granted = self._free if self.is_due(planning.agent) else 0
        self._granted = granted
        self._free -= granted
        return granted

    def used_by(self, planning: Planning, expansions: int, *, waiting: bool) -> None:
        """Give back what a goal did not use of its latest allowance; ``waiting`` wants more."""
        self._free += self._granted - expansions
        served, self._granted = self._granted > 0, 0
        if not waiting:
            self._claims.pop(planning, None)
        elif served or planning not in self._claims:
            self._numbers += 1
            self._claims[planning] = _Claim(planning, self._numbers, urgency=0)

    def _attention_for(self, agent: Hashable) -> _Attention:
        """What the agent gets; who is new takes the next place."""
        if agent not in self._attention:
            self._attention[agent] = _Attention(phase=self._seen)
            self._seen += 1
        return self._attention[agent]


def _of(claim: _Claim) -> Hashable:
    agent: Hashable = claim.planning.agent
    return agent


def advance(search: Search, budget: int | PlanningSchedule | None, who: Planning) -> SearchStatus:
    """Let a search go on as far as a budget allows. Raises PlanningError from a user's function."""
    if not isinstance(budget, PlanningSchedule):
        return search.advance(budget)
    before = search.expansions
    granted = budget.allowance(who)
    try:
        return search.advance(granted)
    finally:
        waiting = search.status is SearchStatus.RUNNING
        budget.used_by(who, search.expansions - before, waiting=waiting)
