"""Pairs: what two observations of one seed say beside each other, as a line of JSON."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from bthtn.compare.observe import BegunPlan, Observation


def paired(one: Observation, other: Observation) -> dict[str, Any]:
    """The measures and facts of both, and the first differences, None where there are none.

    ``difference`` is the first thing that happened otherwise; ``decision`` is about the first
    plans that differ, if they were made for one goal in one state.
    """
    sides = {"a": one, "b": other}
    measures = {
        f"{side}.{text}": value
        for side, seen in sides.items()
        for text, value in seen.measures.items()
    }
    facts = {
        f"{side}.{name}": value
        for side, seen in sides.items()
        for name, value in seen.facts.items()
        if name not in seen.measures
    }
    difference = _difference(one, other)
    return {
        "same": difference is None,
        **measures,
        **facts,
        "difference": difference,
        "decision": _decision(one, other),
    }


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
        if here.plan != there.plan and _situation(here) == _situation(there):
            return {
                "tick": here.tick,
                "goal": here.goal,
                "state": here.beliefs,
                "a": here.plan,
                "b": there.plan,
            }
        if here != there:
            return None
    return None


def _situation(begun: BegunPlan) -> tuple[int, str, Any]:
    return begun.tick, begun.goal, begun.beliefs
