"""Differences of two observations of one seed, as plain data, and those of many seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from statistics import fmean
from typing import Any

from bthtn.studio.compare.observe import Observation

Row = Mapping[str, Any]


def row_of(seed: int, one: Observation, other: Observation) -> dict[str, Any]:
    """The measures and facts of both, and the first differences, None where there are none.

    ``difference`` is the first thing that happened otherwise; ``decision`` is about the first
    plans that differ, if they were made for one goal in one state.
    """
    measures: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for side, seen in (("a", one), ("b", other)):
        measures |= {f"{side}.{text}": value for text, value in seen.measures.items()}
        others = {name: fact for name, fact in seen.facts.items() if name not in seen.measures}
        facts |= {f"{side}.{name}": fact for name, fact in others.items()}
    difference, decision = _difference(one, other), _decision(one, other)
    found = {"difference": difference, "decision": decision}
    return {"seed": seed, "same": difference is None, **measures, **facts, **found}


def _difference(one: Observation, other: Observation) -> dict[str, Any] | None:
    nothing = (-1, "")
    for here, there in zip_longest(one.lines, other.lines, fillvalue=nothing):
        if here != there:
            tick = min(found[0] for found in (here, there) if found != nothing)
            return {"tick": tick, "a": here[1], "b": there[1]}
    if one.facts != other.facts:
        ended = [f"ends after {seen.facts.get('ticks')} ticks" for seen in (one, other)]
        return {"tick": one.facts.get("ticks", 0), "a": ended[0], "b": ended[1]}
    return None


def _decision(one: Observation, other: Observation) -> dict[str, Any] | None:
    for here, there in zip(one.begun, other.begun, strict=False):
        if here == there:
            continue
        if there != replace(here, plan=there.plan):
            return None  # for another goal, or in another state
        both = {"a": here.plan, "b": there.plan}
        return {"tick": here.tick, "goal": here.goal, "state": here.beliefs, **both}
    return None


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a measure on both sides, over the seeds in which both have a value.

    Of a condition, the mean is the share of seeds in which it holds. ``differ`` is in how many of
    the seeds the values differ.
    """

    measure: str
    a: float | None
    b: float | None
    seeds: int
    differ: int


def means(rows: Sequence[Row], measure: str) -> Means:
    """The means of a measure; None if there is no seed in which both sides have a value."""
    pairs = [(row[f"a.{measure}"], row[f"b.{measure}"]) for row in rows]
    known = [pair for pair in pairs if None not in pair]
    a, b = (fmean(values) for values in zip(*known, strict=True)) if known else (None, None)
    return Means(measure, a, b, len(known), sum(one != other for one, other in known))


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
    return sorted(found.values(), key=lambda group: (-len(group.seeds), group.seeds))


def most_different(rows: Sequence[Row], measures: Sequence[str], most: int) -> list[Row]:
    """The rows with the greatest differences: by the sum of their ranks in all measures.

    Of equal ones the first seed is first; rows that are the same on both sides are left out.
    """
    sums = [0] * len(rows)
    for text in measures:
        distances = [_distance(row, text) for row in rows]
        rank = {distance: number for number, distance in enumerate(sorted(set(distances)))}
        sums = [total + rank[distance] for total, distance in zip(sums, distances, strict=True)]
    order = sorted(range(len(rows)), key=lambda number: -sums[number])
    return [rows[number] for number in order if not rows[number]["same"]][:most]


def _distance(row: Row, text: str) -> float:
    a, b = row[f"a.{text}"], row[f"b.{text}"]
    return abs(b - a) if None not in (a, b) else float(a is not b)
