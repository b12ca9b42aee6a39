"""What it costs to ask for more than a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from benchmarks.contestants import Contestant
from benchmarks.modes import MODES, Ask, Question, steps_of
from benchmarks.rows import Row
from bthtn import Settings


def _plain(question: Question) -> Question:
    return question


def _watched(question: Question) -> Question:
    return replace(question, listener=lambda event: None)


def _near(question: Question) -> Question:
    return replace(question, settings=Settings(horizon=1))


def _unguarded(question: Question) -> Question:
    return replace(question, settings=Settings(strict_recursion=False))


def _nothing(plan: Any) -> None:
    """The plan is all that is wanted."""


def _read_sets(plan: Any) -> object:
    return plan and plan.footprint


Feature = tuple[Callable[[Question], Question], Callable[[Any], object]]
"""What becomes of the question, and what is done with the plan."""

FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        "nothing": (_plain, _nothing),
        "events": (_watched, _nothing),
        "the footprint": (_plain, _read_sets),
        "events and the footprint": (_watched, _read_sets),
        "a horizon of one step": (_near, _nothing),
        "no recursion guard": (_unguarded, _nothing),
    }
)


def contestants(row: Row) -> list[Contestant]:
    """One for each mode and feature, called "mode: feature"."""
    return [
        Contestant(f"{mode}: {feature}", asks, lambda: None, steps_of)
        for mode, prepare in MODES.items()
        for feature, (asked, used) in FEATURES.items()
        for asks in [[_then(prepare(asked(question)), used) for question in row.questions]]
    ]


def _then(ask: Ask, used: Callable[[Any], object]) -> Ask:
    if used is _nothing:
        return ask

    def both() -> Any:
        plan = ask()
        used(plan)
        return plan

    return both
