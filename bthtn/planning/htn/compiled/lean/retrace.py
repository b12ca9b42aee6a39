"""Retrace: the log of a search, made again from the choices that it came to.

There is nothing to search for: a compound task is decomposed by the method that is told, and
all else is evaluated on the machine, as where no source can be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from sys import maxsize
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.compiled.cells import Asked
from bthtn.planning.htn.compiled.facts import facts_about
from bthtn.planning.htn.compiled.frames import Cell
from bthtn.planning.htn.compiled.kinds import Entry, ScopeKind, TaskKind
from bthtn.planning.htn.compiled.lean.source import FEATURES
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.networks import PLANNING
from bthtn.planning.htn.compiled.program import Program, defaults_of
from bthtn.world.state import FrozenState


class Retraced(Machine):
    """A machine that does as it is told."""

    __slots__ = ("told",)

    def __init__(self, asked: Asked, state: FrozenState, told: Iterable[int]) -> None:
        program = asked.domain.derived(_Retracing).program
        super().__init__(asked, program, state)
        self.told: Iterator[int] = iter(told)
        self.run(maxsize)


class _Retracing:
    """Functions that do as they are told, for all tasks of a domain."""

    def __init__(self, domain: FrozenDomain) -> None:
        functions: dict[Any, Any] = {}
        for task in domain.tasks.values():
            if isinstance(task, PrimitiveTask):
                functions[task] = partial(_primitive, TaskKind(task))
            else:
                ways = enumerate(domain.methods[task])
                functions[task] = partial(_compound, [ScopeKind(task, *way) for way in ways])
        facts = facts_about(domain)
        self.program = Program("", FEATURES, facts, functions, defaults_of(domain), PLANNING)


def _primitive(kind: TaskKind, _values: Any, _log: Any, _choices: Any, m: Any, cell: Cell) -> Any:
    return m.primitive(kind, cell)


def _compound(
    kinds: list[ScopeKind], _values: Any, log: list[Entry], _choices: Any, m: Any, cell: Cell
) -> Any:
    kind = kinds[next(m.told)]
    s = (kind, cell[1], cell[2:-1], (), m.at, None, 0, None, 0, None)
    log.append(s)
    return m.link(kind.method.body, s, cell[-1])
