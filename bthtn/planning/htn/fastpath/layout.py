"""Layout of the generated source: inlined tasks, direct calls, and variables of fluents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.reachable import (
    Compound,
    PlainMethod,
    Reachable,
    is_single,
    scalar,
)
from bthtn.planning.htn.recursion import components, recurring
from bthtn.world.assignment import Assignment
from bthtn.world.fluent import Fluent

FORESEEABLE: Final[Fluent[bool]] = Fluent(True, values=None, volatile=False, name="foreseeable")  # noqa: FBT003 - a default
"""Whether volatile fluents have their sensed values: no step is planned, no alternative begun.

No state has this fluent; its variable is passed on like those of fluents that effects write.
"""
MOST_SCALARS: Final = 16
"""Fluents in variables; further ones are kept in ``S``, like members of families."""
DEEPEST_CALLS: Final = 50
"""Limit of nested direct calls before control returns to the loop."""


def call_order(found: Reachable) -> Callable[[Compound, Compound], bool]:
    """Whether the function of a task may call that of another: no recursion, limited depth."""
    below, numbers = found.called, components(found.called)
    heights: dict[int, int] = {}
    """For every component, the length of the longest chain of components below it."""
    for task in sorted(below, key=numbers.__getitem__):
        own = numbers[task]
        under = [heights[numbers[callee]] + 1 for callee in below[task] if numbers[callee] != own]
        heights[own] = max([heights.get(own, 0), *under])

    def may_call(task: Compound, other: Compound) -> bool:
        own = numbers[other]
        return own != numbers[task] and (heights[own] + 1) % DEEPEST_CALLS != 0

    return may_call


def variables(
    domain: FrozenDomain, found: Reachable, names: Names, own: Iterable[Fluent[Any]], *, looks: bool
) -> dict[Fluent[Any], str]:
    """The variable of each scalar that an effect writes; "" if nothing reads it.

    A recursion check (``looks``) reads every scalar, and so does what joins branches. A kind of
    search has its ``own`` variables, too.
    """
    written = {scalar(effect.target) for effect in found.effects}
    read = set(map(scalar, found.mentioned))
    made: dict[Fluent[Any], str] = {FORESEEABLE: names.new("s")} if found.senses else {}
    made |= {fluent: names.new("s") for fluent in own}
    for fluent in domain.schema.fluents.values():
        if fluent in written:
            if fluent not in read and not looks:
                made[fluent] = ""
            elif len(made) < MOST_SCALARS:
                made[fluent] = names.new("s")
    return made


def written_in_branches(found: Reachable) -> Iterator[Fluent[Any]]:
    """The scalars that effects of tasks inside branches write."""
    for task in found.in_branches:
        for effect in found.steps[task].effects if isinstance(task, PrimitiveTask) else ():
            fluent = scalar(effect.target) if isinstance(effect, Assignment) else None
            if fluent is not None:
                yield fluent


def inlined(found: Reachable, looked_at: frozenset[Compound]) -> dict[Compound, PlainMethod]:
    """The tasks that can be inlined, with their only method.

    Its condition is always true, and no chain of such tasks leads from the task back to itself.
    Tasks that need a recursion check (``looked_at``) are not inlined.
    """
    single = {
        task: methods[0]
        for task, methods in found.methods.items()
        if task not in looked_at and is_single(methods)
    }
    below = {
        task: [called for called in method.called if called in single]
        for task, method in single.items()
    }
    around = recurring(below)
    return {task: method for task, method in single.items() if task not in around}
