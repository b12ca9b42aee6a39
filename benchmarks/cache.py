"""What a shared cache of plans is worth: a thousand agents in fifty situations.

    python -m benchmarks.cache

prints how long planning for all of them takes with a cache and without, and how often the
cache had the answer. Times differ from machine to machine; the counts do not.
"""

from itertools import islice, product
from time import perf_counter

from bthtn import Plan, PlanCache, Planner
from bthtn.examples.domains.combat.domain import Distance, Soldier, combat, fight

AGENTS = 1_000
ROUNDS = 10
TRUTHS = ("line_of_fire", "target", "cover", "in_cover", "ammo", "magazine")
VALUES = product(Distance, *[(True, False)] * len(TRUTHS))
SITUATIONS = [
    Soldier(distance=distance, **dict(zip(TRUTHS, truths, strict=True)))
    for distance, *truths in islice(VALUES, 7, 107, 2)
]
"""Fifty of 128: they differ in everything that a soldier may believe."""


def planners(cache: PlanCache | None) -> list[Planner[Soldier]]:
    """Every agent has a planner of its own."""
    return [Planner(combat, fight(), cache=cache) for _ in range(AGENTS)]


def planned_by_many(planners: list[Planner[Soldier]]) -> list[Plan | None]:
    """Each is asked once in each round."""
    return [
        planner.plan(SITUATIONS[(number * 7 + turn) % len(SITUATIONS)])
        for turn in range(ROUNDS)
        for number, planner in enumerate(planners)
    ]


def seconds(cache: PlanCache | None) -> float:
    """How long that takes."""
    ready = planners(cache)
    begin = perf_counter()
    planned_by_many(ready)
    return perf_counter() - begin


def report() -> str:
    """Both times, their ratio, and the hits."""
    cache = PlanCache()
    alone, together = seconds(None), seconds(cache)
    known = cache.statistics
    asked = known.hits + known.misses
    return (
        f"{asked} plans for {AGENTS} agents in {len(SITUATIONS)} situations\n"
        f"without a cache {alone * 1e3:8.1f} ms\n"
        f"with a cache    {together * 1e3:8.1f} ms, {alone / together:.0f} times faster\n"
        f"{known.hits} hits ({known.hits / asked:.1%}), {known.entries} entries"
    )


if __name__ == "__main__":
    print(report())  # noqa: T201 - a script
