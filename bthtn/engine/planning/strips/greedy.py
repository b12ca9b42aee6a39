"""Greedy search: forward from the state, where going back takes too long.

    pop the action with the least estimate of the state before it; apply it
    estimate the state after it, once, by a relaxed plan (FF, Hoffmann and Nebel 2001)
    push the actions that are applicable there; those that the relaxed plan begins with also
    into a queue of their own, which has a thousand turns more at each estimate below all before

A state is looked at once, whatever it costs to come there; what such a plan does for nothing is
left out of it. States are sets of numbers, and actions tuples of numbers: of the facts, those
atoms that can change and that something needs (Helmert 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.goal import Action
from bthtn.engine.planning import trace
from bthtn.engine.planning.strips.heuristics import Relaxation
from bthtn.engine.planning.strips.regress import Grounding, StartState, StripsAction, bits
from bthtn.records import record

Facts = frozenset[int]

_TURNS: Final = 1_000
"""Those that the queue of preferred actions gets for a lower estimate."""


class Estimate(NamedTuple):
    """What the delete relaxation says of a state."""

    cost: float
    preferred: set[int]
    """The applicable actions of the relaxed plan."""
    applicable: list[int]


@record(eq=False)
class Reached:
    """How a state was reached."""

    before: Reached | None
    facts: Facts
    action: int
    cost: float


class FactTable:
    """The actions that can ever be applied, as tuples of the facts they need, add and delete.

    Each goal is one more action, which adds the fact ``goal``. An action counts one more than its
    cost, so that steps that cost nothing are not taken in any number.
    """

    def __init__(self, grounding: Grounding, start: StartState) -> None:
        unreachable = Relaxation(grounding, start).explored(max).unreachable
        useful = relevant(grounding)
        steps = [
            step
            for step in grounding.steps
            if step.adds & useful and not step.preconditions & unreachable
        ]
        self.steps: Final[Sequence[StripsAction]] = steps
        self.goals = [goal for goal in grounding.goals if not goal & unreachable]
        constant = start.met & ~grounding.changing
        needed = 0
        for mask in (*(step.preconditions for step in steps), *self.goals):
            needed |= mask & ~constant
        self._atoms = tuple(bits(needed))
        self._numbers = {atom: number for number, atom in enumerate(self._atoms)}
        self.start = self._facts(start.met & needed)
        sensed = start.met & grounding.sensed
        self.fleeting: Final = frozenset(self._facts(sensed & ~(start.met >> 1) & needed))
        """What is sensed now, and gone after the first action, whichever it is."""
        needs = [mask & needed for mask in (*(step.preconditions for step in steps), *self.goals)]
        self.needs = [tuple(self._facts(mask)) for mask in needs]
        self.goal = len(self._atoms)
        goals = [(self.goal,)] * len(self.goals)
        self.adds = [*(tuple(self._facts(step.adds & needed)) for step in steps), *goals]
        self.deletes = [self._facts(step.deletes & ~step.adds & needed) for step in steps]
        self.costs = [*(step.cost + 1 for step in steps), *(0.0 for _ in goals)]
        self._missing = list(map(len, self.needs))
        self._users: list[list[int]] = [[] for _ in range(self.goal + 1)]
        for action, facts in enumerate(self.needs):
            for fact in facts:
                self._users[fact].append(action)
        self._always = [action for action, facts in enumerate(self.needs) if not facts]
        self._far = [inf] * (self.goal + 1)

    def after(self, reached: Reached, action: int) -> Facts:
        """The facts after one more action."""
        facts = reached.facts
        if reached.before is None:
            facts -= self.fleeting
        return facts.difference(self.deletes[action]).union(self.adds[action])

    def needed(self, actions: Sequence[int]) -> list[int]:
        """The actions of a plan without those that can be left out, with what needs them."""
        kept, number = list(actions), 0
        while number < len(kept):
            facts, fewer = self.start, kept[:number]
            reached = Reached(None, self.start, -1, 0)
            for place, action in enumerate(kept):
                if place != number and facts.issuperset(self.needs[action]):
                    if place > number:
                        fewer.append(action)
                    facts = self.after(reached, action)
                    reached = Reached(reached, facts, action, 0)
            if any(map(facts.issuperset, self.needs[len(self.steps) :])):
                kept = fewer
            else:
                number += 1
        return kept

    def text(self, grounding: Grounding, facts: Facts) -> str:
        """What holds that did not hold at first."""
        fresh = facts - self.start
        mask = sum(1 << self._atoms[fact] for fact in fresh)
        return grounding.text(mask) if fresh else "the start"

    def estimate(self, facts: Facts) -> Estimate:
        """The cost of a relaxed plan, in which each fact is due to its cheapest action.

        An action costs what its preconditions cost together, and its own cost.
        """
        users, adds, far = self._users, self.adds, self._far.copy()
        missing, costs = self._missing.copy(), self.costs.copy()
        due = [-1] * len(far)
        applicable = self._always.copy()
        frontier: list[tuple[float, int]] = []
        for fact in facts:
            far[fact] = 0
            for action in users[fact]:
                left = missing[action] - 1
                missing[action] = left
                if not left:
                    applicable.append(action)
        for action in applicable:
            cost = costs[action]
            for fact in adds[action]:
                if cost < far[fact]:
                    far[fact], due[fact] = cost, action
                    heappush(frontier, (cost, fact))
        while frontier:
            cost, fact = heappop(frontier)
            if cost > far[fact]:
                continue
            if fact == self.goal:
                plan, preferred = self._relaxed_plan(due)
                own = self.costs
                return Estimate(sum([own[action] for action in plan]), preferred, applicable)
            for action in users[fact]:
                left = missing[action] - 1
                missing[action] = left
                price = costs[action] + cost
                costs[action] = price
                if not left:
                    for added in adds[action]:
                        if price < far[added]:
                            far[added], due[added] = price, action
                            heappush(frontier, (price, added))
        return Estimate(inf, set(), applicable)

    def _relaxed_plan(self, due: list[int]) -> tuple[set[int], set[int]]:
        """The actions that the goal is due to, and those of them that need nothing else."""
        plan: set[int] = set()
        preferred: set[int] = set()
        pending = [self.goal]
        while pending:
            action = due[pending.pop()]
            if action not in plan:
                plan.add(action)
                ahead = [fact for fact in self.needs[action] if due[fact] >= 0]
                pending += ahead
                if not ahead:
                    preferred.add(action)
        return plan, preferred

    def _facts(self, mask: int) -> Facts:
        return frozenset([self._numbers[atom] for atom in bits(mask)])


def relevant(grounding: Grounding) -> int:
    """The atoms that a search back from the goal can come to."""
    atoms, grown = 0, 0
    for goal in grounding.goals:
        grown |= goal
    while grown != atoms:
        atoms = grown
        for step in grounding.steps:
            if step.adds & grown:
                grown |= grounding.before(step.preconditions) | step.preconditions
    return atoms


class GreedySearch:
    """A greedy search for actions that lead to the goal, advanced by one expansion at a time."""

    def __init__(
        self,
        grounding: Grounding,
        start: StartState,
        listener: trace.SearchListener | None = None,
    ) -> None:
        self._grounding = grounding
        self._listener = listener
        self._table = FactTable(grounding, start)
        self._seen: set[Facts] = set()
        self._queues: tuple[list[Any], list[Any]] = ([], [])
        self._turns = [0, 0]
        self._least = inf
        self._pushed = 0
        self._found: Reached | None = None
        self.expansions = 0
        self._first: Reached | None = Reached(None, self._table.start, -1, 0)

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        if self._found is None:
            return None
        numbers: list[int] = []
        reached = self._found
        while reached.before is not None:
            numbers.append(reached.action)
            reached = reached.before
        kept = self._table.needed(numbers[::-1])
        return tuple([self._table.steps[number].action.action for number in kept])

    def expand(self) -> bool:
        """Look at one state. Returns False when the search is solved, or nothing is left."""
        reached = self._next()
        if reached is None:
            return False
        self.expansions += 1
        table, facts = self._table, reached.facts
        found = table.estimate(facts)
        if self._listener is not None:
            what = table.text(self._grounding, facts)
            self._listener(trace.GoalsExpanded(what, reached.cost, found.cost))
        if not found.cost:
            self._found = reached
            return False
        if found.cost < self._least:
            self._least = found.cost
            self._turns[1] -= _TURNS
        if found.cost < inf:
            for action in sorted(found.applicable):
                self._push(0, found.cost, reached, action)
                if action in found.preferred:
                    self._push(1, found.cost, reached, action)
        return True

    def _push(self, queue: int, cost: float, reached: Reached, action: int) -> None:
        self._pushed += 1
        heappush(self._queues[queue], (cost, self._pushed, reached, action))

    def _next(self) -> Reached | None:
        """The next state that was not seen yet."""
        if self._first is not None:
            first, self._first = self._first, None
            self._seen.add(first.facts)
            return first
        rest, preferred = self._queues
        while rest or preferred:
            number = int(bool(preferred) and (not rest or self._turns[1] < self._turns[0]))
            self._turns[number] += 1
            _, _, before, action = heappop(self._queues[number])
            facts = self._table.after(before, action)
            if facts not in self._seen:
                self._seen.add(facts)
                cost = before.cost + self._table.steps[action].cost
                return Reached(before, facts, action, cost)
        return None
