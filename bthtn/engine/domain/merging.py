"""merge: one domain from several, with the methods of all for each extension point.

Tasks are not copied, so goals, operators and plans of one domain are valid in the merged one. Only
extension points of the same name become one task: that of the first domain which has it; and
different tasks of one name get those of their domains in front, ``melee.swing`` and
``slash.swing``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, mixed_units
from bthtn.engine.world.names import name_faults
from bthtn.engine.world.state import State
from bthtn.errors import Diagnostic, DomainError


@checked
def merge(name: str, *domains: Domain[Any] | FrozenDomain) -> FrozenDomain:
    """A domain with the tasks of all, and every extension point with the methods of all.

    Different tasks of one name have the names of their domains in front of it, and are what their
    own domain calls by it. Its State class is the one that derives from all others. Raises
    DomainError for tasks that cannot be told apart by that, and if there is no such State class.
    """
    wholes = tuple(frozen(domain) for domain in domains)
    DomainError.raise_for(name_faults("a domain", name))
    merged = _MergedDomain(name, _new_names(wholes))
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
    former = {
        old: merged.instead.get(new, new) for whole in wholes for old, new in whole.former.items()
    }
    return FrozenDomain(
        name,
        _state_class(name, wholes),
        merged.tasks,
        methods,
        former={**former, **merged.instead},
    )


def _new_names(wholes: Sequence[FrozenDomain]) -> dict[Task, str]:
    """The names of tasks that share theirs with others, each with that of its domain in front."""
    owners: dict[str, dict[Task, str]] = {}
    for whole in wholes:
        for name in whole.authored:
            owners.setdefault(name, {}).setdefault(whole.tasks[name], whole.name)
    found: dict[Task, str] = {}
    for name, owner_of in owners.items():
        is_open = any(isinstance(task, CompoundTask) and task.is_open for task in owner_of)
        new = {task: f"{owner}.{name}" for task, owner in owner_of.items()}
        is_clear = len(set(new.values())) == len(new) and not owners.keys() & set(new.values())
        if len(new) > 1 and is_clear and not is_open:
            found |= new
    return found


class _MergedDomain:
    """The tasks and methods merged so far; ``instead`` maps replaced tasks to their replacement."""

    def __init__(self, name: str, names: Mapping[Task, str]) -> None:
        self._names = names
        self.tasks: dict[str, Task] = {}
        self.methods: dict[CompoundTask[...], tuple[Method, ...]] = {}
        self.instead: dict[Task, Task] = {}
        self.found: list[Diagnostic] = []
        self._where = f"merged domain '{name}'"
        self._owners: dict[Task, str] = {}

    def add(self, whole: FrozenDomain) -> None:
        for task in whole.tasks.values():
            if (new := self._new_name(task, whole)) != task.name:
                self._rename(task, new, whole)
                continue
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

    def _new_name(self, task: Task, whole: FrozenDomain) -> str:
        """The name of a task in the merged domain; anonymous tasks follow their owners."""
        if task in self._names or not (isinstance(task, CompoundTask) and task.origin):
            return self._names.get(task, task.name)
        owner, dot, rest = task.name.partition(".")
        renamed = self._names.get(whole.tasks[owner], owner) if owner in whole.tasks else owner
        return f"{renamed}{dot}{rest}"

    def _rename(self, task: Task, new: str, whole: FrozenDomain) -> None:
        if task in self.instead:  # two of the domains have it
            return
        made = replace(task, name=new)
        if isinstance(made, PrimitiveTask) and isinstance(task, PrimitiveTask):
            made = replace(made, template=task)  # for its operator
        self.instead[task] = self.tasks[new] = made
        if isinstance(task, CompoundTask) and isinstance(made, CompoundTask):
            self.methods[made] = whole.methods[task]

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
