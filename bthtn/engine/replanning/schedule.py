"""PlanningSchedule and Budget limit the expansions that goals use, per frame and per tick.

    schedule = PlanningSchedule(budget=5_000)
    goals = [PlanGoal("fight", agent, fight(), budget=schedule) for agent in crowd]

    schedule.next_frame()          once per frame, before the trees are ticked

A goal that plans requests an allowance, and reports the expansions it has used. A goal whose
allowance was too small waits, and gets a reserved part of the next frame's budget. With a limit of
milliseconds, a frame's budget is what the frames before have needed that time for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from bthtn.checked import checked
from bthtn.engine.planning.protocol import SEARCHING, Search, SearchStatus
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import DomainError, ExecutionError

SLICE: Final = 25
"""Expansions after which a search that is limited in time looks at the clock."""


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
    """A waiting goal: its number in order of arrival, its urgency, and its reserved expansions.

    It was served last, or has arrived, in the frame ``since``.
    """

    client: PlanningClient
    number: int
    urgency: int
    since: int
    reserved: int = 0
    is_active: bool = True


class FrameLoad(NamedTuple):
    """The expansions that a schedule's goals have used in a frame, and those they lacked.

    ``limit`` is how many expansions there were for them, ``used`` how many they have used in how
    many ``milliseconds``, 0 without a clock. ``waiting`` goals need more; ``unserved`` of them
    have asked in this frame and got nothing, and the one that waits longest does so for
    ``longest`` frames.
    """

    limit: int
    used: int
    milliseconds: float
    waiting: int
    unserved: int
    longest: int


class PlanningSchedule(Unpicklable):
    """Distributes at most ``budget`` expansions per frame among many goals.

    The most urgent of the waiting goals are served first. Urgency grows by the agent's priority
    with every frame of waiting and starts from zero when a goal was served, so that no goal
    starves. The budget is split evenly among them, in parts of at least ``least`` expansions;
    goals for which nothing is left wait longer. Expansions that a goal does not use are available
    to goals that request their allowance later in the same frame.

    ``milliseconds`` limit the time of planning in a frame, too, as measured by a ``clock`` that
    returns seconds, such as ``time.perf_counter``. Two runs may then plan in different ticks.
    """

    @checked
    def __init__(
        self,
        budget: int,
        *,
        least: int = 50,
        milliseconds: float | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Raises ExecutionError for a limit that allows nothing, or a time without a clock."""
        if budget < 1 or least < 1 or (milliseconds is not None and not milliseconds > 0):
            message = f"a schedule has {budget} expansions per frame, at least {least} for a goal"
            message += "" if milliseconds is None else f", and {milliseconds} milliseconds"
            raise ExecutionError("BT202", message, hint="all have to be above zero")
        if (milliseconds is None) is not (clock is None):
            message = "a limit of milliseconds needs a clock, and a clock a limit"
            hint = "PlanningSchedule(…, milliseconds=4, clock=time.perf_counter)"
            raise ExecutionError("BT316", message, hint=hint)
        self.budget = budget
        self.least = min(least, budget)
        self.milliseconds = milliseconds
        self.frame = 0
        self._clock = clock
        self._pace: float | None = None
        """Expansions per millisecond, as measured in the latest frames."""
        self._spent = 0.0
        """Milliseconds of this frame."""
        self._limit = budget
        """Expansions of this frame."""
        self._unserved = 0
        self._ticked: frozenset[Hashable] | None = None
        """The agents whose trees are ticked in this frame; all, for None."""
        self._free = budget
        self._claims: dict[PlanningClient, _Claim] = {}
        self._numbers = 0
        self._attention: WeakKeyDictionary[Hashable, _Attention] = WeakKeyDictionary()
        self._seen = 0
        self._granted = 0

    @property
    def used(self) -> int:
        return self._limit - self._free - sum(claim.reserved for claim in self._claims.values())

    @property
    def waiting(self) -> int:
        return len(self._claims)

    @property
    def load(self) -> FrameLoad:
        """The expansions used in this frame until now, and those that goals lacked."""
        since = min((claim.since for claim in self._claims.values()), default=self.frame)
        return FrameLoad(
            self._limit,
            self.used,
            self._spent,
            self.waiting,
            self._unserved,
            self.frame - since,
        )

    @checked
    def attend(self, agent: Hashable, *, priority: int = 1, every: int = 1) -> None:
        """Set an agent's priority, and let its goals plan only every ``every`` frames.

        Agents with the same ``every`` take turns. Raises ExecutionError for numbers below one.
        """
        if priority < 1 or every < 1:
            message = f"priority is {priority}, every is {every}"
            raise ExecutionError("BT202", message, hint="both have to be above zero")
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

    def only(self, ticked: Iterable[Hashable]) -> None:
        """Let the waiting goals of all other agents keep their place: their trees are skipped."""
        self._ticked = frozenset(ticked)

    def next_frame(self) -> None:
        """Begin a frame with a full budget, and reserve parts of it for waiting goals.

        Goals that were due in the last frame and requested nothing are removed.
        """
        limit = self._affordable()
        kept = [
            claim for claim in self._claims.values() if claim.is_active or not self._was_due(claim)
        ]
        self._claims = {claim.client: claim for claim in kept}
        self.frame += 1
        self._free = self._limit = limit
        self._spent, self._unserved, self._ticked = 0.0, 0, None
        due = [claim for claim in kept if self.is_due(_of(claim))]
        for claim in kept:
            claim.reserved = 0
        for claim in due:
            claim.is_active = False
            claim.urgency += self._attention_for(_of(claim)).priority
        due.sort(key=lambda claim: (-claim.urgency, claim.number))
        share = max(min(self.least, self._limit), self._limit // len(due)) if due else 0
        for claim in due[: self._limit // share if share else 0]:
            claim.reserved = share
            self._free -= share

    def allowance(self, client: PlanningClient) -> int:
        """Number of expansions that a goal may use now; it has to call ``used_by`` afterwards."""
        claim = self._claims.get(client)
        if claim is not None:
            claim.is_active = True
            self._free, claim.reserved = self._free + claim.reserved, 0
        granted = self._free if self.is_due(client.agent) and not self._is_late() else 0
        self._granted = granted
        self._free -= granted
        return granted

    def used_by(self, client: PlanningClient, expansions: int, *, waiting: bool) -> None:
        """Return the unused part of a goal's latest allowance; ``waiting`` if it needs more."""
        self._free += self._granted - expansions
        served, self._granted = self._granted > 0, 0
        self._unserved += waiting and not served
        if not waiting:
            self._claims.pop(client, None)
        elif served or client not in self._claims:
            self._numbers += 1
            self._claims[client] = _Claim(client, self._numbers, urgency=0, since=self.frame)

    def advance(self, search: Search, client: PlanningClient) -> SearchStatus:
        """Advance a goal's search by its allowance. Raises PlanningError from a user's function."""
        before = search.expansions
        granted = self.allowance(client)
        try:
            return self.spend(search, granted)
        finally:
            waiting = search.status is SEARCHING
            self.used_by(client, search.expansions - before, waiting=waiting)

    def spend(self, search: Search, granted: int) -> SearchStatus:
        """Advance a search by the granted expansions, and no further than there is time.

        Raises PlanningError from a user's function.
        """
        if self._clock is None:
            return search.advance(granted)
        if not granted and search.status is SEARCHING:
            return search.status
        end = search.expansions + granted
        while True:
            began = self._clock()
            try:
                status = search.advance(min(end - search.expansions, SLICE))
            finally:
                self._spent += 1_000 * max(0, self._clock() - began)
            is_over = status is not SEARCHING or search.expansions >= end
            if is_over or self._is_late():
                return status

    def _is_late(self) -> bool:
        return self.milliseconds is not None and self._spent >= self.milliseconds

    def _affordable(self) -> int:
        """The expansions of the next frame: those of the budget for which there will be time."""
        if self.milliseconds is None:
            return self.budget
        if self._spent > 0 and self.used:
            pace = self.used / self._spent
            self._pace = pace if self._pace is None else (self._pace + pace) / 2
        if self._pace is None:
            return self.budget
        return max(1, min(self.budget, int(self._pace * self.milliseconds)))

    def _was_due(self, claim: _Claim) -> bool:
        """Whether a goal could have asked in the frame that is over."""
        agent = _of(claim)
        return self.is_due(agent) and (self._ticked is None or agent in self._ticked)

    def _attention_for(self, agent: Hashable) -> _Attention:
        """Attention for an agent; a new agent gets the next phase."""
        attention = self._attention.get(agent)
        if attention is None:
            attention = self._attention[agent] = _Attention(phase=self._seen)
            self._seen += 1
        return attention


def _of(claim: _Claim) -> Hashable:
    agent: Hashable = claim.client.agent
    return agent


class Budget:
    """The expansions left in a tick, shared by all searches of one goal.

    With a schedule, each search requests an allowance from it instead.
    """

    __slots__ = ("_left", "client", "per_tick", "repeated")

    def __init__(self, per_tick: int | PlanningSchedule | None, client: PlanningClient) -> None:
        """Raises DomainError for a budget below one."""
        if isinstance(per_tick, int) and per_tick <= 0:
            hint = "give it expansions per tick, or None for as many as it takes"
            raise DomainError("BT202", f"the budget of '{client.name}' is {per_tick}", hint=hint)
        self.per_tick = per_tick
        self.repeated = 0
        """Expansions that were paid for already, of searches that begin anew after a save."""
        self._left = per_tick
        self.client = client

    def renew(self) -> None:
        """Restore the full budget at the beginning of a tick."""
        self._left = self.per_tick

    def advance(self, search: Search) -> SearchStatus:
        """Advance a search within the budget. Raises PlanningError from a user's function."""
        left = self._left
        if left is None:
            return search.advance()
        if self.repeated:
            before = search.expansions
            search.advance(self.repeated)
            self.repeated -= search.expansions - before
        if isinstance(left, PlanningSchedule):
            return left.advance(search, self.client)
        before = search.expansions
        status = search.advance(left)
        self._left = left - (search.expansions - before)
        return status
