"""A tick of 1, 100 and 1,000 agents without a listener, with one, recorded, and watched.

    python -m benchmarks.bench_seeing [ticks] [--write-docs]

Every agent lives through the combat of `domains/combat`, in a tree of its own; waves of them begin
a tick apart. A process reads what the viewer sends, as a page does. Times are information. What is
asserted: the recording has all events and all ticks, and the page gets all ticks.
"""

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from py_trees.common import Status

from benchmarks import page, report
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.recording import Recorder, Recording
from bthtn.watch import Viewer

WAVES = 20
"""The agents begin in so many waves; a plan runs about as long."""
PAGE = """
import sys
from urllib.request import urlopen

stream = urlopen(sys.argv[1])
print(stream.readline()[:20], flush=True)
print(sum(b'"tick":' in line for line in stream))
"""
"""Reads the lines of a viewer to their end; prints the first one, and how many have a tick."""


def crowd(agents, clock, listener=None):
    """The goals of so many agents."""
    made = []
    for number in range(agents):
        state = Soldier(target=True, cover=number % 2 == 0, ammo=number % 3 > 0)
        options = {"body": None, "listener": listener, "clock": clock}
        agent = Agent(f"agent {number}", combat, state, **options)
        made.append(PlanGoal("fight", agent, fight()))
    return made


def live(goals, clock, ticks, after=lambda: None):
    """Let a crowd live; the seconds of each tick, with what comes ``after`` it."""
    seconds = []
    for tick in range(ticks):
        clock.advance(1)
        began = perf_counter()
        for number, goal in enumerate(goals):
            if tick >= number % WAVES:
                goal.agent.sense()
                goal.tick_once()
        after()
        seconds.append(perf_counter() - began)
    for goal in goals:
        goal.stop(Status.INVALID)
    return seconds


def recorded(agents, ticks, file):
    """The seconds of each tick of a crowd that is recorded in a file."""
    clock = ManualClock()
    goals = crowd(agents, clock)
    with Recorder(file, *goals) as recorder:
        return live(goals, clock, ticks, recorder.tick)


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
    goals = crowd(agents, clock)
    with Viewer(*goals) as viewer, reader_of(viewer) as reader:
        seconds = live(goals, clock, ticks, viewer.tick)
        viewer.end("", finished=False)
        return seconds, viewer.dropped, int(reader.stdout.read())


def test_a_page_gets_all_ticks_of_a_watched_crowd():
    seconds, dropped, lines = watched(30, 25)
    assert (len(seconds), dropped) == (25, 0)
    assert lines > 25


def test_a_recorded_crowd_is_recorded_whole(tmp_path):
    heard, clock = [], ManualClock()
    goals = crowd(30, clock, heard.append)
    with Recorder(tmp_path / "run.jsonl", *goals) as recorder:
        live(goals, clock, 25, recorder.tick)
        recorder.end(finished=False)
    recording = Recording.read(tmp_path / "run.jsonl")
    blocks = (*recording.ticks, recording.stop)
    events = [line for lines in blocks for line in lines if "event" in line]
    assert len(events) == len(heard) > 200
    assert len(recording.ticks) == 25


def runs(agents, ticks):
    """The seconds of each tick of a crowd, by how it is seen."""
    for name, listener in (("nobody", None), ("a listener", lambda _: None)):
        clock = ManualClock()
        yield name, live(crowd(agents, clock, listener), clock, ticks)
    for name, file in (("a recorder", "run.jsonl"), ("a recorder, compressed", "run.jsonl.gz")):
        with tempfile.TemporaryDirectory() as folder:
            yield name, recorded(agents, ticks, Path(folder) / file)
    yield "a viewer with a page", watched(agents, ticks)[0]


def main(*arguments):
    """Print the median and the worst tick of each crowd, in milliseconds."""
    ticks = next((int(one) for one in arguments if one.isdigit()), 25)
    table = {"seen by": ["seen by"]}
    for agents in (1, 100, 1_000):
        head = f"{report.exact(agents)} agent{'s' * (agents > 1)}"
        table["seen by"] += [f"{head}, median, ms", "worst, ms"]
        for name, seconds in runs(agents, ticks):
            cells = (report.number(1e3 * of(seconds)) for of in (median, max))
            table.setdefault(name, [name]).extend(cells)
    lines = list(table.values())
    sys.stdout.write(report.markdown(lines) + "\n")
    if "--write-docs" in arguments:
        page.rewrite({"seeing": lines})


if __name__ == "__main__":
    main(*sys.argv[1:])
