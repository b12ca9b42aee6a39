"""Recording: a file of lines read again, and the moment of any tick of it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path
from typing import Any, Final, Self

from bthtn.checked import checked
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.text.values import shortened
from bthtn.errors import InputError
from bthtn.kit.formats.document import unreadable
from bthtn.kit.recording.decisions import PlanDecision, plan_decisions
from bthtn.kit.recording.known import Known
from bthtn.kit.recording.line_file import further_parts
from bthtn.kit.recording.shape import fault_of, fault_of_agent
from bthtn.kit.recording.snapshot import Snapshot, copied
from bthtn.kit.recording.watched import FORMAT, Line

LONGEST_LINE: Final = 64_000_000
MOST_BYTES: Final = 4_000_000_000
"""Of a part of a recording, which a small compressed file could have many more of."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of an agent at the end of a tick, as far as it was recorded.

    ``beliefs`` are values as JSON, by fluents; ``plans`` are the events with which the running
    plans began, by goals, and ``steps`` those of the running steps, by their numbers. ``records``
    are those of the running plans, with the parts that were suspended and are planned by now.
    ``tree`` is a snapshot with statuses, None where none was recorded; ``events`` are those of the
    tick.
    """

    agent: str
    tick: int
    time: float | None
    active: tuple[str, ...]
    beliefs: Mapping[str, Any]
    plans: Mapping[str, Line]
    records: Mapping[str, MethodTraversalRecord]
    steps: Mapping[int, Line]
    tree: Snapshot | None
    events: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording as far as it was written: its first line, ``ticks``, and its end.

    Each of ``ticks`` has the lines of a tick, the first of which begins it. ``stop`` has the
    lines of the stop of the run; ``end`` is the last line, None if the run was killed.
    """

    head: Line
    ticks: tuple[tuple[Line, ...], ...]
    stop: tuple[Line, ...] = ()
    end: Line | None = None

    @classmethod
    @checked
    def read(cls, file: Path | str) -> Self:
        """Read a file and its further parts, up to the last whole line.

        Raises InputError for a file that cannot be read, that is no recording, or that was
        written by a newer version.
        """
        texts = enumerate(whole_lines(Path(file)), 1)
        lines = [
            _checked(line_of(text, f"{file}:{number}"), file, number) for number, text in texts
        ]
        _check_trees(lines, file)
        blocks: list[list[Line]] = []
        for line in lines[1:]:
            if _begins(line):
                blocks.append([])
            if blocks and "end" not in line:
                blocks[-1].append(line)
        end = lines[-1] if "end" in lines[-1] else None
        stop = blocks.pop() if blocks and "stop" in blocks[-1][0] else []
        if any("tick" not in block[0] for block in blocks):
            raise _no_recording(Path(file), "it goes on after its stop")
        return cls(lines[0], tuple(map(tuple, blocks)), tuple(stop), end)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(agent["agent"] for agent in self.head["agents"])

    def at(self, tick: int | None = None, agent: str = "") -> Moment:
        """The state of an agent, the first one if none is named, at the end of a tick.

        It is that of the last tick if none is named. Raises InputError for a tick or an agent that
        the recording does not have.
        """
        name = agent or self.agents[0]
        known = {agent["agent"]: agent for agent in self.head["agents"]}
        message = f"no agent of the recording is called {name!r}"
        InputError.require(name, known, "BT461", message)
        so_far = Known(known[name])
        ticks = [lines[0]["tick"] for lines in self.ticks]
        wanted = max(ticks, default=0) if tick is None else tick
        for lines in self.ticks:
            for line in lines:
                so_far.add(line)
            if lines[0]["tick"] == wanted:
                return _moment(so_far, lines)
        hint = f"it has {ticks[0]} to {ticks[-1]}" if ticks else "it ends before the first tick"
        raise InputError("BT461", f"the recording has no tick {wanted}", hint=hint)

    def decisions(
        self, agent: str = "", *, goal: str = "", until: int | None = None
    ) -> tuple[PlanDecision, ...]:
        """The decisions about the plans of an agent, the first one if none is named, in order.

        Those about one goal only, and up to the end of a tick, if these are given.
        """
        lines = [line for block in (*self.ticks, self.stop) for line in block if "event" in line]
        known = (line for line in lines if until is None or line["tick"] <= until)
        return tuple(plan_decisions(known, agent=agent or self.agents[0], goal=goal))


