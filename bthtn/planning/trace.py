"""What happens in a search, as data. Text, explanations and viewers are folds over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskPlanned:
    """A primitive task was put into the plan."""

    task: str
    depth: int


@dataclass(frozen=True, slots=True)
class TaskRejected:
    """The precondition of a primitive task does not hold where it would be needed."""

    task: str
    reason: str
    depth: int


@dataclass(frozen=True, slots=True)
class MethodEntered:
    """A method of a compound task was chosen."""

    task: str
    method: int
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class MethodRejected:
    """A method may not be used in this state."""

    task: str
    method: int
    name: str
    reason: str
    depth: int


@dataclass(frozen=True, slots=True)
class RecursionCut:
    """A task was entered again inside itself without anything having changed, or too deep."""

    task: str
    reason: str
    depth: int


@dataclass(frozen=True, slots=True)
class TriedBefore:
    """A task was reached with the same left to do, in the same state, as once in vain before."""

    task: str
    depth: int


@dataclass(frozen=True, slots=True)
class BranchesConflict:
    """Branches of a parallel node would disturb each other."""

    first: int
    second: int
    over: str
    depth: int


@dataclass(frozen=True, slots=True)
class AlternativeDropped:
    """An alternative of a priority node cannot be planned."""

    alternative: int
    text: str
    depth: int


@dataclass(frozen=True, slots=True)
class PlanningSuspended:
    """Planning stops here until execution gets here."""

    what: str
    cause: str
    depth: int


@dataclass(frozen=True, slots=True)
class Backtracked:
    """The search went back to an earlier choice; ``to`` names it."""

    to: str


@dataclass(frozen=True, slots=True)
class GoalsExpanded:
    """A goal-directed search goes on from here: conditions to be met, or a state reached.

    ``cost`` is that of the steps between here and where the search began, ``estimate`` that of
    what is missing.
    """

    what: str
    cost: float
    estimate: float
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ActionRejected:
    """An action that would help is of no use here."""

    task: str
    reason: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Unachievable:
    """Why a goal-directed search has found nothing."""

    reason: str
    depth: int = 0


SearchEvent = (
    TaskPlanned
    | TaskRejected
    | MethodEntered
    | MethodRejected
    | RecursionCut
    | TriedBefore
    | BranchesConflict
    | AlternativeDropped
    | PlanningSuspended
    | Backtracked
    | GoalsExpanded
    | ActionRejected
    | Unachievable
)

SearchListener = Callable[[SearchEvent], None]
