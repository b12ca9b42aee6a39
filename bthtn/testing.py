"""Test tools for domains, planners and trees.

pytest loads this package in every run for its plugin, and Hypothesis may not be installed, so
each public name is imported on first access.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.plan.replay import Replay, replay
    from bthtn.studio.testing.doubles import (
        RecordingListener,
        ScriptedError,
        ScriptedOperator,
        ScriptedSensor,
        ticks,
    )
    from bthtn.studio.testing.interventions import Intervention
    from bthtn.studio.testing.invariants import Invariants
    from bthtn.studio.testing.scenario import Expected, Played, Scenario, play
    from bthtn.studio.testing.scenario_files import read_scenario
    from bthtn.studio.testing.scenario_toml import scenario_text
    from bthtn.studio.testing.strategies import problems, states
    from bthtn.studio.testing.validation import Validation, validate

__all__ = [
    "Expected",
    "Intervention",
    "Invariants",
    "Played",
    "RecordingListener",
    "Replay",
    "Scenario",
    "ScriptedError",
    "ScriptedOperator",
    "ScriptedSensor",
    "Validation",
    "play",
    "problems",
    "read_scenario",
    "replay",
    "scenario_text",
    "states",
    "ticks",
    "validate",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.engine.plan.replay": "Replay replay",
        "bthtn.studio.testing.doubles": (
            "RecordingListener ScriptedError ScriptedOperator ScriptedSensor ticks"
        ),
        "bthtn.studio.testing.interventions": "Intervention",
        "bthtn.studio.testing.invariants": "Invariants",
        "bthtn.studio.testing.scenario": "Expected Played Scenario play",
        "bthtn.studio.testing.scenario_files": "read_scenario",
        "bthtn.studio.testing.scenario_toml": "scenario_text",
        "bthtn.studio.testing.strategies": "problems states",
        "bthtn.studio.testing.validation": "Validation validate",
    },
)
