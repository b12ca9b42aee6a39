"""Circles: which tasks may be entered again inside themselves with nothing changed.

Where each way from a task to itself moves something in a direction in which nothing on any
such way moves it back, no state comes again, and nobody has to look. Ways on which something
is moved are struck out; what could be moved back by them alone may then count for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.compiled.exclusion import demands
from bthtn.planning.htn.compiled.expressions import is_int
from bthtn.planning.htn.compiled.lean.scope import Scope, Way, is_single, scalar
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Arithmetic, Constant, Parameter
from bthtn.world.fluent import Fluent

Compound = CompoundTask[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A call of one compound task by another: one step on a way from a task to itself."""

    task: Compound
    way: Way
    place: int
    call: TaskCall

    @property
    def callee(self) -> Compound:
        """What is called."""
        assert isinstance(self.call.task, CompoundTask), "a step leads to a compound task"
        return self.call.task


def components(below: Mapping[Compound, Iterable[Compound]]) -> dict[Compound, int]:
    """A number for every task; two have the same when each can come to the other.

    What a task can come to has a number that is not above its own.
    """
    order: list[Compound] = []
    seen: set[Compound] = set()
    for start in below:
        pending = [(start, False)]
        while pending:
            task, is_done = pending.pop()
            if is_done:
                order.append(task)
            elif task not in seen:
                seen.add(task)
                pending.append((task, True))
                pending += [(one, False) for one in below[task]]
    above: dict[Compound, list[Compound]] = {task: [] for task in below}
    for task, several in below.items():
        for one in several:
            above[one].append(task)
    numbers: dict[Compound, int] = {}
    for number, start in enumerate(reversed(order)):
        reached = [start]
        while reached:
            task = reached.pop()
            if task not in numbers:
                numbers[task] = -number
                reached += above[task]
    return numbers


def circles(scope: Scope) -> dict[Compound, int]:
    """Tasks that may come to themselves with nothing changed; those of one circle by number."""
    steps = [
        Step(task, way, place, call)
        for task, way, place, call in scope.calls
        if isinstance(call.task, CompoundTask)
    ]
    counts = int in scope.declared
    pending, found = [steps], dict[Compound, int]()
    while pending:
        some = pending.pop()
        below: dict[Compound, list[Compound]] = {}
        for step in some:
            below.setdefault(step.task, []).append(step.callee)
            below.setdefault(step.callee, [])
        numbers = components(below)
        inside: dict[int, list[Step]] = {}
        for step in some:
            if numbers[step.task] == numbers[step.callee]:
                inside.setdefault(numbers[step.task], []).append(step)
        for several in inside.values():
            moving = _moving(scope, several, counts=counts)
            left = [step for step in several if step not in moving]
            if len(left) < len(several):
                pending.append(left)
            else:
                number = len(set(found.values()))
                found.update({step.task: number for step in several})
    return found


def guarded(scope: Scope, found: Mapping[Compound, int]) -> frozenset[Compound]:
    """The tasks on circles at which one has to look.

    A task is left out that can be done in one way only, and is called in one place only, first of
    all and with everything that its caller was called with: it does not come again before its
    caller has.
    """
    places: dict[Task, list[tuple[Compound, int, TaskCall]]] = {}
    for task, _, place, call in scope.calls:
        places.setdefault(call.task, []).append((task, place, call))
    needless = set()
    for task in found:
        if task not in scope.roots and len(places[task]) == 1 and is_single(scope.ways[task]):
            caller, place, call = places[task][0]
            handed = {one.position for one in call.args if isinstance(one, Parameter)}
            if (
                place == 0
                and caller is not task
                and found.get(caller) == found[task]
                and len(handed) == len(caller.parameters)
            ):
                needless.add(task)
    return frozenset(task for task in found if task not in needless)


def _moving(scope: Scope, several: list[Step], *, counts: bool) -> set[Step]:
    """The steps that move something which no step moves back."""
    moved = _moving_a_fluent(scope, several)
    tasks = {step.task for step in several}
    if counts and len(tasks) == 1:
        moved |= _moving_an_argument(tasks.pop(), several)
    return moved


def _moving_a_fluent(scope: Scope, several: list[Step]) -> set[Step]:
    directions: dict[Fluent[Any], set[int]] = {}
    for task in _before(scope, several):
        for effect in (*task.effects, *task.expected):
            fluent, direction = _direction(effect)
            if fluent is not None:
                directions.setdefault(fluent, set()).add(direction)
    one_way = {fluent for fluent, some in directions.items() if len(some) == 1 and 0 not in some}
    return {step for step in several if any(_moves(step, fluent) for fluent in one_way)}


def _before(scope: Scope, several: list[Step]) -> set[PrimitiveTask[Any]]:
    """All primitive tasks that may be planned between a task and itself."""
    seen: set[Task] = set()
    pending: list[Task] = [call.task for step in several for call in step.way.calls[: step.place]]
    while pending:
        task = pending.pop()
        if task not in seen:
            seen.add(task)
            if isinstance(task, CompoundTask):
                pending += [call.task for way in scope.ways[task] for call in way.calls]
    return {task for task in seen if isinstance(task, PrimitiveTask)}


def _direction(effect: Any) -> tuple[Fluent[Any] | None, int]:
    """Which fluent an effect writes, and where it moves it: up, down, or anywhere (0)."""
    if not isinstance(effect, Assignment):
        return None, 0
    fluent, value = scalar(effect.target), effect.value
    if fluent is None or not isinstance(value, Constant):
        return fluent, 0
    if effect.grows and is_int(fluent) and is_int(value) and value.value:
        return fluent, 1 if value.value > 0 else -1
    if not effect.grows and fluent.value_type is bool and isinstance(value.value, bool):
        return fluent, 1 if value.value else -1
    return fluent, 0


def _moves(step: Step, fluent: Fluent[Any]) -> bool:
    """Whether the fluent is surely another one when the step is made."""
    known = set(_demanded(step.way.method.condition, fluent))
    for call in step.way.calls[: step.place]:
        if not isinstance(call.task, PrimitiveTask):
            continue
        known |= set(_demanded(call.task.precondition, fluent))
        for effect in (*call.task.effects, *call.task.expected):
            moved, direction = _direction(effect)
            if moved is fluent and (moved.value_type is int or (direction < 0) in known):
                return True
    return False


def _demanded(condition: Any, fluent: Fluent[Any]) -> Iterator[Any]:
    return (value for one, value in demands(condition) if one is fluent)


def _moving_an_argument(task: Compound, several: list[Step]) -> set[Step]:
    """The calls of a task by itself that count an argument up, or down, as none undoes."""
    for parameter in task.parameters:
        if parameter.type is not int:
            continue
        amounts = [_counted(step.call, parameter.position) for step in several]
        signs = {amount and (1 if amount > 0 else -1) for amount in amounts}
        if None not in signs and len(signs - {0}) == 1:
            return {step for step, amount in zip(several, amounts, strict=True) if amount}
    return set()


def _counted(call: TaskCall, position: int) -> int | None:
    """By how much the argument is more than the caller's; None where that cannot be told."""
    match call.args[position]:
        case Parameter(position=given):
            return 0 if given == position else None
        case Arithmetic(
            symbol="+" | "-" as symbol, left=Parameter(position=given), right=Constant(value=value)
        ) if given == position and type(value) is int:
            return value if symbol == "+" else -value
        case _:
            return None
