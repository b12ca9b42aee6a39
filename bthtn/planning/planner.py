"""Planner: a question that is prepared once and asked from many states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Self, TypeVar

from bthtn.domain.builder import Domain
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, sequence
from bthtn.plan.nodes import SuspendedNode
from bthtn.plan.plan import Plan
from bthtn.planning.avoided import NOTHING_AVOIDED, Avoided
from bthtn.planning.cache import Answer, Answers, PlanCache, Question
from bthtn.planning.htn.compiled.lean.watch import Watch
from bthtn.planning.htn.compiled.search import CompiledQuestion, is_compiled
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import (
    DEFAULT_SETTINGS,
    PlanRequest,
    Search,
    Searched,
    SearchStatus,
    Settings,
    no_answer,
    question_of,
    seeded,
    start_of,
)
from bthtn.planning.remembered import Answered, Known, Remembered, Told
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
    _watch: Watch | None

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
        if self._answers is not None and not avoiding:
            return self._cached(self._start(state), self._answers, listener)
        if listener is not None:
            return _answer(self._searched(start_of(self.domain, state), listener, avoiding))
        search = self.search(state, listener, avoiding)
        search.advance()
        return _answer(search)

    def _cached(
        self, start: FrozenState, answers: Answers, listener: SearchListener | None
    ) -> Plan | None:
        """The plan that the cache has, and will have from now on."""
        answer = _known(start, answers, listener)
        if answer is not None:
            return self._plan_from(answer, start)
        search = self._remembered(start, answers, listener)
        search.advance()
        return _answer(search)

    def plan_once(
        self, state: S | FrozenState, listener: SearchListener | None = None
    ) -> Plan | None:
        """The same, for a question that nobody will ask again: no functions are generated."""
        return _answer(self._interpreted(start_of(self.domain, state), listener))

    def search(
        self,
        state: S | FrozenState,
        listener: SearchListener | None = None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Search:
        """A search from this state, to be advanced by the caller.

        It is over before it begins when the cache has the answer, and a listener has heard by
        then what the search told when it was made. Raises DomainError for a state of another
        domain.
        """
        start, answers = self._start(state), self._answers
        if answers is None or avoiding:
            return self._begun(start, listener, avoiding)
        answer = _known(start, answers, listener)
        if answer is None:
            return self._remembered(start, answers, listener)
        return Answered(self._plan_from(answer, start))

    def trace(self, state: S | FrozenState, avoiding: Avoided = NOTHING_AVOIDED) -> Trace:
        """How ``plan`` comes to its answer from this state, now or some time ago.

        The same search is made with somebody who listens. Raises DomainError for a state of
        another domain, and PlanningError when a user's function raises.
        """
        events: list[SearchEvent] = []
        found = self._searched(start_of(self.domain, state), events.append, avoiding)
        return Trace(*found, tuple(events))

    def recorded(
        self, state: S | FrozenState, *, avoiding: Avoided = NOTHING_AVOIDED
    ) -> tuple[Search, RecordingState]:
        """A search, and the state that knows what it has read so far. No cache is asked."""
        start = RecordingState(self._start(state))
        return self._begun(start, None, avoiding), start

    def _remembered(
        self, start: FrozenState, answers: Answers, listener: SearchListener | None
    ) -> Search:
        """A search whose answer the cache will have, with its events if somebody listens."""
        recorded = RecordingState(start)
        told = None if listener is None else Told(listener)
        return Remembered(self._begun(recorded, told), recorded, answers, told)

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

    def _searched(
        self, start: FrozenState, listener: SearchListener, avoiding: Avoided
    ) -> Searched:
        """A whole search with somebody who listens."""
        watch = self._watch
        if watch is None and self._is_compiled and not avoiding:
            watch = self._watch = self._compiled().watching(self._interpreted)
        if watch is None or avoiding:
            return self._interpreted(start, listener, avoiding)
        return watch.search(start, listener)

    def _interpreted(
        self,
        start: FrozenState,
        listener: SearchListener | None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Searched:
        """The same by the interpreter, or by the search for a goal alone."""
        recorded = RecordingState(start)
        search = self._begun(recorded, listener, avoiding)
        status = search.advance()
        return Searched(status, search.plan, search.expansions, recorded.readings.copy())

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
        self._question = self._ask = self._watch = None

    def _plan_from(self, answer: Answer, start: FrozenState) -> Plan | None:
        return None if answer.tree is None else Plan.found((Known(self, answer, start),))


def _known(start: FrozenState, answers: Answers, listener: SearchListener | None) -> Answer | None:
    """The answer that a cache has; a listener hears what the search told when it was made."""
    answer = answers.find(start, told=listener is not None)
    if answer is not None and listener is not None:
        for event in answer.events or ():
            listener(event)
    return answer


def _answer(found: Search | Searched) -> Plan | None:
    """The plan, if any. Raises PlanningError where the limit was reached before there was one."""
    if found.status is SearchStatus.LIMIT and found.plan is None:
        raise no_answer(found.expansions)
    return found.plan


def search_for(asked: PlanRequest, listener: SearchListener | None = None) -> Search:
    """The search that answers a request fastest, of those that tell a listener if there is one."""
    if asked.bound is not None or asked.avoiding:
        return HtnSearch(asked, listener)
    if is_goal_alone(asked.domain, asked.goal, asked.settings):
        return StripsSearch(asked, listener)
    if listener is None and is_compiled(asked.domain, asked.settings):
        return CompiledQuestion.of(asked).search(asked.state)
    return HtnSearch(asked, listener)
