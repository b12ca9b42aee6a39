"""Rows of the task table: each holds a task and its compiled expressions.

A row is created when a search first reaches its task, and shared by all searches of the domain.
It is immutable except for its caches of ``planned`` parts, by arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from bthtn.domain.construct_progress import TurnCondition
from bthtn.domain.method import Method
from bthtn.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    NullNetwork,
    PauseNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.planning.htn.by_arguments import (
    ByArguments,
    has_fixed_projection,
    has_fixed_reads,
    reads_all,
)
from bthtn.planning.htn.source import FunctionSource
from bthtn.world.expression import Binding, Constant, Expression, Parameter
from bthtn.world.footprint import Footprint
from bthtn.world.truth import UNKNOWN

Function = Callable[..., Any]


@final
@dataclass(frozen=True, slots=True, eq=False)
class PlannedStep:
    """A primitive task in a plan, with its arguments and its footprint in the state before it."""

    task: PrimitiveTask[...]
    args: Binding
    footprint: Footprint
    duration: float
    cost: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class PlannedMethod:
    """A method in a plan, with its task's arguments and the fluents read to enter it.

    ``binding`` is that of its body. ``answer`` is the network that it returned if it is a function.
    """

    task: CompoundTask[...]
    args: Binding
    binding: Binding
    method: int
    name: str
    cost: float
    value: float
    body: Body
    answer: Network | None
    footprint: Footprint


class PrimitiveRow:
    """A primitive task.

    ``step`` is the function that plans it, which returns None where it has to be evaluated;
    ``tracking_step`` also updates the fingerprint of the state. Each is compiled on first use.
    ``duration`` and ``cost`` are numbers, None if they depend on arguments or state.
    """

    # No ``__getattr__``: it would slow down the look at every attribute.
    __slots__ = ("cost", "duration", "effects", "planned", "step", "task", "tracking_step")

    def __init__(self, task: PrimitiveTask[...]) -> None:
        self.task = task
        self.effects = (*task.effects, *task.expected)
        self.duration = _number(task.duration)
        self.cost = _number(task.cost)
        is_fixed = has_fixed_projection(task)
        self.planned: ByArguments[PlannedStep] | None = ByArguments() if is_fixed else None
        self.step: Function = self._first_step
        self.tracking_step: Function = self._first_tracking_step

    def _first_step(self, *given: Any) -> Any:
        self.step = self._compiled(tracks=False)
        return self.step(*given)

    def _first_tracking_step(self, *given: Any) -> Any:
        self.tracking_step = self._compiled(tracks=True)
        return self.tracking_step(*given)

    def _compiled(self, *, tracks: bool) -> Function:
        numbers = (self.task.duration, self.task.cost)
        if all(isinstance(number, Constant | Parameter) for number in numbers):
            source = FunctionSource()
            made = source.step(self.task, tracks=tracks)
            if made is not None:
                return source.made()[made]
        return lambda *_: None


class CallPart:
    """A call of a task inside a network.

    ``args`` are its arguments if all are known constants, else None. Then ``ground`` is the
    function that returns them, or None if one is unknown; without ``ground`` they are evaluated.
    ``reads`` is True if they depend on the state.
    """

    __slots__ = ("args", "ground", "network", "readings", "reads", "row")

    def __init__(self, call: TaskCall, row: Row, source: FunctionSource | None) -> None:
        self.network = call
        self.row = row
        self.ground: Any = None
        self.args: tuple[Any, ...] | None = None
        self.reads = False
        self.readings: ByArguments[frozenset[Any]] | None = None
        constants = [arg.value for arg in call.args if type(arg) is Constant]
        if len(constants) == len(call.args):
            args = tuple(constants)
            self.args = None if UNKNOWN in args else args
            return
        self.reads = not all(isinstance(arg, Constant | Parameter) for arg in call.args)
        is_fixed = all(map(reads_all, call.args))
        self.readings = ByArguments() if is_fixed else None
        if source is not None:
            self.ground = source.arguments(call)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkPart:
    """A part that is no call; without a network it is the end of a branch or of the goal.

    ``bodies`` are those of its branches; of a sequence it is its own, of a deferred task that of
    its call, which is planned at once with ``check_rest``.
    """

    network: SequenceNetwork | BranchingNetwork | DeferNetwork | PauseNetwork | NullNetwork | None
    bodies: tuple[Body, ...] = ()
    row: None = None


Part = CallPart | NetworkPart


@dataclass(slots=True, eq=False, weakref_slot=True)
class Body:
    """Parts to be planned in order: the members of a sequence, or a single network.

    Only ``ahead`` is mutated; not frozen, as plain functions have bodies made while they are
    planned.
    """

    network: Network | None
    parts: tuple[Part, ...]
    calls: int = 0
    """Number of parts if all are calls, else 0."""
    length: int = field(init=False)
    items: tuple[Part, ...] = field(init=False)
    """All parts, with those of the sequences inside the body in their place."""
    ahead: dict[type, tuple[float, ...]] = field(init=False, default_factory=dict)
    """Lower bounds on what the parts from each of them on cost, by the kind of ``LeastCosts``."""

    def __post_init__(self) -> None:
        """Count the parts, and find the items."""
        self.length = len(self.parts)
        self.items = self.parts if self.calls else _items(self.parts)

    @property
    def rest(self) -> tuple[Network, ...]:
        """The networks of the parts."""
        return self.network.parts if isinstance(self.network, SequenceNetwork) else ()


def _items(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts in order, with those of sequences in their place."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, NetworkPart) and isinstance(part.network, SequenceNetwork):
            found += part.bodies[0].items
        elif part.network is not None:
            found.append(part)
    return tuple(found)


class MethodRow:
    """A method of a compound task.

    ``holds`` is its compiled condition, None if that always holds. With ``is_evaluated``,
    condition and body are evaluated instead, since one of them cannot be compiled. With
    ``excludes_later``, no later method is usable in a state where this one is. With ``is_turn``,
    the condition says whose turn it is in a construct.
    """

    __slots__ = (
        "body",
        "cost",
        "excludes_later",
        "has_numbers",
        "holds",
        "index",
        "is_evaluated",
        "is_turn",
        "method",
        "planned",
        "task",
        "value",
    )

    def __init__(
        self, task: CompoundTask[...], index: int, method: Method, *, excludes_later: bool
    ) -> None:
        self.task = task
        self.index = index
        self.method = method
        self.excludes_later = excludes_later
        self.holds: Any = None
        self.is_evaluated = False
        self.body: Body | None = None
        self.cost = _number(method.cost)
        self.value = _number(method.value)
        self.has_numbers = self.cost is None or self.value is None
        self.is_turn = isinstance(method.condition, TurnCondition)
        is_fixed = has_fixed_reads(method.condition)
        self.planned: ByArguments[PlannedMethod] | None = ByArguments() if is_fixed else None


Compiled = tuple["tuple[MethodRow, ...]", "Function | None"]
"""The rows of a task's methods, and the function that finds the first usable one."""


