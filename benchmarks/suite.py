"""A run of the suite: what was measured, as data that JSON can hold."""

from __future__ import annotations

import math
import os
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from benchmarks import features
from benchmarks.contestants import Contestant, equal_ones, of_gtpyhop
from benchmarks.limits import limits, recursion_limit
from benchmarks.modes import MODES
from benchmarks.rows import Row, chosen, expansions
from benchmarks.timing import Pace, Spread, peak_memory, times

RECURSION_LIMIT = 100_000
FEATURED = ("fps", "travel", "troll", "blocks 20", "combat")
HEADLINE = ("fps", "travel", "troll", "troll fight", "blocks")
"""The problems whose ratios are summed up."""

Data = dict[str, Any]


def run(problems: list[str], pace: Pace, tell: Callable[[str], object]) -> Data:
    """Measure the rows of some problems, of all without names.

    Every row begins with a look at the plans: DifferentPlans ends the run. ``tell`` is given
    the name of each thing that is about to be measured.
    """
    rows: list[Data] = []
    featured: list[Data] = []
    with recursion_limit(RECURSION_LIMIT):
        for row in chosen(problems):
            tell(row.name)
            rows.append(measured(row, pace))
            if row.name in FEATURED:
                tell(f"{row.name}, feature by feature")
                featured.append(by_feature(row, rows[-1], pace))
    deep = any(row.module == "troll" for row in chosen(problems))
    if deep:
        tell("the recursion limit")
    return {
        "machine": machine(),
        "pace": asdict(pace),
        "rows": rows,
        "summary": summary(rows),
        "growth": growth(rows),
        "features": featured,
        "limits": limits() if deep else {},
    }


def measured(row: Row, pace: Pace) -> Data:
    """Sizes, times, ratios and memory of one row."""
    equal, left_out = equal_ones(row)
    plans = [plan for plan in equal[0].answers() if plan is not None]
    data = _timed(equal, pace)
    return {
        "row": row.name,
        "problem": row.problem,
        "size": row.size,
        "cases": len(row.cases),
        "plans": len(plans),
        "steps": statistics.mean(map(len, plans)),
        "expansions": statistics.mean(map(expansions, row.questions)),
        **data,
        "ratios": ratios(data["batches"]),
        "memory": {one.name: peak_memory(one) for one in equal},
        "left_out": left_out,
    }


def by_feature(row: Row, plain: Data, pace: Pace) -> Data:
    """Every mode with every feature, next to the peer that was fastest in the plain row."""
    fastest = fastest_peer(plain["batches"])
    peer = [one for one in of_gtpyhop(row) if one.name == fastest] if fastest else []
    data = _timed([*features.contestants(row), *peer], pace)
    return {"row": row.name, "peer": fastest, **data}


def _timed(contestants: Sequence[Contestant], pace: Pace) -> Data:
    batches = times(contestants, pace)
    return {
        "times": {name: asdict(Spread.of(values)) for name, values in batches.items()},
        "batches": batches,
    }


def fastest_peer(batches: dict[str, list[float]]) -> str | None:
    """The peer with the lowest median, None in a row without peers."""
    peers = [name for name in batches if name not in MODES]
    return min(peers, key=lambda name: statistics.median(batches[name]), default=None)


def ratios(batches: dict[str, list[float]]) -> dict[str, Data]:
    """How many times as long as each mode the fastest peer took, round by round."""
    peer = fastest_peer(batches)
    if peer is None:
        return {}
    return {
        mode: asdict(Spread.of([b / a for a, b in zip(batches[mode], batches[peer], strict=True)]))
        for mode in MODES
    }


def summary(rows: list[Data]) -> Data:
    """Median and least of the ratios over the problems of the headline, for each mode."""
    wanted = [row["ratios"] for row in rows if row["problem"] in HEADLINE and row["ratios"]]
    found = {mode: [ratio[mode]["median"] for ratio in wanted] for mode in MODES}
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
            name: exponent(sizes, [row["times"][name]["median"] for row in sized])
            for name in everywhere
        }
        found.append({"problem": problem, "sizes": sizes, "exponents": exponents})
    return found


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """b of the curve a·sizeᵇ that fits best: the slope of a line through the logarithms."""
    line = statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, values)])
    return line.slope


def machine() -> Data:
    """What may be told of the machine: nothing that names it."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "bthtn": version("bthtn"),
        "gtpyhop": version("gtpyhop-core"),
    }
