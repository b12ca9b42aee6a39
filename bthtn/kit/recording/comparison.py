"""The lines of a run against those of a recording, up to the first difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bthtn.kit.recording.transcript import Block, texts
from bthtn.kit.recording.watched import Line


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: the tick, its cause in words, and both lines.

    A line is empty where the recording or the other run is over.
    """

    tick: int
    cause: str
    recorded: str
    replayed: str


class LineComparison:
    """Takes the blocks of a run, as a Transcript gives them, and compares them byte by byte.

    ``lines`` are those of the recording. A recording that was cut off is compared as far as it
    goes: there is no difference where it has no more lines and no last one.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._last = ""
        self._tick = 0
        self.ticks = 0
        """Ticks that were the same."""
        self.events = 0
        """Events that were the same."""
        self.difference: Difference | None = None
        self.is_over = False
        """Whether nothing is left to be compared."""

    def take(self, block: Block) -> None:
        for text in texts(block):
            if self.is_over:
                return
            self._compare(text)

    def _compare(self, replayed: str) -> None:
        recorded = next(self._lines, "")
        if not recorded and not self._last.startswith('{"end":'):
            self.is_over = True
            return
        line = _line(recorded)
        self._tick = line.get("tick", self._tick)
        if recorded != replayed:
            self._differ(recorded, replayed)
            return
        self._last = recorded
        self.ticks = self._tick
        self.events += "event" in line

    def close(self) -> None:
        """The run is over; further lines of the recording are a difference."""
        if not self.is_over and (recorded := next(self._lines, "")):
            self._differ(recorded, "")
        self.is_over = True

    def _differ(self, recorded: str, replayed: str) -> None:
        cause = cause_of(_line(recorded), _line(replayed))
        self.difference = Difference(self._tick, cause, recorded, replayed)
        self.is_over = True


def cause_of(recorded: Line, replayed: Line) -> str:
    """The difference of two lines in words; a line is empty where its run is over."""
    if not replayed:
        return f"the run is over where the recording has {_what(recorded)}"
    if not recorded:
        return f"the recording is over where the run has {_what(replayed)}"
    if _what(recorded) != _what(replayed):
        return f"there is {_what(replayed)} instead of {_what(recorded)}"
    different = next(_differences(recorded, replayed, ""), None)
    if different is None:  # somebody else has written it, with other spaces or in another order
        return f"{_what(recorded)} has the same, written otherwise"
    path, before, after = different
    return f"in {_what(recorded)}, {path} is {json.dumps(after)} instead of {json.dumps(before)}"


def _line(text: str) -> Line:
    try:
        line = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {"text": text}
    return line if isinstance(line, dict) else {"text": text}


def _what(line: Line) -> str:
    """The kind of a line and its subject, which distinguish it from other lines."""
    subjects = [str(line[key]) for key in ("goal", "task", "key", "sensor") if line.get(key)]
    if "change" in line and isinstance(line["change"], dict):
        subjects = [str(line["change"].get("fluent"))]
    if "event" in line:
        whose = f" of {line['agent']}" if line.get("agent") else ""
        return " ".join([str(line["event"]), *subjects[:2]]) + whose
    names = {
        "recording": "the first line",
        "tick": f"the beginning of tick {line.get('tick')}",
        "stop": "the stop of the run",
        "view": f"the tree of {line.get('agent')}",
        "beliefs": f"the beliefs of {line.get('agent')}",
        "end": "the end",
    }
    return next((text for key, text in names.items() if key in line), "an unknown line")


def _differences(recorded: Any, replayed: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The places in which two values differ, with both values."""
    pending = [(path, recorded, replayed)]
    while pending:
        path, recorded, replayed = pending.pop()
        match recorded, replayed:
            case dict(), dict():
                before = f"{path}." if path else ""
                keys = reversed({**recorded, **replayed})
                pending += [
                    (f"{before}{key}", recorded.get(key), replayed.get(key)) for key in keys
                ]
            case list(), list() if len(recorded) == len(replayed):
                both = [*enumerate(zip(recorded, replayed, strict=True))]
                pending += [(f"{path}[{number}]", *pair) for number, pair in reversed(both)]
            case _ if recorded != replayed:
                yield path, recorded, replayed
