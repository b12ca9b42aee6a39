"""What a run did, as data and on disk: events, snapshots of trees, decisions.

A ``Transcript`` makes lines of the ticks of trees and of their agents' events. ``Recorder`` writes
them to a file while the loop runs, by the thread of a ``line_file``; ``Recording`` reads such a
file, and makes the moment of any tick of it. ``comparison`` compares a recording with lines of
another run, the first difference with its cause.

Lines are JSON objects, docs/recording.md is their schema. Nothing here ticks anything.
"""

from bthtn.kit.recording.decisions import PlanDecision, plan_decisions
from bthtn.kit.recording.event_log import event_data, line_of, log_listener
from bthtn.kit.recording.recorded import Moment, Recording
from bthtn.kit.recording.recorder import Recorder
from bthtn.kit.recording.snapshot import Snapshots, updated

__all__ = [
    "Moment",
    "PlanDecision",
    "Recorder",
    "Recording",
    "Snapshots",
    "event_data",
    "line_of",
    "log_listener",
    "plan_decisions",
    "updated",
]
