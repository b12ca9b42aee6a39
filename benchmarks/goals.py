"""The command: python -m benchmarks.goals. Towers rebuilt as a goal, beside pyperplan.

Plans of different planners have the same goal and not the same steps, so what is compared is
stricter where it can be: all who promise the cheapest plan have to find plans of one length.
Times are those of the processor, so that other programs do little harm.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial, reduce
from importlib.util import find_spec
from itertools import pairwise
from operator import and_
from random import Random
from typing import Any

from bthtn import achieve
from bthtn.examples.domains.blocks.strips import Blocks, strips
from bthtn.planning.protocol import request
from bthtn.planning.strips.strips_search import StripsSearch

ROUNDS = 5
CASES = ((4, 3), (6, 2), (6, 3), (8, 1), (8, 3))
"""Blocks, and the seed of their towers."""
BTHTN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bthtn, optimal", {"optimal": True}),
    ("bthtn, unmet", {}),
    ("bthtn, hadd", {"heuristic": "hadd"}),
)
CHEAPEST = ("bthtn, optimal", "pyperplan, A*, hmax", "pyperplan, A*, LM-cut")
TOO_SLOW = {"pyperplan, A*, hmax": 6}
"""The most blocks with which somebody is asked."""

Towers = list[list[str]]


def towers(count: int, draw: Random) -> Towers:
    """Towers of so many blocks."""
    names = [f"b{number}" for number in range(count)]
    draw.shuffle(names)
    built: Towers = []
    for name in names:
        if not built or draw.random() < 0.3:
            built.append([])
        built[-1].append(name)
    return built


def asked_of_bthtn(before: Towers, after: Towers, how: dict[str, Any]) -> Callable[[], int]:
    """A call that grounds, searches, and answers with the number of steps."""
    names = sorted(name for tower in before for name in tower)
    covered = {name: False for tower in before for name in tower[:-1]}
    state = Blocks(on=_below(before), is_top=covered)
    goal = reduce(and_, (Blocks.on[name] == under for name, under in _below(after).items()))

    def ask() -> int:
        wanted = achieve(goal, objects={"block": names, "below": names}, **how)
        search = StripsSearch(request(strips, state, wanted))
        search.advance()
        assert search.plan is not None, "towers can always be rebuilt"
        return len(search.plan.steps)

    return ask


def contestants(count: int, seed: int) -> dict[str, Callable[[], int]]:
    """Who is asked for a case; pyperplan only where it is installed."""
    draw = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
    before, after = towers(count, draw), towers(count, draw)
    asks = {name: asked_of_bthtn(before, after, how) for name, how in BTHTN}
    if find_spec("pyperplan") is not None:
        from benchmarks.peers import pyperplan_blocks as peer  # noqa: PLC0415 - it may be missing

        problem = peer.problem(before, after)
        for strategy in peer.STRATEGIES:
            name = f"pyperplan, {strategy}"
            if count <= TOO_SLOW.get(name, count):
                asks[name] = partial(peer.ask, problem, strategy)
    return asks


def measured(count: int, seed: int, rounds: int) -> dict[str, tuple[float, int]]:
    """Milliseconds of the processor and steps, by contestant.

    Raises AssertionError for a plan that is dearer than was promised.
    """
    asks = contestants(count, seed)
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


def _below(built: Towers) -> dict[str, str]:
    return {name: under for tower in built for under, name in pairwise(["table", *tower])}


def run() -> int:
    """Print a table: a row for each contestant, milliseconds and steps for each case."""
    results = {case: measured(*case, ROUNDS) for case in CASES}
    names = list(next(iter(results.values())))
    sys.stdout.write("| " + " | ".join(["", *(f"{n} blocks, seed {s}" for n, s in CASES)]) + " |\n")
    sys.stdout.write("| - |" + " ----: |" * len(CASES) + "\n")
    for name in names:
        cells = [results[case].get(name) for case in CASES]
        shown = ["–" if cell is None else f"{cell[0]:.3g} ms, {cell[1]} steps" for cell in cells]
        sys.stdout.write("| " + " | ".join([name, *shown]) + " |\n")
    return 0


if __name__ == "__main__":
    sys.exit(run())
