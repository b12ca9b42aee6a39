"""A run of the suite: what was measured, as data that JSON can hold."""

from __future__ import annotations

import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from benchmarks.contestants import Contestant, equal_ones
from benchmarks.modes import MODES
from benchmarks.rows import HEADLINES, Row, chosen, expansions
from benchmarks.timing import Pace, exponent, peak_memory, times

RECURSION_LIMIT = 100_000
"""GTPyhop's recursive strategy needs it for long plans."""
PEERS = ("GTPyhop recursive_dfs", "GTPyhop iterative_dfs_backtracking")
"""The strategies that backtrack: ratios refer to the faster one of each row."""
REMEMBERED = (*PEERS, "actions", "tree, not seen before")
"""Those whose memory is measured."""
LARGEST = 100
"""The size up to which it is."""

Data = dict[str, Any]


def run(problems: list[str], pace: Pace, tell: Callable[[str], object]) -> Data:
    """Measure the rows of some problems, of all without names.

    Every row begins with a look at the plans: DifferentPlans ends the run. ``tell`` is given
    the name of each row that is about to be measured.
    """
    rows: list[Data] = []
    used = machine()
    with recursion_limit(RECURSION_LIMIT):
        for row in chosen(problems):
            tell(row.name)
            rows.append(measured(row, pace))
    return {
        "machine": used,
        "pace": asdict(pace),
        "rows": rows,
        "summary": {name: summary(rows, wanted) for name, wanted in HEADLINES.items()},
        "growth": growth(rows),
    }


def measured(row: Row, pace: Pace) -> Data:
    """Sizes, times, ratios and memory of one row."""
    equal, left_out = equal_ones(row)
    plans = [plan for plan in equal[0].answers() if plan is not None]
    took = times(equal, pace)
    return {
        "row": row.name,
        "problem": row.problem,
        "size": row.size,
        "cases": len(row.cases),
        "steps": statistics.mean(map(len, plans)),
        "expansions": statistics.mean(map(expansions, row.questions())),
        "times": took,
        "ratios": ratios(took),
        "memory": _memory(row, equal),
        "left_out": left_out,
    }


def _memory(row: Row, contestants: list[Contestant]) -> dict[str, int]:
    """The peaks of small plans: watching large ones would take most of the run."""
    if row.size is not None and row.size > LARGEST:
        return {}
    return {one.name: peak_memory(one) for one in contestants if one.name in REMEMBERED}


def ratios(took: dict[str, float]) -> dict[str, float]:
    """How many times as long as each mode the faster peer took."""
    peers = [took[peer] for peer in PEERS if peer in took]
    return {mode: min(peers) / took[mode] for mode in MODES if peers and mode in took}


def summary(rows: list[Data], problems: tuple[str, ...]) -> Data:
    """Median and least of the ratios over the rows of some problems, for each mode."""
    wanted = [row["ratios"] for row in rows if row["problem"] in problems]
    found = {mode: [ratio[mode] for ratio in wanted if mode in ratio] for mode in MODES}
    return {
        mode: {"median": statistics.median(values), "least": min(values), "rows": len(values)}
        for mode, values in found.items()
        if values
    }


def growth(rows: list[Data]) -> list[Data]:
    """The exponent with which time grows with size, where a problem comes in several sizes."""
    problems = dict.fromkeys(row["problem"] for row in rows if row["size"] is not None)
    found: list[Data] = []
    for problem in problems:
        sized = [row for row in rows if row["problem"] == problem and row["size"] >= 5]
        if len(sized) < 2:
            continue
        everywhere = [n for n in sized[0]["times"] if all(n in row["times"] for row in sized)]
        sizes = [row["size"] for row in sized]
        exponents = {
            name: exponent(sizes, [row["times"][name] for row in sized]) for name in everywhere
        }
        found.append({"problem": problem, "sizes": sizes, "exponents": exponents})
    return found


@contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    """Let Python call functions so deep inside each other."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def machine() -> Data:
    """What may be told of the machine: nothing that names it."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "bthtn": version("bthtn"),
        "gtpyhop": version("gtpyhop-core"),
    }
