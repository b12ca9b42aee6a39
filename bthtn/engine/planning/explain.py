"""Explanation of why there is no plan: the events of a search as a tree of lines.

Each method that was tried has the methods and tasks tried inside it as children; the leaves
are the conditions that failed, with values. Repeated lines are given once, and methods without
a failure are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from bthtn.engine.domain.task import PrimitiveTask, call_text
from bthtn.engine.planning.exclusions import Avoided, why_avoided
from bthtn.engine.planning.trace import (
    ActionRejected,
    AlternativeDropped,
    Backtracked,
    BranchesConflict,
    GoalsExpanded,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    RecursionCut,
    SearchEvent,
    TaskPlanned,
    TaskRejected,
    Unachievable,
)
from bthtn.engine.planning.trace_walk import Entered, TraceWalk
from bthtn.records import record

AVOIDED: Final = ": avoided"
_MOST_AVOIDED: Final = 3


@record
class Reason:
    """One line of an explanation, nested ``depth`` deep.

    A line about a method has its ``task`` and the index of the ``method``; ``reason`` says why
    the method was not entered, and is empty if it was. ``steps`` counts those that were planned
    when it failed, at most.
    """

    depth: int
    text: str
    task: str = field(default="", compare=False)
    method: int | None = field(default=None, compare=False)
    reason: str = field(default="", compare=False)
    steps: int = field(default=0, compare=False)


def explained(events: Iterable[SearchEvent]) -> tuple[Reason, ...]:
    """The methods and tasks that were tried, and why they failed, in the order of the search."""
    explanation = Explanation()
    for event in events:
        explanation.add(event)
    return explanation.reasons()


def explanation_text(reasons: Iterable[Reason]) -> str:
    """The reasons as indented lines."""
    return "\n".join(f"{'  ' * reason.depth}{reason.text}" for reason in reasons)


def main_reasons(reasons: Sequence[Reason]) -> tuple[str, ...]:
    """The condition that decided, and the first tasks and methods that are avoided.

    It is the one at which the search got furthest: after the most steps, inside the most methods,
    and last of those. What fails earlier is often harmless, as another method does instead. There
    is none if a search that found no plan finds one when it is repeated, as where functions
    are not pure.
    """
    depths = [*(reason.depth for reason in reasons[1:]), 0][: len(reasons)]
    leaves = [
        reason for reason, below in zip(reasons, depths, strict=True) if below <= reason.depth
    ]
    conditions = [reason for reason in leaves if AVOIDED not in reason.text]
    conditions.sort(key=lambda reason: (reason.steps, reason.depth))
    avoided = dict.fromkeys(reason.text for reason in leaves if AVOIDED in reason.text)
    return (*(reason.text for reason in conditions[-1:]), *islice(avoided, _MOST_AVOIDED))


def avoided_steps(avoided: Avoided) -> tuple[str, ...]:
    """The first primitive tasks that a search avoids, and why: known without an explanation."""
    steps = ((what, args) for what, args in avoided if isinstance(what, PrimitiveTask))
    return tuple(
        f"{call_text(*step)}: {why_avoided(step, avoided)}" for step in islice(steps, _MOST_AVOIDED)
    )


@dataclass(slots=True, eq=False)
class _Line:
    """A line, and the method it stands for; ``is_shown`` marks the failures and the lines above."""

    text: str
    depth: int
    above: _Line | None = None
    task: str = ""
    method: int | None = None
    reason: str = ""
    steps: int = 0
    is_shown: bool = False


class Explanation:
    """Builds the explanation event by event; ``add`` can be the listener of a search."""

    def __init__(self) -> None:
        self._walk = TraceWalk()
        self._root = _Line("", -1)
        self._lines: dict[Entered | None, _Line] = {None: self._root}
        self._steps = 0
        self._steps_before: dict[Entered, int] = {}
        self._below: defaultdict[_Line, dict[str, _Line]] = defaultdict(dict)

    def add(self, event: SearchEvent) -> None:
        inside, left = self._walk.step(event)
        above = self._lines[inside]
        if left:
            self._steps = self._steps_before[left[0]]
        for entered in left:
            del self._lines[entered], self._steps_before[entered]
        if isinstance(event, MethodEntered):
            self._lines[self._walk.entered[-1]] = self._line(above, _method(event), event)
            self._steps_before[self._walk.entered[-1]] = self._steps
        elif isinstance(event, TaskPlanned):
            self._steps += 1
        elif text := _text(event):
            rejected = event if isinstance(event, MethodRejected) else None
            line = self._line(above, text, rejected)
            line.steps = max(line.steps, self._steps)
            self._show(line)

    def reasons(self) -> tuple[Reason, ...]:
        """The lines of all failures, each below the methods in which it happened."""
        found: list[Reason] = []
        pending = [self._root]
        while pending:
            line = pending.pop()
            if line.above is not None:
                about = line.task, line.method, line.reason, line.steps
                found.append(Reason(line.depth, line.text, *about))
            pending.extend(
                inner for inner in reversed(self._below[line].values()) if inner.is_shown
            )
        return tuple(found)

    def _line(self, above: _Line, text: str, event: MethodEntered | MethodRejected | None) -> _Line:
        below = self._below[above]
        if text not in below:
            line = below[text] = _Line(text, above.depth + 1, above)
            if event is not None:
                line.task, line.method = event.task, event.method
                line.reason = getattr(event, "reason", "")
        return below[text]

    def _show(self, line: _Line | None) -> None:
        while line is not None and not line.is_shown:
            line.is_shown = True
            line = line.above


def _method(event: MethodEntered | MethodRejected) -> str:
    return f"{event.task}, method {event.method}" + (f" {event.name!r}" if event.name else "")


def _text(event: SearchEvent) -> str:
    """The event as a reason for failure; an empty text if it is none."""
    match event:
        case MethodRejected():
            return f"{_method(event)}: {event.reason}"
        case TaskRejected(task, reason) | RecursionCut(task, reason):
            return f"{task}: {reason.removeprefix(f'{task}: ')}"
        case BranchesConflict(first, second, over):
            return f"branches {first} and {second} both touch {over}"
        case AlternativeDropped(alternative, text):
            return f"alternative {alternative}, {text}: dropped"
        case Unachievable(reason):
            return reason
        case TaskPlanned() | PlanningSuspended() | MethodEntered() | Backtracked():
            return ""
        case GoalsExpanded() | ActionRejected():
            return ""
