"""merge: one domain from several, with the methods of all for each extension point.

Tasks are not copied, so goals, operators and plans of one domain are valid in the merged one. Only
extension points of the same name become one task: that of the first domain which has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bthtn.checked import checked
from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method
from bthtn.domain.task import CompoundTask, Task, mixed_units
from bthtn.errors import Diagnostic, DomainError
from bthtn.world.names import name_faults
from bthtn.world.state import State


@checked
def merge(name: str, *domains: Domain[Any] | FrozenDomain) -> FrozenDomain:
    """A domain with the tasks of all, and every extension point with the methods of all.

    Its State class is the one that derives from all others. Raises DomainError for different
    tasks of one name, and if there is no such State class.
    """
    wholes = tuple(frozen(domain) for domain in domains)
    DomainError.raise_for(name_faults("a domain", name))
    merged = _MergedDomain(name)
    for whole in wholes:
        merged.add(whole)
    merged.found.extend(mixed_units(merged.tasks.values(), f"merged domain '{name}'"))
    DomainError.raise_for(merged.found)
    methods = merged.methods
    if merged.instead:
        methods = {
            task: tuple(method.with_tasks(merged.instead) for method in own)
            for task, own in methods.items()
        }
    prunes = any(whole.prunes_duplicates for whole in wholes)
    return FrozenDomain(name, _state_class(name, wholes), merged.tasks, methods, prunes)


class _MergedDomain:
    """The tasks and methods merged so far; ``instead`` maps replaced tasks to their replacement."""

    def __init__(self, name: str) -> None:
        self.tasks: dict[str, Task] = {}
        self.methods: dict[CompoundTask[...], tuple[Method, ...]] = {}
        self.instead: dict[Task, Task] = {}
        self.found: list[Diagnostic] = []
        self._where = f"merged domain '{name}'"
        self._owners: dict[Task, str] = {}

    def add(self, whole: FrozenDomain) -> None:
        for task in whole.tasks.values():
            before = self.tasks.get(task.name)
            is_known = before is task
            stands = self._placed(task, before, whole)
            self._owners.setdefault(stands, whole.name)
            self.tasks[stands.name] = stands
            if stands is not task:
                self.instead[task] = stands
            if isinstance(task, CompoundTask) and isinstance(stands, CompoundTask):
                own, others = whole.methods[task], self.methods.get(stands, ())
                self.methods[stands] = others if is_known and own == others else (*others, *own)

    def _placed(self, task: Task, before: Task | None, whole: FrozenDomain) -> Task:
        """The task that represents this one in the merged domain."""
        if before is None or before is task:
            return task
        if not (isinstance(task, CompoundTask) and isinstance(before, CompoundTask)):
            self._clash(task, before, whole)
        elif task.origin and before.origin:
            return replace(task, name=f"{task.name}@{whole.name}")
        elif not (task.is_open and before.is_open):
            self._clash(task, before, whole)
        elif [parameter.name for parameter in task.parameters] != [
            parameter.name for parameter in before.parameters
        ]:
            message = f"the extension points '{task.name}' have different parameters"
            hint = f"'{self._owners[before]}' and '{whole.name}' have to agree on them"
            self.found.append(Diagnostic("BT119", message, self._where, hint))
        return before

    def _clash(self, task: Task, before: Task, whole: FrozenDomain) -> None:
        first, name = self._owners[before], task.name
        message = f"'{first}' and '{whole.name}' both have a task '{name}'"
        hint = f'rename one: derive({whole.name}, …, rename={{"{name}": "{name}_{whole.name}"}})'
        self.found.append(Diagnostic("BT119", message, self._where, hint))


def _state_class(name: str, wholes: Sequence[FrozenDomain]) -> type[State]:
    classes = [whole.state_class for whole in wholes]
    for state_class in classes:
        if all(issubclass(state_class, other) for other in classes):
            return state_class
    names = (
        ", ".join(dict.fromkeys(state_class.__name__ for state_class in classes))
        or "no domain at all"
    )
    hint = "let one State class derive from the others, and plan with it in one of the domains"
    message = f"no State class has all fluents: {names}"
    raise DomainError("BT119", message, f"merged domain '{name}'", hint)
