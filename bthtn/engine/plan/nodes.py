"""The plan tree: frozen nodes, each of which becomes one behaviour when the plan is run.

Nodes are compared by identity; trees are compared by ``walk.outline``, which is not recursive and
so works at any depth of nesting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from bthtn.checked import argument_error
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    ParallelPolicy,
    PauseNetwork,
    listed_text,
)
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall, call_text
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint, Write
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.records import record


class SuspensionKind(Enum):
    """Why planning stopped at a place (semantics 2.5)."""

    PAUSE = "pause"
    DEFER = "defer"
    HORIZON = "horizon"
    UNKNOWN = "unknown"
    BUDGET = "budget"


@record
class Suspension:
    """Why planning stopped, with the name of the unknown fluent where that was the cause.

    ``now`` is set where the author wants no sensing before the rest is planned.
    """

    kind: SuspensionKind
    fluent: str = ""
    now: bool = False

    def __str__(self) -> str:
        return f"{self.kind.value} {self.fluent}" if self.fluent else self.kind.value


PAUSED = Suspension(SuspensionKind.PAUSE)
DEFERRED = Suspension(SuspensionKind.DEFER)
PAUSED_NOW = Suspension(SuspensionKind.PAUSE, now=True)
DEFERRED_NOW = Suspension(SuspensionKind.DEFER, now=True)
HORIZON = Suspension(SuspensionKind.HORIZON)
BUDGET = Suspension(SuspensionKind.BUDGET)


def cause_of(network: DeferNetwork | PauseNetwork) -> Suspension:
    """The cause with which a network suspends planning."""
    if isinstance(network, PauseNetwork):
        return PAUSED_NOW if network.now else PAUSED
    return DEFERRED_NOW if network.now else DEFERRED


@record(eq=False)
class TaskNode(Shared, Unpicklable):
    """A primitive task with its arguments, planned footprint, duration and cost.

    ``call`` is the call from which the arguments were computed, and ``binding`` that of the
    network it stands in; None where this is not known, or there are no arguments.
    """

    task: PrimitiveTask[...]
    args: tuple[Any, ...] = ()
    footprint: Footprint = field(default_factory=Footprint)
    duration: float = 0
    cost: float = 1
    call: TaskCall | None = None
    binding: Binding = ()

    def __str__(self) -> str:
        return call_text(self.task, self.args)


@record(eq=False)
class ScopeNode(Shared, Unpicklable):
    """A decomposition of a compound task by the method with index ``method`` into ``child``.

    ``name`` is the name of the method, which may depend on the state. ``cost`` and ``value`` are
    those of the method, without its tasks. ``call`` and ``binding`` are as for primitive tasks,
    ``body`` is the network that a plain function returned, None if the method's network is data.
    """

    task: CompoundTask[...]
    args: tuple[Any, ...]
    method: int
    child: Node
    footprint: Footprint = field(default_factory=Footprint)
    name: str = ""
    cost: float = 0
    value: float = 0
    call: TaskCall | None = None
    binding: Binding = ()
    body: Network | None = None

    def __str__(self) -> str:
        return f"{call_text(self.task, self.args)} m{self.method}"


@record(eq=False)
class SequenceNode(Shared, Unpicklable):
    """Children that are run one after the other."""

    children: tuple[Node, ...]

    def __str__(self) -> str:
        return "sequence"


@record(eq=False)
class ParallelNode(Shared, Unpicklable):
    """Children that run at the same time; no child interferes with another."""

    children: tuple[Node, ...]
    policy: ParallelPolicy

    def __str__(self) -> str:
        extra = "" if self.policy is ParallelPolicy.ALL else f" {self.policy.value}"
        return f"parallel{extra}"


@record
class Dropped:
    """An alternative of a priority node that could not be planned, and why."""

    alternative: int
    text: str
    reason: str


@record(eq=False)
class PriorityNode(Shared, Unpicklable):
    """Alternatives, one of which is chosen at run time.

    ``kept`` has the index that each child has among all alternatives of the network.
    """

    children: tuple[Node, ...]
    kept: tuple[int, ...]
    reactive: bool = False
    dropped: tuple[Dropped, ...] = ()

    def __str__(self) -> str:
        return "priority reactive" if self.reactive else "priority"


@record(eq=False)
class Foreseen(Shared, Unpicklable):
    """The tree that was planned ahead to check a suspended part (semantics 2.5.6), and its states.

    ``before`` is the state from which the whole plan began, ``written`` are the plan's writes up
    to this part, ``after`` is the state at the part's end. ``sensed`` says whether the tree may
    rely on volatile fluents. ``concurrent`` are the fluents that parallel branches write meanwhile,
    None if they are not all known.
    """

    tree: Node
    before: FrozenState
    after: FrozenState
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    sensed: bool = True
    concurrent: frozenset[Fluent[Any]] | None = frozenset()


@record(eq=False)
class SuspendedNode(Shared, Unpicklable):
    """Networks that are planned when execution reaches them, and the ``cause`` of suspension.

    ``ensures`` are the writes on which later parts rely after a deferred task, ``reads`` the
    fluents they were computed from. ``foreseen`` is set if it was checked that the networks can
    be planned.
    """

    rest: tuple[Network, ...]
    binding: Binding
    cause: Suspension
    ensures: Mapping[Fluent[Any], Write] = field(default_factory=dict)
    reads: frozenset[Any] = frozenset()
    foreseen: Foreseen | None = None

    @property
    def left(self) -> str:
        """The networks that are left to be planned, as they would be written."""
        return listed_text(self.rest, self.binding)

    def __str__(self) -> str:
        return f"suspended ({self.cause})"

    def repeats(self, other: SuspendedNode) -> bool:
        """Whether the same is left to be planned in both."""
        return self.rest == other.rest and self.binding == other.binding


@record(eq=False)
class NullNode(Shared, Unpicklable):
    """Nothing to do."""

    def __str__(self) -> str:
        return "null"


Node = TaskNode | ScopeNode | SequenceNode | ParallelNode | PriorityNode | SuspendedNode | NullNode


def check_node(root: object, function: str) -> None:
    """Raise ArgumentError for what is no node, such as the plan itself."""
    if not isinstance(root, Node):
        hint = "give it plan.tree" if hasattr(root, "tree") else "give it the tree of a plan"
        message = f"{function}(…) takes a node of a plan; {root!r} is {type(root).__name__}"
        raise argument_error(message, hint)


BranchingNode = ParallelNode | PriorityNode
"""The nodes whose children all begin in the state at the node."""

NULL_NODE = NullNode()
"""The shared null node: the only node that may occur at several places of one tree."""
