"""Parts of bodies, entries of plans, kinds of searches, and the protocol of callees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, final

from bthtn.domain.task import PrimitiveTask, Task
from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.excess import Excess
from bthtn.planning.htn.fastpath.reachable import (
    Branches,
    Compound,
    Item,
    PlainMethod,
)
from bthtn.planning.htn.log import BRANCH, BRANCHES, JOINED, LEFT, Mark


@final
@dataclass(frozen=True, slots=True, eq=False)
class BranchMark:
    """The place in a plan where a branch of a node begins, or where the node ends."""

    node: Branches
    number: int
    is_end: bool

    @property
    def marks(self) -> tuple[Mark, Mark]:
        """The mark that ends the part before this place, and the one that begins the next."""
        return LEFT if self.number else BRANCHES, JOINED if self.is_end else BRANCH


Entry = tuple[PlainMethod | PrimitiveTask[...] | BranchMark, tuple[str, ...]]
"""A method or a primitive task, with the sources of the values of its parameters; or a mark.

Those of a method that is a function are followed by the values which were computed to enter it.
"""


class SearchKind(NamedTuple):
    """The kind of a search, besides its settings.

    If it ``avoids`` something, excluded tasks and methods are looked up in ``X``. If it is
    ``bounded`` by a record that a plan has to beat, choices are compared with the limits in ``Y``.
    """

    avoids: bool = False
    bounded: bool = False


PLAIN: Final = SearchKind()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the body of a task, with the sources of that task's arguments.

    ``cycle`` is the number of that task's cycle, if it is on one.
    """

    item: Item
    binding: tuple[str, ...]
    cycle: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A node whose branches are planned in turn, the parts behind it, and their variables.

    ``names`` are the variables of arguments, which each function hands to the next one.
    """

    node: Branches
    binding: tuple[str, ...]
    behind: tuple[Part, ...]
    names: tuple[str, ...]


class Callees(Protocol):
    """**Protocol:** the functions that a body can call, and the variables they share.

    They are ``Functions``, which write bodies themselves: modules do not import one another.
    """

    names: Names
    given: tuple[str, ...]
    scalars: tuple[str, ...]
    unsure: frozenset[str]
    cycles: Mapping[Compound, int]
    guarded: frozenset[Compound]
    has_choices: bool
    inlined: Mapping[Compound, PlainMethod]
    steps: Mapping[PrimitiveTask[...], PrimitiveTask[...]]
    kind: SearchKind
    excess: Excess | None

    def continued(self, parts: Sequence[Part], names: Sequence[str], *, up: bool) -> str:
        """Name of the function that plans these parts."""
        ...

    def function(self, task: Compound) -> str:
        """Name of the function of a compound task."""
        ...

    def alone(self, task: Task) -> str:
        """Name of the function that plans a task alone."""
        ...

    def ended(self, node: Node, number: int) -> str:
        """Name of the function that ends a branch of a node and goes on behind it."""
        ...

    def mark(self, node: Branches, number: int) -> BranchMark:
        """The mark before a branch of a node, or behind the last one."""
        ...

    def noted(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Source of the item that records these plan entries, given the values of ``names``."""
        ...
