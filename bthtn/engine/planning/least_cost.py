"""LeastCosts and LeastValues: lower bounds on the cost or value of a task or network.

The search for the cheapest plan is branch and bound: it drops a partial plan whose cost so far,
plus the lower bound of the rest, is no less than that of the best plan found. The lower bound of
a compound task is that of its cheapest method, whose body may contain the task again: all bounds
start as infinite and are lowered until nothing changes. No cost is below zero, so no task's
cheapest decomposition contains the task itself, and as many rounds as there are tasks suffice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf
from typing import Any, Literal, TypeVar, assert_never

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import FREE, Method, PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import fold
from bthtn.engine.world.expression import Constant, Expression
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import Diagnostic

T = TypeVar("T")


class LeastCosts:
    """Lower bounds on the costs of a domain's tasks; costs computed in planning count as 0."""

    def __init__(self, domain: FrozenDomain) -> None:
        self._tasks: dict[Task, float] = {
            task: _constant(self.pick(task.cost, FREE)) if isinstance(task, PrimitiveTask) else inf
            for task in domain.tasks.values()
        }
        while self._lowered(domain):
            pass

    @staticmethod
    def pick(cost: T, value: T) -> T:  # noqa: ARG004 - the other one picks it
        """The one of the two that is added up: the cost."""
        return cost

    def of(self, network: Network) -> float:
        """A lower bound on the cost of the network; infinite if its recursion never ends."""
        match network:
            case TaskCall(task) | DeferNetwork(TaskCall(task)):
                return self._tasks[task]
            case SequenceNetwork(parts) | ParallelNetwork(parts):
                return sum(map(self.of, parts))
            case PriorityNetwork(parts):
                return min(map(self.of, parts))
            case PauseNetwork() | NullNetwork():
                return 0
            case _:
                assert_never(network)

    def of_task(self, task: Task) -> float:
        """A lower bound on the cost of the task; infinite if its recursion never ends."""
        return self._tasks[task]

    def constant(self, cost: Expression[Any], value: Expression[Any]) -> float:
        """The one of the two that is summed, if it is constant, else 0."""
        return _constant(self.pick(cost, value))

    def from_each(self, parts: Iterable[Network]) -> tuple[float, ...]:
        """For each part of a sequence the lower bound from there to the end; a final 0."""
        costs = reversed([self.of(part) for part in parts])
        return (*reversed(list(accumulate(costs, initial=0.0))),)

    def value(self, plan: Plan) -> float:
        """The sum of the plan; its suspended parts count with their lower bounds."""
        return fold(plan.tree, self._value)

    def _value(self, node: Node, below: tuple[float, ...]) -> float:
        match node:
            case TaskNode():
                return self.pick(node.cost, 0)
            case ScopeNode():
                return self.pick(node.cost, node.value) + below[0]
            case PriorityNode():
                return max(below)
            case SuspendedNode():
                return sum(map(self.of, node.rest))
            case SequenceNode() | ParallelNode() | NullNode():
                return sum(below)
            case _:
                assert_never(node)

    def _lowered(self, domain: FrozenDomain) -> bool:
        """Lower the bounds of all compound tasks once; return whether any changed."""
        changed = False
        for task, methods in domain.methods.items():
            least = min((self._method(method) for method in methods), default=inf)
            if least < self._tasks[task]:
                self._tasks[task], changed = least, True
        return changed

    def _method(self, method: Method) -> float:
        body = 0 if isinstance(method.body, PlainBody) else self.of(method.body)
        return self.constant(method.cost, method.value) + body


class LeastValues(LeastCosts):
    """Lower bounds on the evaluation values of methods; tasks have none (semantics 2.10)."""

    @staticmethod
    def pick(cost: T, value: T) -> T:  # noqa: ARG004 - the other one picks it
        """The one of the two that is added up: the value."""
        return value


def least_sums(domain: FrozenDomain, *, cheapest: bool) -> LeastCosts | None:
    """The bounds of the sum that is minimized: costs, values if the domain has some, or None."""
    if cheapest:
        return domain.derived(LeastCosts)
    return domain.derived(LeastValues) if domain.has_values else None


def _constant(cost: Expression[Any]) -> float:
    return 0 if not isinstance(cost, Constant) or cost.value is UNKNOWN else cost.value


def sums_below_zero(domain: FrozenDomain, *, cheapest: bool) -> Iterator[Diagnostic]:
    """A diagnostic for every constant of the minimized sum that is negative or NaN."""
    sums = least_sums(domain, cheapest=cheapest)
    if sums is None:
        return
    for task in domain.tasks.values():
        if isinstance(task, CompoundTask):
            for index, method in enumerate(domain.methods[task]):
                where = f"compound '{task.name}', method {index}"
                yield from _finding(sums, sums.pick(method.cost, method.value), where)
        else:
            yield from _finding(sums, sums.pick(task.cost, FREE), f"primitive '{task.name}'")


def _finding(sums: LeastCosts, number: Expression[Any], where: str) -> Iterator[Diagnostic]:
    if not _constant(number) >= 0:
        yield below_zero(_constant(number), where, sums.pick("cost", "value"))


def below_zero(number: float, where: str, word: Literal["cost", "value"] = "cost") -> Diagnostic:
    """The diagnostic for a cost or value that is negative or NaN."""
    wanted = "cheapest" if word == "cost" else "preferred"
    hint = f"the {wanted} plan is looked for by adding up: make every {word} zero or more"
    return Diagnostic("BT204", f"a {word} is {number}", where, hint)
