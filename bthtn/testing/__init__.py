"""Test tools for domains, planners and trees.

pytest loads this package in every run for its plugin, and Hypothesis may not be installed, so
each public name is imported on first access.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.plan.replay import Replay, replay
    from bthtn.testing.doubles import (
        RecordingListener,
        ScriptedError,
        ScriptedOperator,
        ScriptedSensor,
        ticks,
    )
    from bthtn.testing.interventions import Intervention
    from bthtn.testing.invariants import Invariants
    from bthtn.testing.scenario import Expected, Played, Scenario, play
    from bthtn.testing.scenario_files import read_scenario
    from bthtn.testing.scenario_toml import scenario_text
    from bthtn.testing.strategies import problems, states
    from bthtn.testing.validation import Validation, validate

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
        "bthtn.plan.replay": "Replay replay",
        "bthtn.testing.doubles": (
            "RecordingListener ScriptedError ScriptedOperator ScriptedSensor ticks"
        ),
        "bthtn.testing.interventions": "Intervention",
        "bthtn.testing.invariants": "Invariants",
        "bthtn.testing.scenario": "Expected Played Scenario play",
        "bthtn.testing.scenario_files": "read_scenario",
        "bthtn.testing.scenario_toml": "scenario_text",
        "bthtn.testing.strategies": "problems states",
        "bthtn.testing.validation": "Validation validate",
    },
)
