"""The lock with six wheels for GTPyhop."""

from __future__ import annotations

from benchmarks.domains.backtracking import LAST, WHEELS, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("backtracking")


def put(state, wheel, number):
    state.wheel[wheel] = number
    return state


def pull(state, owner):
    if all(number == LAST for number in state.wheel.values()):
        state.opened = True
        return state
    return False


def m_open(state):
    return [("turn", wheel) for wheel in range(WHEELS)] + [("pull", state.owner)]


def putting(number):
    def m_put(state, wheel):
        return [("put", wheel, number)]

    return m_put


gtpyhop.declare_actions(put, pull)
gtpyhop.declare_task_methods("open_lock", m_open)
gtpyhop.declare_task_methods("turn", *map(putting, range(LAST + 1)))


def question(case: Case, number: int = 0) -> Question:
    wheel, owner = dict.fromkeys(range(WHEELS), -1), f"owner {number}"
    state = gtpyhop.State("lock", wheel=wheel, opened=False, owner=owner)
    return state, [("open_lock",)]
