"""Excess: how much more a plan costs than the least possible.

While a plan is made, its excess is that of all its completions: the lower bound of their sum,
less the lower bound for the goal. It grows only where a method is entered that is not the cheapest
one of its task, and where a cost is computed. So only there the generated functions compare it with
the excess of the best plan so far, and where they have gone back and a better plan may be known.

Sums of floats depend on their order, and this one is not that of the search. So costs must be such
that all sums are exact: multiples of 1/1024, and not too large.
"""

from __future__ import annotations

from typing import Any, Final

from bthtn.domain.method import FREE
from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.fastpath.reachable import NotWritable, PlainMethod, Reachable
from bthtn.planning.least_cost import LeastCosts
from bthtn.world.expression import Constant, Expression
from bthtn.world.fluent import Fluent

EXCESS: Final[Fluent[float]] = Fluent(0.0, values=None, volatile=False, name="excess")
"""The excess of the plan so far. No state has this fluent; its variable is passed on as others."""
EXACT: Final = 2.0**-10
"""Costs are multiples of it."""
LARGEST: Final = 2.0**40
"""From here on sums may not be exact."""


class Excess:
    """The contributions of the tasks and methods below a goal to the excess of a plan."""

    def __init__(self, found: Reachable, least: LeastCosts) -> None:
        """Raises NotWritable if the sums are not exact, or branches are summed, too."""
        self._least = least
        tasks = map(least.of_task, found.tasks)
        methods = [plain.method for of_task in found.methods.values() for plain in of_task]
        prices = [least.constant(method.cost, method.value) for method in methods]
        if any(found.branches) or not all(map(is_exact, (*tasks, *prices))):
            raise NotWritable

    def of_method(self, method: PlainMethod) -> tuple[float, Expression[Any] | None]:
        """The contribution of a method: a number, and an expression to be added if there is one."""
        least, authored = self._least, method.method
        inside = sum(least.of_task(call.task) for call in method.calls)
        known = least.constant(authored.cost, authored.value) + inside - least.of_task(method.task)
        return known, _varying(least.pick(authored.cost, authored.value))

    def of_task(self, task: PrimitiveTask[...]) -> Expression[Any] | None:
        """The expression that a primitive task adds; None if its cost is constant."""
        return _varying(self._least.pick(task.cost, FREE))


def is_exact(cost: float) -> bool:
    """Whether sums of such costs are exact."""
    return 0 <= cost < LARGEST and cost % EXACT == 0


def _varying(cost: Expression[Any]) -> Expression[Any] | None:
    return None if isinstance(cost, Constant) else cost
