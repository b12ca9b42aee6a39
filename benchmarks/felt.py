"""What users feel: how soon a character does something else, what its acts and its plans cost.

    python -m benchmarks.felt [--write-docs]

Everything is timed one use after the other, the collector of garbage on, as in a game. Shown is the
median of many uses, and what 99 of 100 uses stay below.
"""

from __future__ import annotations

import gc
import statistics
import sys
from functools import partial
from time import perf_counter_ns

from benchmarks import page, report
from benchmarks.counted import feature_planners, part_of_plan
from benchmarks.lives import felt
from benchmarks.sample import Sample, always

WARM_UP, USES = 50, 1_000


def microseconds(sample: Sample, uses: int = USES) -> tuple[float, float]:
    """The median of so many uses, and their 99th percentile."""
    made = [sample.make(number) for number in range(WARM_UP + uses)]
    gc.collect()
    gc.freeze()
    took = []
    for use in made:
        began = perf_counter_ns()
        use()
        took.append((perf_counter_ns() - began) / 1e3)
    gc.unfreeze()
    cuts = statistics.quantiles(took[WARM_UP:], n=100, method="inclusive")
    return cuts[49], cuts[98]


def tables(uses: int = USES) -> dict[str, report.Table]:
    """Lives of characters, and plans of three steps with one feature each."""
    lives: report.Table = [["what", "µs", "99 of 100 below"]]
    for sample in felt():
        lives.append([sample.name, *map(report.number, microseconds(sample, uses))])
    featured: report.Table = [["three steps", "actions, µs", "plain = 1", "tree, µs", "plain = 1"]]
    plain: dict[str, float] = {}
    for name, (planner, state) in feature_planners().items():
        line = [name]
        for part in ("actions", "tree"):
            use = partial(part_of_plan, planner, state, part)
            median, _ = microseconds(Sample(name, always(use)), uses)
            line += [report.number(median), report.number(median / plain.setdefault(part, median))]
        featured.append(line)
    return {"felt": lives, "features": featured}


if __name__ == "__main__":
    page.show(tables(), sys.argv[1:])
