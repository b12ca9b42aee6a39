"""Lower bounds on cost, which prune a search for the plan with the least sum.

The sum is of costs with ``cheapest``, of values where methods have them (semantics 2.6.4, 2.10).
"""

from __future__ import annotations

from typing import Any, Literal

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network
from bthtn.engine.domain.task import Task, call_text
from bthtn.engine.planning.htn.table import Instruction
from bthtn.engine.planning.least_cost import below_zero, least_sums
from bthtn.errors import PlanningError


class Costs:
    """Lower bounds for one search; ``cheapest`` is the sum of its best plan so far, or None."""

    __slots__ = ("_kind", "_least", "are_of_steps", "cheapest")

    def __init__(self, domain: FrozenDomain, *, cheapest: bool) -> None:
        least = least_sums(domain, cheapest=cheapest)
        assert least is not None, "costs are asked for, or the domain has values"
        self._least, self._kind = least, type(least)
        self.are_of_steps = least.pick(1, 0) > 0
        """Whether steps have a share in the sum, too: values are of methods alone."""
        self.cheapest: float | None = None

    def left(self, instruction: Instruction | None, behind: Any) -> float:
        """Return a lower bound on the cost of an instruction and what follows it.

        ``behind`` is the continuation after its body, whose own bound is its last but one part.
        """
        rank: float = 0.0 if behind is None else behind[-2]
        return rank if instruction is None else self._from(instruction) + rank

    def _from(self, instruction: Instruction) -> float:
        """Return a lower bound on an instruction and all behind it in its body."""
        chain: list[Instruction] = []
        at: Instruction | None = instruction
        while at is not None and (at.least is None or self._kind not in at.least):
            chain.append(at)
            at = at.next
        for link in reversed(chain):
            following = 0.0 if link.next is None else link.next.least[self._kind]  # type: ignore[index]
            link.least = {
                **(link.least or {}),
                self._kind: self._least.of(link.network) + following,
            }
        least: float = instruction.least[self._kind]  # type: ignore[index]  # it has one now
        return least

    def of_networks(self, *networks: Network) -> float:
        """Return a lower bound on the cost of the networks."""
        return sum(map(self._least.of, networks))

    def price(self, cost: float, value: float, task: Task, args: tuple[Any, ...]) -> float:
        """Return the one that is summed, cost or value. Raises PlanningError if it is negative."""
        price = cost if self.are_of_steps else value
        if not price >= 0:
            word: Literal["cost", "value"] = self._least.pick("cost", "value")
            raise PlanningError.of(below_zero(price, call_text(task, args), word))
        return price

    def is_too_high(self, cost: float, frame: Any) -> bool:
        """Whether no plan with this lower bound is cheaper than the best plan so far.

        Always False inside a priority alternative: pruning it would drop it as impossible.
        """
        if self.cheapest is None:
            return False
        if frame is not None:
            return frame.choice_at is None and cost + frame.outside >= self.cheapest
        return cost >= self.cheapest
