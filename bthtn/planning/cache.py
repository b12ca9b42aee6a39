"""PlanCache: plans that were found, looked up by the fluents that the search has read.

A search is deterministic, so the first fluent that it reads of its start state is always
the same; its value decides which fluent is read next. All searches for one question are
paths through a decision tree:

    ammo ──0──► magazine ──true───► (reload, shoot)
      │             └─────false───► there is no plan
      └────6──► shoot

A lookup reads the fluents that the search would have read, and needs no search. The other
fluents cannot change the answer, and are not compared.

Answers live in two generations. New answers, and old ones that were found again, join the
young generation; when it is full it becomes the old one, and the previous old one is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary

from bthtn.checked import checked
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, calls_in
from bthtn.errors import DomainError
from bthtn.plan.nodes import Node
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.protocol import Settings
from bthtn.records import record
from bthtn.world.expression import Binding, Constant
from bthtn.world.fluent import Fluent
from bthtn.world.sharing import Unpicklable
from bthtn.world.state import FrozenState

_AS_THEY_ARE: Final = frozenset({bool, int, str})
"""Types whose values, paired with their type, can be used as keys directly."""

Readings = Mapping[Fluent[Any], Any]
"""Fluents of a start state with their values, in the order in which they were first read."""


@record(eq=False)
class Answer:
    """The result of a search, without its start state; ``tree`` is None if there is no plan.

    It depends on ``readings``. ``written`` are the fluents that the plan changes, with the values
    predicted for them.
    """

    readings: Readings
    tree: Node | None
    record: MethodTraversalRecord = field(default_factory=MethodTraversalRecord)
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    expansions: int = 0
    derived: dict[Any, Any] = field(default_factory=dict)
    """What was derived of the plans that share the tree."""


class Question:
    """A goal with its binding and settings; equal questions lead to identical searches."""

    __slots__ = ("_hash", "_key")

    def __init__(self, network: Network, binding: Binding, settings: Settings) -> None:
        given = (arg for call in calls_in(network) for arg in call.args)
        values = tuple(exact(arg.value) for arg in given if isinstance(arg, Constant))
        self._key = (network, values, exact(binding), settings)
        self._hash = hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


@record
class CacheStatistics:
    """How many lookups hit and missed, and how many answers the cache holds now."""

    hits: int
    misses: int
    entries: int


class PlanCache(Unpicklable):
    """A cache of plans that any number of planners, agents and threads can share.

    Holds at most ``entries`` answers and drops those that were not used lately. The answers for
    a domain are dropped with the domain. A cached plan is equal to the one that a search would
    find, provided that the functions of the domain depend on nothing but the state and the
    parameters they are given, and treat equal values of one type alike.
    """

    @checked
    def __init__(self, entries: int = 10_000) -> None:
        """Raises DomainError if ``entries`` is not above zero."""
        if entries <= 0:
            message = f"a cache of {entries} entries"
            raise DomainError("BT202", message, hint="it has to be above zero")
        self._generation = (entries + 1) // 2
        self._domains: WeakKeyDictionary[FrozenDomain, _Memory] = WeakKeyDictionary()
        self._lock = Lock()
        self._young = 0
        self._hits = 0
        self._misses = 0

    @property
    def statistics(self) -> CacheStatistics:
        """Hits and misses so far, and the number of answers held."""
        with self._lock:
            kept = sum(memory.entries for memory in self._domains.values())
            return CacheStatistics(self._hits, self._misses, kept)

    def clear(self) -> None:
        """Drop every answer; the counts of hits and misses stay."""
        with self._lock:
            self._turn()
            self._turn()

    def answers(self, domain: FrozenDomain, question: Question) -> Answers:
        """The cached answers to one question about one domain."""
        with self._lock:
            return Answers(self, self._domains.setdefault(domain, _Memory()), question)

    def _counted(self, answer: Answer | None) -> Answer | None:
        """Count the answer as a hit, or None as a miss, and return it."""
        with self._lock:
            if answer is None:
                self._misses += 1
            else:
                self._hits += 1
        return answer

    def _keep(self, memory: _Memory, question: Question, answer: Answer) -> None:
        """Add an answer to the young generation; turn the generations when it is full."""
        with self._lock:
            if memory.young.put(question, answer):
                self._young += 1
            if self._young >= self._generation:
                self._turn()

    def _turn(self) -> None:
        self._young = 0
        for memory in list(self._domains.values()):
            memory.turn()

    def __repr__(self) -> str:
        now = self.statistics
        return f"<plan cache: {now.entries} entries, {now.hits} hits, {now.misses} misses>"


class Answers:
    """A view of the cache: the answers to one question about one domain."""

    __slots__ = ("_cache", "_memory", "_question")

    def __init__(self, cache: PlanCache, memory: _Memory, question: Question) -> None:
        self._cache = cache
        self._memory = memory
        self._question = question

    def find(self, state: FrozenState) -> Answer | None:
        """The answer for this start state, or None; counts as a hit or a miss."""
        memory, question = self._memory, self._question
        answer = memory.young.find(question, state)
        if answer is None:
            answer = memory.old.find(question, state)
            if answer is not None:
                self.keep(answer)
        return self._cache._counted(answer)

    def keep(self, answer: Answer) -> None:
        """Add the answer of a search."""
        self._cache._keep(self._memory, self._question, answer)


class _Reading:
    """An inner node of a decision tree: the fluent read here, and a subtree for each value."""

    __slots__ = ("branches", "fluent")

    def __init__(self, fluent: Fluent[Any], branches: dict[Any, _Reading | Answer]) -> None:
        self.fluent = fluent
        self.branches = branches


class _Generation:
    """The decision trees of one domain by question. Only added to, so readers need no lock."""

    __slots__ = ("entries", "trees")

    def __init__(self) -> None:
        self.entries = 0
        self.trees: dict[Any, _Reading | Answer] = {}

    def find(self, question: Question, state: FrozenState) -> Answer | None:
        """The answer on this state's path through the question's tree, or None."""
        node, values = self.trees.get(question), state.values
        while isinstance(node, _Reading):
            value = values.get(node.fluent, node.fluent.default)
            kind = type(value)
            node = node.branches.get((kind, value) if kind in _AS_THEY_ARE else exact(value))
        return node

    def put(self, question: Question, answer: Answer) -> bool:
        """Add the path of an answer; return False if it is there already.

        A path that reads another fluent than an earlier path did after the same values shows that
        some function is impure; it is ignored, and the earlier path stays.
        """
        steps = list(answer.readings.items())
        branches, key, depth = self.trees, question, 0
        while (node := branches.get(key)) is not None:
            if not isinstance(node, _Reading) or depth == len(steps):
                return False
            fluent, value = steps[depth]
            if node.fluent is not fluent:
                return False
            branches, key, depth = node.branches, exact(value), depth + 1
        new: _Reading | Answer = answer
        for fluent, value in reversed(steps[depth:]):
            new = _Reading(fluent, {exact(value): new})
        branches[key] = new
        self.entries += 1
        return True


class _Memory:
    """The young and the old generation of one domain's answers."""

    __slots__ = ("old", "young")

    def __init__(self) -> None:
        self.young = _Generation()
        self.old = _Generation()

    @property
    def entries(self) -> int:
        return self.young.entries + self.old.entries

    def turn(self) -> None:
        """Drop the old generation; the young one takes its place."""
        self.old, self.young = self.young, _Generation()


def exact(value: Any) -> Any:
    """A key that separates the equal numbers 1, True and 1.0, and also 0.0 and -0.0.

    A NaN object equals only itself. Equal objects of other types share one key.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return (kind, value)
    if kind is float and value == 0:
        return (kind, str(value))
    if isinstance(value, tuple):
        return (kind, tuple(map(exact, value)))
    if isinstance(value, frozenset):
        return (kind, frozenset(map(exact, value)))
    return (kind, value)
