"""Exclusions: tasks and methods that a request forbids the search to use (semantics 2.14).

Their conditions would allow them, but they failed in execution for a reason that no condition
expresses. Exclusions belong to a request, not to the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, call_text
from bthtn.engine.world.expression import Binding
from bthtn.errors import DomainError

Avoidable = tuple[PrimitiveTask[...] | Method, Binding]
"""A primitive task called with these values, or a method with these values of its parameters."""

Avoided = Mapping[Avoidable, str]
"""The excluded tasks and methods, each with a reason: the text that follows "avoided: "."""

NOTHING_AVOIDED: Final[Avoided] = MappingProxyType({})


def avoidable(
    domain: FrozenDomain, task: Task, args: Binding = (), method: int | None = None
) -> Avoidable:
    """The key that excludes a primitive task, or one method of a compound task.

    ``method`` is the method's index among those of the task, in the order in which they are
    written. Raises DomainError if there is no such method, or if a primitive task is given one.
    """
    if isinstance(task, PrimitiveTask) and method is None:
        return (task, args)
    methods = domain.methods.get(task, ()) if isinstance(task, CompoundTask) else ()
    if method is None or not 0 <= method < len(methods):
        which = "no method is named" if method is None else f"there is no method {method}"
        message = f"'{call_text(task, args)}' cannot be avoided: {which}"
        hint = "avoid a primitive task, or one method of a compound task by its number"
        raise DomainError("BT110", message, hint=hint)
    return (methods[method], args)


def check_avoided(avoided: Iterable[object]) -> None:
    """Raise DomainError unless these are keys of ``avoidable`` with reasons."""
    is_mapping = isinstance(avoided, Mapping)
    for key in avoided:
        is_key = isinstance(key, tuple) and isinstance(key[0], PrimitiveTask | Method)
        if not (is_mapping and is_key):
            message = f"'{key}' is not avoided: 'avoiding' has what 'avoidable' returns, and why"
            hint = 'write avoiding={avoidable(domain, task): "it has failed"}'
            raise DomainError("BT110", message, hint=hint)


def concerned(domain: FrozenDomain, avoided: Avoided) -> frozenset[Task]:
    """The primitive tasks that are excluded with some arguments, and those with such a method."""
    if not avoided:
        return frozenset()
    tasks = domain.derived(_tasks_by_method)
    return frozenset(
        task
        for what, _ in avoided
        for task in ((what,) if isinstance(what, PrimitiveTask) else tasks.get(what, ()))
    )


def _tasks_by_method(domain: FrozenDomain) -> dict[Method, list[Task]]:
    tasks: dict[Method, list[Task]] = {}
    for task, methods in domain.methods.items():
        for method in methods:
            tasks.setdefault(method, []).append(task)
    return tasks


def why_avoided(what: Avoidable, avoided: Avoided) -> str:
    """Why a task or method is excluded, as events give it; an empty text if it is not.

    For instance ``avoided: it failed at tick 12 because …``.
    """
    reason = avoided.get(what)
    if reason is None:
        return ""
    return f"avoided: {reason}" if reason else "avoided"
