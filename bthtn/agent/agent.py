"""Agent: beliefs, a domain, operators and a body."""

from __future__ import annotations

import warnings
from typing import Generic, TypeVar

from bthtn.agent.event import AgentEvent, AgentListener, BeliefChanged
from bthtn.agent.operators import Operators
from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.errors import Diagnostic, DomainError, ExecutionError
from bthtn.planning.cache import PlanCache
from bthtn.world.beliefs import Beliefs
from bthtn.world.diff import Change
from bthtn.world.expression import Expression
from bthtn.world.state import State
from bthtn.world.truth import Unknown

S = TypeVar("S", bound=State)
B = TypeVar("B")
V = TypeVar("V")


class Agent(Generic[S, B]):
    """Somebody who acts. Owns its beliefs; everything that happens to it is told to ``listener``.

    ``body`` is whatever the operators act with: a character of a game, a robot, a simulation.
    ``cache`` holds plans that agents of one domain make for each other; without one, each
    plans for itself.
    """

    def __init__(  # noqa: PLR0913 - what comes behind the beliefs is given by name
        self,
        name: str,
        domain: Domain[S] | FrozenDomain,
        beliefs: S,
        *,
        body: B,
        operators: Operators | None = None,
        listener: AgentListener | None = None,
        cache: PlanCache | None = None,
    ) -> None:
        """Make an agent.

        Raises DomainError for a domain that is not well made, ExecutionError for operators of
        tasks that the domain does not have.
        """
        self.name = name
        self.domain = frozen(domain)
        if not isinstance(beliefs, self.domain.state_class):
            raise DomainError(
                Diagnostic(
                    "BT110",
                    f"the beliefs of '{name}' are a {type(beliefs).__name__};"
                    f" '{self.domain.name}' plans with {self.domain.state_class.__name__}",
                )
            )
        self.operators = operators if operators is not None else Operators()
        self.beliefs: Beliefs[S] = Beliefs(beliefs, self._changed)
        self.body = body
        self.listener = listener
        self.cache = cache
        self._leaves = 0
        for task in self.operators.tasks():
            if self.domain.tasks.get(task.name) is not task:
                raise ExecutionError(
                    Diagnostic(
                        "BT303",
                        f"'{task.name}' has an operator but is no task of '{self.domain.name}'",
                        where=f"agent '{name}'",
                    )
                )

    def believe(
        self, fluent: Expression[V], value: V | Unknown, source: str = "sensor"
    ) -> Change | None:
        """Believe a value from now on; the change, or None when it was believed already."""
        return self.beliefs.write(fluent, value, source)

    def emit(self, event: AgentEvent) -> None:
        """Tell the listener what happened. One that raises is warned of and not told again."""
        if self.listener is None:
            return
        try:
            self.listener(event)
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

    def _changed(self, change: Change) -> None:
        self.emit(BeliefChanged(change))

    def __repr__(self) -> str:
        return f"<agent {self.name}: {self.beliefs.now!r}>"
