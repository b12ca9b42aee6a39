"""Retrace: the log of a search, made again from the choices that it came to.

There is nothing to search for: a compound task is decomposed by the method that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from sys import maxsize
from typing import Final

from bthtn.planning.htn.compiled.cells import Asked
from bthtn.planning.htn.compiled.lean.source import FEATURES
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.networks import PLANNING
from bthtn.planning.htn.compiled.program import programs
from bthtn.world.state import FrozenState

_TOLD: Final = replace(FEATURES, told=True)


class Retraced(Machine):
    """A machine that has done as it was told: ``told`` are the methods in order."""

    __slots__ = ("told",)

    def __init__(self, asked: Asked, state: FrozenState, told: Iterable[int]) -> None:
        program = programs(asked.domain).program(asked.domain, _TOLD, PLANNING)
        super().__init__(asked, program, state)
        self.told: Iterator[int] = iter(told)
        self.run(maxsize)
