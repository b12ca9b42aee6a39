"""Summaries of pairs: the states that lead to other plans, and the seeds that differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bthtn.batch.workers import package_of
from bthtn.compare.statistics import HOW

Row = Mapping[str, Any]


@dataclass(slots=True)
class OtherPlan:
    """A plan of a, and that of b for the same goal in the same state; with the seeds of both."""

    goal: str
    a: str
    b: str
    example: Mapping[str, Any]
    seeds: list[int] = field(default_factory=list)


def other_plans(rows: Sequence[Row]) -> list[OtherPlan]:
    """The first decisions that differ, alike ones together, the most frequent first."""
    found: dict[tuple[str, str, str], OtherPlan] = {}
    for row in rows:
        match row["decision"]:
            case {"goal": goal, "a": a, "b": b, "state": state}:
                same = found.setdefault((goal, a, b), OtherPlan(goal, a, b, state))
                same.seeds.append(row["seed"])
    return sorted(found.values(), key=lambda one: (-len(one.seeds), one.seeds))


def most_different(rows: Sequence[Row], measures: Sequence[str], most: int) -> list[Row]:
    """The rows with the greatest differences: by the sum of their ranks in all measures.

    Of equal ones the first seed is first; rows that are the same on both sides are left out.
    """
    stats = package_of("scipy.stats", HOW)
    ranks = [
        stats.rankdata([_distance(row, text) for row in rows], method="dense") for text in measures
    ]
    sums = dict(enumerate(map(sum, zip(*ranks, strict=True)))) if ranks else {}
    order = sorted(range(len(rows)), key=lambda number: -sums.get(number, 0))
    return [rows[number] for number in order if not rows[number]["same"]][:most]


def _distance(row: Row, text: str) -> float:
    a, b = row[f"a.{text}"], row[f"b.{text}"]
    return abs(b - a) if None not in (a, b) else float(a is not b)
