"""Events that agents emit; timelines and recordings are made from them.

An event is data; its ``text`` is made when it is asked for, of the ``words`` beside the data.
Events are equal if all fields are, except the exception, whose text is in the reason, and the
fields that say whose event it is and when: ``agent``, ``tick``, ``time``, ``plan_id``, and the
``goal`` of events that may have none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from bthtn.engine.plan.plan import Plan
from bthtn.engine.world.diff import Change
from bthtn.engine.world.symbol import Comparable


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """Whose event it is and when; ``Agent.emit`` fills in all but the plan.

    ``agent`` is the name of the agent, ``tick`` how often its ``sense`` was called, or the tick of
    its Character, and ``time`` that of its clock in seconds, None without one. ``plan_id`` names
    the plan that it is about, or is empty: ``Ann #3`` is the third plan that Ann adopted. A plan
    that is kept, resumed or repaired has its id still. A step has that of the plan it started in.
    """

    words: ClassVar[str]
    """Its text, to be formatted with the event."""

    agent: str = field(default="", compare=False, repr=False)
    tick: int = field(default=0, compare=False, repr=False)
    time: float | None = field(default=None, compare=False, repr=False)
    plan_id: str = field(default="", compare=False, repr=False)

    @property
    def text(self) -> str:
        """The event in a few words: ``start shoot``."""
        return self.words.format(self)

    def of(self, agent: str, tick: int, time: float | None) -> Self:
        """The same event, of this agent and at this time."""
        return replace(self, agent=agent, tick=tick, time=time)

    def fill_in(self, agent: str, tick: int, time: float | None) -> None:
        """Called by the agent before anybody has heard the event: a copy takes fifty times."""
        _put_agent(self, agent)
        _put_tick(self, tick)
        _put_time(self, time)


_put_agent, _put_tick, _put_time = (
    vars(_Event)[name].__set__ for name in ("agent", "tick", "time")
)


@dataclass(frozen=True, slots=True)
class _GoalEvent(_Event):
    """It is about this goal, or a plan of it."""

    words = "{0.__class__.__name__} {0.goal}"

    goal: str


@dataclass(frozen=True, slots=True)
class _StepEvent(_Event):
    """It is about a start of a step; ``leaf`` is its number: no two of an agent have the same."""

    leaf: int
    task: str


@dataclass(frozen=True, slots=True)
class BeliefChanged(_Event):
    """A fluent has another value now; ``goal`` is that of the step which wrote it, if any."""

    words = "{0.change}"

    change: Change
    goal: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class SensorFailed(_Event):
    """A sensor raised, or returned a bad value; nothing of that reading was written."""

    words = "{0.sensor} failed: {0.reason}"

    sensor: str
    reason: str
    error: BaseException = field(compare=False)


@dataclass(frozen=True, slots=True)
class CodeFailed(_Event):
    """Users' code raised, other than an operator, a hook or a sensor: ``code`` names it.

    It is a guard, a value, state or variable of a composite, a condition of a plan that runs, a
    draw, a search ahead of time, effects of a failure or abort, or a listener.
    """

    words = "{0.code} failed: {0.reason}"

    code: str
    reason: str
    error: BaseException = field(compare=False)


@dataclass(frozen=True, slots=True)
class ClockSetBack(_Event):
    """The agent's clock has gone back, as when a simulation is reset; what lasts seconds goes on.

    ``before`` and ``now`` are its seconds in the tick before, and in this one.
    """

    words = "the clock went back from {0.before:g} to {0.now:g}"

    before: float
    now: float


@dataclass(frozen=True, slots=True)
class LeafStarted(_StepEvent):
    """A step was started. Exactly one LeafEnded or LeafAborted follows."""

    words = "start {0.task}"

    path: str
    goal: str = ""


@dataclass(frozen=True, slots=True)
class LeafEnded(_StepEvent):
    """A step succeeded or failed; ``error`` is the exception if one was the reason."""

    succeeded: bool
    reason: str = ""
    error: BaseException | None = field(default=None, compare=False)
    path: str = ""
    goal: str = ""

    @property
    def text(self) -> str:
        """The event in a few words."""
        return f"{'done' if self.succeeded else 'failed'} {self.task}"


@dataclass(frozen=True, slots=True)
class LeafAborting(_StepEvent):
    """A running step is being aborted over several ticks; LeafAborted or LeafEnded follows."""

    words = "aborting {0.task}"

    path: str = ""
    goal: str = ""


@dataclass(frozen=True, slots=True)
class LeafAborted(_StepEvent):
    """A running step was aborted; ``error`` is the exception of its clean-up, if any."""

    words = "aborted {0.task}"

    error: BaseException | None = field(default=None, compare=False)
    path: str = ""
    goal: str = ""


@dataclass(frozen=True, slots=True)
class LeafRefused(_StepEvent):
    """A step was not started: a condition is false, or raised ``error``."""

    words = "refused {0.task}"

    reason: str
    path: str = ""
    error: BaseException | None = field(default=None, compare=False)
    goal: str = ""


@dataclass(frozen=True, slots=True)
class LeafWaits(_Event):
    """A step is not started yet, because ``other`` occupies a resource that it uses.

    ``other`` is a step of the agent's goal ``other_goal``. Goals are planned for one at a time, so
    their plans may use a resource at the same time.
    """

    words = "waiting {0.task}"

    task: str
    uses: tuple[str, ...]
    other: str
    other_goal: str
    path: str = ""
    goal: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LeaseTaken(Comparable, _Event):
    """A step, a plan or the agent has taken a lease; the agent without a ``goal``."""

    words = "{0.holder} has {0.key}"

    key: Hashable
    holder: str
    goal: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class LeaseReturned(Comparable, _Event):
    """A lease was returned."""

    words = "{0.holder} gave back {0.key}"

    key: Hashable
    holder: str
    goal: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ActionsDrawn(_GoalEvent):
    """A lottery has drawn in which order a goal prefers the ``actions`` that are possible now.

    ``weights`` are those with which they were drawn (semantics 2.11).
    """

    actions: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def reason(self) -> str:
        """The actions with their weights, as text."""
        both = zip(self.actions, self.weights, strict=False)
        return ", ".join(f"{action} ({weight})" for action, weight in both) or "nothing"


@dataclass(frozen=True, slots=True)
class PlanHookFailed(_GoalEvent):
    """A hook raised. After ``on_plan_start`` the plan fails; after ``on_plan_end`` nothing does."""

    words = "{0.hook} of {0.task} raised"

    hook: str
    task: str
    error: BaseException = field(compare=False)


@dataclass(frozen=True, slots=True)
class CleanupStarted(_GoalEvent):
    """A cleanup that its plan did not reach has been planned, and starts."""

    words = "clean up {0.task}"

    task: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class CleanupEnded(_GoalEvent):
    """A cleanup that its plan did not reach is over, or had no plan; it is not tried again."""

    task: str
    succeeded: bool
    reason: str = ""
    error: BaseException | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """The event in a few words."""
        return f"{'cleaned up' if self.succeeded else 'did not clean up'} {self.task}"


@dataclass(frozen=True, slots=True)
class PlanAdopted(_GoalEvent):
    """A goal has a plan and starts to run it.

    ``reason`` is why it searched for one, and says so where the search had reached its limit of
    expansions, so that there may be a better one.
    """

    plan: Plan
    reason: str


@dataclass(frozen=True, slots=True)
class PlanResumed(_GoalEvent):
    """A suspended part was reached and has been planned."""

    plan: Plan
    cause: str


@dataclass(frozen=True, slots=True)
class PlanFailed(_GoalEvent):
    """A running plan failed; ``again`` says whether another one is searched for."""

    reason: str
    again: bool


@dataclass(frozen=True, slots=True)
class PlanKept(_GoalEvent):
    """A running plan was reviewed after ``change``, and goes on.

    ``rule`` is the line of the table of policies that decided, by its last column; "" if none did.
    """

    reason: str
    change: Change | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PlanReplaced(_GoalEvent):
    """A running plan is replaced by another one, which is adopted at once.

    ``change`` is why the plan was reviewed: something was written that it depends on, or that has
    ended a back-off. ``old`` is the plan that ran, whose ``plan_id`` it has; the PlanAdopted that
    follows has that of the new one. ``rule`` is as in PlanKept.
    """

    reason: str
    change: Change | None = None
    old: Plan | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PlanBroken(_GoalEvent):
    """A change from outside broke a running plan; it is repaired, or another is searched for.

    ``step`` is the first one that would not work any more. ``rule`` is as in PlanKept.
    """

    reason: str
    step: str = ""
    change: Change | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class PlanRepaired(_GoalEvent):
    """A part of a plan was planned anew and the rest goes on; ``reason`` is why it broke."""

    part: str
    reason: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class TaskAvoided(_GoalEvent):
    """A task or a method has failed so often that plans do without it for a while.

    ``failures`` is how often in a row, ``reason`` that of the last one. It is avoided for
    ``ticks`` of the goal, which are seconds where ``in_seconds``, or until one of ``fluents``
    changes.
    """

    task: str
    failures: int
    reason: str
    ticks: float
    fluents: tuple[str, ...] = ()
    in_seconds: bool = False


@dataclass(frozen=True, slots=True)
class GoalWaits(_GoalEvent):
    """A goal that has failed several times in a row is not tried for a while.

    ``failures`` is how often, ``reason`` that of the last one. It is tried again after ``ticks``,
    which are seconds where ``in_seconds``, or when one of ``fluents`` changes.
    """

    failures: int
    reason: str
    ticks: float
    fluents: tuple[str, ...] = ()
    in_seconds: bool = False


@dataclass(frozen=True, slots=True)
class PlanAborted(_GoalEvent):
    """The tree interrupted a goal that was planning or running."""

    reason: str


@dataclass(frozen=True, slots=True)
class GoalEnded(_GoalEvent):
    """A goal has succeeded or failed."""

    succeeded: bool
    reason: str = ""
    error: BaseException | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """The event in a few words."""
        return f"{self.goal} {'succeeded' if self.succeeded else 'failed'}"


@dataclass(frozen=True, slots=True)
class AgentReloaded(_Event):
    """The agent of this name has taken over newer code.

    ``lost`` are the beliefs for which the new State class has no fluent of this name and type;
    ``defaulted`` are the fluents that have a new initial value. Both are texts: ``ammo = 3``.
    """

    name: str
    domains: tuple[str, ...]
    lost: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The event in words: ``soldier reloaded combat; lost: ammo = 3; new: fuel = 1.0``."""
        lost = f"; lost: {', '.join(self.lost)}" if self.lost else ""
        new = f"; new: {', '.join(self.defaulted)}" if self.defaulted else ""
        return f"{self.name} reloaded {', '.join(self.domains)}{lost}{new}"


@dataclass(frozen=True, slots=True)
class ReloadFailed(_Event):
    """Newer code could not be taken over; nothing has changed."""

    words = "reload failed"

    reason: str
    error: BaseException = field(compare=False)


AgentEvent = (
    BeliefChanged
    | SensorFailed
    | CodeFailed
    | ClockSetBack
    | LeafStarted
    | LeafEnded
    | LeafAborting
    | LeafAborted
    | LeafRefused
    | LeafWaits
    | LeaseTaken
    | LeaseReturned
    | ActionsDrawn
    | PlanHookFailed
    | CleanupStarted
    | CleanupEnded
    | PlanAdopted
    | PlanResumed
    | PlanFailed
    | PlanKept
    | PlanReplaced
    | PlanBroken
    | PlanRepaired
    | TaskAvoided
    | GoalWaits
    | PlanAborted
    | GoalEnded
    | AgentReloaded
    | ReloadFailed
)

AgentListener = Callable[[AgentEvent], None]
