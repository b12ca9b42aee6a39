"""derive: a domain made from a template, its tasks renamed and some parameters given.

    melee           the template: melee(animation) is move_to_attack(), p_melee(animation)
    melee_slash     derive(melee, "slash", suffix="_slash", given={"animation": "slash"})

Every task is a new one, with the conditions, effects and methods of the old, and with its operator
unless another one is bound to it. Extension points keep their name unless ``rename`` mentions it,
since merging with other domains relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.parameter import Parameters, argument
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.names import name_faults
from bthtn.errors import Diagnostic, DomainError, nearest


@checked
def derive(
    template: Domain[Any] | FrozenDomain,
    name: str,
    *,
    rename: Mapping[str, str] = MappingProxyType({}),
    suffix: str = "",
    given: Mapping[str, Any] = MappingProxyType({}),
) -> FrozenDomain:
    """A domain with the template's tasks under other names, consistently in all methods.

    ``rename`` gives new names to some tasks, ``suffix`` is added to all others. ``given`` fixes
    every parameter of these names: calls of the new tasks no longer mention them. Raises
    DomainError for names that the template does not have, for values that its parameters cannot
    have, and where two tasks get one name.
    """
    whole = frozen(template)
    faults = [*name_faults("a domain", name), *_faults(whole, rename, suffix, given)]
    DomainError.raise_for(faults)
    names = _names(whole, rename, suffix)
    tasks: dict[Task, Task] = {}
    for task in whole.tasks.values():
        made = replace(task, name=names[task.name], parameters=_fixed(task.parameters, given))
        if isinstance(made, PrimitiveTask) and isinstance(task, PrimitiveTask):
            made = replace(made, template=task)
        tasks[task] = made
    methods: dict[CompoundTask[...], tuple[Method, ...]] = {}
    for task, written in whole.methods.items():
        made = tasks[task]
        assert isinstance(made, CompoundTask), "a copy of a task is of the same kind"
        methods[made] = tuple(method.with_tasks(tasks) for method in written)
    by_name = {task.name: task for task in tasks.values()}
    return FrozenDomain(name, whole.state_class, by_name, methods)


def _names(whole: FrozenDomain, rename: Mapping[str, str], suffix: str) -> Mapping[str, str]:
    """The new name of every task. Raises DomainError where two are the same."""
    names: dict[str, str] = {}
    for name, task in whole.tasks.items():
        if isinstance(task, CompoundTask) and task.origin:
            owner, dot, rest = name.partition(".")
            names[name] = f"{names.get(owner, owner)}{dot}{rest}"
        else:
            stays = isinstance(task, CompoundTask) and task.is_open
            names[name] = rename.get(name, name if stays else name + suffix)
    taken: dict[str, str] = {}
    for old, new in names.items():
        if new in taken:
            message = f"'{taken[new]}' and '{old}' would both be called '{new}'"
            raise DomainError("BT104", message, where=f"derived from '{whole.name}'")
        taken[new] = old
    return names


def _fixed(parameters: Parameters, given: Mapping[str, Any]) -> Parameters:
    return tuple(
        replace(parameter, default=given[parameter.name], is_fixed=True)
        if parameter.name in given
        else parameter
        for parameter in parameters
    )


def _faults(
    whole: FrozenDomain, rename: Mapping[str, str], suffix: str, given: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    where = f"derived from '{whole.name}'"
    if suffix:
        yield from name_faults("what ends on a suffix", suffix)
    for name, new in rename.items():
        yield from name_faults("a task", new, f"in place of {name!r}")
        if name not in whole.authored:
            hint = nearest(name, whole.authored)
            yield Diagnostic("BT101", f"no task is called '{name}'", where, hint)
    tasks = (whole.tasks[name] for name in whole.authored)
    parameters = [(task.name, parameter) for task in tasks for parameter in task.parameters]
    known = {parameter.name for _, parameter in parameters}
    for name, value in given.items():
        if name not in known:
            hint = nearest(name, known)
            yield Diagnostic("BT103", f"no task has a parameter '{name}'", where, hint)
        if isinstance(value, Expression):
            message = f"'{name}' is given {value!s}, which depends on the state"
            yield Diagnostic("BT103", message, where, "give a value, such as 2.5")
    for task, parameter in parameters:
        if parameter.name in given:
            try:
                argument(task, parameter, given[parameter.name])
            except DomainError as error:
                yield from error.within(where)
