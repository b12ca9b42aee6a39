"""A thousand agents: ticks per second, the worst tick, and what each keeps in memory.

    python -m benchmarks.crowd [--write-docs]

Every agent lives through the combat of `domains/combat`: each frame some of them see a target and
want a plan, which runs for some ticks. Times are information. What is asserted: no frame expands
more than its budget, everybody is served, and the same agents in the same order in every run.
"""

import gc
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

from py_trees.common import Status

from benchmarks import page, report
from benchmarks.domains import combat as combat_cases
from benchmarks.groups import Group, Groups, world
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.engine.agent.events import PlanAdopted
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.kit import Crowd as Turns
from bthtn.kit import Detail

AGENTS, FRAMES = 1_000, 60
BUDGET = 500
WAVES = 20
"""The crowd begins in so many waves, a frame apart; a plan runs about as long."""
WARM_UP = 5
"""Frames of groups that are not measured: the first plans are made in them."""
MANY, MILLISECONDS = 10_000, (20, 50)
"""Agents of a large crowd, and how long its frames may take."""


def fighters(agents, clock, *, listener=lambda number: None, schedule=None):
    """The goals of so many agents, each with the listener for its number."""
    made = []
    for number in range(agents):
        state = Soldier(target=True, cover=number % 2 == 0, ammo=number % 3 > 0)
        given = {"body": None, "listener": listener(number), "clock": clock}
        agent = Agent(f"agent {number}", combat, state, **given)
        made.append(PlanGoal("fight", agent, fight(), budget=schedule))
    return made


def seconds_of_frames(goals, clock, frames, *, waves=WAVES, before=None, after=None):
    """Let a crowd live: the seconds of each frame, with what comes before and after its ticks."""
    seconds = []
    for frame in range(frames):
        clock.advance(1)
        began = perf_counter()
        if before is not None:
            before()
        for number, goal in enumerate(goals):
            if frame >= number % waves:
                goal.agent.sense()
                goal.tick_once()
        if after is not None:
            after()
        seconds.append(perf_counter() - began)
    for goal in goals:
        goal.stop(Status.INVALID)
    return seconds


@dataclass(frozen=True)
class Crowd:
    """What a run of a crowd came to."""

    seconds: list
    expansions: list
    adopted: list

    @property
    def row(self):
        """The run as cells of a table; a tick is a frame of all agents."""
        often, worst = median(self.seconds), max(self.seconds)
        times = [1e3 * often, 1e3 * worst, 1 / often]
        counts = [max(self.expansions), len(self.adopted)]
        return [*map(report.number, times), *map(report.exact, counts)]


def live(agents, frames, *, budget, waves=WAVES):
    """Let a crowd live. Without a ``budget`` everybody plans as much as he likes."""
    schedule = PlanningSchedule(budget=10**9 if budget is None else budget, least=25)
    adopted, expansions, clock = [], [], ManualClock()

    def heard(number) -> Callable:
        return lambda event: adopted.append(number) if isinstance(event, PlanAdopted) else None

    goals = fighters(agents, clock, listener=heard, schedule=schedule)
    gc.collect()
    gc.freeze()  # the collector stays on, but what was set up is not its business in a tick
    seconds = seconds_of_frames(
        goals,
        clock,
        frames,
        waves=waves,
        before=schedule.next_frame,
        after=lambda: expansions.append(schedule.used),
    )
    gc.unfreeze()
    return Crowd(seconds, expansions, adopted)


@dataclass(frozen=True)
class Large:
    """What frames of limited time came to."""

    seconds: list
    ticked: list
    left_out: list

    @property
    def row(self):
        """The run as cells of a table."""
        often, worst = 1e3 * median(self.seconds), 1e3 * max(self.seconds)
        return [*map(report.number, (often, worst)), *map(report.exact, (min(self.ticked),))]


