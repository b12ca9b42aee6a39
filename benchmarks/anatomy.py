"""Where the time of one plan goes: ``python -m benchmarks.anatomy [--write-docs]``.

Each part is timed alone, warm, the fastest of several repetitions: what a part takes when
nothing disturbs it. The parts of one expansion are operations of the kind that generated
functions are made of, in a loop whose own time is taken off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from timeit import repeat
from typing import Any

from benchmarks import page, report
from benchmarks.domains import blocks, fps
from benchmarks.modes import Question
from bthtn import Planner
from bthtn.plan.plan import Plan
from bthtn.planning.htn.fastpath import program_for
from bthtn.planning.trace import TaskPlanned

TIMES = 2_000
OPERATIONS = {
    "read a member of a family": "S.get(members['a'], 0)",
    "overwrite it, and note what was there": "T.append((f, 1)); S[f] = 1; T.pop()",
    "call a function": "function(S, C, R, 1, 2, 3, cell)",
    "take a cell apart": "_, a0, rest = cell",
    "make a cell": "(function, 1, cell)",
    "keep a choice, and return to it": "C.append((function, cell, len(R), 2, 3)); C.pop()",
    "note a method with its arguments, and forget it": "R.append((function, 1)); del R[0:]",
    "make an event with one argument": "event(Kind, ((function, 1), 2))",
}


def microseconds(action: Callable[[], object]) -> float:
    """The fastest of several repetitions."""
    return min(repeat(action, number=TIMES, repeat=7)) / TIMES * 1e6


def nothing(*_given: Any) -> None:
    """Stands in the cells, and is not called."""


def called(_s: Any, _c: Any, _r: Any, _n: Any, _one: Any, _other: Any, _rest: Any) -> None:
    """A function as generated ones are called."""


def operation(source: str) -> float:
    """Nanoseconds that one operation takes, without those of the loop around it."""
    values = {object(): 1 for _ in range(50)}
    member = next(iter(values))
    names = {"values": values, "member": member, "nothing": nothing, "called": called}
    names |= {"event": tuple.__new__, "Kind": TaskPlanned}
    setup = (
        "S, C, R, T, members, f = values, [], [], [], {'a': member}, member;"
        "function, cell = called, (nothing, 1, ())"
    )
    timed = [
        min(repeat(one, setup, number=100_000, repeat=7, globals=names)) for one in (source, "pass")
    ]
    return (timed[0] - timed[1]) / 100_000 * 1e9


def parts(question: Question) -> dict[str, float]:
    """Microseconds of each part of planning once."""
    planner = Planner(question.domain, question.goal)
    program = program_for(planner.domain, planner.goal, planner.settings)
    assert program is not None, "all of it is plain data"
    for _ in range(2):  # functions are generated when a question is asked again
        plan = planner.plan(question.state)
    assert plan is not None, "there is something to take apart"

    def found() -> Plan:
        return Plan.found((nothing, planner, question.state, []))

    def asked_for(part: str) -> float:
        return microseconds(lambda: getattr(planner.plan(question.state), part)) - whole

    whole, made = microseconds(lambda: planner.plan(question.state)), microseconds(found)
    events = len(planner.trace(question.state).events)
    traced = microseconds(lambda: planner.trace(question.state))
    return {
        "`Planner.plan`": whole,
        "– the plan, its parts not made": made,
        "– one expansion, of as many as follow": (whole - made) / plan.expansions,
        "expansions": plan.expansions,
        "`Planner.trace`, with events and reads": traced,
        "– more than the plan, for each event": (traced - whole) / events,
        "events": events,
        "later: the actions": asked_for("actions"),
        "later: the tree, with its footprints": asked_for("tree"),
    }


def tables() -> dict[str, list[list[str]]]:
    """What the parts take, and what single operations take."""
    asked = {"fps": fps.question(fps.CASES[-2]), "blocks 20": blocks.question(blocks.case(20))}
    measured = {name: parts(question) for name, question in asked.items()}
    rows = next(iter(measured.values()))
    return {
        "anatomy": [
            ["µs", *measured],
            *([part, *(_written(one[part]) for one in measured.values())] for part in rows),
        ],
        "operations": [
            ["in generated functions", "ns"],
            *([name, report.number(operation(source))] for name, source in OPERATIONS.items()),
        ],
    }


def _written(value: float) -> str:
    return str(value) if isinstance(value, int) else report.number(value)


def main(*arguments: str) -> None:
    """Print the tables; with ``--write-docs``, put them into the manual."""
    measured = tables()
    for table in measured.values():
        sys.stdout.write(report.markdown(table) + "\n")
    if "--write-docs" in arguments:
        page.rewrite(measured)


if __name__ == "__main__":
    main(*sys.argv[1:])
