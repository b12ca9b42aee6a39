"""The smallest sets of changes of a state that lead to a wanted plan.

Sets are tried in the order of their size, and each is proved by planning again. A set is only
extended by fluents that the search from it has read: from every state that agrees in these, the
search is the same, so no other fluent can help.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Real
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import pursued
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import Network, calls_in
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Constant, Expression, leaves_of
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.symbol import Comparable
from bthtn.engine.world.truth import value_text
from bthtn.errors import BthtnError

MOST_VALUES: Final = 12
"""Values tried for a fluent whose type has no list of them."""

Wanted = Callable[[Plan | None], bool]
"""Whether a plan, or None where there is none, is a wanted one."""

ChangeSet = tuple[tuple[Fluent[Any], Any], ...]
"""Fluents with the values that they would have, in the order in which they were tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes(Comparable):
    """The smallest sets of changes that lead to a wanted plan; empty if none was found.

    ``is_complete`` says whether all sets up to that size were tried, with all values that count;
    if not, the budget ended or a search had no answer. ``plannings`` is how often was planned.
    """

    sets: tuple[ChangeSet, ...]
    plannings: int
    is_complete: bool

    def __str__(self) -> str:
        if not self.sets:
            helps = "no change that was tried helps"
            return helps if self.is_complete else f"{helps}, and not all were tried"
        return "; or ".join(map(change_text, self.sets))

    def data(self) -> dict[str, Any]:
        """The changes as a dictionary for JSON; values are texts."""
        sets = [
            {str(fluent): value_text(value) for fluent, value in changes} for changes in self.sets
        ]
        return {"sets": sets, "plannings": self.plannings, "is_complete": self.is_complete}


def change_text(changes: ChangeSet) -> str:
    """``ammo = 1 and target = true``."""
    return " and ".join(f"{fluent} = {value_text(value)}" for fluent, value in changes)


@checked
def changes_for(asked: PlanRequest, wanted: Wanted, *, most: int = 2, budget: int = 500) -> Changes:
    """The smallest sets of changes of the state from which the plan for a request is wanted.

    Sets have at most ``most`` changes, and it is planned at most ``budget`` times. ``values_for``
    says which values are tried. Raises nothing that planning raises: such a state is not wanted,
    and the answer not complete.
    """
    search = _Sets(asked, wanted, most, budget)
    found = tuple(search.smallest())
    return Changes(found, search.plannings, search.is_complete)


class _Sets:
    """A breadth-first search for sets of changes."""

    def __init__(self, asked: PlanRequest, wanted: Wanted, most: int, budget: int) -> None:
        self.plannings = 0
        self.is_complete = True
        self._asked = asked
        self._wanted = wanted
        self._most = most
        self._budget = budget
        self._values = values_for(asked)

    def smallest(self) -> Iterator[ChangeSet]:
        """Yield all sets of the least size that helps."""
        pending: deque[ChangeSet] = deque([()])
        seen: set[frozenset[tuple[Fluent[Any], Any]]] = {frozenset()}
        least = self._most
        while pending and len(pending[0]) <= least:
            changes = pending.popleft()
            if self.plannings >= self._budget:
                self.is_complete = False
                return
            is_wanted, reads = self._plan(changes)
            if is_wanted:
                least = len(changes)
                yield changes
            for more in self._extended(changes, reads) if len(changes) < least else ():
                if frozenset(more) not in seen:
                    seen.add(frozenset(more))
                    pending.append(more)

    def _extended(self, changes: ChangeSet, reads: tuple[Fluent[Any], ...]) -> Iterator[ChangeSet]:
        changed = [fluent for fluent, _ in changes]
        for fluent in reads:
            if not any(fluent is other for other in changed):
                for value in self._values(fluent):
                    yield (*changes, (fluent, value))

    def _plan(self, changes: ChangeSet) -> tuple[bool, tuple[Fluent[Any], ...]]:
        """Whether planning with the changes leads to a wanted plan, and the fluents it has read."""
        self.plannings += 1
        asked = replace(self._asked, state=self._asked.state.changed(dict(changes)))
        search, is_wanted = search_for(asked), False
        try:
            status = search.advance()
        except BthtnError:
            self.is_complete = False
        else:
            self.is_complete &= status is not SearchStatus.LIMIT
            is_wanted = self._wanted(search.plan)
        return is_wanted, tuple(fluent for fluent in search.reads if fluent is not SEED)


def values_for(asked: PlanRequest) -> Callable[[Fluent[Any]], tuple[Any, ...]]:
    """A function that gives the values to try for a fluent, without the one that it has.

    All values of its type where they are known. Else the constants of the domain and of the goal,
    the numbers next to them, the values in the state, and the indices there that are no numbers;
    of numbers the nearest to the present value first, and at most ``MOST_VALUES``.
    """
    state = asked.state
    constants = (*asked.domain.derived(_constants), *_constants_in(_arguments(asked.goal)))
    known = _distinct([*constants, *asked.binding, *state.values.values(), *_indices(state)])

    def values(fluent: Fluent[Any]) -> tuple[Any, ...]:
        now = state.get(fluent)
        listed = fluent.values.values()
        if listed:
            return tuple(value for value in listed if value is not now and value != now)
        near = filter(fluent.values.accepts, chain.from_iterable(map(_near, known)))
        others = [value for value in dict.fromkeys(near) if _is_other(value, now)]
        if isinstance(now, Real):
            others.sort(key=lambda value: (abs(value - now), value))
        return tuple(others[:MOST_VALUES])

    return values


def _is_other(value: Any, now: Any) -> bool:
    return type(value) is not type(now) or value != now


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Each value once; 1 and 1.0 are two, as a fluent may have only one of them."""
    return tuple({(type(value), value): value for value in values}.values())


def _indices(state: FrozenState) -> Iterator[Any]:
    """The parts of the indices of the fluents in the state, without numbers."""
    for fluent in state.values:
        parts = fluent.index if isinstance(fluent.index, tuple) else (fluent.index,)
        yield from (part for part in parts if part is not None and not isinstance(part, Real))


def _near(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (value,)
    return (value, value - 1, value + 1)


def _constants(domain: FrozenDomain) -> tuple[Any, ...]:
    """The constants in the conditions, effects and methods of a domain, in order."""
    return _distinct(_constants_in(_expressions(domain)))


def _constants_in(expressions: Iterable[Expression[Any]]) -> Iterator[Any]:
    leaves = chain.from_iterable(map(leaves_of, expressions))
    return (leaf.value for leaf in leaves if isinstance(leaf, Constant))


def _expressions(domain: FrozenDomain) -> Iterator[Expression[Any]]:
    for task in domain.tasks.values():
        if isinstance(task, PrimitiveTask):
            yield from (task.precondition, task.exec_only)
            effects = (*task.effects, *task.expected)
            yield from (effect.value for effect in effects if isinstance(effect, Assignment))
            continue
        ranges = task.choice.ranges if isinstance(task.choice, ValueChoice) else ()
        for values in ranges:
            if isinstance(values, Constant):
                yield from map(Constant, values.value)
        for method in domain.methods[task]:
            yield method.condition
            if not isinstance(method.body, PlainBody):
                yield from _arguments(method.body)
            elif (pursuit := pursued(method.body)) is not None:
                yield pursuit.condition


def _arguments(network: Network) -> Iterator[Expression[Any]]:
    return chain.from_iterable(call.args for call in calls_in(network))
