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
    | LeafAborted
    | LeafRefused
    | PlanAdopted
    | PlanResumed
    | PlanFailed
    | PlanAborted
    | GoalEnded
)

AgentListener = Callable[[AgentEvent], None]
