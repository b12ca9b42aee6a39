"""Recordings of runs, on disk.

A ``Transcript`` makes lines of the ticks of trees and of their agents' events. ``Recorder`` writes
them to a file while the loop runs, by the thread of a ``line_file``; ``Recording`` reads such a
file, and makes the moment of any tick of it. ``comparison`` compares a recording with lines of
another run, the first difference with its cause.

Lines are JSON objects, docs/recording.md is their schema. Nothing here ticks anything.
"""

from bthtn.recording.recorded import Moment, Recording
from bthtn.recording.recorder import Recorder

__all__ = ["Moment", "Recorder", "Recording"]
