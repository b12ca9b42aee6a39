"""How long plans can be before Python's recursion limit stops a planner."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from benchmarks.contestants import Contestant, of_bthtn, of_gtpyhop
from benchmarks.rows import Row

DEFAULT_RECURSION_LIMIT = 1_000
FAR = 10_000
"""Rounds of a fight that are far beyond the limit."""


def limits() -> dict[str, int]:
    """Steps of the longest fight that is planned under Python's default limit.

    Who plans the one of 10,000 rounds has no such limit, and that plan is what counts. Each
    begins in a thread of its own, where nothing is on the stack yet.
    """
    with ThreadPoolExecutor(1) as fresh, recursion_limit(DEFAULT_RECURSION_LIMIT):
        return {
            "find_plan": fresh.submit(longest, "find_plan").result(),
            "GTPyhop recursive_dfs": fresh.submit(longest, "GTPyhop recursive_dfs").result(),
        }


def longest(name: str) -> int:
    """Steps of the longest plan that a contestant finds, up to the one of 10,000 rounds."""
    if found := _steps(name, FAR):
        return found
    works, fails = 1, FAR
    while fails - works > 1:
        middle = (works + fails) // 2
        works, fails = (middle, fails) if _steps(name, middle) else (works, middle)
    return _steps(name, works)


def _steps(name: str, rounds: int) -> int:
    """Steps of the plan for so many rounds; 0 where the stack is not deep enough."""
    try:
        (plan,) = _contestant(name, rounds).answers()
    except RecursionError:
        return 0
    return len(plan or ())


def _contestant(name: str, rounds: int) -> Contestant:
    row = Row("troll fight", (rounds,), rounds, asked="fight_question")
    known = of_gtpyhop(row) if name.startswith("GTPyhop") else of_bthtn(row)
    return next(one for one in known if one.name == name)


@contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    """Let Python call functions so deep inside each other."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
