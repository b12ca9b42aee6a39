"""Agent: beliefs, domains, operators, sensors and a body."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from bthtn.agent.aborts import Aborts
from bthtn.agent.events import (
    AgentEvent,
    AgentListener,
    BeliefChanged,
    LeaseReturned,
    LeaseTaken,
)
from bthtn.agent.leases import Account, Holder, Leases
from bthtn.agent.operators import Operators
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
    """Somebody who acts. Owns its beliefs; everything that happens to it is told to ``listener``.

    ``body`` is whatever the operators act with: a character of a game, a robot, a simulation.
    ``cache`` holds plans that agents of one domain make for each other; without one, each
    plans for itself. ``leases`` are what agents can take from each other; without them, its own.
    ``sensors`` refresh its beliefs, whenever it is told to sense. ``domain`` may be several, over
    one State class: parts of a body that are planned for apart.
    """

    def __init__(  # noqa: PLR0913 - what comes behind the beliefs is given by name
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
        """Make an agent.

        Raises DomainError for a domain that is not well made, ExecutionError for operators of
        tasks that no domain has.
        """
        self.name = name
        self._state_class = type(beliefs)
        self.plan_with(domain)
        self.operators = operators if operators is not None else Operators()
        self.beliefs: Beliefs[S] = Beliefs(beliefs)
        self.believe = self.beliefs.write
        """Believe a value from now on. One call less than a method: sensors write at every tick."""
        self.body = body
        self.listener = listener
        self.cache = cache
        self.leases = leases if leases is not None else Leases()
        self.aborts = Aborts()
        self._acting = [Account(Holder(name))]
        self._sensing = (sensors if sensors is not None else Sensors()).for_agent(self)
        self._leaves = 0
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
        """Who is told of everything that happens, if anybody is."""
        return self._listener

    @listener.setter
    def listener(self, listener: AgentListener | None) -> None:
        self._listener = listener
        self.beliefs.on_change = None if listener is None else self._changed

    @property
    def domain(self) -> FrozenDomain:
        """The domain, the first one where there are several."""
        return self.domains[0]

    def domain_of(self, goal: NetworkLike) -> FrozenDomain:
        """The domain to plan the goal with: the one that its first task belongs to."""
        first = next(calls_in(network_from(goal)), None)
        for domain in self.domains:
            if first is not None and domain.tasks.get(first.task.name) is first.task:
                return domain
        return self.domain

    def plan_with(
        self, domain: Domain[S] | FrozenDomain | Sequence[Domain[S] | FrozenDomain]
    ) -> None:
        """Plan with this domain, or these, from the next decision on.

        What is being searched for or run goes on as it was begun; a goal sees the new domain when
        it looks for a plan the next time. Raises DomainError for a domain that is not well made,
        or of other states.
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
        """A tick begins: refresh what the sensors own whose turn it is."""
        self._sensing.refresh()

    def trigger(self, sensor: Sensor) -> None:
        """Read the sensor in the next tick, whatever its interval; from any thread.

        Raises ExecutionError for a sensor that the agent does not have.
        """
        self._sensing.trigger(sensor)

    def take(self, key: Hashable) -> bool:
        """Whether what acts now has the key, from now on: a step, a plan, or the agent itself.

        A step gives back what its operator took when it is over, a plan what its
        ``on_plan_start`` hooks took; outside of both, the agent has it until it gives it back.
        """
        account = self._acting[-1]
        had = self.leases.has(key, account.holder)
        if not self.leases.take(key, account.holder):
            return False
        if had:
            account.shared.append(key)
        else:
            account.keys.append(key)
            self.emit(LeaseTaken(key, account.holder.name))
        return True

    def give_back(self, key: Hashable) -> bool:
        """Whether what acts now had taken the key itself; it has it no longer."""
        return self._give_back(key, self._acting[-1])

    @property
    def holder(self) -> Holder:
        """Whoever acts now."""
        return self._acting[-1].holder

    def acting(self, account: Account) -> AbstractContextManager[None]:
        """What is taken inside of the ``with`` is written down there."""
        return _Acting(self._acting, account)

    def settle(self, account: Account, heirs: Iterable[Account] = ()) -> None:
        """Give back everything that is written down there, but what an heir relies on.

        Heirs are accounts of the same holder.
        """
        heirs = tuple(heirs) if account.keys else ()
        for key in reversed(account.keys.copy()):
            heir = next((one for one in heirs if key in one.shared), None)
            if heir is None:
                self._give_back(key, account)
            else:
                account.keys.remove(key)
                heir.shared.remove(key)
                heir.keys.append(key)

    def emit(self, event: AgentEvent) -> None:
        """Tell the listener what happened. One that raises is warned of and not told again."""
        if self._listener is None:
            return
        try:
            self._listener(event)
        except Exception as error:  # noqa: BLE001 - who watches must not disturb who acts
            self.listener = None
            warnings.warn(
                f"the listener of agent '{self.name}' raised {error!r} and is not told more",
                RuntimeWarning,
                stacklevel=2,
            )

    def next_leaf(self) -> int:
        """A number for a step that is about to run; no two steps of an agent share one."""
        self._leaves += 1
        return self._leaves

    def _give_back(self, key: Hashable, account: Account) -> bool:
        if key not in account.keys:
            return False
        account.keys.remove(key)
        self.leases.give_back(key, account.holder)
        self.emit(LeaseReturned(key, account.holder.name))
        return True

    def _changed(self, change: Change) -> None:
        self.emit(BeliefChanged(change))

    def __repr__(self) -> str:
        return f"<agent {self.name}: {self.beliefs.now!r}>"


class _Acting:
    """One account on the stack of who acts. A generator would make every tick of a step dearer."""

    __slots__ = ("_account", "_stack")

    def __init__(self, stack: list[Account], account: Account) -> None:
        self._stack = stack
        self._account = account

    def __enter__(self) -> None:
        self._stack.append(self._account)

    def __exit__(self, *raised: object) -> None:
        self._stack.pop()


def _domains(
    name: str, domain: Domain[Any] | FrozenDomain | Sequence[Domain[Any] | FrozenDomain]
) -> tuple[FrozenDomain, ...]:
    """The domains, at least one. Raises DomainError."""
    several = domain if isinstance(domain, Sequence) else (domain,)
    if not several:
        raise DomainError(Diagnostic("BT105", f"agent '{name}' has no domain to plan with"))
    return tuple(map(frozen, several))
