"""pyperplan: reading a problem in PDDL, and how it is asked: it grounds anew at every ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from pyperplan import grounding, search
from pyperplan.heuristics.lm_cut import LmCutHeuristic
from pyperplan.heuristics.relaxation import hAddHeuristic, hFFHeuristic, hMaxHeuristic
from pyperplan.pddl.parser import Parser

STRATEGIES: Mapping[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = MappingProxyType(
    {
        "A*, hmax": (search.astar_search, hMaxHeuristic),
        "A*, LM-cut": (search.astar_search, LmCutHeuristic),
        "greedy, hadd": (search.greedy_best_first_search, hAddHeuristic),
        "greedy, h-FF": (search.greedy_best_first_search, hFFHeuristic),
    }
)
"""The first two find the cheapest plan."""


def parsed(domain: str, problem: str) -> Any:
    """What pyperplan's parser makes of a domain and a problem."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("domain.pddl", "problem.pddl")]
        for file, content in zip(files, (domain, problem), strict=True):
            file.write_text(content, "utf-8")
        parser = Parser(*map(str, files))
        return parser.parse_problem(parser.parse_domain())


def ask(problem: Any, strategy: str) -> int:
    """The number of steps of the plan."""
    find, heuristic = STRATEGIES[strategy]
    task = grounding.ground(problem)
    return len(find(task, heuristic(task)))
