"""The explicit stack of the search: agenda, frames and choice points.

The agenda is a linked list, so a choice point holds what is left to do by a reference. Its
cells, and paths, are made at every expansion and never changed; that they are not `frozen` is
because making them would take three times as long.
A frame stands for a parallel or priority node whose branches are being planned; frames are
never changed, so returning to an earlier choice is returning to an earlier frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bthtn.domain.network import Network, ParallelNetwork, PriorityNetwork
from bthtn.domain.task import CompoundTask, TaskCall
from bthtn.domain.ways import Ways
from bthtn.plan.nodes import Suspension
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint


@dataclass(frozen=True, slots=True)
class Expand:
    """To do: plan this network."""

    network: Network
    binding: Binding


@dataclass(frozen=True, slots=True)
class Continue:
    """To do: go on with a sequence behind the parts that are planned.

    ``least`` says, where the cheapest plan is wanted, what it costs at least from each part on.
    """

    parts: tuple[Network, ...]
    index: int
    binding: Binding
    least: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CloseScope:
    """To do: the compound task that was decomposed last is complete."""


@dataclass(frozen=True, slots=True)
class EndBranch:
    """To do: a branch of the innermost frame is complete; ``retained`` is its choice point."""

    retained: AlternativeChoice | None


Item = Expand | Continue | CloseScope | EndBranch


@dataclass(slots=True, eq=False)
class Agenda:
    """What is left to do, first things first.

    ``least`` is what all of it costs at least. Equal agendas of one search have equal numbers.
    Both are only told where somebody asks.
    """

    item: Item
    rest: Agenda | None
    least: float = 0
    number: int = 0


@dataclass(slots=True, eq=False)
class Path:
    """How far the plan has come on the path being planned.

    ``cause`` is set behind a suspension: then nothing more is planned on this path. ``cost`` is
    that of the innermost branch, up to here.
    """

    steps: int = 0
    elapsed: float = 0
    depth: int = 0
    cause: Suspension | None = None
    cost: float = 0

    def behind(self, duration: float, cost: float) -> Path:
        """The path with one step more."""
        steps, elapsed = self.steps + 1, self.elapsed + duration
        return Path(steps, elapsed, self.depth, self.cause, self.cost + cost)

    def inside(self, cost: float) -> Path:
        """The path within one decomposition more."""
        return Path(self.steps, self.elapsed, self.depth + 1, self.cause, self.cost + cost)

    def outside(self) -> Path:
        """The path within one decomposition less."""
        return Path(self.steps, self.elapsed, self.depth - 1, self.cause, self.cost)


@dataclass(frozen=True, slots=True)
class Branch:
    """A planned branch: what it did, and how far it came."""

    written: dict[Fluent[Any], Any]
    footprint: Footprint
    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A parallel or priority node whose branches are planned one after the other.

    ``mark`` and ``output`` say where the branch being planned begins, ``entry`` how far the
    path had come at the node, ``guard`` the steps at which the innermost priority alternative
    begins, None outside of one. ``branches`` holds None for an alternative that was dropped.
    ``outside`` is the least cost of all that is not in the branch being planned.
    """

    network: ParallelNetwork | PriorityNetwork
    binding: Binding
    entry: Path
    behind: Agenda | None
    above: Frame | None
    guard: int | None
    mark: int = 0
    output: int = 0
    branches: tuple[Branch | None, ...] = ()
    outside: float = 0

    def with_branch(self, branch: Branch | None) -> Frame:
        """This frame with one more branch done."""
        return replace(self, branches=(*self.branches, branch))


@dataclass(slots=True, eq=False)
class Choice:
    """A place to return to: lengths of what only grows, and pointers to what is never changed."""

    agenda: Agenda | None
    path: Path
    frame: Frame | None
    mark: int
    output: int
    record: int


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """A call of a compound task with the values of its arguments, and what those read.

    ``ways`` are asked for once: a choice that is returned to finds them as they were.
    """

    call: TaskCall
    binding: Binding
    task: CompoundTask[Any]
    args: tuple[Any, ...]
    ways: Ways
    reads: frozenset[Any]


@dataclass(slots=True, eq=False)
class MethodChoice(Choice):
    """There are more methods for this call, from ``method`` on."""

    compound: Compound
    method: int


@dataclass(slots=True, eq=False)
class AlternativeChoice(Choice):
    """If this alternative of a priority node cannot be planned, it is dropped.

    ``planned`` is the one thing that backtracking does not take back: an alternative that
    could be planned once is not dropped because what follows cannot be.
    """

    planned: bool = False
