"""What happens while an agent acts, as data. Timelines and recordings are folds over it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from bthtn.plan.plan import Plan
from bthtn.world.diff import Change


@dataclass(frozen=True, slots=True)
class BeliefChanged:
    """A fluent got another value."""

    change: Change


@dataclass(frozen=True, slots=True)
class SensorFailed:
    """A sensor raised, or said what cannot be believed; nothing of that reading was."""

    sensor: str
    reason: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class LeafStarted:
    """The operator of a step was started. Exactly one end follows, whatever happens."""

    leaf: int
    task: str
    path: str


@dataclass(frozen=True, slots=True)
class LeafEnded:
    """A step succeeded or failed; ``error`` is the exception where one was the reason."""

    leaf: int
    task: str
    succeeded: bool
    reason: str = ""
    error: BaseException | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class LeafAborting:
    """A running step is being given up, which takes more ticks. LeafAborted or LeafEnded follow."""

    leaf: int
    task: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class LeafAborted:
    """A running step was given up; ``error`` is what its clean-up raised, if it did."""

    leaf: int
    task: str
    error: BaseException | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class LeafRefused:
    """A step was not started: a condition does not hold, or ``error`` kept it from being asked."""

    leaf: int
    task: str
    reason: str
    path: str = ""
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class LeaseTaken:
    """A step, a plan or the agent has something that others cannot have now."""

    key: Hashable
    holder: str


@dataclass(frozen=True, slots=True)
class LeaseReturned:
    """What was taken is free again."""

    key: Hashable
    holder: str


@dataclass(frozen=True, slots=True)
class PlanHookFailed:
    """A hook of a step raised; after ``on_plan_start`` the plan fails, ``on_plan_end`` goes on."""

    goal: str
    hook: str
    task: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class CleanupStarted:
    """A part of a plan did not get to its cleanup; that has been planned anew, and begins."""

    goal: str
    task: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class CleanupEnded:
    """Such a cleanup is over, also if there was no plan for it. No other one will be tried."""

    goal: str
    task: str
    succeeded: bool
    reason: str = ""
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class PlanAdopted:
    """A goal has a plan and begins to run it; ``reason`` says what it is the answer to."""

    goal: str
    plan: Plan
    reason: str


@dataclass(frozen=True, slots=True)
class PlanResumed:
    """A suspended part was reached, and is planned now."""

    goal: str
    plan: Plan
    cause: str


@dataclass(frozen=True, slots=True)
class PlanFailed:
    """A running plan failed; ``again`` says whether another one is looked for."""

    goal: str
    reason: str
    again: bool


@dataclass(frozen=True, slots=True)
class PlanKept:
    """A change made somebody look at a running plan, and it goes on."""

    goal: str
    reason: str
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class PlanReplaced:
    """A running plan gives way to another one, which is adopted at once.

    ``change`` is what made somebody look for it.
    """

    goal: str
    reason: str
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class PlanBroken:
    """A running plan is given up because of what others changed, and another one looked for.

    ``step`` is the first one that would not work any more, ``change`` what others did to it.
    """

    goal: str
    reason: str
    step: str = ""
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class PlanRepaired:
    """A part of a plan was planned anew, and all else of it goes on; ``reason`` is what broke."""

    goal: str
    part: str
    reason: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class TaskAvoided:
    """A task, or a method, failed so often that plans go without it for a while.

    ``failures`` in a row, the last one for ``reason``. It is avoided for so many ``ticks`` of the
    goal, or until one of ``fluents`` changes.
    """

    goal: str
    task: str
    failures: int
    reason: str
    ticks: int
    fluents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoalWaits:
    """A goal is not tried for a while, since it was in vain again and again.

    ``failures`` in a row, the last one for ``reason``. It goes on after so many ``ticks``, or when
    one of ``fluents`` changes.
    """

    goal: str
    failures: int
    reason: str
    ticks: int
    fluents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanAborted:
    """A goal was given up by the tree while it was planning or running."""

    goal: str
    reason: str


@dataclass(frozen=True, slots=True)
class GoalEnded:
    """A goal is done, or cannot be done."""

    goal: str
    succeeded: bool
    reason: str = ""
    error: BaseException | None = None


AgentEvent = (
    BeliefChanged
    | SensorFailed
    | LeafStarted
    | LeafEnded
    | LeafAborting
    | LeafAborted
    | LeafRefused
    | LeaseTaken
    | LeaseReturned
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
)

AgentListener = Callable[[AgentEvent], None]
