"""The blocks for GTPyhop: the same tower-by-tower algorithm, the goal outside of the state."""

from __future__ import annotations

from benchmarks.domains.blocks import HAND, NOTHING, TABLE, Case, order_of, renamed, stands_on
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("blocks")


def pickup(state, b):
    if state.pos[b] == TABLE and state.above[b] == NOTHING and state.holding == NOTHING:
        state.pos[b] = HAND
        state.holding = b
        return state
    return False


def putdown(state, b):
    if state.holding == b:
        state.pos[b] = TABLE
        state.holding = NOTHING
        return state
    return False


def unstack(state, b, c):
    if state.pos[b] == c and state.above[b] == NOTHING and state.holding == NOTHING:
        state.pos[b] = HAND
        state.above[c] = NOTHING
        state.holding = b
        return state
    return False


def stack(state, b, c):
    if state.holding == b and state.above[c] == NOTHING:
        state.pos[b] = c
        state.above[c] = b
        state.holding = NOTHING
        return state
    return False


def m_rebuild(state, goal):
    return [("place", b, goal) for b in goal.order]


def m_stay(state, b, goal):
    if state.pos[b] == goal.pos[b]:
        return []
    return False


def m_onto_table(state, b, goal):
    if goal.pos[b] == TABLE:
        return [("clear", b), ("take", b), ("putdown", b)]
    return False


def m_onto_block(state, b, goal):
    c = goal.pos[b]
    return [("clear", b), ("clear", c), ("take", b), ("stack", b, c)]


def m_clear(state, b):
    top = state.above[b]
    if top == NOTHING:
        return []
    return [("clear", top), ("unstack", top, b), ("putdown", top)]


def m_take(state, b):
    if state.pos[b] == TABLE:
        return [("pickup", b)]
    return [("unstack", b, state.pos[b])]


gtpyhop.declare_actions(pickup, putdown, unstack, stack)
gtpyhop.declare_task_methods("rebuild", m_rebuild)
gtpyhop.declare_task_methods("place", m_stay, m_onto_table, m_onto_block)
gtpyhop.declare_task_methods("clear", m_clear)
gtpyhop.declare_task_methods("take", m_take)


def question(case: Case, number: int = 0) -> Question:
    case = renamed(case, number)
    pos = stands_on(case.start)
    above = dict.fromkeys(pos, NOTHING)
    above.update({below: block for block, below in pos.items() if below != TABLE})
    state = gtpyhop.State("blocks", pos=pos, above=above, holding=NOTHING)
    goal = gtpyhop.Multigoal("towers", pos=stands_on(case.goal), order=order_of(case.goal))
    return state, [("rebuild", goal)]
