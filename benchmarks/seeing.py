"""A tick of 1, 100 and 1,000 agents without a listener, with one, recorded, and watched.

    python -m benchmarks.seeing [--write-docs]

The agents are those of ``benchmarks.crowd``. A process reads what the viewer sends, as a page does.
"""

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks import page, report
from benchmarks.crowd import fighters, seconds_of_frames
from bthtn.behaviours import ManualClock
from bthtn.kit.recording import Recorder
from bthtn.studio.watch import Viewer

TICKS = 25
PAGE = """
import sys
from urllib.request import urlopen

stream = urlopen(sys.argv[1])
print(stream.readline()[:20], flush=True)
print(sum(b'"tick":' in line for line in stream))
"""
"""Reads the lines of a viewer to their end; prints the first one, and how many have a tick."""


def recorded(agents, ticks, file):
    """The seconds of each tick of a crowd that is recorded in a file."""
    clock = ManualClock()
    goals = fighters(agents, clock)
    with Recorder(file, *goals) as recorder:
        return seconds_of_frames(goals, clock, ticks, after=recorder.tick)


@contextmanager
def reader_of(viewer):
    """A process that reads what the viewer sends, from its first line on."""
    address = f"{viewer.url.partition('#')[0]}lines"
    command = [sys.executable, "-c", PAGE, address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline(), "the page gets the first line"
        yield reader


def watched(agents, ticks):
    """The seconds of each tick of a crowd that a page shows, the frames dropped, and the page."""
    clock = ManualClock()
    goals = fighters(agents, clock)
    with Viewer(*goals) as viewer, reader_of(viewer) as reader:
        seconds = seconds_of_frames(goals, clock, ticks, after=viewer.tick)
        viewer.end("", finished=False)
        return seconds, viewer.dropped, int(reader.stdout.read())


def runs(agents, ticks=TICKS):
    """The seconds of each tick of a crowd, by how it is seen."""
    for name, listener in (("nobody", None), ("a listener", lambda _: None)):
        clock = ManualClock()
        goals = fighters(agents, clock, listener=lambda number, heard=listener: heard)
        yield name, seconds_of_frames(goals, clock, ticks)
    for name, file in (("a recorder", "run.jsonl"), ("a recorder, compressed", "run.jsonl.gz")):
        with tempfile.TemporaryDirectory() as folder:
            yield name, recorded(agents, ticks, Path(folder) / file)
    yield "a viewer with a page", watched(agents, ticks)[0]


def table():
    """The median and the worst tick of each crowd, in milliseconds."""
    lines = {"": ["seen by"]}
    for agents in (1, 100, 1_000):
        head = f"{report.exact(agents)} agent{'s' * (agents > 1)}"
        lines[""] += [f"{head}, median, ms", "worst, ms"]
        for name, seconds in runs(agents):
            cells = (report.number(1e3 * of(seconds)) for of in (median, max))
            lines.setdefault(name, [name]).extend(cells)
    return list(lines.values())


if __name__ == "__main__":
    page.show({"seeing": table()}, sys.argv[1:])
