"""What happens while an agent acts, as data. Timelines and recordings are folds over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bthtn.plan.plan import Plan
from bthtn.world.diff import Change


@dataclass(frozen=True, slots=True)
class BeliefChanged:
    """A fluent got another value."""

    change: Change


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
    | LeafStarted
    | LeafEnded
    | LeafAborted
    | LeafRefused
    | PlanAdopted
    | PlanResumed
    | PlanFailed
    | PlanKept
    | PlanReplaced
    | PlanBroken
    | PlanAborted
    | GoalEnded
)

AgentListener = Callable[[AgentEvent], None]
