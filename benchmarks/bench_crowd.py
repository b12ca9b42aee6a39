"""A thousand agents: ticks per second, and the worst tick, with and without a shared budget.

    python -m benchmarks.bench_crowd [agents] [frames] [--write-docs]
    python -m benchmarks.bench_crowd large [milliseconds]      10,000 agents in frames of so long
    python -m benchmarks.bench_crowd groups [processes]        a crowd in several processes
    python -m benchmarks.bench_crowd memory                    what an agent keeps in memory

Every agent lives through the combat of `domains/combat`: each frame some of them see a target and
want a plan, which runs for some ticks. Times are information. What is asserted: no frame expands
more than its budget, everybody is served, and the same agents in the same order in every run.
"""

import gc
import sys
import tracemalloc
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

from py_trees.common import Status

from benchmarks import page, report
from benchmarks.domains import combat as combat_cases
from benchmarks.groups import Group, Groups, world
from bthtn.agent.events import PlanAdopted
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.kit import Crowd as Turns
from bthtn.kit import Detail
from bthtn.replanning.schedule import PlanningSchedule

BUDGET = 500
WAVES = 20
"""The crowd begins in so many waves, a frame apart; a plan runs about as long."""
WARM_UP = 5
"""Frames of groups that are not measured: the first plans are made in them."""


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
        times = [1 / often, 1e3 * often, 1e3 * worst]
        counts = [max(self.expansions), len(self.adopted)]
        return [*map(report.number, times), *map(report.exact, counts)]


class _Heard:
    """Writes down who adopts a plan."""

    def __init__(self, number, adopted):
        self.number, self.adopted = number, adopted

    def __call__(self, event):
        if isinstance(event, PlanAdopted):
            self.adopted.append(self.number)


def live(agents, frames, *, budget, waves=WAVES):
    """Let a crowd live. Without a ``budget`` everybody plans as much as he likes."""
    schedule = PlanningSchedule(budget=10**9 if budget is None else budget, least=25)
    adopted, goals, clock = [], [], ManualClock()
    for number in range(agents):
        state = Soldier(target=True, cover=number % 2 == 0, ammo=number % 3 > 0)
        heard = _Heard(number, adopted)
        agent = Agent(f"agent {number}", combat, state, body=None, listener=heard, clock=clock)
        goals.append(PlanGoal("fight", agent, fight(), budget=schedule))
    seconds, expansions = [], []
    for frame in range(frames):
        began = perf_counter()
        clock.advance(1)
        schedule.next_frame()
        for number, goal in enumerate(goals):
            if frame >= number % waves:
                goal.agent.sense()
                goal.tick_once()
        seconds.append(perf_counter() - began)
        expansions.append(schedule.used)
    for goal in goals:
        goal.stop(Status.INVALID)
    return Crowd(seconds, expansions, adopted)


def test_a_crowd_keeps_to_its_budget_and_everybody_is_served_in_the_same_order():
    runs = [live(60, 40, budget=100, waves=4) for _ in range(2)]
    assert max(runs[0].expansions) <= 100
    assert set(runs[0].adopted) == set(range(60))
    assert runs[0].adopted == runs[1].adopted
    assert max(live(60, 1, budget=None, waves=1).expansions) > 100


def test_one_frame_of_a_crowd(benchmark):
    schedule = PlanningSchedule(budget=BUDGET)
    state, clock = Soldier(target=True), ManualClock()
    agents = [Agent("a", combat, state, body=None, clock=clock) for _ in range(100)]
    goals = [PlanGoal("fight", agent, fight(), budget=schedule) for agent in agents]

    def frame():
        clock.advance(1)
        schedule.next_frame()
        for goal in goals:
            goal.agent.sense()
            goal.tick_once()

    benchmark(frame)
    assert schedule.used <= BUDGET


def test_groups_in_processes_decide_as_one_group_in_one_process():
    alone = Group(range(30))
    with Groups(range(30), processes=2) as groups:
        for frame in range(12):
            seen = world(30, frame)
            assert groups.tick(seen) == dict(sorted(alone.tick(seen).items()))


def test_a_large_crowd_has_as_many_turns_as_there_is_time_for():
    found = large(300, 20, milliseconds=5)
    assert sum(found.ticked) < 300 * 20
    assert max(found.left_out) > 0
    assert len(found.seconds) == 20


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
    for number in range(agents):
        state = Soldier(target=True, cover=number % 2 == 0, ammo=number % 3 > 0)
        agent = Agent(f"agent {number}", combat, state, body=None, clock=clock)
        crowd.add(agent, PlanGoal("fight", agent, fight(), budget=schedule))
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


def test_an_agent_that_runs_a_plan_keeps_less_than_17_kib():
    idle, running = memory(100)
    assert 0 < idle < running < 17


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


def main(*arguments):
    """Print what a crowd costs, all at once, in waves, and on a budget."""
    if "memory" in arguments:
        table = [["400 agents", "KiB before the first tick", "KiB while a plan runs"]]
        table.append(["each", *map(report.number, memory())])
        sys.stdout.write(report.markdown(table) + "\n")
        return
    if "large" in arguments or "groups" in arguments:
        number = next((int(one) for one in arguments if one.isdigit()), None)
        table = _large(number or 50) if "large" in arguments else _groups(number or 2)
        sys.stdout.write(report.markdown(table) + "\n")
        return
    numbers = [int(one) for one in arguments if one.isdigit()]
    agents, frames = [*numbers, *(1_000, 60)[len(numbers) :]]
    live(10, 5, budget=None)
    head = ["ticks per second", "median, ms", "worst, ms", "most expansions in a tick", "plans"]
    table = [[f"{agents:,} agents, {frames} ticks", *head]]
    for name, options in {
        "all at once": {"budget": None, "waves": 1},
        f"all at once, budget {BUDGET}": {"budget": BUDGET, "waves": 1},
        f"{WAVES} waves": {"budget": None},
        f"{WAVES} waves, budget {BUDGET}": {"budget": BUDGET},
    }.items():
        table.append([name, *live(agents, frames, **options).row])
    sys.stdout.write(report.markdown(table) + "\n")
    if "--write-docs" in arguments:
        page.rewrite({"crowd": table})


def _large(milliseconds):
    head = ["median, ms of CPU", "worst, ms of CPU", "fewest turns in a frame"]
    found = large(10_000, 100, milliseconds=milliseconds)
    return [["10,000 agents", *head], [f"frames of {milliseconds} ms", *found.row]]


def _groups(processes):
    head = ["median, ms of CPU", "worst, ms of CPU", "speed-up"]
    return [["1,000 agents, busiest process", *head], *in_groups(1_000, 60, processes)]


if __name__ == "__main__":
    main(*sys.argv[1:])
