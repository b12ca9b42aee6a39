"""Static reads: the fluents that searches for a goal could read, from any state.

They are taken from the goal's tasks and methods, without a search: a change of another fluent
cannot lead to another plan, nor can one that leaves all comparisons of the fluent as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from weakref import proxy

from bthtn.engine.domain.construct_progress import MarkDone, OneLess, TurnCondition
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import DeferNetwork, Network, parts_of
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Junction,
    Matching,
    Negation,
    Parameter,
    Related,
    TupleOf,
    operands,
)
from bthtn.engine.world.fluent import Fluent, MemberOf
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.state import FrozenState


@dataclass(frozen=True, slots=True, eq=False)
class StaticReads:
    """Single fluents, and the names of families of which any member may be read.

    ``comparisons`` has the comparisons with constants of each fluent, ``used`` the fluents whose
    value itself matters: those that are compared with, or copied to, something else.
    """

    families: frozenset[str] = frozenset()
    comparisons: dict[Fluent[Any], list[Comparison]] = field(default_factory=dict)
    used: frozenset[Fluent[Any]] = frozenset()

    @property
    def fluents(self) -> frozenset[Fluent[Any]]:
        return self.used.union(self.comparisons)

    def __contains__(self, fluent: Fluent[Any]) -> bool:
        return fluent in self.used or fluent in self.comparisons or fluent.name in self.families

    def differ(self, fluent: Fluent[Any], one: object, other: object) -> bool:
        """Whether a search can distinguish these values of a fluent."""
        if one == other:
            return False
        if fluent in self.used or fluent.name in self.families:
            return True
        states = FrozenState({fluent: one}), FrozenState({fluent: other})
        try:
            return any(
                test.evaluate(states[0]) is not test.evaluate(states[1])
                for test in self.comparisons.get(fluent, ())
            )
        except TypeError:  # values that cannot be compared: the search itself reports it
            return True


def static_reads(domain: FrozenDomain, goal: Network) -> StaticReads | None:
    """The fluents that the goal's tasks and methods mention.

    None if there are plain functions, whose reads are not known.
    """
    if isinstance(goal, TaskCall) and not goal.args:
        return domain.derived(_OfTasks).of(goal.task)
    return _mentioned(domain, goal)


class _OfTasks:
    """The static reads of single tasks, worked out when they are first asked for."""

    def __init__(self, domain: FrozenDomain) -> None:
        self._domain = proxy(domain)  # which keeps this table
        self._known: dict[Task, StaticReads | None] = {}

    def of(self, task: Task) -> StaticReads | None:
        """The fluents that a call of the task without arguments mentions."""
        if task not in self._known:
            self._known[task] = _mentioned(self._domain, TaskCall(task))
        return self._known[task]


def _mentioned(domain: FrozenDomain, goal: Network) -> StaticReads | None:
    found = _Mentioned()
    if not all(map(found.add, _expressions(domain, goal))):
        return None
    return StaticReads(frozenset(found.families), found.comparisons, frozenset(found.used))


def _expressions(domain: FrozenDomain, goal: Network) -> Iterator[object]:
    """Yield the expressions, effects and plain functions that a search for the goal evaluates."""
    seen: set[Task] = set()
    networks = [goal]
    while networks:
        network = networks.pop()
        networks.extend(parts_of(network))
        call = network.call if isinstance(network, DeferNetwork) else network
        if isinstance(network, DeferNetwork):
            yield from network.ensures
        if isinstance(call, TaskCall):
            yield from call.args
            if call.task not in seen:
                seen.add(call.task)
                evaluated, bodies = _contents(domain, call.task)
                yield from evaluated
                networks += bodies


def _contents(domain: FrozenDomain, task: Task) -> tuple[list[object], list[Network]]:
    """The expressions that a search evaluates for a task, and the networks of its methods."""
    if not isinstance(task, CompoundTask):
        numbers = (task.duration, task.cost)
        return [task.precondition, *numbers, *task.effects, *task.expected], []
    evaluated: list[object] = [] if task.choice is None else list(task.choice.asks)
    bodies: list[Network] = []
    for method in domain.methods[task]:
        evaluated += (method.condition, method.cost, method.value)
        if isinstance(method.body, PlainBody):
            evaluated.append(method.body)
        else:
            bodies.append(method.body)
    return evaluated, bodies


class _Mentioned:
    """Collects the fluents and families that expressions and effects mention."""

    def __init__(self) -> None:
        self.used: set[Fluent[Any]] = set()
        self.families: set[str] = set()
        self.comparisons: dict[Fluent[Any], list[Comparison]] = {}

    def add(self, thing: object) -> bool:
        """Add an expression or effect; False if it is a function or contains one."""
        pending = [thing]
        while pending:
            condition = pending.pop()
            compared = _compared(condition)
            if compared is not None:
                fluent, test = compared
                self.comparisons.setdefault(fluent, []).append(test)
                continue
            match condition:
                case Constant() | Parameter() | None | TurnCondition() | MarkDone() | OneLess():
                    pass  # which depend on nothing but arguments
                case Relation():
                    pass  # which never changes
                case Fluent() as fluent:
                    self.used.add(fluent)
                case MemberOf(family=family, index=index):
                    self.families.add(family.name)
                    pending.append(index)
                case Comparison() | Arithmetic() | Negation() | Junction() | TupleOf():
                    pending += operands(condition)
                case Related() | Matching():
                    pending += operands(condition)[1:]  # behind the relation, which never changes
                case Assignment(target=target, value=value):
                    pending += (target, value)
                case _:
                    return False
        return True


def _compared(thing: object) -> tuple[Fluent[Any], Comparison] | None:
    """The fluent and the test, if the value of a single fluent is only compared with a constant."""
    match thing:
        case Comparison(left=Fluent() as fluent, right=Constant()) as test:
            return fluent, test
        case Comparison(left=Constant(), right=Fluent() as fluent) as test:
            return fluent, test
        case Assignment(target=Fluent() as fluent, value=Constant() as value, grows=False):
            # Whether the write changes anything: recursion that changes nothing is cut.
            return fluent, Comparison("==", fluent, value)
        case _:
            return None
