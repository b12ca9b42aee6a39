"""The log of a search: one entry for each planned part, undone on backtracking.

An entry is a tuple. Its first five fields are its kind, the entry of the enclosing scope, the
parameter binding, the fluents it wrote with their values before, and the ``Position`` at which it
was planned. The other fields depend on the kind:

| kind           | planned                             | other fields                         |
| -------------- | ----------------------------------- | ------------------------------------ |
| `PrimitiveRow` | a primitive task                    | `Evaluated`, if it was evaluated     |
| `MethodRow`    | a compound task, by this method     | body, depth, place, see below        |
| `CallPart`     | the arguments of the next call      | their reads, if they were evaluated  |
| `BRANCH`       | the goal, or a branch of a node     | body, depth, place                   |
| `BRANCHES`     | a parallel or priority node         | network, depth, place                |
| `LEFT`         | nothing: a branch is complete       | index of its first entry             |
| `JOINED`       | nothing: the branches are joined    | index of their node, its footprint   |
| `Dropped`      | nothing: an alternative has no plan |                                      |
| `Ensured`      | what a deferred task ensures        |                                      |
| `NullNode`     | a pause, with ``check_rest``        |                                      |
| `Suspension`   | nothing: planning stops here        |                                      |

After its place, the entry of a `MethodRow` has the fingerprint of the state; the reads of the
choice, if it was evaluated; cost and value of the method, if they are computed; and `Chosen`, if
the task has a choice other than its methods in order.

The search builds nothing else of a plan. Every entry has the values that it overwrote, so reading
the log backwards restores the state at each entry: the plan tree and its footprints are derived
from it on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from bthtn.domain.network import BranchingNetwork
from bthtn.plan.nodes import Suspension
from bthtn.planning.htn.rows import Body
from bthtn.planning.htn.values import Overwritten, Values
from bthtn.world.footprint import Footprint, Write
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, ...]
Cell = tuple[Any, ...]
"""A continuation: a body, the number of its next part, the scope, the next cell, and ``rank``.

``rank`` is a lower bound on the cost of the next cells, 0 in a search without costs.
"""

KIND, SCOPE, BINDING, OVERWRITTEN, AT = range(5)
BODY, DEPTH, PLACE, FINGERPRINT, READS, NUMBERS, CHOSEN = range(5, 12)
NETWORK = ASKED = STEP = BEGIN = BODY
TOUCHED = DEPTH


class Mark(Enum):
    """The kind of an entry that has no row in the task table."""

    BRANCH = "branch"
    BRANCHES = "branches"
    LEFT = "left"
    JOINED = "joined"


# Looking a member of an enum up takes as long as making an entry.
BRANCH: Final = Mark.BRANCH
BRANCHES: Final = Mark.BRANCHES
LEFT: Final = Mark.LEFT
JOINED: Final = Mark.JOINED


Position = tuple[int, float, float, "Frame | None"]
"""The position on the current path: steps, elapsed time, cost of the innermost branch, and the
innermost frame. A plain tuple, since one is made for every step."""


def is_foreseeable(at: Position) -> bool:
    """Whether volatile fluents still have their sensed values there (semantics 2.4)."""
    frame = at[3]
    return at[0] == 0 and (frame is None or frame.guard is None)


class Evaluated(NamedTuple):
    """Reads, writes, duration and cost of a primitive task that was planned by evaluation."""

    reads: Mapping[Any, Any]
    writes: Mapping[Any, Write]
    duration: float
    cost: float


class Ensured(NamedTuple):
    """The writes that a deferred task ensures, and the fluents they were computed from.

    ``cause`` is that of the task's suspension.
    """

    cause: Suspension
    writes: Mapping[Any, Write]
    reads: frozenset[Any]


class Chosen(NamedTuple):
    """The decomposition taken by a task with one per value, or with methods in random order."""

    args: tuple[Any, ...]
    way: int
    name: str


@dataclass(slots=True, eq=False)
class Branch:
    """A planned branch: its final values, footprint, final position, and cause of suspension.

    Without a footprint if its node is a choice that is in no branch itself: nothing is compared.
    """

    written: dict[Any, Any]
    footprint: Footprint
    at: Position
    cause: Suspension | None


class PlannedBranches(NamedTuple):
    """The branches planned so far, the latest first: a chain, of which each frame shares the end.

    ``branch`` is None for a dropped alternative. ``cost`` is that of all ``length`` branches.
    """

    before: PlannedBranches | None
    branch: Branch | None
    length: int
    cost: float

    def and_then(self, branch: Branch | None) -> PlannedBranches:
        """Return the chain with one more branch."""
        cost = 0.0 if branch is None else branch.at[2]
        return PlannedBranches(self, branch, self.length + 1, self.cost + cost)

    def kept(self) -> list[Branch]:
        """Return the branches that were not dropped, in their order."""
        found, chain = list[Branch](), self
        while chain.before is not None:
            if chain.branch is not None:
                found.append(chain.branch)
            chain = chain.before
        return found[::-1]


NOTHING_PLANNED: Final = PlannedBranches(None, None, 0, 0.0)


@dataclass(slots=True, eq=False)
class OpenNode:
    """A parallel or priority node whose branches are being planned in turn. Never mutated.

    ``entry`` is the node's entry and ``begin`` its place in the log, ``at`` the position there.
    ``guard`` is the number of steps at which the innermost priority alternative begins, None
    outside of one; ``fingerprint`` that of the state in which all branches begin.
    """

    network: BranchingNetwork
    bodies: tuple[Body, ...]
    entry: Entry
    begin: int
    at: Position
    behind: Cell
    guard: int | None
    fingerprint: int


@dataclass(slots=True, eq=False)
class Frame:
    """The branch of a node that is being planned. Never mutated.

    ``planned`` are the branches before it. ``place`` is the index of its first entry in the log,
    ``end`` its continuation, ``outside`` a lower bound on the cost of everything else. ``guard``
    is that of the node.
    """

    node: OpenNode
    guard: int | None
    planned: PlannedBranches
    place: int
    outside: float
    end: Cell


def backwards(log: Sequence[Entry], start: int) -> Iterator[Entry]:
    """Yield the entries from the end back to ``start``, without those inside completed branches.

    The changes of such a branch were undone at its end, and the entry that joins the node has all
    its writes: so skipping the branch treats the whole node as one step.
    """
    place = len(log) - 1
    while place >= start:
        entry = log[place]
        if entry[KIND] is LEFT:
            place = entry[BEGIN] - 1
            continue
        yield entry
        place = entry[BEGIN] - 1 if entry[KIND] is JOINED else place - 1


class EarlierState:
    """A view of the state that steps backwards through the log, from its end.

    The state is restored when it is first read, as footprints are mostly cached.
    """

    __slots__ = ("_end", "_entry", "_overwritten", "_values")

    def __init__(self, values: Values) -> None:
        self._end = values
        self._values: Values | None = None
        self._overwritten: list[Overwritten] = []
        self._entry: Entry = ()

    def before(self, entry: Entry) -> None:
        """Go back to the state in which the entry was planned."""
        self._entry = entry
        if entry[OVERWRITTEN]:
            self._overwritten.append(entry[OVERWRITTEN])

    def get(self, fluent: Any, /) -> Any:
        """Return the value of the fluent in the current state."""
        values = self._values
        if values is None:
            values = self._values = self._end.copied()
        for overwritten in self._overwritten:
            values.undo(overwritten)
        self._overwritten.clear()
        if fluent.volatile and fluent not in values and not is_foreseeable(self._entry[AT]):
            return UNKNOWN
        return values.unread(fluent)
