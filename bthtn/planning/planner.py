"""Planner: a question that is prepared once and asked from many states."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

from bthtn.domain.builder import Domain
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, sequence
from bthtn.plan.nodes import SuspendedNode
from bthtn.plan.plan import Plan
from bthtn.planning.avoided import NOTHING_AVOIDED, Avoided
from bthtn.planning.cache import Answer, Answers, PlanCache, Question
from bthtn.planning.htn.compiled.search import CompiledQuestion, is_compiled
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import (
    DEFAULT_SETTINGS,
    PlanRequest,
    Search,
    SearchStatus,
    Settings,
    no_answer,
    question_of,
    seeded,
    start_of,
)
from bthtn.planning.strips.search import StripsSearch, is_goal_alone
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.planning.traced import Trace
from bthtn.world.expression import Binding
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState, State

S = TypeVar("S", bound=State)


class Planner(Generic[S]):
    """How can the goal be done, from this state, or this, or this?

    What does not depend on the state is checked once. With a ``cache`` the answers of earlier
    searches are used, also those for other planners with an equal question; not with
    ``check_rest``, since checked parts keep whole states, and those differ. While something
    is avoided (semantics 2.14) every search is made anew: it is one agent's experience.
    """

    _ask: Callable[[FrozenState], Plan | None] | None
    _question: CompiledQuestion | None

    def __init__(
        self,
        domain: Domain[S] | FrozenDomain,
        goal: NetworkLike,
        settings: Settings = DEFAULT_SETTINGS,
        *,
        cache: PlanCache | None = None,
    ) -> None:
        """Raises DomainError when the domain or the goal is not well made."""
        whole, network = question_of(domain, goal, settings)
        self._prepare(whole, network, (), settings, cache)

    @classmethod
    def resuming(
        cls,
        domain: FrozenDomain,
        suspended: SuspendedNode,
        settings: Settings = DEFAULT_SETTINGS,
        *,
        cache: PlanCache | None = None,
    ) -> Self:
        """The planner for what is left to do at a suspended part of a plan."""
        planner = cls.__new__(cls)
        goal = sequence(*suspended.rest)
        planner._prepare(domain, goal, suspended.binding, settings, cache)
        return planner

    @property
    def seeks_least(self) -> bool:
        """Whether plans are preferred by a sum, of costs or of values, and not by their record."""
        return self.settings.cheapest or self.domain.has_values

    def plan(
        self,
        state: S | FrozenState,
        listener: SearchListener | None = None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Plan | None:
        """The most preferred plan from this state, or None when there is none.

        Raises DomainError for a state of another domain, and PlanningError when a user's
        function raises or the limit of expansions is reached.
        """
        ask = self._ask
        if ask is not None and listener is None and not avoiding and type(state) is self._window:
            return ask(state.frozen())
        if self._answers is None and self._is_compiled and listener is None and not avoiding:
            ask = self._ask = self._compiled().asking()
            return ask(start_of(self.domain, state))
        start = self._start(state)
        if avoiding:
            search = self._begun(start, listener, avoiding)
        elif listener is None and self._answers is not None:
            answer = self._answers.find(start)
            if answer is not None:
                return self._plan_from(answer, start)
            search = self._remembered(start, self._answers)
        else:
            search = self._begun(start, listener)
        if search.advance() is SearchStatus.LIMIT and search.plan is None:
            raise no_answer(search.expansions)
        return search.plan

    def search(
        self,
        state: S | FrozenState,
        listener: SearchListener | None = None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Search:
        """A search from this state, to be advanced by the caller.

        It is over before it begins when the cache has the answer. A listener wants to hear of
        a search: for one the cache is not asked. Raises DomainError for a state of another
        domain.
        """
        start = self._start(state)
        if self._answers is None or listener is not None or avoiding:
            return self._begun(start, listener, avoiding)
        answer = self._answers.find(start)
        if answer is not None:
            return _Answered(self._plan_from(answer, start))
        return self._remembered(start, self._answers)

    def trace(self, state: S | FrozenState, avoiding: Avoided = NOTHING_AVOIDED) -> Trace:
        """How ``plan`` comes to its answer from this state, now or some time ago.

        The same search is made with somebody who listens, which takes a hundred times as long.
        Raises DomainError for a state of another domain, and PlanningError when a user's
        function raises.
        """
        start, events = RecordingState(self._start(state)), list[SearchEvent]()
        search = self._begun(start, events.append, avoiding)
        status = search.advance()
        reads = MappingProxyType(start.readings.copy())
        return Trace(status, search.plan, search.expansions, tuple(events), reads)

    def recorded(
        self, state: S | FrozenState, *, avoiding: Avoided = NOTHING_AVOIDED
    ) -> tuple[Search, RecordingState]:
        """A search, and the state that knows what it has read so far. No cache is asked."""
        start = RecordingState(self._start(state))
        return self._begun(start, None, avoiding), start

    def _remembered(self, start: FrozenState, answers: Answers) -> Search:
        """A search whose answer the cache will have."""
        recorded = RecordingState(start)
        return _Remembered(self._begun(recorded, None), recorded, answers)

    def _begun(
        self,
        start: FrozenState,
        listener: SearchListener | None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Search:
        """The one place where a search is made.

        A listener, a cache that wants to know what was read, what is avoided, and settings that
        few ask for are served by the interpreter: it takes from ``start`` with ``get`` what its
        answer depends on, and gives what it wrote to ``start.changed``. All others get the
        compiled search.
        """
        recorded = isinstance(start, RecordingState)
        if listener is None and not recorded and not avoiding and self._is_compiled:
            return self._compiled().search(start)
        asked = PlanRequest(
            self.domain, start, self.goal, self.binding, self.settings, avoiding=avoiding
        )
        if self.seeks_goal and not avoiding:
            return StripsSearch(asked, listener)
        return HtnSearch(asked, listener)

    def _compiled(self) -> CompiledQuestion:
        """The question for the compiled search, prepared when it is first needed."""
        # No cached property: who touches ``__dict__`` has slower attributes ever after.
        if self._question is None:
            asked = self.domain, self.goal, self.binding, self.settings
            self._question = CompiledQuestion(*asked)
        return self._question

    def _start(self, state: S | FrozenState) -> FrozenState:
        """The snapshot to plan from, with the seed in it that draws depend on."""
        return seeded(start_of(self.domain, state), self.settings.seed)

    def _prepare(
        self,
        domain: FrozenDomain,
        goal: Network,
        binding: Binding,
        settings: Settings,
        cache: PlanCache | None,
    ) -> None:
        self.domain = domain
        self.goal = goal
        self.binding = binding
        self.settings = settings
        self.seeks_goal = is_goal_alone(domain, goal, settings)
        """Whether a condition is all that is wanted: then no task has to be decomposed."""
        self._is_compiled = is_compiled(domain, settings) and not self.seeks_goal
        self._answers: Answers | None = None
        if cache is not None and not settings.check_rest:
            self._answers = cache.answers(domain, Question(goal, binding, settings))
        self._window = domain.state_class
        self._question = self._ask = None

    def _plan_from(self, answer: Answer, start: FrozenState) -> Plan | None:
        return None if answer.tree is None else Plan.found((_Known(self, answer, start),))


class _Known:
    """A plan that was found from another state, as it is from this one."""

    __slots__ = ("_answer", "_planner", "_start")

    def __init__(self, planner: Planner[Any], answer: Answer, start: FrozenState) -> None:
        self._planner = planner
        self._answer = answer
        self._start = start

    def __call__(self, part: str) -> Any:
        """One part of the plan."""
        if part == "predicted":
            return self._start.changed(self._answer.written)
        if part in ("tree", "record", "expansions"):
            return getattr(self._answer, part)
        return getattr(self._planner, part)


class _Answered:
    """A search that has nothing to do: its answer is known."""

    def __init__(self, plan: Plan | None) -> None:
        self.plan = plan
        self.status = SearchStatus.EXHAUSTED if plan is None else SearchStatus.SOLVED
        self.expansions = 0

    def advance(self, expansions: int | None = None) -> SearchStatus:  # noqa: ARG002 - protocol
        return self.status


class _Remembered:
    """A search whose answer is kept for those who ask the same."""

    def __init__(self, search: Search, start: RecordingState, answers: Answers) -> None:
        self._search = search
        self._start = start
        self._answers = answers

    @property
    def status(self) -> SearchStatus:
        return self._search.status

    @property
    def plan(self) -> Plan | None:
        return self._search.plan

    @property
    def expansions(self) -> int:
        return self._search.expansions

    def advance(self, expansions: int | None = None) -> SearchStatus:
        if self._search.status is not SearchStatus.RUNNING:
            return self._search.status
        status = self._search.advance(expansions)
        if status in (SearchStatus.SOLVED, SearchStatus.EXHAUSTED):
            self._answers.keep(self._start.readings, self._answer())
        return status

    def _answer(self) -> Answer:
        """What was found. A plan that makes its parts later makes them now, and is recorded."""
        plan = self._search.plan
        if plan is None:
            return Answer(None)
        tree = plan.tree
        assert plan.predicted is not None, "predicting tells the recorder what was written"
        return Answer(tree, plan.record, self._start.changes, plan.expansions)


def search_for(asked: PlanRequest, listener: SearchListener | None = None) -> Search:
    """The search that answers a request fastest, of those that tell a listener if there is one."""
    if asked.bound is not None or asked.avoiding:
        return HtnSearch(asked, listener)
    if is_goal_alone(asked.domain, asked.goal, asked.settings):
        return StripsSearch(asked, listener)
    if listener is None and is_compiled(asked.domain, asked.settings):
        return CompiledQuestion.of(asked).search(asked.state)
    return HtnSearch(asked, listener)
