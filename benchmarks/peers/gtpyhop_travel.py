"""The traveller for GTPyhop: distances and fares are rigid and stand outside of the state."""

from __future__ import annotations

from benchmarks.domains.travel import AIR_FARE, AIRPORT, DISTANCE, STATION, TRAIN_FARE, Case
from benchmarks.peers.gtpyhop_planner import Question, gtpyhop

the_domain = gtpyhop.Domain("travel")

rigid = gtpyhop.State("rigid relations")
rigid.dist = dict(DISTANCE)
rigid.train_fare = dict(TRAIN_FARE)
rigid.air_fare = dict(AIR_FARE)
rigid.station = dict(STATION)
rigid.airport = dict(AIRPORT)


def walk(state, who, to):
    state.at = to
    return state


def buy_train_ticket(state, who, start, to):
    fare = rigid.train_fare.get((start, to))
    if fare is not None and fare <= state.money:
        state.money -= fare
        return state
    return False


def ride_train(state, who, to):
    state.at = to
    return state


def buy_air_ticket(state, who, start, to):
    fare = rigid.air_fare.get((start, to))
    if fare is not None and fare <= state.money:
        state.money -= fare
        return state
    return False


def ride_airplane(state, who, to):
    state.at = to
    return state


def m_stay(state, to):
    if state.at == to:
        return []
    return False


def m_by_plane(state, to):
    if rigid.dist.get((state.at, to), 0) > 300:
        start, end = rigid.airport[state.at], rigid.airport[to]
        fare = rigid.air_fare.get((start, end))
        if fare is not None and fare <= state.money:
            return [
                ("buy_air_ticket", state.who, start, end),
                ("go", start),
                ("ride_airplane", state.who, end),
                ("go", to),
            ]
    return False


def m_by_train(state, to):
    if rigid.dist.get((state.at, to), 0) > 2:
        start, end = rigid.station[state.at], rigid.station[to]
        fare = rigid.train_fare.get((start, end))
        if fare is not None and fare <= state.money:
            return [
                ("go", start),
                ("buy_train_ticket", state.who, start, end),
                ("ride_train", state.who, end),
                ("go", to),
            ]
    return False


def m_on_foot(state, to):
    return [("walk", state.who, to)]


gtpyhop.declare_actions(walk, buy_train_ticket, ride_train, buy_air_ticket, ride_airplane)
gtpyhop.declare_task_methods("go", m_stay, m_by_plane, m_by_train, m_on_foot)


def question(case: Case, number: int = 0) -> Question:
    start, to, money = case
    who = f"traveller {number}"
    return gtpyhop.State("traveller", who=who, at=start, money=money), [("go", to)]
