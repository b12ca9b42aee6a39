"""PlanRequest, Settings and Search: the interface that all planners share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NoReturn, Protocol, TypeVar

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import Pursuit, pursued
from bthtn.engine.domain.network import Network, NetworkLike, network_from
from bthtn.engine.domain.task import CompoundTask, TaskCall
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoided
from bthtn.engine.planning.least_cost import sums_below_zero
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import FrozenState, State
from bthtn.errors import BthtnError, DomainError, PlanningError, exception_text
from bthtn.records import record
from bthtn.short_repr import ShortRepr

S = TypeVar("S", bound=State)


class SearchStatus(Enum):
    """Whether a search is running, and how it ended if not."""

    RUNNING = "running"
    """There are alternatives left to try."""
    SOLVED = "solved"
    """``plan`` is the answer; with ``cheapest``, no plan costs less."""
    EXHAUSTED = "exhausted"
    """No plan exists; everything was tried."""
    LIMIT = "limit"
    """The limit of expansions was reached, so there may be a plan, or a better one than ``plan``:
    with ``cheapest`` that is the cheapest so far, with ``anytime`` the beginning of one."""
    ERROR = "error"
    """A user's function raised; the exception was passed on to the caller."""
    CANCELLED = "cancelled"
    """The caller cancelled the search."""


# For code that runs in every search: to look up a member of an Enum takes longer than a call.
SEARCHING: Final = SearchStatus.RUNNING
SOLVED: Final = SearchStatus.SOLVED


@checked
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings(ShortRepr):
    """Settings of a search.

    ``horizon`` and ``horizon_time`` suspend planning after so many primitive tasks, or so much
    planned duration, on every path (semantics 2.5). ``check_rest`` requires that every part that
    they or the domain suspend can be planned to the end (2.5.6). ``strict_recursion`` lets
    a task fail that is entered again inside itself in an unchanged state. ``max_depth`` limits
    the nesting of tasks, ``max_expansions`` the expansions of a search. ``cheapest`` asks for the
    plan that costs least, instead of the most preferred one (2.6.4). With ``anytime`` a search at
    its limit returns its plan so far, with the rest suspended (2.6.6). ``seed`` decides all draws
    of ``random_of``.
    """

    horizon: int | None = None
    horizon_time: float | None = None
    check_rest: bool = False
    strict_recursion: bool = True
    max_depth: int = 100_000
    max_expansions: int = 1_000_000
    cheapest: bool = False
    anytime: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises DomainError for a limit that is not above zero."""
        for name in ("horizon", "horizon_time", "max_depth", "max_expansions"):
            value = getattr(self, name)
            if value is not None and not value > 0:  # nor is NaN
                raise DomainError("BT202", f"{name} is {value}", hint="it has to be above zero")

    def is_horizon(self, steps: int, elapsed: float) -> bool:
        """Whether planning is suspended after so many steps and so much time."""
        return (self.horizon is not None and steps >= self.horizon) or (
            self.horizon_time is not None and elapsed >= self.horizon_time
        )


DEFAULT_SETTINGS = Settings()


@record
class PlanRequest(Shared, Unpicklable):
    """A request for a plan for a goal from a state.

    The state includes the seed, so draws depend on the state alone. With a ``bound``, only plans
    whose record beats it are an answer (semantics 2.8.4). The tasks and methods in ``avoiding``
    are excluded from every plan (2.14).
    """

    domain: FrozenDomain
    state: FrozenState
    goal: Network
    binding: Binding = ()
    settings: Settings = DEFAULT_SETTINGS
    bound: MethodTraversalRecord | None = None
    avoiding: Avoided = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Put the seed of the settings into the state."""
        object.__setattr__(self, "state", seeded(self.state, self.settings.seed))


def seeded(state: FrozenState, seed: int) -> FrozenState:
    """The state with its seed, on which draws depend, set to this one."""
    return state if state.values.get(SEED, 0) == seed else state.changed({SEED: seed})