class CompoundRow:
    """A compound task. Its methods are compiled when it is first called.

    ``first`` is the function that returns the index of the first usable method from a start index
    on: None if there is none, UNKNOWN if that depends on an unknown fluent. ``first`` is None if a
    method is evaluated, or the task ``has_choice``: one other than its methods in order.
    """

    __slots__ = (
        *("_compiled", "first", "has_choice", "is_compiled"),
        *("is_recursive", "methods", "task"),
    )

    def __init__(
        self,
        task: CompoundTask[...],
        compiled: Callable[[CompoundTask[...]], Compiled],
        *,
        is_recursive: bool,
    ) -> None:
        self.task = task
        self.is_recursive = is_recursive
        self.has_choice = task.choice is not None
        self._compiled = compiled
        self.is_compiled = False
        self.methods: tuple[MethodRow, ...] = ()
        self.first: Function | None = None

    def compile(self) -> None:
        """Compile the methods, if that has not been done."""
        if not self.is_compiled:
            self.methods, self.first = self._compiled(self.task)
            self.is_compiled = True

    def of(self, method: Method) -> MethodRow:
        """Return the row of one of the task's methods."""
        return next(row for row in self.methods if row.method is method)


Row = PrimitiveRow | CompoundRow


def _number(expression: Expression[Any]) -> float | None:
    """Return the constant, 0 if it is UNKNOWN; None if it depends on arguments or state."""
    if not isinstance(expression, Constant):
        return None
    number: float = 0 if expression.value is UNKNOWN else expression.value
    return number
