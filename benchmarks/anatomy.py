"""Where the time of one plan goes: ``python -m benchmarks.anatomy``.

Each part is timed alone, warm, the fastest of several repetitions: what a part takes when
nothing disturbs it. The parts of one expansion are operations of the kind that generated
functions are made of, in a loop whose own time is taken off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from timeit import repeat
from typing import Any

from benchmarks.domains import blocks, fps
from benchmarks.modes import Question
from bthtn.plan.plan import Plan
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.search import CompiledQuestion, Found
from bthtn.planning.protocol import request

TIMES = 2_000
OPERATIONS = {
    "read a scalar": "S[f]",
    "read a member of a family": "S.get(members['a'], 0)",
    "call a function with a cell": "function(S, L, L, None, cell)",
    "take a cell apart": "_, sc, a0, rest = cell",
    "make a scope": "(f, cell, (), (), None, None, 0, None, 0, None)",
    "make a cell": "(function, cell, cell)",
    "log an entry, and take it back": "L.append(cell); L.pop()",
}


def microseconds(action: Callable[[], object]) -> float:
    """The fastest of several repetitions."""
    return min(repeat(action, number=TIMES, repeat=7)) / TIMES * 1e6


def nothing(_values: Any, _log: Any, _choices: Any, _machine: Any, _cell: Any) -> None:
    """A function as generated ones are called."""


def operation(source: str) -> float:
    """Nanoseconds that one operation takes, without those of the loop around it."""
    values = {object(): 1 for _ in range(50)}
    member = next(iter(values))
    cell = (1, 2, 3, 4)
    names = {"values": values, "member": member, "cells": cell, "nothing": nothing}
    setup = "S, L, members, f = values, [], {'a': member}, member; cell = cells; function = nothing"
    timed = [
        min(repeat(one, setup, number=100_000, repeat=7, globals=names)) for one in (source, "pass")
    ]
    return (timed[0] - timed[1]) / 100_000 * 1e9


def parts(question: Question) -> dict[str, float]:
    """Microseconds of each part of planning once."""
    asked = request(question.domain, question.state, question.goal)
    compiled = CompiledQuestion.of(asked)
    program = compiled.quickest(asked.state)

    def fresh() -> Machine:
        return Machine(compiled.asked, program, asked.state)

    def run() -> Machine:
        machine = fresh()
        machine.run(10**6)
        return machine

    def found() -> Plan:
        return Plan.found(Found(compiled.asked, done))

    done = run()
    start, whole = microseconds(fresh), microseconds(run)
    expansions = done.calls - done.free
    return {
        "expansions": expansions,
        "a state and a log of its own": start,
        "all expansions": whole - start,
        "one expansion": (whole - start) / expansions,
        "the plan, its parts not made": microseconds(
            lambda: Plan.found(Found(compiled.asked, done))
        ),
        "the tree with its footprints": microseconds(
            lambda: Plan.found(Found(compiled.asked, done)).tree
        ),
    }


def main() -> None:
    """Print both tables."""
    asked = {"fps": fps.question(fps.CASES[-2]), "blocks 20": blocks.question(blocks.case(20))}
    measured = {name: parts(question) for name, question in asked.items()}
    for part in next(iter(measured.values())):
        figures = "".join(f"{one[part]:12.2f}" for one in measured.values())
        sys.stdout.write(f"{part:32}{figures}\n")
    for name, source in OPERATIONS.items():
        sys.stdout.write(f"{name:32}{operation(source):12.0f} ns\n")


if __name__ == "__main__":
    main()
