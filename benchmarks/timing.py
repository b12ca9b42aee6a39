"""Time and memory of contestants, who take turns so that noise hits them all alike."""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.contestants import Contestant
from benchmarks.modes import Ask

NANOSECONDS = 1e9
ENOUGH = 3


@dataclass(frozen=True)
class Pace:
    """How thoroughly to measure: seconds that a batch lasts about, and batches of each.

    After ``most`` seconds a row has enough rounds if it has three.
    """

    batch: float
    rounds: int
    most: float = 6.0


THOROUGH = Pace(batch=0.004, rounds=9)
QUICK = Pace(batch=0.001, rounds=3)


def times(contestants: Sequence[Contestant], pace: Pace) -> dict[str, float]:
    """Microseconds of the processor per plan by the contestant's name: the least of all batches.

    Everybody has one batch in each round. Who begins a round changes.
    """
    passes = {one.name: _passes(one, pace) for one in contestants}
    least = {one.name: float("inf") for one in contestants}
    end = time.process_time() + pace.most
    for turn in range(pace.rounds):
        if turn >= ENOUGH and time.process_time() > end:
            break
        first = turn % len(contestants)
        for one in (*contestants[first:], *contestants[:first]):
            least[one.name] = min(least[one.name], _batch(one, passes[one.name]) * 1e6)
    gc.unfreeze()
    return least


def peak_memory(contestant: Contestant) -> int:
    """Bytes that planning one case holds at most above what was there before; the worst case.

    What a planner logs belongs to it. Slow, so it is never part of a batch.
    """
    contestant.begin()
    asks = contestant.asks(1)
    gc.collect()
    gc.freeze()
    peak = max(map(_peak, asks))
    gc.unfreeze()
    return peak


def _peak(ask: Ask) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        ask()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _passes(contestant: Contestant, pace: Pace) -> int:
    """How often the cases go into a batch, after what is made at the first questions."""
    for _ in range(ENOUGH):
        _batch(contestant, 1)
    passes, cases = 1, len(contestant.asks(1))
    while (took := _batch(contestant, passes) * passes * cases) < pace.batch:
        passes = max(passes + 1, round(passes * min(10.0, 1.2 * pace.batch / took)))
    return passes


def _batch(contestant: Contestant, passes: int) -> float:
    """Seconds of the processor that a plan takes in so many passes through all cases.

    The collector of garbage is on, as it is for users, but begins with a clean slate: what there
    was before stays frozen until the row is done.
    """
    contestant.begin()
    asks = contestant.asks(passes)
    gc.collect()
    gc.freeze()
    start = time.process_time_ns()
    for ask in asks:
        ask()
    took = time.process_time_ns() - start
    return took / NANOSECONDS / len(asks)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """b of the curve a·sizeᵇ that fits best: the slope of a line through the logarithms."""
    line = statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, values)])
    return line.slope
