"""The pursuer in the forking alley for GTPyhop."""

from __future__ import annotations

from benchmarks.domains.chase import BREATH, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("chase")


def turn_left(state, to):
    if state.breath > 0:
        state.fork = to
        state.in_dead_end = True
        state.breath -= 1
        return state
    return False


def turn_right(state, to):
    if state.breath > 0:
        state.fork = to
        state.breath -= 1
        return state
    return False


def get_breath(state):
    state.breath = BREATH
    return state


def look_round(state):
    state.sees_thief = True
    return state


def grab(state):
    if state.sees_thief:
        state.caught = True
        return state
    return False


def m_arrest(state):
    if state.fork == state.thief_at and not state.in_dead_end:
        return [("look_round",), ("grab",)]
    return False


def m_run_on(state):
    if not state.in_dead_end:
        return [("take_fork",), ("catch_thief",)]
    return False


def m_rest(state):
    if state.breath == 0:
        return [("get_breath",), ("take_fork",)]
    return False


def m_left(state):
    return [("turn_left", state.fork + 1)]


def m_right(state):
    return [("turn_right", state.fork + 1)]


gtpyhop.declare_actions(turn_left, turn_right, get_breath, look_round, grab)
gtpyhop.declare_task_methods("catch_thief", m_arrest, m_run_on)
gtpyhop.declare_task_methods("take_fork", m_rest, m_left, m_right)


def question(case: Case, number: int = 0) -> Question:
    state = gtpyhop.State(
        "pursuer",
        fork=number,
        thief_at=number + case,
        in_dead_end=False,
        breath=BREATH,
        sees_thief=False,
        caught=False,
    )
    return state, [("catch_thief",)]
