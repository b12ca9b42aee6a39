"""A crowd in groups, each in a process of its own: beliefs in, decisions out, as plain data.

    with Groups(range(1_000), processes=4) as groups:
        begun = groups.tick({number: {"target": True}})     {number: ("walk", "shoot")}

The agents live where they are ticked; nothing but what has changed for them, and the names of the
steps they have begun, goes from one process to another. A pool of one process keeps a group.
"""

from concurrent.futures import ProcessPoolExecutor
from time import process_time

from bthtn.behaviours import Agent, ManualClock, PlanGoal
from bthtn.engine.agent.events import LeafStarted
from bthtn.examples.domains.combat.domain import Soldier, combat, fight

_HERE = []
"""The group that lives in this process."""


class Group:
    """Agents by their numbers, ticked together."""

    def __init__(self, numbers):
        self._clock = ManualClock()
        self._begun = {}
        self._goals = {number: self._goal(number) for number in numbers}

    def _goal(self, number):
        def heard(event):
            if isinstance(event, LeafStarted):
                self._begun.setdefault(number, []).append(event.task)

        state = Soldier(cover=number % 2 == 0, ammo=number % 3 > 0)
        agent = Agent(f"agent {number}", combat, state, body=None, clock=self._clock)
        agent.listener = heard
        return PlanGoal("fight", agent, fight())

    def tick(self, seen):
        """A tick of each agent, after what it has seen: values by the names of fluents."""
        self._begun = {}
        self._clock.advance(1)
        for number, goal in self._goals.items():
            for name, value in seen.get(number, {}).items():
                goal.agent.believe(getattr(Soldier, name), value)
            goal.agent.sense()
            goal.tick_once()
        return {number: tuple(steps) for number, steps in self._begun.items()}


class Groups:
    """The agents of a crowd, divided among processes."""

    def __init__(self, numbers, processes):
        numbers = list(numbers)
        self._parts = [numbers[one::processes] for one in range(processes)]
        self._pools = [_pool(part) for part in self._parts]
        self.busiest = 0.0
        """Seconds of CPU of the group that took the longest in the latest tick."""

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        for pool in self._pools:
            pool.shutdown()

    def tick(self, seen):
        """A tick of all groups at the same time: the steps that each agent has begun, in order."""
        asked = [
            pool.submit(_tick, {number: seen[number] for number in part if number in seen})
            for pool, part in zip(self._pools, self._parts, strict=True)
        ]
        begun, self.busiest = {}, 0.0
        for one in asked:
            seconds, steps = one.result()
            begun |= steps
            self.busiest = max(self.busiest, seconds)
        return dict(sorted(begun.items()))


def world(agents, frame):
    """What the agents see in a frame: some find a target, or lose their line of fire."""
    found = {n: {"target": True} for n in range(agents) if frame == n % 7}
    hidden = {n: {"line_of_fire": frame % 2 == 0} for n in range(agents) if (frame + n) % 5 == 0}
    return {n: found.get(n, {}) | hidden.get(n, {}) for n in {**found, **hidden}}


def _pool(numbers):
    return ProcessPoolExecutor(1, initializer=_live, initargs=(numbers,))


def _live(numbers):
    _HERE.append(Group(numbers))


def _tick(seen):
    began = process_time()
    begun = _HERE[0].tick(seen)
    return process_time() - began, begun
