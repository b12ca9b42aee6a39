"""The shooter for GTPyhop: a state variable is an attribute, a method a function."""

from __future__ import annotations

from benchmarks.domains.fps import FLUENTS, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("fps")


def melee(state, enemy):
    if state.has_target and state.at_target:
        state.has_target = False
        state.at_target = False
        return state
    return False


def shoot(state, enemy):
    if state.has_target and state.has_ammo and state.sees_target:
        state.has_target = False
        state.sees_target = False
        return state
    return False


def reload(state):
    if not state.has_ammo and state.has_magazine:
        state.has_ammo = True
        state.has_magazine = False
        return state
    return False


def move_to_target(state):
    if not state.at_target:
        state.at_target = True
        return state
    return False


def move_to_shooting_point(state):
    if not state.sees_target:
        state.sees_target = True
        return state
    return False


def m_shoot(state):
    return [("prepare_shooting",), ("shoot", state.enemy)]


def m_fight_hand_to_hand(state):
    if state.at_target:
        return [("melee", state.enemy)]
    return False


def m_close_in(state):
    return [("move_to_target",), ("melee", state.enemy)]


def m_reload(state):
    if not state.has_ammo and state.has_magazine:
        return [("reload",), ("prepare_shooting",)]
    return False


def m_find_line_of_sight(state):
    if state.has_ammo and not state.sees_target:
        return [("move_to_shooting_point",), ("prepare_shooting",)]
    return False


def m_ready(state):
    if state.has_ammo and state.sees_target:
        return []
    return False


gtpyhop.declare_actions(melee, shoot, reload, move_to_target, move_to_shooting_point)
gtpyhop.declare_task_methods("kill_target", m_shoot, m_fight_hand_to_hand, m_close_in)
gtpyhop.declare_task_methods("prepare_shooting", m_reload, m_find_line_of_sight, m_ready)


def question(case: Case, number: int = 0) -> Question:
    values = dict(zip(FLUENTS, case, strict=True))
    return gtpyhop.State("shooter", **values, enemy=f"enemy {number}"), [("kill_target",)]
