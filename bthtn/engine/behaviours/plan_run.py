"""PlanRun: the state shared by the behaviours of one running plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias

from py_trees.behaviour import Behaviour

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Timer
from bthtn.engine.agent.leases import Holder
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import NULL_NODE, Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.world.fluent import Fluent

_SHOWN: Final = 8
"""Names of a path that are shown; a recursive task has thousands of the same."""
_REMEMBERED: Final = 100
"""Names that are kept of the path of a suspended part: one that recurs would get ever longer."""


class Inside:
    """A decomposition that a node of a plan stands in, by a node whose text is its name.

    It stands itself inside of the one that is ``around`` it.
    """

    def __init__(self, node: object, around: Path) -> None:
        self.node = node
        self.around = around
        self.depth: int = 1 if around is None else around.depth + 1

    @cached_property
    def text(self) -> str:
        """``fight m1 > take_cover m1``, outermost first; of a long path, the innermost part."""
        names = list(islice(names_of(self), _SHOWN + 1))
        if len(names) > _SHOWN:
            names[_SHOWN] = "…"
        return " > ".join(reversed(names))


Path: TypeAlias = Inside | None
"""The decompositions above a node, innermost first. Equal plans share it, with its text."""


def names_of(path: Path) -> Iterator[str]:
    """The names of the decompositions, innermost first."""
    while path is not None:
        yield str(path.node)
        path = path.around


def shortened(path: Path) -> Path:
    """The path, or its innermost part once it has become long, for a part planned on arrival."""
    if path is None or path.depth <= 2 * _REMEMBERED:
        return path
    kept: list[object] = []
    while path is not None and len(kept) < _REMEMBERED:
        kept.append(path.node)
        path = path.around
    short: Path = None
    for node in reversed(kept):
        short = Inside(node, short)
    return short


def path_text(path: Path) -> str:
    """The path as text, empty without any."""
    return "" if path is None else path.text


def record_and_text(plan: Plan) -> tuple[MethodTraversalRecord, str]:
    """The record of a plan, and the message of a goal that runs it."""
    return plan.record, f"running plan {plan.record!r}"


def failed_at(
    path: Path, name: str, node: Node, why: str, error: BaseException | None = None
) -> Failure:
    """The failure of a node, which names its place in the plan: ``fight m1 > shoot``."""
    above = path_text(path)
    what = f"{above} > {name}" if above else name
    return Failure(why, what, node, frozenset(), error)


def is_same_path(one: Path, other: Path) -> bool:
    """Whether both name the same decompositions; paths may be nested deeper than Python calls."""
    while one is not other:
        if one is None or other is None:
            return False
        if one.node is not other.node and str(one.node) != str(other.node):
            return False
        one, other = one.around, other.around
    return True


class ResumeFailed(Exception):  # noqa: N818 - control flow, not an error
    """There is no plan, for a goal or for a suspended part (semantics 2.5); a search read these."""

    def __init__(self, reason: str, reads: Iterable[Fluent[Any]] = ()) -> None:
        super().__init__(reason)
        self.reads = reads


class PlanRefused(Exception):  # noqa: N818 - control flow, not an error
    """A plan cannot be started: the ``on_plan_start`` hook of the step ``call`` raised."""

    def __init__(self, reason: str, call: tuple[PrimitiveTask[...], tuple[Any, ...]]) -> None:
        super().__init__(reason)
        self.call = call


Reads = Mapping[Fluent[Any], Any]
"""The fluents that a search has read, with the values that they had."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan of a suspended part, and the behaviours that run it one after the other."""

    plan: Plan
    steps: list[Behaviour]


@dataclass(frozen=True, slots=True, eq=False)
class Resumption:
    """A suspended part that was planned, after so many starts and ends of steps.

    ``reads`` belong to the search for its plan; None if it was planned before, with its rest.
    """

    node: SuspendedNode
    reads: Reads | None
    moves: int


class Arrival(Protocol):
    """**Protocol:** a suspended part of a plan that execution has reached.

    ``inside`` are the parts whose plans it is in, as far as nothing has moved since.
    """

    node: SuspendedNode
    path: Path
    parent: Behaviour | None
    inside: tuple[Resumption, ...]