@checked
def request(
    domain: Domain[S] | FrozenDomain,
    state: S | FrozenState,
    goal: NetworkLike,
    settings: Settings = DEFAULT_SETTINGS,
    *,
    bound: MethodTraversalRecord | None = None,
    avoiding: Avoided = NOTHING_AVOIDED,
) -> PlanRequest:
    """A checked request for a plan.

    Its domain is the given one, extended by the tasks that constructs in the goal become. Raises
    DomainError if the domain or the goal is malformed, or if the cheapest plan is requested and a
    cost is below zero.
    """
    whole, network = question_of(domain, goal, settings)
    start = start_of(whole, state)
    return PlanRequest(whole, start, network, settings=settings, bound=bound, avoiding=avoiding)


def question_of(
    domain: Domain[Any] | FrozenDomain, goal: NetworkLike, settings: Settings
) -> tuple[FrozenDomain, Network]:
    """The domain and the goal to plan with. Raises DomainError like ``request``."""
    whole, network = frozen(domain).with_goal(network_from(goal))
    negative = list(sums_below_zero(whole, cheapest=settings.cheapest))
    if negative:
        raise DomainError.of(negative)
    return whole, network


def start_of(domain: FrozenDomain, state: State | FrozenState) -> FrozenState:
    """The snapshot to plan from. Raises DomainError for a state of another class."""
    if isinstance(state, FrozenState):
        return state
    if type(state) is not domain.state_class and not isinstance(state, domain.state_class):
        wanted = domain.state_class.__name__
        given: object = state
        called = f"{given.__name__}()" if isinstance(given, type) else f"{wanted}(...)"
        message = (
            f"the state is a {type(state).__name__}; domain '{domain.name}' plans with {wanted}"
        )
        raise DomainError("BT110", message, hint=f"give it {called}")
    return state.frozen()


def no_answer(expansions: int) -> PlanningError:
    """The error for a search that reached its limit of expansions without a plan."""
    hint = "is there a recursion that never ends? raise max_expansions if not"
    return PlanningError("BT203", f"no answer after {expansions} expansions", hint=hint)


def raise_for_user(error: Exception) -> NoReturn:
    """Raise ``error`` as the caller of a search sees it: a user's as PlanningError."""
    if isinstance(error, BthtnError | AssertionError):
        raise error
    hint = "a condition, effect, cost or argument cannot be computed, or a listener raises"
    raise PlanningError("BT201", exception_text(error), hint=hint) from error


class Search(Protocol):
    """**Protocol:** a search that runs in slices of as many expansions as its caller likes."""

    @property
    def status(self) -> SearchStatus:
        """Whether the search is running, and how it ended if not."""
        ...

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved; with ``cheapest``, the cheapest plan so far."""
        ...

    @property
    def expansions(self) -> int:
        """Tasks examined and methods entered so far: the unit of work."""
        ...

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most so many more expansions, by default to the end.

        Raises PlanningError when a user's function raises.
        """
        ...


class RecordedSearch(Search, Protocol):
    """**Protocol:** a search that records which fluents its answer depends on."""

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """Fluents of the start state read so far, with their values, in order of reading.

        The answer depends on no other fluents.
        """
        ...


def is_goal_alone(domain: FrozenDomain, goal: Network, settings: Settings) -> bool:
    """Whether the whole request is one ``achieve``, which needs no decomposition.

    Requests with a horizon or ``check_rest`` always go to the HTN search, which suspends parts.
    """
    cuts = settings.horizon or settings.horizon_time or settings.check_rest
    return not cuts and pursuit_alone(domain, goal) is not None


def pursuit_alone(domain: FrozenDomain, goal: Network) -> Pursuit | None:
    """What a request achieves that is one ``achieve``, None for any other request."""
    if not isinstance(goal, TaskCall) or not isinstance(goal.task, CompoundTask):
        return None
    methods = domain.methods.get(goal.task, ())
    return pursued(methods[0].body) if methods else None
