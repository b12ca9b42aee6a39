"""The soldier for GTPyhop, method by method as in benchmarks/domains/soldier.py."""

from __future__ import annotations

from benchmarks.domains.soldier import FLUENTS, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("soldier")


def search_enemy(state):
    state.target = True
    return state


def move_to_cover(state):
    if state.cover:
        state.in_cover = True
        return state
    return False


def hide(state):
    if state.in_cover:
        state.hidden = True
        return state
    return False


def reload(state):
    if not state.ammo and state.magazine:
        state.ammo = True
        return state
    return False


def keep_distance(state):
    state.far = True
    return state


def shoot(state, enemy):
    if state.target and state.ammo:
        state.target = False
        return state
    return False


def m_search(state):
    return False if state.target else [("search_enemy",), ("fight",)]


def m_from_cover(state):
    return [("take_cover",), ("prepare",), ("shoot", state.enemy)] if state.cover else False


def m_at_distance(state):
    return [("prepare",), ("keep_distance",), ("shoot", state.enemy)]


def m_stay(state):
    return [("hide",)] if state.in_cover else False


def m_get_there(state):
    return [("move_to_cover",), ("hide",)]


def m_ready(state):
    return [] if state.ammo else False


def m_reload(state):
    return [("reload",)]


gtpyhop.declare_actions(search_enemy, move_to_cover, hide, reload, keep_distance, shoot)
gtpyhop.declare_task_methods("fight", m_search, m_from_cover, m_at_distance)
gtpyhop.declare_task_methods("take_cover", m_stay, m_get_there)
gtpyhop.declare_task_methods("prepare", m_ready, m_reload)


def question(case: Case, number: int = 0) -> Question:
    values = dict(zip(FLUENTS, case, strict=True)) | {"enemy": f"enemy {number}"}
    return gtpyhop.State("soldier", **values, far=False, hidden=False), [("fight",)]
