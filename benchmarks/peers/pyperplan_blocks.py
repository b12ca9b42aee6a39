"""Towers of blocks as pyperplan is asked: a PDDL problem, read once and grounded at every ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from pyperplan import grounding, search
from pyperplan.heuristics.lm_cut import LmCutHeuristic
from pyperplan.heuristics.relaxation import hAddHeuristic, hFFHeuristic, hMaxHeuristic
from pyperplan.pddl.parser import Parser

Towers = list[list[str]]

STRATEGIES: Mapping[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = MappingProxyType(
    {
        "A*, hmax": (search.astar_search, hMaxHeuristic),
        "A*, LM-cut": (search.astar_search, LmCutHeuristic),
        "greedy, hadd": (search.greedy_best_first_search, hAddHeuristic),
        "greedy, h-FF": (search.greedy_best_first_search, hFFHeuristic),
    }
)
"""The first two find the cheapest plan."""

DOMAIN = """
(define (domain blocks) (:requirements :strips)
 (:predicates (on ?x ?y) (on-table ?x) (clear ?x) (hand-empty) (holding ?x))
 (:action pickup :parameters (?x)
  :precondition (and (clear ?x) (on-table ?x) (hand-empty))
  :effect (and (not (on-table ?x)) (not (clear ?x)) (not (hand-empty)) (holding ?x)))
 (:action putdown :parameters (?x)
  :precondition (holding ?x)
  :effect (and (not (holding ?x)) (clear ?x) (hand-empty) (on-table ?x)))
 (:action stack :parameters (?x ?y)
  :precondition (and (holding ?x) (clear ?y))
  :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (hand-empty) (on ?x ?y)))
 (:action unstack :parameters (?x ?y)
  :precondition (and (on ?x ?y) (clear ?x) (hand-empty))
  :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (hand-empty)) (not (on ?x ?y)))))
"""


def problem(before: Towers, after: Towers) -> Any:
    """What pyperplan's parser makes of the question."""
    names = sorted(name for tower in before for name in tower)
    tops = " ".join(f"(clear {tower[-1]})" for tower in before)
    text = (
        f"(define (problem towers) (:domain blocks) (:objects {' '.join(names)})"
        f" (:init (hand-empty) {tops} {_facts(before)}) (:goal (and {_facts(after)})))"
    )
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("domain.pddl", "problem.pddl")]
        for file, content in zip(files, (DOMAIN, text), strict=True):
            file.write_text(content, "utf-8")
        parser = Parser(*map(str, files))
        return parser.parse_problem(parser.parse_domain())


def ask(asked: Any, strategy: str) -> int:
    """The number of steps of the plan."""
    find, heuristic = STRATEGIES[strategy]
    task = grounding.ground(asked)
    return len(find(task, heuristic(task)))


def _facts(towers: Towers) -> str:
    facts = [f"(on-table {tower[0]})" for tower in towers]
    for tower in towers:
        facts += [f"(on {upper} {lower})" for lower, upper in pairwise(tower)]
    return " ".join(facts)
