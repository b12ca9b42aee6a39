"""Time and memory of contestants, who take turns so that noise hits them all alike."""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.contestants import Contestant
from benchmarks.modes import Ask

NANOSECONDS = 1e9


@dataclass(frozen=True)
class Pace:
    """How thoroughly to measure: seconds that a batch lasts at least, and batches of each."""

    batch: float
    rounds: int


THOROUGH = Pace(batch=0.02, rounds=21)
QUICK = Pace(batch=0.002, rounds=5)


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    lower: float
    upper: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        """Of at least two values."""
        lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
        return Spread(median, lower, upper)


def times(contestants: Sequence[Contestant], pace: Pace) -> dict[str, list[float]]:
    """Microseconds per plan in each batch, by the contestant's name.

    Everybody has one batch in each round. Who begins a round changes.
    """
    loops = {one.name: _loops(one, pace) for one in contestants}
    found: dict[str, list[float]] = {one.name: [] for one in contestants}
    for turn in range(pace.rounds):
        first = turn % len(contestants)
        for one in (*contestants[first:], *contestants[:first]):
            took = _batch(one, loops[one.name])
            found[one.name].append(took * 1e6 / (loops[one.name] * len(one.asks)))
    return found


def peak_memory(contestant: Contestant) -> int:
    """Bytes that planning one case holds at most above what was there before; the worst case.

    What a planner logs belongs to it. Slow, so it is never part of a batch.
    """
    return max(map(partial(_peak, contestant), contestant.asks))


def _peak(contestant: Contestant, ask: Ask) -> int:
    contestant.begin()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        ask()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _loops(contestant: Contestant, pace: Pace) -> int:
    """How often the cases go into a batch; finding out also warms up."""
    loops = 1
    while (took := _batch(contestant, loops)) < pace.batch:
        loops = max(loops + 1, round(loops * min(10.0, 1.2 * pace.batch / took)))
    return loops


def _batch(contestant: Contestant, loops: int) -> float:
    """Seconds that so many passes through all cases take.

    The collector of garbage is on, as it is for users, but begins with a clean slate.
    """
    contestant.begin()
    asks = contestant.asks * loops
    gc.collect()
    gc.freeze()
    start = time.perf_counter_ns()
    for ask in asks:
        ask()
    took = time.perf_counter_ns() - start
    gc.unfreeze()
    return took / NANOSECONDS


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """b of the curve a·sizeᵇ that fits best: the slope of a line through the logarithms."""
    line = statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, values)])
    return line.slope
