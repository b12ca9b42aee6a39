"""How tasks are called and scopes are taken apart in generated source."""

from __future__ import annotations

from dataclasses import dataclass

from bthtn.domain.task import Task, TaskCall
from bthtn.world.expression import Constant, Parameter
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True)
class Site:
    """A function for some place in a body."""

    name: str
    lines: str


def is_ground(call: TaskCall) -> bool:
    """Whether the values of the arguments are told by those of the enclosing task alone."""
    return all(
        isinstance(one, Parameter) or (isinstance(one, Constant) and one.value is not UNKNOWN)
        for one in call.args
    )


def bound_lines(task: Task, scope: str) -> list[str]:
    """Lines that bind the arguments of the task that a scope belongs to."""
    names = "".join(f"a{number}, " for number in range(len(task.parameters)))
    return [f"    {names}= {scope}[2]"] if names else []


def unpacked(task: Task) -> str:
    """Source that takes a cell apart."""
    return ", ".join(["_", "sc", *(f"a{n}" for n in range(len(task.parameters))), "rest"])
