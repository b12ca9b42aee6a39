"""Crowd: many characters in frames of limited time, with fewer turns for some.

    crowd = Crowd(schedule, detail, milliseconds=8, clock=time.perf_counter)
    crowd.add(agent, tree)
    turns = crowd.tick()                 once per frame; turns.left_out has to wait for its turn

Whose turn it is stands in a queue. When the time of a frame is over, the rest of the queue waits
for the next one, in which it comes first: under any load, all have their turns in the same order.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from py_trees.behaviour import Behaviour

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock
from bthtn.engine.agent.reentrance import at_work, in_the_middle, work
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import ExecutionError


@checked
@dataclass(frozen=True, slots=True)
class Detail:
    """How much attention a character gets.

    Its tree is ticked in every ``every``-th frame, and its goals wait for expansions with
    ``priority``.
    """

    every: int = 1
    priority: int = 1


class Turns(NamedTuple):
    """The outcome of a frame: how many characters were ticked, and how many were ``left_out``."""

    ticked: int
    left_out: int


@dataclass(slots=True, eq=False)
class _Member:
    agent: Agent[Any, Any]
    tree: Behaviour
    detail: Detail | None = None
    is_gone: bool = False


@checked
class Crowd(Unpicklable):
    """The characters whose goals share a schedule, and how much attention each of them gets.

    ``detail`` is asked about an agent after each of its turns, for the time until the next one.
    With ``milliseconds``, a frame gives no further turn once it has taken so long by the
    ``clock``, which returns seconds; at least one character is ticked in every frame.
    """

    def __init__(
        self,
        schedule: PlanningSchedule,
        detail: Callable[[Agent[Any, Any]], Detail] = lambda _: Detail(),
        *,
        milliseconds: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Raises ExecutionError for a limit of time without a clock."""
        if (milliseconds is None) is not (clock is None):
            message = "a limit of milliseconds needs a clock, and a clock a limit"
            hint = "Crowd(…, milliseconds=8, clock=time.perf_counter)"
            raise ExecutionError("BT316", message, hint=hint)
        self.schedule = schedule
        self.milliseconds = milliseconds
        self._detail = detail
        self._clock = clock
        self._members: dict[Agent[Any, Any], _Member] = {}
        self._queue: deque[_Member] = deque()
        self._later: defaultdict[int, list[_Member]] = defaultdict(list)
        self._frame = 0

    def __len__(self) -> int:
        return len(self._members)

    def add(self, agent: Agent[Any, Any], tree: Behaviour) -> None:
        """Let a character have its turns, from the next frame on."""
        member = self._members[agent] = _Member(agent, tree)
        self._queue.append(member)

    def remove(self, agent: Agent[Any, Any]) -> None:
        """Tick the agent's tree no more; it is not stopped."""
        self._members.pop(agent).is_gone = True

    @work
    def tick(self) -> Turns:
        """Begin a frame of the schedule, and tick as many characters as there is time for.

        Raises ExecutionError in the middle of a frame.
        """
        if any(worker is self for worker, _ in at_work(but_one=True)):
            raise in_the_middle("a crowd is ticked")
        end = None if self.milliseconds is None else self._seconds() + self.milliseconds / 1_000
        self._frame += 1
        for member in self._later.pop(self._frame, ()):
            self.schedule.wake(member.agent)
            self._queue.append(member)
        self.schedule.next_frame()
        ticked: list[Agent[Any, Any]] = []
        while self._queue and (not ticked or end is None or self._seconds() < end):
            member = self._queue.popleft()
            if not member.is_gone:
                self._give_turn(member)
                ticked.append(member.agent)
        self.schedule.only(ticked)
        return Turns(len(ticked), len(self._queue))

    def _give_turn(self, member: _Member) -> None:
        agent, frames = member.agent, 1
        try:
            agent.sense()
            member.tree.tick_once()
            detail = self._detail(agent)
            if detail != member.detail:
                member.detail = detail
                self.schedule.attend(agent, priority=detail.priority)
            if detail.every > 1:
                self.schedule.sleep(agent)
                frames = detail.every
        finally:  # whatever users' code raises, the character has its next turn
            self._later[self._frame + frames].append(member)

    def _seconds(self) -> float:
        return 0.0 if self._clock is None else self._clock()
