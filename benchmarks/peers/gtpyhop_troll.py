"""The trunk thumper for GTPyhop."""

from __future__ import annotations

from benchmarks.domains.troll import SLAMS_OF_A_TRUNK, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("troll")


def navigate_to_enemy(state):
    state.location = "enemy"
    state.walks += 1
    return state


def do_trunk_slam(state, enemy):
    if state.trunk_health > 0:
        state.trunk_health -= 1
        return state
    return False


def find_trunk(state):
    state.trunk_found = True
    return state


def navigate_to_trunk(state):
    if state.trunk_found:
        state.location = "trunk"
        state.walks += 1
        return state
    return False


def uproot_trunk(state):
    if state.location == "trunk":
        state.trunk_health = SLAMS_OF_A_TRUNK
        state.trunk_found = False
        return state
    return False


def nav_to_last_enemy_loc(state, enemy):
    state.location = "last seen"
    state.sees_enemy = True
    return state


def regain_los_roar(state):
    if state.sees_enemy:
        state.roared = True
        return state
    return False


def choose_bridge_to_check(state, bridge):
    state.next_bridge = bridge
    return state


def navigate_to_bridge(state):
    state.location = state.next_bridge
    return state


def check_bridge(state):
    state.bridges_checked += 1
    return state


def m_attack(state):
    if state.sees_enemy:
        return [("attack_enemy",)]
    return False


def m_look_again(state):
    if state.saw_enemy_recently:
        return [("nav_to_last_enemy_loc", state.enemy), ("regain_los_roar",)]
    return False


def m_patrol(state):
    return [("choose_bridge_to_check", state.bridge), ("navigate_to_bridge",), ("check_bridge",)]


def m_slam(state):
    if state.trunk_health > 0:
        return [("navigate_to_enemy",), ("do_trunk_slam", state.enemy)]
    return False


def m_replace_trunk(state):
    return [("find_trunk",), ("navigate_to_trunk",), ("uproot_trunk",), ("attack_enemy",)]


def m_enough(state, rounds):
    if rounds == 0:
        return []
    return False


def m_another_round(state, rounds):
    return [("attack_enemy",), ("keep_fighting", rounds - 1)]


gtpyhop.declare_actions(
    navigate_to_enemy,
    do_trunk_slam,
    find_trunk,
    navigate_to_trunk,
    uproot_trunk,
    nav_to_last_enemy_loc,
    regain_los_roar,
    choose_bridge_to_check,
    navigate_to_bridge,
    check_bridge,
)
gtpyhop.declare_task_methods("be_trunk_thumper", m_attack, m_look_again, m_patrol)
gtpyhop.declare_task_methods("attack_enemy", m_slam, m_replace_trunk)
gtpyhop.declare_task_methods("keep_fighting", m_enough, m_another_round)


def troll(number, sees, saw, health):
    return gtpyhop.State(
        "troll",
        sees_enemy=sees,
        saw_enemy_recently=saw,
        trunk_health=health,
        trunk_found=False,
        location="cave",
        next_bridge="",
        walks=0,
        bridges_checked=0,
        roared=False,
        enemy=f"enemy {number}",
        bridge=f"bridge {number}",
    )


def question(case: Case, number: int = 0) -> Question:
    return troll(number, *case), [("be_trunk_thumper",)]


def fight_question(rounds: int, number: int = 0) -> Question:
    return troll(number, True, False, SLAMS_OF_A_TRUNK), [("keep_fighting", rounds)]
