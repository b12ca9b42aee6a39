"""A tick of 1, 100 and 1,000 agents without a listener, with one, and while it is recorded.

    python -m benchmarks.bench_recording [ticks]

Every agent lives through the combat of `domains/combat`, in a tree of its own; waves of them begin
a tick apart. Times are information. What is asserted: the recording has all events and all ticks.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from py_trees.common import Status

from benchmarks import report
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.recording import Recorder, Recording

WAVES = 20
"""The agents begin in so many waves; a plan runs about as long."""


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


def main(*arguments):
    """Print the median and the worst tick of each crowd, in milliseconds."""
    ticks = next((int(one) for one in arguments if one.isdigit()), 25)
    table = [["agents", *(f"{name}, {kind}" for name in NAMES for kind in ("median", "worst"))]]
    for agents in (1, 100, 1_000):
        clock = ManualClock()
        runs = [live(crowd(agents, clock), clock, ticks)]
        clock = ManualClock()
        runs.append(live(crowd(agents, clock, lambda _: None), clock, ticks))
        for name in ("run.jsonl", "run.jsonl.gz"):
            with tempfile.TemporaryDirectory() as folder:
                runs.append(recorded(agents, ticks, Path(folder) / name))
        cells = (report.number(1e3 * of(run)) for run in runs for of in (median, max))
        table.append([report.exact(agents), *cells])
    sys.stdout.write(report.markdown(table) + "\n")


NAMES = ("no listener", "a listener", "recorded", "recorded, .gz")

if __name__ == "__main__":
    main(*sys.argv[1:])
