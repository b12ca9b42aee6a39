"""FrozenDomain: the whole of what can be done, shared by every agent and search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FrozenDomain:
    """Tasks by name in order of definition, and the methods of the compound ones.

    ``derived`` has room for what is worked out from the domain once and kept as long as it:
    one entry for each type of such a thing.
    """

    name: str
    state_class: type[State]
    tasks: Mapping[str, Task]
    methods: Mapping[CompoundTask[Any], tuple[Method, ...]]
    derived: dict[type, Any] = field(default_factory=dict, repr=False)

    @property
    def schema(self) -> StateSchema:
        """The fluents of the domain's states."""
        return self.state_class.__schema__

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
