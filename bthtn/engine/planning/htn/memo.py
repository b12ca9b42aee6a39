"""PlanMemo: the plans that were found for one goal, by the fluents that were read.

A search is deterministic, so the first fluent that it reads of its start state is always the same;
its value decides which fluent is read next. All searches for one goal are paths through a decision
tree:

    ammo ──0──► magazine ──true───► (reload, shoot)
      │             └─────false───► (retreat)
      └────6──► shoot

A look-up reads the fluents that the search would have read. The other fluents cannot change the
answer, and are not compared.

A path is kept as it is until another one begins alike: only where two paths part is there a node
with branches. So an answer that is never asked for again costs next to nothing.

Not here: when a search may take an answer from here (``search``), and which goals have only
trees here, or no memo (``planner``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network
from bthtn.engine.plan.plan import SharedTree
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.htn.prepared import PreparedGoal
from bthtn.engine.planning.static_reads import static_reads
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.relation import Tuples
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN

MOST_KEPT: Final = 10_000
"""Fluents read and parts planned of all answers that are kept; when there are more, all are
dropped. They take up to half a KiB each, and so up to five MiB."""
_AS_THEY_ARE: Final = frozenset({bool, int, str, type(None), type(UNKNOWN), Tuples})
"""Types whose values, paired with their type, can be used as keys directly."""

Limits = Any
"""What the record of a plan has to beat, or None; with what is excluded, if something is."""
Path = tuple[tuple[Fluent[Any], Any], ...]
"""The fluents that a search has read of its start state, in order, each with its value."""


class Answer:
    """A plan without its start state; ``written`` are the fluents that it changes, with the values.

    ``readings`` are the fluents that the search has read of its start state, with their values. The
    plan ``is_in_turn`` if it is known to have only tasks, one after the other.
    """

    __slots__ = ("expansions", "is_in_turn", "readings", "tree", "written")

    def __init__(
        self,
        readings: dict[Fluent[Any], Any],
        tree: SharedTree,
        written: Mapping[Fluent[Any], Any],
        expansions: int,
        *,
        is_in_turn: bool = False,
    ) -> None:
        self.readings = readings
        self.tree = tree
        self.written = written
        self.expansions = expansions
        self.is_in_turn = is_in_turn


class PlanMemo:
    """The plans that were found for one goal, which its planner keeps: answers, and their trees.

    Plans that are found from different readings may still be alike: then they share their tree.

    No answer is kept of a goal that may call a plain function of the user: that could read
    anything. Nor is one from a state with values of other classes than those of Python, which may
    be equal without being alike.

    There is no lock, which an interrupt could leave held: every change is one that Python does at
    once, and of two threads that change the same at once, what one has added may be lost.
    """

    __slots__ = ("_domain", "_goal", "_keeps_answers", "_size", "_trees", "root")

    def __init__(self, domain: FrozenDomain, goal: Network, *, only_trees: bool) -> None:
        self._domain = domain
        self._goal = goal
        self._keeps_answers: bool | None = False if only_trees else None
        self.root: dict[Limits, _Reading | _Kept] = {}
        self._trees: dict[Any, SharedTree] = {}
        self._size = 0

    def tree(self, key: Any, size: int, make: Callable[[], SharedTree]) -> SharedTree:
        """Return the tree of all plans with this key, for which so many parts were planned."""
        known = self._trees.get(key)
        if known is None:
            known = make()
            if self._has_room(size):
                known = self._trees.setdefault(key, known)
        return known

    def _has_room(self, size: int) -> bool:
        """Make room for so much, and return whether there is."""
        if size > MOST_KEPT:
            return False
        self._size += size
        if self._size > MOST_KEPT:
            self.root, self._trees, self._size = {}, {}, size
        return True

    @property
    def keeps_answers(self) -> bool:
        """Whether plans are kept as answers: whether all that a search evaluates is data."""
        if self._keeps_answers is None:
            # When the first tree is made: who asks for actions alone need not wait for it.
            self._keeps_answers = static_reads(self._domain, self._goal) is not None
        return self._keeps_answers

    def find(self, start: Mapping[Any, Any], limits: Limits) -> Answer | None:
        """Return the answer from a state with these values, if it is known."""
        node = self.root.get(limits)
        while isinstance(node, _Reading):
            fluent = node.fluent
            value = start.get(fluent, fluent.default)
            kind = type(value)
            node = node.branches.get((kind, value) if kind in _AS_THEY_ARE else _key(value))
        return node.answer if node is not None and node.fits(start) else None

    def keep(self, answer: Answer, limits: Limits, size: int) -> None:
        """Keep an answer, whose tree has so many parts that are not kept yet."""
        path, values = tuple(answer.readings.items()), answer.readings.values()
        if not _AS_THEY_ARE.issuperset(map(type, values)) and None in map(_key, values):
            return
        size += len(path)
        if self._has_room(size) and not _put(self.root, limits, path, answer):
            self._size -= size


class _Kept:
    """A leaf: an answer, and the path to it, of which so many fluents were read on the way."""

    __slots__ = ("answer", "depth", "path")

    def __init__(self, answer: Answer, path: Path, depth: int) -> None:
        self.answer = answer
        self.path = path
        self.depth = depth

    def fits(self, start: Mapping[Any, Any]) -> bool:
        """Whether a state with these values is that of the answer in what else was read."""
        for fluent, value in self.path[self.depth :]:
            other = start.get(fluent, fluent.default)
            if other is not value and _key(other) != _key(value):
                return False
        return True


class _Reading:
    """An inner node: the fluent read here, and what follows by the key of its value."""

    __slots__ = ("branches", "fluent")

    def __init__(self, fluent: Fluent[Any], branches: dict[Any, _Reading | _Kept]) -> None:
        self.fluent = fluent
        self.branches = branches


def _put(root: dict[Any, _Reading | _Kept], limits: Limits, path: Path, answer: Answer) -> bool:
    """Add an answer; return False if its path is there already, or parts from another one late.

    A search counts the fluents of compared states as read a little later than they were, so two
    paths may part before the fluent that decides between them. The first one stays.

    Others may be looking something up meanwhile: whatever they meet is a whole tree.
    """
    branches, key, depth = root, limits, 0
    while (node := branches.get(key)) is not None:
        if depth == len(path):
            return False
        if isinstance(node, _Kept):
            if depth == len(node.path) or node.fits(answer.readings):
                return False
            fluent, value = node.path[depth]
            node = _Reading(fluent, {_key(value): _Kept(node.answer, node.path, depth + 1)})
            branches[key] = node
        fluent, value = path[depth]
        if fluent is not node.fluent:
            return False
        key = _key(value)
        branches = node.branches
        depth += 1
    branches[key] = _Kept(answer, path, depth)
    return True


def _key(value: Any) -> Any:
    """A key that separates the equal values 1, True and 1.0, and also 0.0 and -0.0.

    A NaN object equals only itself. None for a value that can be told from an equal one: it may be
    of any class.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE or isinstance(value, Enum):
        return (kind, value)
    if kind is float:
        return (kind, value or str(value))
    if kind is tuple or kind is frozenset:
        parts = tuple(map(_key, value))
        return None if None in parts else (kind, kind(parts))
    return None


class Recalled(NamedTuple):
    """The plan of an answer, from a start state that may differ in what was not read."""

    prepared: PreparedGoal
    answer: Answer
    state: FrozenState

    @property
    def domain(self) -> FrozenDomain:
        return self.prepared.domain

    @property
    def goal(self) -> Network:
        return self.prepared.network

    @property
    def binding(self) -> Binding:
        """The values of the parameters in the goal."""
        return self.prepared.binding

    @property
    def shared_tree(self) -> SharedTree:
        return self.answer.tree

    @property
    def record(self) -> MethodTraversalRecord:
        return self.answer.tree.record

    @property
    def predicted(self) -> FrozenState:
        return self.state.changed(self.answer.written)

    @property
    def expansions(self) -> int:
        """Those of the search that has found the answer."""
        return self.answer.expansions

    def actions(self) -> None:
        """None: the tree is there."""
