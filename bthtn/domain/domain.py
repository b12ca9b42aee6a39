"""FrozenDomain: the whole of what can be done, shared by every agent and search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import NULL, Network
from bthtn.domain.reading import strangers_in
from bthtn.domain.task import CompoundTask, Task
from bthtn.errors import Diagnostic, DomainError, nearest
from bthtn.world.expression import Binding
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import RecordingView
from bthtn.world.schema import StateSchema
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class FrozenDomain:
    """Tasks by name in order of definition, and the methods of the compound ones.

    ``prunes_duplicates`` asks searches to remember from where there is no plan (semantics 2.6.8).
    """

    name: str
    state_class: type[State]
    tasks: Mapping[str, Task]
    methods: Mapping[CompoundTask[Any], tuple[Method, ...]]
    prunes_duplicates: bool = False
    _derived: dict[Any, Any] = field(default_factory=dict, init=False)

    @property
    def schema(self) -> StateSchema:
        """The fluents of the domain's states."""
        return self.state_class.__schema__

    def derived(self, work_out: Callable[[FrozenDomain], T]) -> T:
        """What a function works out from the domain alone, worked out at the first call.

        It lives as long as the domain does. Threads that ask at the same time may work it out
        twice, with the same result.
        """
        if work_out not in self._derived:
            self._derived[work_out] = work_out(self)
        result: T = self._derived[work_out]
        return result

    def task(self, name: str) -> Task:
        """The task of this name. Raises DomainError with the nearest right name."""
        if name not in self.tasks:
            raise DomainError(
                Diagnostic("BT101", f"no task is called '{name}'", hint=nearest(name, self.tasks))
            )
        return self.tasks[name]

    def network(self, method: Method, recorder: RecordingView, binding: Binding) -> Network | None:
        """What the method puts in its task's place here; None when it may not be used.

        Raises UnknownRead when that cannot be told, PlanningError, and DomainError when a
        plain method answers with something that is no network of this domain.
        """
        applies = method.condition.evaluate(recorder, binding)
        if applies is UNKNOWN:
            raise UnknownRead(recorder.unknown)
        if not applies:
            return None
        if not isinstance(method.body, PlainBody):
            return method.body
        network = method.body.network(recorder, binding)
        strangers = list(strangers_in(network or NULL, self.tasks, f"method {method.body}"))
        if strangers:
            raise DomainError(strangers)
        return network

    def __repr__(self) -> str:
        return f"<domain {self.name}: {len(self.tasks)} tasks>"
