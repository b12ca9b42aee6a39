"""Lower bounds on cost, which prune a search for the plan with the least sum.

The sum is of costs with ``cheapest``, of values where methods have them (semantics 2.6.4, 2.10).
"""

from __future__ import annotations

from typing import Any, Final, Literal

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import Task, call_text
from bthtn.errors import PlanningError
from bthtn.planning.htn.log import Cell, OpenNode, PlannedBranches, Position
from bthtn.planning.htn.rows import Body
from bthtn.planning.least_cost import below_zero, least_sums

_NOTHING: Final = (0.0,)
"""What is ahead at the end of a branch or of the goal."""


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

    def left(self, cell: Cell) -> float:
        """Return a lower bound on the cost of the continuation."""
        body, place, _, _, rank = cell
        ahead = body.ahead.get(self._kind) or self._from_each_part(body)
        left: float = ahead[place] + rank
        return left

    def _from_each_part(self, body: Body) -> tuple[float, ...]:
        """Work out a lower bound on the cost of a body from each of its parts on, and keep it."""
        if body.network is None:
            return _NOTHING
        ahead = body.ahead[self._kind] = self._least.from_each(body.rest or (body.network,))
        return ahead

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

    def is_too_high(self, cell: Cell, at: Position) -> bool:
        """Whether no completion of this path is cheaper than the best plan so far.

        Always False inside a priority alternative: pruning it would drop it as impossible.
        """
        if self.cheapest is None:
            return False
        _, _, cost, frame = at
        cost += self.left(cell)
        if frame is not None:
            return frame.guard is None and cost + frame.outside >= self.cheapest
        return cost >= self.cheapest

    def outside(self, node: OpenNode, planned: PlannedBranches) -> float:
        """Return a lower bound on the cost of everything outside the branch behind these."""
        above = node.at[3]
        around = 0 if above is None else above.outside
        later_branches = self.of_networks(*node.network.parts[planned.length + 1 :])
        return around + node.at[2] + self.left(node.behind) + later_branches + planned.cost
