"""A program: the functions that search for choices, made for the tasks that goals call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, Task
from bthtn.planning.htn.compiled.calls import is_ground
from bthtn.planning.htn.compiled.lean.body import NotWritable
from bthtn.planning.htn.compiled.lean.guard import Unforeseen, repeats, take_back
from bthtn.planning.htn.compiled.lean.scope import NOWHERE, calls_of, scope_of
from bthtn.planning.htn.compiled.lean.source import Source
from bthtn.planning.htn.compiled.program import executed
from bthtn.world.expression import Binding

Run = Callable[..., tuple[Any, int, list[int]]]
Cell = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The loop, and the functions that begin with a task that a goal calls.

    ``looks`` are those that are called with what is open around them, which is nothing.
    """

    text: str
    run: Run
    entries: Mapping[Task, Any]
    looks: frozenset[CompoundTask[Any]]

    def cell(self, goal: Network, binding: Binding) -> Cell | None:
        """What there is to do for a goal; None where its arguments depend on the state."""
        cell: Cell = ()
        for call in reversed(calls_of(goal) or ()):
            if not is_ground(call):
                return None
            args = [argument.evaluate(NOWHERE, binding) for argument in call.args]
            declared = zip(call.task.parameters, args, strict=True)
            if any(one.type is int and type(value) is not int for one, value in declared):
                return None
            up = (None,) if call.task in self.looks else ()
            cell = (self.entries[call.task], *args, *up, cell)
        return cell


@dataclass(frozen=True, slots=True)
class Beginning:
    """A program for one goal: its loop, and the cell with which that begins."""

    run: Run
    cell: Cell
    text: str


class Programs:
    """The programs of one domain."""

    def __init__(self, domain: FrozenDomain) -> None:  # noqa: ARG002 - as what is derived is made
        self._by_roots: dict[Any, Program | None] = {}

    def program(
        self, domain: FrozenDomain, roots: frozenset[Task], *, strict: bool
    ) -> Program | None:
        """The program for goals that call these tasks; None where there can be none."""
        key = roots, strict
        if key not in self._by_roots:
            self._by_roots[key] = _program(domain, roots, strict=strict)
        return self._by_roots[key]


def beginning(
    domain: FrozenDomain, goal: Network, binding: Binding, *, strict: bool
) -> Beginning | None:
    """How to search for the goal's choices; None where something asks for other functions."""
    calls = calls_of(goal)
    if not calls:
        return None
    roots = frozenset(call.task for call in calls)
    program = domain.derived(Programs).program(domain, roots, strict=strict)
    cell = None if program is None else program.cell(goal, binding)
    if program is None or cell is None:
        return None
    return Beginning(program.run, cell, program.text)


def _program(domain: FrozenDomain, roots: frozenset[Task], *, strict: bool) -> Program | None:
    scope = scope_of(domain, roots)
    if scope is None or not scope.is_known:
        return None
    try:
        source = Source(domain, scope, strict=strict)
        text, entries = source.text()
    except NotWritable:
        return None
    given = {"Unforeseen": Unforeseen, "repeats": repeats, "take_back": take_back}
    names = executed(domain, text, source.names, given)
    made = {task: names[name] for task, name in entries.items()}
    return Program(text, names["run"], made, source.guarded)
