"""GTPyhop: loading it quietly, its three strategies, and how it is asked."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import gtpyhop
    from gtpyhop import main
    from gtpyhop.logging_system import get_logger

main.verbose = 0  # set_verbose_level(0) would print that it did so

STRATEGIES = ("recursive_dfs", "iterative_dfs_backtracking", "iterative_greedy")
"""The first two come back to earlier choices; the third does not, and misses plans."""

Step = tuple[Any, ...]
Question = tuple[gtpyhop.State, list[Step]]
"""A state and what is to be done."""


def begin(domain: gtpyhop.Domain, strategy: str) -> None:
    """Let the questions that follow be about this domain, answered by this strategy.

    The log that GTPyhop keeps of every call is emptied: it would grow from batch to batch.
    """
    gtpyhop.set_current_domain(domain)
    gtpyhop.set_recursive_planning(strategy)
    get_logger("gtpyhop_global").clear_logs()


def ask(question: Question) -> list[Step] | None:
    """A plan, or None where none is found; ``begin`` comes before."""
    found = gtpyhop.find_plan(*question)
    return None if found is False else found
