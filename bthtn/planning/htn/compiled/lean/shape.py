"""The shape of a program: what is written in place of calls, what stands where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import CompoundTask, Task
from bthtn.planning.htn.compiled.expressions import Names, mentioned
from bthtn.planning.htn.compiled.lean.circles import components
from bthtn.planning.htn.compiled.lean.scope import Scope, Way, is_single, scalar
from bthtn.world.fluent import Fluent

MOST_SCALARS: Final = 16
"""Fluents beyond these are kept as members of families are."""
DEEPEST_CALLS: Final = 50
"""Functions that may call one another before planning goes on from the loop."""

Compound = CompoundTask[Any]


class Calls:
    """Which functions may call which: those that cannot come to be called by them."""

    def __init__(self, scope: Scope) -> None:
        below = {
            task: [
                call.task
                for way in ways
                for call in way.calls
                if isinstance(call.task, CompoundTask)
            ]
            for task, ways in scope.ways.items()
        }
        self._components = components(below)
        self._heights = _heights(below, self._components)

    def is_near(self, task: Compound, other: Compound) -> bool:
        """Whether the function of a task may call that of another."""
        own = self._components[other]
        return own != self._components[task] and (self._heights[own] + 1) % DEEPEST_CALLS != 0


def places(
    domain: FrozenDomain, scope: Scope, names: Names, *, looks: bool
) -> dict[Fluent[Any], str]:
    """Where each scalar stands that an effect writes: those that are read, in variables.

    Where one ``looks`` for circles, everything is read.
    """
    written = {scalar(effect.target) for effect in scope.effects}
    read = {scalar(one) for asked in scope.expressions for one in mentioned(asked)}
    found: dict[Fluent[Any], str] = {}
    for fluent in domain.schema.fluents.values():
        if fluent in written:
            if fluent not in read and not looks:
                found[fluent] = ""
            elif len(found) < MOST_SCALARS:
                found[fluent] = names.new("s", fluent.name, fluent)
    return found


def splices_to(alone: Mapping[Compound, Way], task: Task, wanted: Task) -> bool:
    """Whether the task is written in place of its call, and calls the wanted one."""
    pending, seen = [task], set()
    while pending:
        one = pending.pop()
        if isinstance(one, CompoundTask) and one in alone and one not in seen:
            seen.add(one)
            calls = [call.task for call in alone[one].calls]
            if wanted in calls:
                return True
            pending += calls
    return False


def _heights(
    below: Mapping[Compound, list[Compound]], numbers: Mapping[Compound, int]
) -> dict[int, int]:
    """For every component, how many others can be entered one inside the other from it."""
    heights: dict[int, int] = {}
    for task in sorted(below, key=numbers.__getitem__):
        own = numbers[task]
        under = [heights[numbers[one]] + 1 for one in below[task] if numbers[one] != own]
        heights[own] = max([heights.get(own, 0), *under])
    return heights


def alone(scope: Scope, looked_at: frozenset[Compound]) -> dict[Compound, Way]:
    """Tasks that can be done in one way only, whatever the state, and do not call each other."""
    single = {
        task: ways[0]
        for task, ways in scope.ways.items()
        if task not in looked_at and is_single(ways)
    }
    below = {
        task: [
            call.task
            for call in way.calls
            if isinstance(call.task, CompoundTask) and call.task in single
        ]
        for task, way in single.items()
    }
    numbers = components(below)
    many = Counter(numbers.values())
    return {
        task: way
        for task, way in single.items()
        if many[numbers[task]] == 1 and task not in below[task]
    }
