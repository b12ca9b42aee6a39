"""The log of a search: what was planned, as entries that can be taken back.

An entry is a tuple. First in it stand its kind, the entry of the scope that it is in, the values
of parameters in its expressions, what it overwrote, and the ``Position`` at which it was planned.
What comes then depends on the kind:

| kind           | planned                             | then                                 |
| -------------- | ----------------------------------- | ------------------------------------ |
| `PrimitiveRow` | a primitive task                    | what it does, if it was evaluated    |
| `MethodRow`    | a compound task, by this method     | body, depth, place, see below        |
| `CallPart`     | the arguments of the call behind it | what was read, if they were evaluated |
| `BRANCH`       | the goal, or a branch of a node     | body, depth, place                   |
| `BRANCHES`     | a parallel or priority node         | network, depth, place                |
| `LEFT`         | nothing: a branch is left again     | where in the log it began            |
| `JOINED`       | nothing: branches come together     | where their node began, what it touches |
| `GIVEN`        | what needs no other entry           | its `Contribution`                   |

Behind the place in the log of a `MethodRow` stand the fingerprint of the state there; what the
choice of the method has read, if that was evaluated; its cost and value, if they are computed;
and `Chosen`, if the task has other ways than its methods in order.

Nothing else of a plan is made while searching. Read backwards, the log gives the state at each of
its entries, since every entry has what it overwrote: so the plan tree, and what its nodes read
and write, is worked out when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from bthtn.domain.network import ParallelNetwork, PriorityNetwork
from bthtn.plan.nodes import Dropped, Node, Suspension
from bthtn.planning.htn.rows import Body
from bthtn.planning.htn.values import Values
from bthtn.world.footprint import Footprint, Write
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, ...]
Cell = tuple[Any, ...]
"""What is left to do: a body, the number of its next part, the scope, the cell behind it, and
``rank``.

``rank`` is the least cost of what is behind the body, where costs are added up.
"""

KIND, SCOPE, BINDING, OVERWRITTEN, AT = range(5)
BODY, DEPTH, PLACE, FINGERPRINT, READS, NUMBERS, CHOSEN = range(5, 12)
NETWORK = CONTRIBUTION = STEP = BEGIN = BODY
TOUCHED = DEPTH


class Mark(Enum):
    """A kind of entry that is no row of the task table."""

    BRANCH = "branch"
    BRANCHES = "branches"
    LEFT = "left"
    JOINED = "joined"
    GIVEN = "given"


# Looking a member of an enum up takes as long as making an entry.
BRANCH: Final = Mark.BRANCH
BRANCHES: Final = Mark.BRANCHES
LEFT: Final = Mark.LEFT
JOINED: Final = Mark.JOINED
GIVEN: Final = Mark.GIVEN


Position = tuple[int, float, float, "Frame | None"]
"""How far the path being planned has come: steps, elapsed time, cost of the innermost branch, and
the innermost frame. A plain tuple, since one is made for every step."""


def is_foreseeable(at: Position) -> bool:
    """Whether a volatile fluent has the value there that was sensed (semantics 2.4)."""
    frame = at[3]
    return at[0] == 0 and (frame is None or frame.guard is None)


class Evaluated(NamedTuple):
    """How a primitive task went that was planned by evaluation."""

    reads: Mapping[Any, Any]
    writes: Mapping[Any, Write]
    duration: float
    cost: float


class Chosen(NamedTuple):
    """How a call was decomposed that has one way for each value, or methods in a drawn order."""

    args: tuple[Any, ...]
    way: int
    name: str


@dataclass(slots=True, eq=False)
class Branch:
    """A planned branch: what it wrote and touched, and how far it came."""

    written: dict[Any, Any]
    footprint: Footprint
    at: Position
    cause: Suspension | None


@dataclass(slots=True, eq=False)
class Frame:
    """A parallel or priority node whose branches are planned one after the other. Never changed.

    ``entry`` is the node's entry and ``begin`` its place in the log, ``at`` the position there.
    ``guard`` is the number of steps at which the innermost priority alternative begins, None
    outside of one. ``place`` is where in the log the branch being planned begins, ``end`` what is
    left to do behind it, ``outside`` the least cost of everything that is not in that branch.
    ``branches`` has None for an alternative that was dropped.
    """

    network: ParallelNetwork | PriorityNetwork
    bodies: tuple[Body, ...]
    entry: Entry
    begin: int
    at: Position
    behind: Cell
    guard: int | None
    branches: tuple[Branch | None, ...] = ()
    place: int = 0
    outside: float = 0
    end: Cell = ()


@dataclass(frozen=True, slots=True)
class Contribution:
    """What an entry adds to the node that its scope becomes, where that is not just a node.

    ``cause`` says why nothing was planned behind it. ``reads`` are what the arguments of the next
    call were computed from, or what ``ensured`` was. ``part`` is the number of the part before
    which the horizon was reached.
    """

    node: Node | None = None
    cause: Suspension | None = None
    reads: frozenset[Any] | None = None
    part: int | None = None
    dropped: Dropped | None = None
    ensured: dict[Any, Write] | None = None


def backwards(log: Sequence[Entry], start: int) -> Iterator[Entry]:
    """The entries from the end to a place, without those that lie in branches which are planned.

    What such a branch overwrote was put back where it was left, and where a node is joined stands
    all that it overwrites: so walking over them is as if they had been one step.
    """
    place = len(log) - 1
    while place >= start:
        entry = log[place]
        if entry[KIND] is LEFT:
            place = entry[BEGIN] - 1
            continue
        yield entry
        place = entry[BEGIN] - 1 if entry[KIND] is JOINED else place - 1


class Past:
    """A view of the state at one entry of the log after the other, from its end backwards."""

    __slots__ = ("_foreseeable", "_values")

    def __init__(self, values: Values) -> None:
        self._values = values.copied()
        self._foreseeable = False

    def before(self, entry: Entry) -> None:
        """Go back to where the entry was planned."""
        if entry[OVERWRITTEN]:
            self._values.undo(entry[OVERWRITTEN])
        self._foreseeable = is_foreseeable(entry[AT])

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent there."""
        if fluent.volatile and fluent not in self._values and not self._foreseeable:
            return UNKNOWN
        return self._values.unread(fluent)
