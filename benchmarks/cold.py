"""A cold start: the processor time of a fresh process that imports, and that makes one plan.

    python -m benchmarks.cold [--write-docs]

The same small problem is written for bthtn and for GTPyhop, each as a script that knows nothing of
the other. Shown is the least of many processes, system time included; bytecode is there.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from types import MappingProxyType

from benchmarks import page, report

ROUNDS = 15
PLAN_OF_BTHTN = """
from bthtn import Domain, Fluent, Methods, Primitive, State, find_plan, fluent, method, primitive

class Trip(State):
    at: Fluent[str] = fluent(default="home")
    cash: Fluent[int] = fluent(default=20)

trip = Domain("trip", Trip)

@trip.primitive
def walk(to: str) -> Primitive:
    return primitive(effects=Trip.at.becomes(to))

@trip.primitive
def ride(to: str) -> Primitive:
    return primitive(
        precondition=Trip.cash >= 15, effects=[Trip.at.becomes(to), Trip.cash.decreases(15)]
    )

@trip.compound
def travel(to: str) -> Methods:
    yield method(when=Trip.at == to)
    yield method(ride(to), when=Trip.cash > 30)
    yield method(walk(to))

assert [step.task.name for step in find_plan(trip, Trip(), travel("park")).steps] == ["walk"]
"""
PLAN_OF_GTPYHOP = """
import gtpyhop

gtpyhop.main.verbose = 0
trip = gtpyhop.Domain("trip")

def walk(state, to):
    state.at = to
    return state

def ride(state, to):
    if state.cash >= 15:
        state.at = to
        state.cash -= 15
        return state

def m_stay(state, to):
    if state.at == to:
        return []

def m_ride(state, to):
    if state.cash > 30:
        return [("ride", to)]

def m_walk(state, to):
    return [("walk", to)]

gtpyhop.declare_actions(walk, ride)
gtpyhop.declare_task_methods("travel", m_stay, m_ride, m_walk)
state = gtpyhop.State("trip", at="home", cash=20)
assert gtpyhop.find_plan(state, [("travel", "park")]) == [("walk", "park")]
"""
SCRIPTS = MappingProxyType(
    {
        "Python alone": "pass",
        "from bthtn import Domain": "from bthtn import Domain",
        "bthtn, one plan": PLAN_OF_BTHTN,
        "GTPyhop, imported": "import gtpyhop",
        "GTPyhop, one plan": PLAN_OF_GTPYHOP,
    }
)


def milliseconds(script: str) -> float:
    """What a fresh process takes for a script."""
    before = _of_children()
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    return 1_000 * (_of_children() - before)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rounds: int = ROUNDS) -> report.Table:
    """The least of as many rounds, in which all take turns; the first one is not counted."""
    found: dict[str, float] = dict.fromkeys(SCRIPTS, float("inf"))
    for turn in range(rounds + 1):
        for name, script in SCRIPTS.items():
            took = milliseconds(script)
            found[name] = min(found[name], took) if turn else found[name]
    return [["a fresh process", "ms of CPU"], *([n, report.number(t)] for n, t in found.items())]


if __name__ == "__main__":
    page.show({"cold": table()}, sys.argv[1:])
