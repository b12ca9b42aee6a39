"""LeastCosts: what a task or network costs at least, whatever the state.

The search for the cheapest plan gives up where what is planned, and the least that is still to
come, cost as much as a plan that it has. The least cost of a compound task is that of its
cheapest method, whose body may lead to the task again: all are taken as infinite at first, and
lowered until nothing changes. No cost is below zero, so no task's cheapest decomposition has
the task inside itself, and as many rounds as there are tasks suffice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    ParallelNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.errors import Diagnostic
from bthtn.plan.nodes import Node, PriorityNode, ScopeNode, SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import fold
from bthtn.world.expression import Constant, Expression
from bthtn.world.truth import UNKNOWN


class LeastCosts:
    """The least costs of one domain's tasks. What is computed while planning counts as 0."""

    def __init__(self, domain: FrozenDomain) -> None:
        self._tasks: dict[Task, float] = {
            task: _constant(task.cost) if isinstance(task, PrimitiveTask) else inf
            for task in domain.tasks.values()
        }
        while self._lowered(domain):
            pass

    def of(self, network: Network) -> float:
        """The least that doing all of the network costs; infinite when it never ends."""
        match network:
            case TaskCall(task) | DeferNetwork(TaskCall(task)):
                return self._tasks[task]
            case SequenceNetwork(parts) | ParallelNetwork(parts):
                return sum(map(self.of, parts))
            case PriorityNetwork(parts):
                return min(map(self.of, parts))
            case _:
                return 0

    def from_each(self, parts: Iterable[Network]) -> tuple[float, ...]:
        """For each part of a sequence the least cost from there on, and 0 for its end."""
        costs = reversed([self.of(part) for part in parts])
        return (*reversed(list(accumulate(costs, initial=0.0))),)

    def value(self, plan: Plan) -> float:
        """The plan's cost, where parts left open count with the least that they will cost."""
        return fold(plan.tree, self._value)

    def _value(self, node: Node, below: tuple[float, ...]) -> float:
        match node:
            case TaskNode():
                return node.cost
            case ScopeNode():
                return node.cost + below[0]
            case PriorityNode():
                return max(below)
            case SuspendedNode():
                return sum(map(self.of, node.rest))
            case _:
                return sum(below)

    def _lowered(self, domain: FrozenDomain) -> bool:
        """One round; whether it changed anything."""
        changed = False
        for task, methods in domain.methods.items():
            least = min((self._method(method) for method in methods), default=inf)
            if least < self._tasks[task]:
                self._tasks[task], changed = least, True
        return changed

    def _method(self, method: Method) -> float:
        body = 0 if isinstance(method.body, PlainBody) else self.of(method.body)
        return _constant(method.cost) + body


def _constant(cost: Expression[Any]) -> float:
    return 0 if not isinstance(cost, Constant) or cost.value is UNKNOWN else cost.value


def costs_below_zero(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """A finding for every constant cost that a search for the cheapest plan cannot work with."""
    for task in domain.tasks.values():
        if isinstance(task, CompoundTask):
            for index, method in enumerate(domain.methods[task]):
                yield from _finding(method.cost, f"compound '{task.name}', method {index}")
        else:
            yield from _finding(task.cost, f"primitive '{task.name}'")


def _finding(cost: Expression[Any], where: str) -> Iterator[Diagnostic]:
    if not _constant(cost) >= 0:
        yield below_zero(_constant(cost), where)


def below_zero(cost: float, where: str) -> Diagnostic:
    """What is said about a cost that is negative, or no number at all."""
    hint = "the cheapest plan is looked for by adding up: make every cost zero or more"
    return Diagnostic("BT204", f"a cost is {cost}", where, hint)
