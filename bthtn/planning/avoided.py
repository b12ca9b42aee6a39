"""Avoided: what a search may not use now, although its conditions would allow it (2.14).

Somebody has tried it, and it failed for a reason that no condition knows. It is not part of the
domain: each request has its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from bthtn.domain.decompositions import Decompositions
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, call_text
from bthtn.errors import Diagnostic, DomainError
from bthtn.world.expression import Binding

Avoidable = tuple[PrimitiveTask[Any] | Method, Binding]
"""A primitive task called with these values, or a method with these values of its parameters."""

Avoided = Mapping[Avoidable, str]
"""What is avoided, and why: a text that goes on behind "avoided: "."""

NOTHING_AVOIDED: Final[Avoided] = MappingProxyType({})


def avoidable(
    domain: FrozenDomain, task: Task, args: Binding = (), method: int | None = None
) -> Avoidable:
    """The key under which a primitive task, or a compound task's method, is avoided.

    The method is given by its number among those of the task, as written. Raises DomainError
    when there is no such method, or a primitive task is given one.
    """
    if isinstance(task, PrimitiveTask) and method is None:
        return (task, args)
    methods = domain.methods.get(task, ()) if isinstance(task, CompoundTask) else ()
    if method is None or not 0 <= method < len(methods):
        which = "no method is named" if method is None else f"there is no method {method}"
        raise DomainError(
            Diagnostic(
                "BT110",
                f"'{call_text(task, args)}' cannot be avoided: {which}",
                hint="avoid a primitive task, or one method of a compound task by its number",
            )
        )
    return (methods[method], args)


def way_avoided(ways: Decompositions, index: int, avoided: Avoided) -> str:
    """Why the way with this number is avoided, nothing when it is not."""
    if not avoided:
        return ""
    reason = avoided.get((ways.method(index), ways.binding(index)))
    return "" if reason is None else avoided_text(reason)


def task_avoided(task: PrimitiveTask[Any], args: Binding, avoided: Avoided) -> str:
    """Why the task is avoided when it is called with these values, nothing when it is not."""
    reason = avoided.get((task, args)) if avoided else None
    return "" if reason is None else avoided_text(reason)


def avoided_text(reason: str) -> str:
    """The reason as it is told: ``avoided: it failed at tick 12 because …``."""
    return f"avoided: {reason}" if reason else "avoided"
