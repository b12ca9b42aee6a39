"""The keeper of boxes for GTPyhop, function by function as in benchmarks/domains/scan.py."""

from __future__ import annotations

from benchmarks.domains.scan import HEAVY, NEXT, WAY, weights
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("store")


def lift(state, keeper, box):
    if state.held == -1:
        state.held = box
        return state
    return False


def put_away(state, keeper, box):
    if state.held == box:
        state.held = -1
        state.weight[box] = 0
        return state
    return False


def step(state, keeper, to):
    state.at = to
    state.walked += 1
    return state


def m_heaviest(state):
    heaviest, most = -1, -1
    for box in range(state.boxes):
        weight = state.weight[box]
        if weight > most:
            heaviest, most = box, weight
    return [("lift", state.keeper, heaviest), ("put_away", state.keeper, heaviest)]


def m_heavy(state):
    heavy = [box for box in range(state.boxes) if state.weight[box] >= HEAVY]
    return [("lift", state.keeper, heavy[0]), ("put_away", state.keeper, heavy[0])]


def m_if_any(state):
    if any(state.weight[box] >= HEAVY for box in range(state.boxes)):
        last = state.boxes - 1
        return [("lift", state.keeper, last), ("put_away", state.keeper, last)]
    return False


def m_there(state):
    return [] if state.walked == WAY else False


def m_on(state):
    return [("step", state.keeper, NEXT[state.boxes][state.at]), ("walk_along",)]


gtpyhop.declare_actions(lift, put_away, step)
gtpyhop.declare_task_methods("take_by_loop", m_heaviest)
gtpyhop.declare_task_methods("take_by_comprehension", m_heavy)
gtpyhop.declare_task_methods("take_if_any", m_if_any)
gtpyhop.declare_task_methods("walk_along", m_there, m_on)


def by_loop(boxes: int, number: int = 0) -> Question:
    return _state(boxes, number, weights(boxes)), [("take_by_loop",)]


def by_comprehension(boxes: int, number: int = 0) -> Question:
    return _state(boxes, number, weights(boxes)), [("take_by_comprehension",)]


def by_any(boxes: int, number: int = 0) -> Question:
    return _state(boxes, number, weights(boxes)), [("take_if_any",)]


def by_table(boxes: int, number: int = 0) -> Question:
    return _state(boxes, number, {}), [("walk_along",)]


def _state(boxes, number, weight):
    values = {"boxes": boxes, "weight": weight, "held": -1, "walked": 0, "at": 0}
    return gtpyhop.State("store", keeper=f"keeper {number}", **values)