def large(agents, frames, *, milliseconds):
    """Let a crowd live in frames that take no longer; half of it is far, and has fewer turns.

    Time is that of the processor: others may use it meanwhile.
    """
    planning = {"milliseconds": milliseconds / 2, "clock": process_time}
    schedule, clock = PlanningSchedule(budget=10**6, least=25, **planning), ManualClock()
    far = {f"agent {number}" for number in range(0, agents, 2)}
    detail = {True: Detail(every=10), False: Detail()}
    frame = {"milliseconds": milliseconds, "clock": process_time}
    crowd = Turns(schedule, lambda agent: detail[agent.name in far], **frame)
    for goal in fighters(agents, clock, schedule=schedule):
        crowd.add(goal.agent, goal)
    gc.collect()
    gc.disable()  # plans that are over leave no cycles behind
    seconds, ticks = [], []
    for _ in range(frames):
        began = process_time()
        clock.advance(1)
        ticks.append(crowd.tick())
        seconds.append(process_time() - began)
    gc.enable()
    return Large(seconds, *map(list, zip(*ticks, strict=True)))


def memory(agents=400):
    """KiB that each of so many agents keeps before its first tick, and while it runs a plan."""
    _remembered(8)  # what is made once
    gc.collect()
    tracemalloc.start()
    idle, running, _crowd = _remembered(agents)
    tracemalloc.stop()
    return idle / agents / 1024, running / agents / 1024


def _remembered(agents):
    """The bytes at both times, and the crowd, which has to live until they are counted."""
    before, clock, goals = tracemalloc.get_traced_memory()[0], ManualClock(), []
    asked = [combat_cases.question(one) for one in combat_cases.CASES[:8]]
    for number in range(agents):
        one = asked[number % len(asked)]
        agent = Agent(f"agent {number}", one.domain, one.state, body=None, clock=clock)
        goals.append(PlanGoal("fight", agent, one.goal))
    gc.collect()
    idle = tracemalloc.get_traced_memory()[0]
    clock.advance(1)
    for goal in goals:
        goal.agent.sense()
        goal.tick_once()
    assert all(goal.status is Status.RUNNING for goal in goals)
    gc.collect()
    return idle - before, tracemalloc.get_traced_memory()[0] - before, goals


def in_groups(agents, frames, processes):
    """A row for one process, and one for several, which decide the same: CPU time of a frame."""
    alone = Group(range(agents))
    rows = {"one process": [], f"{processes} processes": []}
    with Groups(range(agents), processes) as groups:
        for frame in range(frames):
            seen = world(agents, frame)
            began = process_time()
            once = dict(sorted(alone.tick(seen).items()))
            seconds = process_time() - began
            assert groups.tick(seen) == once, "groups decide as the whole does"
            if frame >= WARM_UP:
                rows["one process"].append(seconds)
                rows[f"{processes} processes"].append(groups.busiest)
    whole = sum(rows["one process"])
    figures = {name: (median(one), max(one), whole / sum(one) / 1e3) for name, one in rows.items()}
    return [[name, *(report.number(1e3 * one) for one in found)] for name, found in figures.items()]


def tables():
    """A crowd all at once, in waves and on a budget; a large one, one in groups, and its memory."""
    live(10, 5, budget=None)
    head = ["median, ms", "worst, ms", "ticks per second", "most expansions in a tick", "plans"]
    crowd = [[f"{AGENTS:,} agents, {FRAMES} ticks", *head]]
    for name, options in {
        f"{WAVES} waves": {"budget": None},
        f"{WAVES} waves, budget {BUDGET}": {"budget": BUDGET},
        "all at once": {"budget": None, "waves": 1},
        f"all at once, budget {BUDGET}": {"budget": BUDGET, "waves": 1},
    }.items():
        crowd.append([name, *live(AGENTS, FRAMES, **options).row])
    cpu = ["median, ms of CPU", "worst, ms of CPU"]
    frames = {
        f"frames of {limit} ms": large(MANY, 100, milliseconds=limit).row for limit in MILLISECONDS
    }
    return {
        "crowd": crowd,
        "large": [
            [f"{MANY:,} agents", *cpu, "fewest turns in a frame"],
            *([name, *row] for name, row in frames.items()),
        ],
        "groups": [
            [f"{AGENTS:,} agents, busiest process", *cpu, "speed-up"],
            *in_groups(AGENTS, FRAMES, processes=2),
        ],
        "kept": [
            ["of 400 agents", "KiB before the first tick", "KiB while a plan runs"],
            ["each keeps", *map(report.number, memory())],
        ],
    }


if __name__ == "__main__":
    page.show(tables(), sys.argv[1:])