def _moment(known: Known, lines: tuple[Line, ...]) -> Moment:
    head, name = lines[0], known.about["agent"]
    return Moment(
        name,
        head["tick"],
        head.get("time"),
        tuple(head.get("active", ())),
        dict(known.beliefs),
        dict(known.plans),
        {goal: known.records[goal] for goal in known.plans},
        dict(known.steps),
        None if known.tree is None else copied(known.tree),
        tuple(line for line in lines if "event" in line and line.get("agent") == name),
    )


def whole_lines(file: Path) -> Iterator[str]:
    """The lines of a recording in all of its parts, up to the last whole one.

    The first lines of further parts are left out. Raises InputError as ``Recording.read``.
    """
    texts = _lines_of_file(file)
    first = next(texts, "")
    _check(file, first)
    yield first
    yield from texts
    for part in further_parts(file):
        further = _lines_of_file(part)
        if '"part"' not in next(further, ""):
            return
        yield from further


def _lines_of_file(file: Path) -> Iterator[str]:
    opened = gzip.open if file.suffix == ".gz" else open
    if file.is_char_device():  # which may have no end, nor a line
        raise unreadable(file, OSError(EINVAL, "it is no file"))
    left = MOST_BYTES
    try:
        with opened(file, "rb") as lines:
            while (line := lines.readline(LONGEST_LINE)).endswith(b"\n"):
                left -= len(line)
                if left < 0:
                    raise _no_recording(file, f"it is larger than {MOST_BYTES:,} bytes")
                yield line[:-1].decode("ascii")
            if len(line) == LONGEST_LINE:
                raise _no_recording(file, f"a line is longer than {LONGEST_LINE:,} bytes")
    except (EOFError, zlib.error):  # it ends within a compressed block
        return
    except UnicodeDecodeError:
        raise _no_recording(file, "it is not text in ASCII") from None
    except gzip.BadGzipFile:
        raise _no_recording(file, "it is not compressed") from None
    except OSError as error:
        raise unreadable(file, error) from None


def _object(text: str) -> Line | None:
    """The JSON object that a text is, None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def line_of(text: str, where: str) -> Line:
    """The line of a text; ``where`` is its place. Raises InputError."""
    line = _object(text)
    if line is None:
        raise InputError("BT460", "a line of the recording is damaged: it is no JSON object", where)
    return line


def _begins(line: Line) -> bool:
    """Whether it is the first line of a tick, or of the stop of the run."""
    return "stop" in line or ("tick" in line and "event" not in line)


def _check_trees(lines: list[Line], file: Path | str) -> None:
    """Raise InputError for a change of a tree before the whole tree."""
    whole, has_begun = set(), False
    for number, line in enumerate(lines[1:], 2):
        has_begun = has_begun or _begins(line)
        if "view" in line and "end" not in line and has_begun:
            if "tree" in line:
                whole.add(line["agent"])
            elif line["agent"] not in whole:
                message = "a line of the recording is damaged: its tree was not there as a whole"
                raise InputError("BT460", message, f"{file}:{number}", "record the run anew")


def _checked(line: Line, file: Path | str, number: int) -> Line:
    """The line of this number, if it has the shape of one. Raises InputError."""
    if number == 1:
        agents = line.get("agents")
        if not isinstance(agents, list) or not agents:
            raise _no_recording(Path(file), "it has no agents in its first line")
        fault = next(filter(None, map(fault_of_agent, agents)), "")
    else:
        fault = fault_of(line)
    if fault:
        message = f"a line of the recording is damaged: {shortened(fault, 200)}"
        raise InputError("BT460", message, f"{file}:{number}", "record the run anew")
    return line


def _check(file: Path, first: str) -> None:
    """Raise InputError unless this is the first line of a recording that can be read."""
    head = _object(first) or {}
    found = head.get("recording")
    if found == FORMAT:
        return
    if head.get("of") == FORMAT:
        raise _no_recording(file, "it is a further part; read the first one")
    if isinstance(found, str) and found.startswith("bthtn-recording/"):
        message = (
            f"{file} is a recording in the format {shortened(found)}; this bthtn reads {FORMAT}"
        )
        hint = "read it with the version of bthtn that has written it, or a newer one"
        raise InputError("BT460", message, hint=hint)
    raise _no_recording(file, "its first line is not that of a recording")


def _no_recording(file: Path, why: str) -> InputError:
    hint = "bthtn run TREE --record FILE writes one"
    return InputError("BT460", f"{file} is no recording: {why}", hint=hint)
