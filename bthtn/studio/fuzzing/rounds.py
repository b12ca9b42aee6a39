"""A search for a scenario that breaks an invariant, and the shortest one like it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from bthtn.studio.testing.scenario import Scenario, play


@dataclass(frozen=True, slots=True)
class FailedScenario:
    """A scenario that fails, as short as was found, and its fault."""

    scenario: Scenario
    fault: str


def find_failure(drawn: SearchStrategy[Scenario], *, runs: int, seed: int) -> FailedScenario | None:
    """Try so many scenarios, drawn by a seed, and shrink the first that fails. None if none does.

    Exceptions of the world are not contained.
    """
    limits = settings(
        max_examples=runs,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=tuple(HealthCheck),
    )
    try:
        dice = Random(seed)  # noqa: S311 - dice, not secrets
        with _unlogged():
            found = find(
                drawn, lambda scenario: bool(play(scenario).fault), settings=limits, random=dice
            )
    except NoSuchExample:
        return None
    return FailedScenario(found, play(found).fault)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Without the log of errors of agents' code, which the failure says once."""
    log = logging.getLogger("bthtn")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Inside, Hypothesis makes no folder of its own where the user works.

    It may not write there, and computes again instead of reading.
    """
    set_hypothesis_home_dir(os.devnull)
    try:
        yield
    finally:
        set_hypothesis_home_dir(None)
