"""What agents ask of the search, beside the plain loop: ``python -m benchmarks.searches``.

``plan``, ``actions`` and ``tree`` are what ``Planner.plan`` gives. All others are searches:
``loop`` without anything else, ``bounded`` for a better plan than the first one, ``cheapest`` for
the one that costs least, ``avoiding`` the first step of the first plan, in slices of ``SLICE``
expansions, and with a ``listener``. Shown are microseconds per plan and nanoseconds per expansion,
the fastest of many turns; the modes take turns.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.domains import functions
from benchmarks.modes import Question
from benchmarks.rows import chosen
from bthtn import Planner
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.planner import search_for
from bthtn.planning.protocol import PlanRequest, SearchStatus

SLICE = 50
TURNS = 15
MOST = 5_000
"""Expansions of a search that avoids a step: a troll without its trunk would go on for ever."""
SIZES = (None, 1, 10, 20, 100, 200)
BATCH = 0.005
"""Seconds that a batch lasts at least."""
PROBLEMS = "fps travel blocks combat soldier backtracking troll chase"

Ask = Callable[[], Any]
"""Asks once, and returns the search, or the plan."""


def modes(question: Question) -> dict[str, Ask]:
    """How the question is asked in each mode; not all modes suit a question without a plan."""
    q = question
    planner: Planner[Any] = Planner(q.domain, q.goal, q.settings)
    state = q.state.frozen()
    asked = PlanRequest(planner.domain, state, planner.goal, settings=q.settings)
    cheapest = replace(asked, settings=replace(q.settings, cheapest=True))
    for _ in range(3):  # the fast path is made when a question is asked again
        plan = planner.plan(state)
    limited: Planner[Any] = Planner(q.domain, q.goal, replace(q.settings, max_expansions=MOST))
    asks: dict[str, Ask] = {
        "plan": lambda: planner.plan(state),
        "actions": lambda: _part(planner.plan(state), "actions"),
        "tree": lambda: _part(planner.plan(state), "tree"),
        "loop": lambda: _advanced(HtnSearch(asked)),
        "cheapest": lambda: _advanced(HtnSearch(cheapest)),
        "sliced": lambda: _sliced(planner.search(state)),
        "listener": lambda: planner.plan(state, [].append),
    }
    if plan is not None and plan.steps:
        bounded = replace(asked, bound=plan.record)
        avoiding = {(plan.steps[0].task, plan.steps[0].args): "it failed"}
        asks["bounded"] = lambda: _advanced(search_for(bounded))
        asks["avoiding"] = lambda: _advanced(limited.search(state, avoiding=avoiding))
    return asks


def _part(plan: Any, part: str) -> Any:
    if plan is not None:
        getattr(plan, part)
    return plan


def _advanced(search: Any) -> Any:
    search.advance()
    return search


def _sliced(search: Any) -> Any:
    while search.advance(SLICE) is SearchStatus.RUNNING:
        pass
    return search


def measured(questions: Sequence[Question]) -> dict[str, tuple[float, float]]:
    """Microseconds per plan and expansions per plan, by mode."""
    asks: dict[str, list[Ask]] = {}
    for question in questions:
        for mode, ask in modes(question).items():
            asks.setdefault(mode, []).append(ask)
    loops = {mode: max(1, round(BATCH / _batch(one, 1))) for mode, one in asks.items()}
    best = dict.fromkeys(asks, float("inf"))
    for _ in range(TURNS):
        for mode, one in asks.items():
            took = _batch(one, loops[mode]) / (loops[mode] * len(one))
            best[mode] = min(best[mode], took)
    counts = {mode: sum(map(_expansions, one)) / len(one) for mode, one in asks.items()}
    return {mode: (took * 1e6, counts[mode]) for mode, took in best.items()}


def _expansions(ask: Ask) -> int:
    answer = ask()
    return 0 if answer is None else answer.expansions


def _batch(asks: Sequence[Ask], loops: int) -> float:
    """Seconds of the processor that so many passes take."""
    gc.collect()
    start = time.process_time()
    for ask in [*asks] * loops:
        ask()
    return time.process_time() - start


def rows(problems: Sequence[str]) -> list[tuple[str, list[Question]]]:
    """The questions of each row, and blocks of plain functions."""
    found = [(row.name, row.questions) for row in chosen([*problems]) if row.size in SIZES]
    case = next((row.cases[0] for row in chosen(["blocks"]) if row.size == 20), None)
    if "blocks" in problems:
        found.append(("functions 20", [functions.question(case)]))
    return found


def main(*problems: str) -> None:
    """Print a line for each row: µs per plan, and ns per expansion."""
    names: list[str] = []
    for name, questions in rows(problems or PROBLEMS.split()):
        found = measured(questions)
        if not names:
            names = [*found]
            sys.stdout.write(f"{'':18}{''.join(f'{one:>11}' for one in names)}\n")
        each = [f"{found[one][0]:11,.1f}" for one in names]
        sys.stdout.write(f"{name:18}{''.join(each)}\n")
        per = [f"{1e3 * took / count if count else 0:11,.0f}" for took, count in found.values()]
        sys.stdout.write(f"{'  ns / expansion':18}{''.join(per)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
