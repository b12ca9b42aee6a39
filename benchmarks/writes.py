"""What a change costs: a write to beliefs beside a plain attribute, and a tick of a running plan.

python -m benchmarks.writes [--write-docs]
"""

import sys
from dataclasses import dataclass
from time import perf_counter

from py_trees.blackboard import Client
from py_trees.common import Access

from benchmarks import page, report
from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, PlanGoal

ROUNDS = 41
WRITES = 10_000
TICKS = 500


class Room(State):
    """A room with a lamp, and what somebody counts there."""

    lamp: Fluent[int] = fluent(default=1)
    flies: Fluent[int] = fluent(default=0)
    dark: Fluent[bool] = fluent(default=False)


reading = Domain("reading", Room)
sit = reading.primitive("sit", duration=10**9)
read = reading.primitive("read", precondition=Room.lamp > 0)


@reading.compound
def spend_the_evening():
    """Sleep where it is dark, else read."""
    yield method(sit(), when=Room.dark)
    yield method(sit(), read())


class Plain:
    """An object with one attribute."""

    def __init__(self):
        self.flies = 0


def reader(listener=None):
    """Somebody who is about to read, and the goal with the plan that runs.

    After the first change it has looked once for a better plan, and knows what could bring one.
    """
    agent = Agent("reader", reading, Room(), body=None, listener=listener)
    goal = PlanGoal("evening", agent, spend_the_evening())
    goal.tick_once()
    agent.believe(Room.flies, 1)
    goal.tick_once()
    return agent, goal


def set_attribute(count):
    """The yardstick."""
    plain = Plain()
    for number in range(count):
        plain.flies = number


class Kept:
    """An object that keeps values by name; the least that a method can do."""

    def __init__(self):
        self.values = {}

    def keep(self, name, value):
        """Keep it."""
        self.values[name] = value


def call_method(count):
    """What any method costs that is told a name and a value."""
    keep = Kept().keep
    for number in range(count):
        keep("flies", number)


def set_on_blackboard(count):
    """How py_trees itself keeps what is believed; whoever wants to know of changes has to look."""
    client = Client(name="idle")
    client.register_key("flies", access=Access.WRITE)
    for number in range(count):
        client.set("flies", number)
    client.unregister()


def writing(agent, variable, change=1):
    """A contestant that writes numbers, the same one when there is no ``change``."""
    believe = agent.believe

    def write(count):
        for number in range(1, count + 1):
            believe(variable, number * change)

    return write


def ticking(agent, goal, *, changing):
    """A contestant that ticks a goal, which has to look at its plan when that is ``changing``."""

    def tick(count):
        for number in range(1, count + 1):
            if changing:
                agent.believe(Room.lamp, number)
            goal.tick_once()

    return tick


@dataclass(frozen=True)
class Contestant:
    """What is done so many times in each round."""

    name: str
    do: object
    times: int = WRITES


def contestants():
    """Everything that is measured, the yardstick first."""
    idle = Agent("idle", reading, Room(), body=None)
    heard = Agent("heard", reading, Room(), body=None, listener=lambda event: None)
    busy, _ = reader()
    ticked = [reader() for _ in range(2)]
    return [
        Contestant("a plain attribute is set", set_attribute),
        Contestant("a method that puts a value into a dictionary", call_method),
        Contestant("a value is set on the blackboard of py_trees", set_on_blackboard),
        Contestant("a write of what is believed already", writing(idle, Room.flies, change=0)),
        Contestant("a change, nobody watches or listens", writing(idle, Room.flies)),
        Contestant("a change that a listener is told of", writing(heard, Room.flies)),
        Contestant("a change that the running plan does not read", writing(busy, Room.flies)),
        Contestant("a change that the running plan reads", writing(busy, Room.lamp)),
        Contestant("a tick of a running plan", ticking(*ticked[0], changing=False), TICKS),
        Contestant(
            "a change that it reads, and the tick that judges it",
            ticking(*ticked[1], changing=True),
            TICKS,
        ),
    ]


def measured(rounds=ROUNDS):
    """Nanoseconds by contestant: the least of rounds in which everybody has one turn."""
    everybody = contestants()
    found = {one.name: [] for one in everybody}
    for _ in range(rounds):
        for one in everybody:
            began = perf_counter()
            one.do(one.times)
            found[one.name].append((perf_counter() - began) / one.times * 1e9)
    return {name: min(values) for name, values in found.items()}


def table(nanoseconds):
    """What was measured, and how many plain attributes could be set in that time."""
    yardstick = next(iter(nanoseconds.values()))
    rows = [
        [name, report.number(took), report.number(took / yardstick)]
        for name, took in nanoseconds.items()
    ]
    return [["what", "ns", "attribute = 1"], *rows]


if __name__ == "__main__":
    page.show({"writes": table(measured())}, sys.argv[1:])
