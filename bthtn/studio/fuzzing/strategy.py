"""The Hypothesis strategy of a character's scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hypothesis import strategies as st

from bthtn.behaviours import Character
from bthtn.studio.fuzzing.material import MOST_TICKS, Material
from bthtn.studio.testing.interventions import Intervention
from bthtn.studio.testing.invariants import Invariants
from bthtn.studio.testing.scenario import Scenario

MOST_INTERVENTIONS: Final = 4
LONGEST: Final = 8
"""Ticks for which a sensor is wrong, or a step runs, at most."""


def scenarios(
    material: Material,
    *,
    ticks: int = MOST_TICKS,
    invariants: Callable[[Character], Invariants] = Invariants,
) -> st.SearchStrategy[Scenario]:
    """Scenarios in which up to four things are brought about; they expect only the invariants.

    A sensor is wrong for some ticks or forever, a step takes longer and ends differently, or a goal
    is interrupted; less of it, and earlier, is simpler.
    """
    at = st.integers(1, ticks)
    reads = [{name: value} for name, values in material.beliefs.items() for value in values]
    kinds: list[st.SearchStrategy[Intervention]] = []
    if reads:
        lasts = st.integers(1, LONGEST) | st.none()
        kinds.append(st.builds(Intervention, at, beliefs=st.sampled_from(reads), ticks=lasts))
    if material.steps:
        kinds.append(_scripts(material.steps, at))
    if material.goals:
        named = st.sampled_from([(name,) for name in material.goals])
        kinds.append(st.builds(Intervention, at, interrupt=named))
    interventions = (
        st.lists(st.one_of(kinds), max_size=MOST_INTERVENTIONS) if kinds else st.just([])
    )

    def scenario(made: list[Intervention]) -> Scenario:
        in_order = tuple(sorted(made, key=lambda intervention: intervention.tick or 0))
        return Scenario("fuzz", material.make, in_order, ticks=ticks, invariants=invariants)

    return interventions.map(scenario)


def _scripts(steps: Sequence[str], at: st.SearchStrategy[int]) -> st.SearchStrategy[Intervention]:
    def scripted(tick: int, step: str, runs: int, end: str) -> Intervention:
        return Intervention(tick, operators={step: "R" * runs + end})

    ends = st.sampled_from("SF")
    return st.builds(scripted, at, st.sampled_from(steps), st.integers(0, LONGEST), ends)
