"""A thousand agents: ticks per second, and the worst tick, with and without a shared budget.

    python -m benchmarks.bench_crowd [agents] [frames] [--write-docs]

Every agent lives through the combat of `domains/combat`: each frame some of them see a target and
want a plan, which runs for some ticks. Times are information. What is asserted: no frame expands
more than its budget, everybody is served, and the same agents in the same order in every run.
"""

import sys
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from py_trees.common import Status

from benchmarks import page, report
from bthtn.agent.events import PlanAdopted
from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.replanning.schedule import PlanningSchedule

BUDGET = 500
WAVES = 20
"""The crowd begins in so many waves, a frame apart; a plan runs about as long."""


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


def main(*arguments):
    """Print what a crowd costs, all at once, in waves, and on a budget."""
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


if __name__ == "__main__":
    main(*sys.argv[1:])
