"""Finds the tasks that may be entered again inside themselves in an unchanged state.

If every path from a task to itself moves some fluent in one direction, and no such path moves it
back, no state recurs and no check is needed at run time. So calls that surely move a fluent one
way are removed, and the cycles that remain are searched again: there, fluents that only the
removed calls could move back may be monotonic, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.exclusion import demands
from bthtn.planning.htn.expressions import is_int
from bthtn.planning.htn.fastpath.reachable import (
    BodyCall,
    Compound,
    NotWritable,
    Reachable,
    is_single,
    scalar,
)
from bthtn.planning.htn.recursion import components
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Arithmetic, Constant, Expression, Parameter
from bthtn.world.fluent import Fluent

MOST_WORK: Final = 20_000
"""Calls examined before the analysis gives up, since it would take too long."""


def cycles(found: Reachable) -> dict[Compound, int]:
    """Tasks that may recur in an unchanged state; those of one cycle have one number.

    Raises NotWritable if the analysis takes too long.
    """
    search = _Cycles(found)
    search.look()
    return search.numbers


def guarded(found: Reachable, numbers: Mapping[Compound, int]) -> frozenset[Compound]:
    """The tasks on cycles whose calls need a recursion check.

    A task needs none if it has a single method and a single call, which comes first in its
    caller's method and passes on all of the caller's arguments: it cannot recur before its caller.
    """
    places: dict[Task, list[BodyCall]] = {}
    for called in found.calls:
        places.setdefault(called.call.task, []).append(called)
    needless = set()
    for task in numbers:
        if task not in found.roots and len(places[task]) == 1 and is_single(found.methods[task]):
            only = places[task][0]
            caller = only.method.task
            handed = {arg.position for arg in only.call.args if isinstance(arg, Parameter)}
            if (
                only.place == 0
                and caller is not task
                and numbers.get(caller) == numbers[task]
                and handed.issuperset(range(len(caller.parameters)))
            ):
                needless.add(task)
    return frozenset(task for task in numbers if task not in needless)


class _Cycles:
    """Finds cycles, removing calls that make progress until none is left to remove."""

    def __init__(self, found: Reachable) -> None:
        self._found = found
        self._has_ints = has_ints(found)
        self._work = 0
        self.numbers: dict[Compound, int] = {}

    def look(self) -> None:
        """Number the cycles, and the tasks on each."""
        pending = [[step for step in self._found.calls if isinstance(step.call.task, CompoundTask)]]
        while pending:
            for steps in _inside(pending.pop()):
                moving = self._moving(steps)
                left = [step for step in steps if step not in moving]
                if len(left) < len(steps):
                    pending.append(left)
                else:
                    number = len(set(self.numbers.values()))
                    self.numbers.update({step.method.task: number for step in steps})

    def _moving(self, steps: list[BodyCall]) -> set[BodyCall]:
        """The steps that surely move a fluent or argument which no step moves back."""
        directions: dict[Fluent[Any], set[int]] = {}
        for task in self._between(steps):
            for effect in self._found.steps[task].effects:
                fluent, direction = _direction(effect)
                if fluent is not None:
                    directions.setdefault(fluent, set()).add(direction)
        one_way = {
            fluent for fluent, signs in directions.items() if len(signs) == 1 and 0 not in signs
        }
        moved = {step for step in steps if _moves(step, one_way, self._found)}
        tasks = {step.method.task for step in steps}
        if self._has_ints and len(tasks) == 1:
            moved |= _moving_an_argument(tasks.pop(), steps)
        return moved

    def _between(self, steps: list[BodyCall]) -> set[PrimitiveTask[...]]:
        """All primitive tasks that may be planned between a task and itself."""
        seen: set[Task] = set()
        pending: list[Task] = [call.task for step in steps for call in step.before]
        while pending:
            self._work += 1
            if self._work > MOST_WORK:
                raise NotWritable
            task = pending.pop()
            if task not in seen:
                seen.add(task)
                if isinstance(task, CompoundTask):
                    methods = self._found.methods[task]
                    pending += [call.task for method in methods for call in method.calls]
        return {task for task in seen if isinstance(task, PrimitiveTask)}


def _inside(steps: list[BodyCall]) -> list[list[BodyCall]]:
    """The steps inside each strongly connected component of the calls."""
    below: dict[Task, list[Task]] = {}
    for step in steps:
        below.setdefault(step.method.task, []).append(step.call.task)
        below.setdefault(step.call.task, [])
    numbers = components(below)
    inside: dict[int, list[BodyCall]] = {}
    for step in steps:
        if numbers[step.method.task] == numbers[step.call.task]:
            inside.setdefault(numbers[step.method.task], []).append(step)
    return list(inside.values())


def _direction(effect: Any) -> tuple[Fluent[Any] | None, int]:
    """The fluent that an effect writes, and its direction: up (1), down (-1) or either (0)."""
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


def _moves(step: BodyCall, one_way: set[Fluent[Any]], found: Reachable) -> bool:
    """Whether the step surely changes the value of one of these monotonic fluents."""
    known = set(demands(step.method.condition))
    for call in step.before:
        if not isinstance(call.task, PrimitiveTask):
            continue
        known |= set(demands(found.steps[call.task].precondition))
        for effect in found.steps[call.task].effects:
            moved, direction = _direction(effect)
            if moved in one_way and (moved.value_type is int or (moved, direction < 0) in known):
                return True
    return False


def _moving_an_argument(task: Compound, steps: list[BodyCall]) -> set[BodyCall]:
    """The calls of a task by itself that move an argument which none of them moves back."""
    for parameter in task.parameters:
        if parameter.type is not int:
            continue
        amounts = [_increment(step.call, parameter.position) for step in steps]
        signs = {amount and (1 if amount > 0 else -1) for amount in amounts}
        if None not in signs and len(signs - {0}) == 1:
            return {step for step, amount in zip(steps, amounts, strict=True) if amount}
    return set()


def _increment(call: TaskCall, position: int) -> int | None:
    """Constant increment of the argument over the caller's, or None."""
    match call.args[position]:
        case Parameter(position=given):
            return 0 if given == position else None
        case Arithmetic(
            symbol="+" | "-" as symbol, left=Parameter(position=given), right=Constant(value=value)
        ) if given == position and type(value) is int:
            return value if symbol == "+" else -value
        case _:
            return None


def has_ints(found: Reachable) -> bool:
    """Whether calls in bodies pass only ints for ``int`` parameters; goals check their own."""
    return all(
        _is_declared_int(given)
        for called in found.calls
        for parameter, given in zip(called.call.task.parameters, called.call.args, strict=True)
        if parameter.type is int
    )


def _is_declared_int(expression: Expression[Any]) -> bool:
    match expression:
        case Parameter(type=kind):
            return kind is int
        case Arithmetic(left=left, right=right):
            return _is_declared_int(left) and _is_declared_int(right)
        case _:
            return is_int(expression)
