"""What every planner is asked, and what every search answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NoReturn, Protocol, TypeVar

from bthtn.domain.builder import Domain, frozen
from bthtn.domain.chance import SEED
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, network_from
from bthtn.errors import BthtnError, Diagnostic, DomainError, PlanningError
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.avoided import NOTHING_AVOIDED, Avoided
from bthtn.planning.least_cost import sums_below_zero
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState, State

S = TypeVar("S", bound=State)


class SearchStatus(Enum):
    """Where a search stands."""

    RUNNING = "running"
    """There is more to try."""
    SOLVED = "solved"
    """``plan`` is there; where the cheapest was asked for, there is no cheaper one."""
    EXHAUSTED = "exhausted"
    """No plan exists; everything was tried."""
    LIMIT = "limit"
    """The limit of expansions was reached; nobody knows whether there is a plan, or a better one
    than ``plan``: with ``cheapest`` that is the cheapest so far, with ``anytime`` the beginning
    of one."""
    ERROR = "error"
    """A user's function raised; the exception was passed on to the caller."""
    CANCELLED = "cancelled"
    """Its caller gave it up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to plan.

    ``horizon`` and ``horizon_time`` suspend planning behind so many primitive tasks, or so
    much planned duration, on every path (semantics 2.5). With ``check_rest`` nothing is
    suspended, by these or in the domain, that could not be planned to the end (2.5.6).
    ``strict_recursion`` lets a task fail that is entered again inside itself in an unchanged
    state. ``max_depth`` bounds how deep tasks may be nested, ``max_expansions`` how much may
    be tried at all. ``cheapest`` asks for the plan that costs least, instead of the most
    preferred one (2.6.4). With ``anytime`` a search at its limit answers with what it has
    planned so far, the rest left open (2.6.6). ``seed`` decides all draws of ``random_of``.
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
        """Reject limits that would allow nothing."""
        for name in ("horizon", "horizon_time", "max_depth", "max_expansions"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise DomainError(
                    Diagnostic("BT202", f"{name} is {value}", hint="it has to be above zero")
                )


DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """A question to a planner: from this state, how can the goal be done?

    The state holds the seed too, so that whoever has the state has all that draws depend on.
    With a ``bound``, only plans whose record beats it are an answer (semantics 2.8.4). What is
    ``avoiding`` is not used in any plan (2.14).
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
    """The state with the seed in it that draws depend on."""
    return state if state.values.get(SEED, 0) == seed else state.changed({SEED: seed})


def request(
    domain: Domain[S] | FrozenDomain,
    state: S | FrozenState,
    goal: NetworkLike,
    settings: Settings = DEFAULT_SETTINGS,
    *,
    bound: MethodTraversalRecord | None = None,
    avoiding: Avoided = NOTHING_AVOIDED,
) -> PlanRequest:
    """A request, checked.

    Its domain has the tasks that constructs in the goal become, beside those it was given.
    Raises DomainError for a domain or goal that is not well made, and where the cheapest plan
    is asked for with costs below zero.
    """
    whole, network = question_of(domain, goal, settings)
    start = start_of(whole, state)
    return PlanRequest(whole, start, network, settings=settings, bound=bound, avoiding=avoiding)


def question_of(
    domain: Domain[Any] | FrozenDomain, goal: NetworkLike, settings: Settings
) -> tuple[FrozenDomain, Network]:
    """The domain and the goal to plan with. Raises DomainError as ``request``."""
    whole, network = frozen(domain).with_goal(network_from(goal))
    negative = list(sums_below_zero(whole, cheapest=settings.cheapest))
    if negative:
        raise DomainError(negative)
    return whole, network


def start_of(domain: FrozenDomain, state: State | FrozenState) -> FrozenState:
    """The snapshot to plan from. Raises DomainError for a state of another class."""
    if isinstance(state, FrozenState):
        return state
    if type(state) is not domain.state_class and not isinstance(state, domain.state_class):
        raise DomainError(
            Diagnostic(
                "BT110",
                f"the state is a {type(state).__name__};"
                f" domain '{domain.name}' plans with {domain.state_class.__name__}",
            )
        )
    return state.frozen()


def no_answer(expansions: int) -> PlanningError:
    """What is raised when the limit of expansions was reached."""
    return PlanningError(
        Diagnostic(
            "BT203",
            f"no answer after {expansions} expansions",
            hint="is there a recursion that never ends? raise max_expansions if not",
        )
    )


def raise_for_user(error: Exception) -> NoReturn:
    """Raise what a caller of a search sees when something raised inside it."""
    if isinstance(error, BthtnError | AssertionError):
        raise error
    raise PlanningError(
        Diagnostic(
            "BT201",
            f"{type(error).__name__}: {error}",
            hint="a condition, effect, cost or argument cannot be computed, or a listener raises",
        )
    ) from error


class Search(Protocol):
    """**Protocol:** a run of a planner that can be advanced a little at a time."""

    @property
    def status(self) -> SearchStatus:
        """Where the search stands."""
        ...

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved; where the cheapest is asked for, the cheapest so far."""
        ...

    @property
    def expansions(self) -> int:
        """Tasks examined and methods entered so far: the unit of work."""
        ...

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions. Raises PlanningError from a user's function."""
        ...


class RecordedSearch(Search, Protocol):
    """**Protocol:** a search that knows what its answer depends on."""

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """What was read of the start state so far, with its values, in order.

        The answer depends on nothing else of it.
        """
        ...

    @property
    def written(self) -> Mapping[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its predicted value."""
        ...
