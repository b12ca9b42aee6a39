"""Agent: beliefs, domains, operators, sensors and a body."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from bthtn.agent.aborts import Aborts
from bthtn.agent.events import AgentEvent, AgentListener, BeliefChanged
from bthtn.agent.leases import Leases
from bthtn.agent.operators import Operators
from bthtn.agent.runtime import Runtime
from bthtn.agent.sensors import Sensor, Sensors
from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NetworkLike, calls_in, network_from
from bthtn.errors import Diagnostic, DomainError, ExecutionError
from bthtn.planning.cache import PlanCache
from bthtn.world.beliefs import Beliefs
from bthtn.world.diff import Change
from bthtn.world.state import State

S = TypeVar("S", bound=State)
B = TypeVar("B")


class Agent(Generic[S, B]):
    """A character or robot that plans and acts: the owner of its beliefs.

    ``body`` is whatever the operators act with: a game character, a robot, a simulation.
    ``domain`` may be several domains over one State class, for parts of a body that are planned
    for separately. ``listener`` is called with every event. ``sensors`` refresh the beliefs when
    ``sense`` is called. ``cache`` shares plans among agents of one domain. ``leases`` is the
    table of the leases that agents compete for; agents without a common table do not compete.
    ``aborts`` are the aborts and cleanups that are not done yet.
    """

    def __init__(  # noqa: PLR0913 - everything after the beliefs is given by name
        self,
        name: str,
        domain: Domain[S] | FrozenDomain | Sequence[Domain[S] | FrozenDomain],
        beliefs: S,
        *,
        body: B,
        operators: Operators | None = None,
        listener: AgentListener | None = None,
        cache: PlanCache | None = None,
        leases: Leases | None = None,
        sensors: Sensors | None = None,
    ) -> None:
        """Raises DomainError for a bad domain, ExecutionError for operators of unknown tasks."""
        self.name = name
        self._state_class = type(beliefs)
        self.plan_with(domain)
        self.operators = operators if operators is not None else Operators()
        self.beliefs: Beliefs[S] = Beliefs(beliefs)
        # Not a method: sensors write at every tick, and this saves a call each time.
        self.believe = self.beliefs.write
        """Write a value into the beliefs: ``believe(fluent, value, source="…")``.

        Without a source it is "sensor"; in an operator, the step. What a step's operator believes
        of a fluent that the step writes is part of its effects."""
        self.body = body
        self.listener = listener
        self.cache = cache
        self.leases = leases if leases is not None else Leases()
        self.aborts = Aborts()
        self._runtime = Runtime(name, self.leases, self.emit, self.beliefs)
        self._sensing = (sensors if sensors is not None else Sensors()).for_agent(self)
        for task in self.operators.tasks():
            if all(one.tasks.get(task.name) is not task for one in self.domains):
                names = " or ".join(f"'{one.name}'" for one in self.domains)
                raise ExecutionError(
                    Diagnostic(
                        "BT303",
                        f"'{task.name}' has an operator but is no task of {names}",
                        where=f"agent '{name}'",
                    )
                )

    @property
    def listener(self) -> AgentListener | None:
        """Called with every event, or None."""
        return self._listener

    @listener.setter
    def listener(self, listener: AgentListener | None) -> None:
        self._listener = listener
        self.beliefs.on_change = None if listener is None else self._changed

    @property
    def domain(self) -> FrozenDomain:
        """The domain, the first one if there are several."""
        return self.domains[0]

    def plan_with(
        self, domain: Domain[S] | FrozenDomain | Sequence[Domain[S] | FrozenDomain]
    ) -> None:
        """Plan with this domain, or these, from the next search on.

        Running searches and plans go on as they are. Raises DomainError for a bad domain, or for
        one over another State class.
        """
        domains = _domains(self.name, domain)
        for one in domains:
            if not issubclass(self._state_class, one.state_class):
                raise DomainError(
                    Diagnostic(
                        "BT110",
                        f"the beliefs of '{self.name}' are a {self._state_class.__name__};"
                        f" '{one.name}' plans with {one.state_class.__name__}",
                    )
                )
        self.domains = domains

    def sense(self) -> None:
        """Read the sensors that are due. Call it once at the beginning of every tick."""
        self._sensing.refresh()

    def trigger(self, sensor: Sensor) -> None:
        """Read the sensor in the next tick, whatever its interval. May be called in any thread.

        Raises ExecutionError for a sensor that the agent does not have.
        """
        self._sensing.trigger(sensor)

    def take(self, key: Hashable) -> bool:
        """Take a lease. Returns False if others have all of its places.

        In an operator, the step holds it until its end; in an ``on_plan_start`` hook, the plan
        holds it until its end; anywhere else, the agent holds it until ``give_back``.
        """
        return self._runtime.take(key)

    def give_back(self, key: Hashable) -> bool:
        """Return a lease early. Returns False for one that the step, plan or agent did not take."""
        return self._runtime.give_back(key)

    def emit(self, event: AgentEvent) -> None:
        """Call the listener with an event. One that raises is removed, with a warning."""
        if self._listener is None:
            return
        try:
            self._listener(event)
        except Exception as error:  # noqa: BLE001 - a listener must not disturb the agent
            self.listener = None
            warnings.warn(
                f"the listener of agent '{self.name}' raised {error!r} and is not told more",
                RuntimeWarning,
                stacklevel=2,
            )

    def _changed(self, change: Change) -> None:
        self.emit(BeliefChanged(change))

    def __repr__(self) -> str:
        return f"<agent {self.name}: {self.beliefs.now!r}>"


def domain_for(domains: Sequence[FrozenDomain], goal: NetworkLike) -> FrozenDomain:
    """The domain to plan a goal with: the one of its first task, else the first domain."""
    first = next(calls_in(network_from(goal)), None)
    for domain in domains:
        if first is not None and domain.tasks.get(first.task.name) is first.task:
            return domain
    return domains[0]


def _domains(
    name: str, domain: Domain[Any] | FrozenDomain | Sequence[Domain[Any] | FrozenDomain]
) -> tuple[FrozenDomain, ...]:
    several = domain if isinstance(domain, Sequence) else (domain,)
    if not several:
        raise DomainError(Diagnostic("BT105", f"agent '{name}' has no domain to plan with"))
    return tuple(map(frozen, several))
