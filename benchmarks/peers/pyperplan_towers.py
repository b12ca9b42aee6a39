"""Towers of blocks in PDDL."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.domains.towers import Rebuilding, Towers

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


def problem(asked: Rebuilding) -> str:
    """The towers that there are, and those that are wanted."""
    names = sorted(name for tower in asked.before for name in tower)
    tops = " ".join(f"(clear {tower[-1]})" for tower in asked.before)
    return (
        f"(define (problem towers) (:domain blocks) (:objects {' '.join(names)})"
        f" (:init (hand-empty) {tops} {_facts(asked.before)})"
        f" (:goal (and {_facts(asked.after)})))"
    )


def _facts(towers: Towers) -> str:
    facts = [f"(on-table {tower[0]})" for tower in towers]
    for tower in towers:
        facts += [f"(on {upper} {lower})" for lower, upper in pairwise(tower)]
    return " ".join(facts)
