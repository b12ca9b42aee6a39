"""find_plan and Planner: plans for a goal, from one state or from many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network, NetworkLike, network_from, sequence
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoided, check_avoided
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.memo import PlanMemo
from bthtn.engine.planning.htn.prepared import PreparedGoal
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import (
    DEFAULT_SETTINGS,
    PlanRequest,
    RecordedSearch,
    SearchStatus,
    Settings,
    is_goal_alone,
    question_of,
    seeded,
    start_of,
)
from bthtn.engine.planning.question import Question
from bthtn.engine.planning.recurring import unanswered
from bthtn.engine.planning.trace import SearchEvent, SearchListener
from bthtn.engine.world.expression import Binding, Constant
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import FrozenState, State
from bthtn.engine.world.unfrozen import quickly

S = TypeVar("S", bound=State)
K = TypeVar("K")
V = TypeVar("V")
LIMIT: Final = SearchStatus.LIMIT
_MOST_PLANNERS: Final = 200
"""Planners kept for one domain; when there are more, all are dropped."""
_plan_request: Final = quickly(PlanRequest)
"""Makes a request of a state that has the seed of its settings."""


class Trace(NamedTuple):
    """A finished search: its status, plan, expansions, reads and events.

    ``reads`` are the fluents of the start state that it read, in order, with their values: from
    every state that agrees in them, the search is the same. If the limit of expansions was
    reached, ``status`` is ``LIMIT``, and there may be no plan. Nothing is recorded while an agent
    plans: a search is determined by its request, so repeating it gives the same trace.
    """

    status: SearchStatus
    plan: Plan | None
    expansions: int
    reads: Mapping[Fluent[Any], Any]
    events: tuple[SearchEvent, ...]

    def __str__(self) -> str:
        """The explanation of all failures, as indented lines."""
        from bthtn.engine.planning.explain import (  # noqa: PLC0415 - few ask
            explained,
            explanation_text,
        )

        return explanation_text(explained(self.events))


class Planner(Unpicklable, Generic[S]):
    """Plans for one goal from any state of the domain.

    Everything that does not depend on the state is checked once, and plans are remembered: from
    states that differ in nothing that was read, plans may share their tree, which is frozen.
    """

    resumes = False
    """Whether its plans are those of a suspended part, and become parts of another plan."""

    @checked
    def __init__(
        self,
        domain: Domain[S] | FrozenDomain,
        goal: NetworkLike,
        settings: Settings = DEFAULT_SETTINGS,
    ) -> None:
        """Raises DomainError if the domain or the goal is malformed."""
        whole, network = question_of(domain, goal, settings)
        self._prepare(whole, network, (), settings)

    @staticmethod
    def resuming(
        domain: FrozenDomain, suspended: SuspendedNode, settings: Settings = DEFAULT_SETTINGS
    ) -> Planner[Any]:
        """The planner for the remaining networks of a suspended part of a plan.

        Equal parts of plans have the same planner.
        """
        return domain.derived(PlannersByGoal).resuming(suspended, settings)

    @classmethod
    def _resuming(cls, domain: FrozenDomain, suspended: SuspendedNode, settings: Settings) -> Self:
        planner = cls.__new__(cls)
        planner.resumes = True
        planner._prepare(domain, sequence(*suspended.rest), suspended.binding, settings)
        return planner

    def plan(
        self,
        state: S | FrozenState,
        listener: SearchListener | None = None,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> Plan | None:
        """The most preferred plan from this state, or None when there is none.

        ``listener`` is called with every event of the search. ``avoiding`` has tasks and methods
        that the plan may not have, as ``avoidable`` names them, with the reasons.

        Raises DomainError for a state of another domain and for other keys of ``avoiding``, and
        PlanningError when a user's function raises or the limit of expansions is reached.
        """
        if avoiding:
            check_avoided(avoiding)
        search = self.search(state, listener, avoiding)
        if search.advance() is LIMIT and search.plan is None:
            raise unanswered(
                search.expansions, self._request(start_of(self.domain, state), avoiding)
            )
        return search.plan

    def search(
        self,
        state: S | FrozenState,
        listener: SearchListener | None = None,
        avoiding: Avoided = NOTHING_AVOIDED,
        bound: MethodTraversalRecord | None = None,
    ) -> RecordedSearch:
        """A search from this state, to be advanced by the caller.

        With a ``bound`` only a plan whose record beats it is an answer. Raises DomainError for a
        state of another domain.
        """
        start = state if type(state) is FrozenState else start_of(self.domain, state)
        if listener is None and not avoiding and bound is None and not self.achieves_alone:
            return HtnSearch(self._goal, seeded(start, self.settings.seed), self._memo)
        return self._search(self._request(start, avoiding, bound), listener)

    def trace(self, state: S | FrozenState, avoiding: Avoided = NOTHING_AVOIDED) -> Trace:
        """The trace of the search that ``plan`` makes, or made earlier, from this state.

        Repeats the search with a listener. Raises DomainError for a state of another domain, and
        PlanningError when a user's function raises.
        """
        check_avoided(avoiding)
        events: list[SearchEvent] = []
        asked = self._request(start_of(self.domain, state), avoiding)
        search = self._search(asked, events.append)
        status = search.advance()
        return Trace(status, search.plan, search.expansions, search.reads, tuple(events))

    def _search(self, asked: PlanRequest, listener: SearchListener | None) -> RecordedSearch:
        if self.achieves_alone and asked.bound is None and not asked.avoiding:
            return _goal_directed(asked, listener)
        if listener is not None:
            return ListenedSearch(asked, listener, self._goal, self._memo)
        return HtnSearch(self._goal, asked.state, self._memo, asked)

    def _request(
        self,
        start: FrozenState,
        avoiding: Avoided = NOTHING_AVOIDED,
        bound: MethodTraversalRecord | None = None,
    ) -> PlanRequest:
        state = seeded(start, self.settings.seed)
        question = (self.domain, state, self.goal, self.binding, self.settings)
        return _plan_request(*question, bound, avoiding)

    def _prepare(
        self, domain: FrozenDomain, goal: Network, binding: Binding, settings: Settings
    ) -> None:
        self.domain = domain
        self.goal = goal
        self.binding = binding
        self.settings = settings
        self.minimizes = settings.cheapest or domain.has_values
        """Whether plans are compared by a sum of costs or values, not by their record."""
        self.achieves_alone = is_goal_alone(domain, goal, settings)
        """Whether the goal is a condition alone, so that no task has to be decomposed."""
        self._goal = PreparedGoal(domain, goal, binding, settings)
        # A search for the least sum ends long after it has found its plan. And several parts of one
        # plan may be alike, whose nodes it distinguishes by identity.
        self._memo = None if self.resumes else PlanMemo(domain, goal, only_trees=self.minimizes)


@checked
def find_plan(
    domain: Domain[S] | FrozenDomain,
    state: S | FrozenState,
    goal: NetworkLike,
    settings: Settings = DEFAULT_SETTINGS,
    listener: SearchListener | None = None,
) -> Plan | None:
    """The most preferred plan for the goal from this state, or None when there is none.

    With ``Settings(cheapest=True)`` it is the plan that costs least; if the limit of expansions
    is reached first, the cheapest plan found so far. ``listener`` is called with every event of
    the search.

    Raises DomainError when the domain or the goal is not well made, and PlanningError when a
    user's function raises or the limit of expansions is reached without a plan.
    """
    planner = frozen(domain).derived(PlannersByGoal).planner(goal, settings)
    return planner.plan(state, listener)


class PlannersByGoal:
    """The planners of one domain, so that each is prepared once.

    Those of calls with plain arguments, and those of suspended parts.
    """

    def __init__(self, domain: FrozenDomain) -> None:
        self._domain = domain
        self._made: dict[Question, Planner[Any]] = {}
        self._same: dict[tuple[int, ...], tuple[tuple[Any, ...], Settings, Planner[Any]]] = {}
        """By the ids of calls and settings, which it keeps: most goals repeat the very objects."""
        self._resuming: dict[tuple[Any, ...], tuple[tuple[Network, ...], Planner[Any]]] = {}

    def planner(self, goal: NetworkLike, settings: Settings) -> Planner[Any]:
        """The planner for a goal. Raises DomainError if it is malformed."""
        calls: tuple[Any, ...] = tuple(goal) if isinstance(goal, tuple | list) else (goal,)
        key = *map(id, calls), id(settings)
        same = self._same.get(key)
        if same is not None:
            return same[2]
        if not all(type(call) is TaskCall and _is_plain(call) for call in calls):
            return Planner(self._domain, goal, settings)
        network = network_from(goal)
        question = Question(network, (), settings)
        planner = self._made.get(question)
        if planner is None:
            planner = _kept(self._made, question, Planner(self._domain, network, settings))
        _kept(self._same, key, (calls, settings, planner))
        return planner

    def resuming(self, suspended: SuspendedNode, settings: Settings) -> Planner[Any]:
        """The planner for a suspended part; that of the very same networks and values, if known."""
        key = (*map(id, suspended.rest), settings, *map(id, suspended.binding))
        known = self._resuming.get(key)
        if known is not None:
            return known[1]
        planner: Planner[Any] = Planner._resuming(self._domain, suspended, settings)
        kept = suspended.rest, planner  # they hold what the key names by its id
        return _kept(self._resuming, key, kept)[1]


def _is_plain(call: TaskCall) -> bool:
    """Whether a call has only values for arguments."""
    return all(type(arg) is Constant for arg in call.args)


def _kept(made: dict[K, V], key: K, value: V) -> V:
    """The value, kept for a key; when there are too many, all others are dropped."""
    if len(made) >= _MOST_PLANNERS:
        made.clear()
    made[key] = value
    return value


def search_for(asked: PlanRequest, listener: SearchListener | None = None) -> RecordedSearch:
    is_plain = asked.bound is None and not asked.avoiding
    if is_plain and is_goal_alone(asked.domain, asked.goal, asked.settings):
        return _goal_directed(asked, listener)
    return HtnSearch.of(asked) if listener is None else ListenedSearch(asked, listener)


def _goal_directed(asked: PlanRequest, listener: SearchListener | None) -> RecordedSearch:
    # Whoever wrote `achieve` has imported it, so no tick has to.
    from bthtn.engine.planning.strips.strips_search import StripsSearch  # noqa: PLC0415 - few need it

    return StripsSearch(asked, listener)
