"""What it costs to ask for more than a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Feature:
    """What becomes of the question, what is done with the plan, and whether that is whole."""

    asked: Callable[[Question], Question] = _plain
    used: Callable[[Any], object] = _nothing
    whole: bool = True


FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        "nothing": Feature(),
        "events": Feature(_watched),
        "the footprint": Feature(used=_read_sets),
        "events and the footprint": Feature(_watched, _read_sets),
        "a horizon of one step": Feature(_near, whole=False),
        "no recursion guard": Feature(_unguarded),
    }
)


def contestants(row: Row) -> list[Contestant]:
    """One for each mode and feature, called "mode: feature"."""
    return [
        Contestant(f"{mode}: {name}", asks, lambda: None, steps_of)
        for mode, prepare in MODES.items()
        for name, feature in FEATURES.items()
        for asks in [[_asking(prepare, feature, question) for question in row.questions]]
    ]


def _asking(prepare: Callable[[Question], Ask], feature: Feature, question: Question) -> Ask:
    ask = prepare(feature.asked(question))
    if feature.used is _nothing:
        return ask

    def both() -> Any:
        plan = ask()
        feature.used(plan)
        return plan

    return both
