"""Test tools for domains, planners and trees.

pytest loads this package in every run for its plugin, and Hypothesis may not be installed, so
each public name is imported on first access.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bthtn.plan.replay import Replay, replay
    from bthtn.plan.validate import Validation, validate
    from bthtn.planning.htn.reference import Reference
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

__all__ = [
    "Expected",
    "Intervention",
    "Invariants",
    "Played",
    "RecordingListener",
    "Reference",
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

_MODULE_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Replay", "replay"), "bthtn.plan.replay"),
    **dict.fromkeys(("Validation", "validate"), "bthtn.plan.validate"),
    "Reference": "bthtn.planning.htn.reference",
    **dict.fromkeys(
        ("RecordingListener", "ScriptedError", "ScriptedOperator", "ScriptedSensor", "ticks"),
        "bthtn.testing.doubles",
    ),
    "Intervention": "bthtn.testing.interventions",
    "Invariants": "bthtn.testing.invariants",
    **dict.fromkeys(("Expected", "Played", "Scenario", "play"), "bthtn.testing.scenario"),
    "read_scenario": "bthtn.testing.scenario_files",
    "scenario_text": "bthtn.testing.scenario_toml",
    **dict.fromkeys(("problems", "states"), "bthtn.testing.strategies"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on first access (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
