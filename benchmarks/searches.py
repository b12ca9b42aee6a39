"""What agents ask of a search, beside the plain one: ``python -m benchmarks.searches [rows ...]``.

Agents search for a better plan than the running one (*bounded*), for the plan whose methods have
the least sum of *values*, or whose steps cost least (*cheapest*), in *slices*, *after a failure* of
the first step of the first plan, and with a *listener*. Each takes another number of expansions; so
what is compared is the time of one of them, in the fastest of many turns that they take in circles.

The first table is of the search of ``bthtn/planning/htn/search.py`` alone, driven to its end, the
second of what agents get: generated functions answer where they can, which tell no listener.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from benchmarks import page, report
from benchmarks.modes import Question
from benchmarks.rows import ROWS
from bthtn import Planner
from bthtn.domain.domain import FrozenDomain
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import PlanRequest, Search, SearchStatus
from bthtn.world.expression import Constant
from bthtn.world.state import FrozenState

SLICE = 50
TURNS = 15
MOST = 20_000
"""Expansions of a search: a troll who must not use his trunk would go on for ever."""
BATCH = 0.005
"""Seconds that a batch lasts at least."""
ASKED = (
    *("fps", "travel", "troll", "troll fight 100", "blocks 20", "blocks 200"),
    *("backtracking", "chase 100", "combat", "soldier", "functions 20"),
)
PLAIN, LISTENER = "plain", "listener"

Start = Callable[[], Search]
"""Makes a search."""
Ask = Callable[[], Search]
"""Makes a search, and searches to its end."""


def alone(planner: Planner[Any], state: FrozenState, **asked: Any) -> Start:
    """The search alone, which tells a listener if that is asked for."""
    question = planner.domain, state, planner.goal
    hears = asked.pop(LISTENER, None)
    request = PlanRequest(*question, settings=planner.settings, **asked)
    return lambda: HtnSearch(request, [].append if hears else None)


def with_functions(planner: Planner[Any], state: FrozenState, **asked: Any) -> Start:
    """What agents get."""
    return partial(planner.search, state, **asked)


TABLES = MappingProxyType({"searches": alone, "generated": with_functions})


def modes(question: Question, search: Callable[..., Start]) -> dict[str, Ask]:
    """How the question is asked in each mode; not all modes suit a question without a plan."""
    settings = replace(question.settings, max_expansions=MOST)
    plain: Planner[Any] = Planner(question.domain, question.goal, settings)
    valuing: Planner[Any] = Planner(with_values(plain.domain), plain.goal, settings)
    saving: Planner[Any] = Planner(plain.domain, plain.goal, replace(settings, cheapest=True))
    state = question.state.frozen()
    asks: dict[str, Ask] = {
        PLAIN: partial(_advanced, search(plain, state)),
        "values": partial(_advanced, search(valuing, state)),
        "cheapest": partial(_advanced, search(saving, state)),
        "slices": partial(_sliced, search(plain, state)),
    }
    if search is alone:
        asks[LISTENER] = partial(_advanced, search(plain, state, listener=True))
    plan = asks[PLAIN]().plan
    if plan is not None and plan.steps:
        first = {(plan.steps[0].task, plan.steps[0].args): "it failed"}
        asks["bounded"] = partial(_advanced, search(plain, state, bound=plan.record))
        asks["after a failure"] = partial(_advanced, search(plain, state, avoiding=first))
    return asks


def with_values(domain: FrozenDomain) -> FrozenDomain:
    """The domain with a value for each method, which is the greater the later it stands."""
    methods = {
        task: tuple(replace(one, value=Constant(number)) for number, one in enumerate(several))
        for task, several in domain.methods.items()
    }
    return replace(domain, methods=MappingProxyType(methods))


def _advanced(start: Start) -> Search:
    search = start()
    search.advance()
    return search


def _sliced(start: Start) -> Search:
    search = start()
    while search.advance(SLICE) is SearchStatus.RUNNING:
        pass
    return search


def per_expansion(questions: Sequence[Question], search: Callable[..., Start]) -> dict[str, float]:
    """Nanoseconds of the processor that an expansion takes, by mode."""
    asks: dict[str, list[Ask]] = {}
    for question in questions:
        for mode, ask in modes(question, search).items():
            asks.setdefault(mode, []).append(ask)
    counts = {mode: sum(ask().expansions for ask in several) for mode, several in asks.items()}
    for several in asks.values():
        _batch(several, 1)  # the second time functions are generated, which is no search
    loops = {mode: max(1, round(BATCH / _batch(one, 1))) for mode, one in asks.items()}
    best = dict.fromkeys(asks, float("inf"))
    for _ in range(TURNS):
        for mode, several in asks.items():
            best[mode] = min(best[mode], _batch(several, loops[mode]) / loops[mode])
    return {mode: took * 1e9 / counts[mode] for mode, took in best.items() if counts[mode]}


def _batch(asks: Sequence[Ask], loops: int) -> float:
    """Seconds of the processor that so many passes take."""
    gc.collect()
    start = time.process_time()
    for ask in [*asks] * loops:
        ask()
    return time.process_time() - start


def table(names: Sequence[str], search: Callable[..., Start]) -> report.Table:
    """The time of an expansion in each mode, as a multiple of that of the plain search."""
    rows = {row.name: row.questions for row in ROWS if row.name in names}
    found = {name: per_expansion(questions, search) for name, questions in rows.items()}
    others = list(dict.fromkeys(mode for one in found.values() for mode in one if mode != PLAIN))
    shown: report.Table = [["plain search = 1", "ns per expansion, plain", *others, "most : least"]]
    for name, took in found.items():
        ratios = {mode: value / took[PLAIN] for mode, value in took.items()}
        cells = [report.number(ratios[one]) if one in ratios else report.NONE for one in others]
        widest = max(ratios.values()) / min(ratios.values())
        shown.append([name, report.number(took[PLAIN]), *cells, report.number(widest)])
    return shown


if __name__ == "__main__":
    words = [one for one in sys.argv[1:] if not one.startswith("--")]
    tables = {name: table(words or ASKED, search) for name, search in TABLES.items()}
    page.show(tables, sys.argv[1:])