class Cooldowns:
    """The parts of plans that a goal does without until a time is over, in ``left``."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: dict[tuple[CompoundTask[...], tuple[Any, ...]], Timer] = {}

    def __contains__(self, node: ScopeNode) -> bool:
        return (node.task, node.args) in self.left

    def begin(self, node: ScopeNode, timer: Timer) -> None:
        """Do without a part from now on, until the timer is over."""
        self.left[node.task, node.args] = timer

    def follow(self, domain: FrozenDomain) -> None:
        """Let the parts be those of a newer domain's tasks."""
        left, self.left = self.left, {}
        for (task, args), timer in left.items():
            newer = domain.tasks.get(task.name)
            if isinstance(newer, CompoundTask):
                self.left[newer, args] = timer

    def tick(self) -> bool:
        """Count a tick. Returns whether one of the parts may be begun again."""
        left = {part: timer for part, timer in self.left.items() if not timer.is_over()}
        is_over, self.left = len(left) < len(self.left), left
        return is_over


class PlanOwner(Protocol):
    """**Protocol:** who runs a plan, whose behaviours know neither the planner nor the goal."""

    is_stopped: bool
    """Whether users' code has stopped the plan in this tick: nothing more begins in it."""

    def plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Start to plan a suspended part. Returns a function to call at every tick.

        That function returns None while the search goes on. Both raise ResumeFailed.
        """
        ...

    def resumed(self, arrival: Arrival, plan: Plan) -> None:
        """Note that a suspended part is replaced by its plan. May raise ResumeFailed."""
        ...

    def started(self, node: TaskNode) -> Exception | None:
        """Note a step that has started and needs something while it runs.

        Returns what one of its conditions raised.
        """
        ...

    def finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        """Note a step that has succeeded, with the fluents that it has written."""
        ...

    def owe_cleanup(self, part: ScopeNode, path: Path, run: PlanRun) -> None:
        """Have the cleanup of a part done that the plan itself did not reach."""
        ...


@dataclass(slots=True)
class PlanRun:
    """One run of a plan, shared by all of its behaviours.

    ``tree`` is the plan's. ``instead`` has what stands in the place of some of its nodes by now:
    the plans of suspended parts, and the new parts of repairs. A plan that takes over running
    steps takes over the run. ``holder`` holds the leases of the
    whole plan, which its steps have as well. Once a cleanup is owed, the plan ``is_repairable`` no
    longer. ``writes_as`` is the source of the steps' changes of beliefs; by default, the goal's
    name. ``plan_id`` is the plan's in events.
    """

    agent: Agent[Any, Any]
    goal: str
    owner: PlanOwner
    setup_arguments: Mapping[str, Any]
    tree: Node = NULL_NODE
    instead: dict[Node, Node] = field(default_factory=dict)
    ticks: int = 0
    next_resumption: int = 0
    last_end: int = -1
    """The tick in which the latest step ended."""
    moves: int = 0
    """How many starts and ends of steps there were."""
    holder: Holder | None = None
    has_cleanups: bool = False
    """Whether one of the parts has a cleanup."""
    has_reactive_choices: bool = False
    """Whether one of the parts is a reactive ``priority``."""
    is_repairable: bool = True
    writes_as: str = ""
    plan_id: str = ""
    cooldowns: Cooldowns = field(default_factory=Cooldowns)
    has_grown: bool = False
    """Whether a suspended part was planned since the rest was last looked at."""
    behaviours: dict[Node, Behaviour] | None = None
    """Of steps, choices, parallel nodes and decorated parts; None until they are asked for."""
    branch_footprints: dict[Behaviour, Any] = field(default_factory=dict)
    """The rests of the branches of parallel nodes in this tick, as far as they were needed."""

    def begin(self, tree: Node) -> None:
        self.tree, self.instead, self.has_grown, self.behaviours = tree, {}, False, None
        self.is_repairable = True

    def put(self, node: Node, other: Node) -> None:
        """Let another node stand in the place of one."""
        place = next((old for old, new in self.instead.items() if new is node), node)
        self.instead.pop(place, None)  # the latest stands last
        self.instead[place] = other
        self.behaviours = None

    def forget_unreached(self) -> None:
        """Forget what stands in the place of nodes that do not belong to the plan any more."""
        reached = {*Rest(self.tree, {}, self.instead).nodes()}
        instead = self.instead.items()
        self.instead = {old: new for old, new in instead if old in reached or new in reached}

    def ticked(self) -> None:
        """Count a tick of the plan. Call it before the tick."""
        self.ticks += 1
        self.branch_footprints.clear()
        self.next_resumption = self.ticks + 1
