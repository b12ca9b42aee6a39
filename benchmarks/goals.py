"""Goals without methods, beside pyperplan: ``python -m benchmarks.goals [--write-docs]``.

Plans of different planners have the same goal and not the same steps, so what is compared is
stricter where it can be: all who promise the cheapest plan have to find plans of one length.
Times are those of the processor, so that other programs do little harm.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from benchmarks import page, report
from benchmarks.domains import freight, towers
from benchmarks.modes import Question
from bthtn import find_plan

ROUNDS = 5
BTHTN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bthtn, optimal", {"optimal": True}),
    ("bthtn", {}),
    ("bthtn, unmet", {"heuristic": "unmet"}),
)
CHEAPEST = ("bthtn, optimal", "pyperplan, A*, hmax", "pyperplan, A*, LM-cut")


@dataclass(frozen=True)
class Case:
    """A problem, and who would take minutes for it, and so is not asked."""

    name: str
    problem: towers.Rebuilding | freight.Deliveries
    too_slow: tuple[str, ...] = ()


CASES = MappingProxyType(
    {
        case.name: case
        for case in (
            Case("4 blocks", towers.drawn(4, 3)),
            Case("6 blocks", towers.drawn(6, 2)),
            Case("6 blocks, other towers", towers.drawn(6, 3)),
            Case("8 blocks", towers.drawn(8, 1), too_slow=CHEAPEST[1:2]),
            Case("8 blocks, other towers", towers.drawn(8, 3), too_slow=CHEAPEST[1:2]),
            Case("logistics 2-2-4", freight.drawn(2, 2, 4)),
            Case("logistics 3-3-3", freight.drawn(3, 3, 3)),
            Case(
                "logistics 3-3-6",
                freight.drawn(3, 3, 6),
                too_slow=(CHEAPEST[1], "bthtn, unmet"),
            ),
            Case(
                "logistics 3-3-6 by road",
                freight.drawn(3, 3, 6, 3, by_road=True),
                too_slow=(*CHEAPEST[1:], "bthtn, unmet"),
            ),
        )
    }
)
"""By name. For logistics: cities, places in each, packages."""


def found_by_bthtn(question: Callable[[], Question]) -> int:
    """The number of steps; the actions are grounded anew."""
    asked = question()
    plan = find_plan(asked.domain, asked.state, asked.goal)
    assert plan is not None, "every case has a plan"
    return len(plan.steps)


def contestants(case: Case) -> dict[str, Callable[[], int]]:
    """Who is asked for a case; pyperplan only where it is installed."""
    match case.problem:
        case towers.Rebuilding():
            question = partial(towers.question, case.problem)
        case freight.Deliveries():
            question = partial(freight.question, case.problem)
    asks = {name: partial(found_by_bthtn, partial(question, **how)) for name, how in BTHTN}
    if find_spec("pyperplan") is not None:
        asks |= _peers(case.problem)
    return {name: ask for name, ask in asks.items() if name not in case.too_slow}


def _peers(problem: towers.Rebuilding | freight.Deliveries) -> dict[str, partial[int]]:
    from benchmarks.peers import pyperplan_freight as by_truck  # noqa: PLC0415 - it may be missing
    from benchmarks.peers import pyperplan_planner as peer  # noqa: PLC0415 - as above
    from benchmarks.peers import pyperplan_towers as rebuilt  # noqa: PLC0415 - as above

    match problem:
        case towers.Rebuilding():
            parsed = peer.parsed(rebuilt.DOMAIN, rebuilt.problem(problem))
        case freight.Deliveries():
            parsed = peer.parsed(by_truck.DOMAIN, by_truck.problem(problem))
    return {f"pyperplan, {how}": partial(peer.ask, parsed, how) for how in peer.STRATEGIES}


def measured(case: Case, rounds: int) -> dict[str, tuple[float, int]]:
    """Milliseconds of the processor and steps, by contestant.

    Raises AssertionError for a plan that is dearer than was promised.
    """
    asks = contestants(case)
    found: dict[str, list[float]] = {name: [] for name in asks}
    steps = {name: ask() for name, ask in asks.items()}
    least = min(steps.values())
    assert all(steps[name] == least for name in CHEAPEST if name in steps), steps
    for _ in range(rounds):
        for name, ask in asks.items():
            began = time.process_time()
            ask()
            found[name].append((time.process_time() - began) * 1e3)
    return {name: (statistics.median(times), steps[name]) for name, times in found.items()}


def table() -> report.Table:
    """Milliseconds of each contestant in each case; steps where a plan is longer than need be."""
    results = {case.name: measured(case, ROUNDS) for case in CASES.values()}
    names = list(dict.fromkeys(name for row in results.values() for name in row))
    names.sort(key=lambda name: name not in CHEAPEST)
    lines = [["ms", *names]]
    for case, row in results.items():
        least = min(steps for _, steps in row.values())
        cells = [_shown(row[name], least) if name in row else report.NONE for name in names]
        lines.append([case, *cells])
    return lines


def _shown(found: tuple[float, int], least: int) -> str:
    milliseconds, steps = found
    more = f", {steps - least} steps more" if steps > least else ""
    return f"{report.number(milliseconds)}{more}"


if __name__ == "__main__":
    page.show({"goals": table()}, sys.argv[1:])
