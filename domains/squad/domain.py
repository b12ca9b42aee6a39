"""A soldier of a squad: helps whom he is told to help, attacks when it is his turn.

Who helps whom, and who may attack, is decided by the squad's coordinator. Its word comes as
beliefs; planning only knows that waiting for one's turn will give the right.
"""

from __future__ import annotations

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    TaskCall,
    at_start,
    fluent,
    fluents,
    method,
    primitive,
)


class Soldier(State):
    """The beliefs of a soldier; an empty name stands for nobody."""

    target: Fluent[str] = fluent(default="")
    patient: Fluent[str] = fluent(default="")
    at: Fluent[str] = fluent(default="")
    may_attack: FluentFamily[str, bool] = fluents(default=False)


squad = Domain("squad", Soldier)


@squad.primitive
def go_to(whom: str) -> Primitive:
    """Be where somebody is."""
    return primitive(effects=Soldier.at.becomes(whom), duration=2)


@squad.primitive
def wait_for_turn(target: str) -> Primitive:
    """Stand by until the coordinator gives the right to attack."""
    return primitive(expected=Soldier.may_attack[target].becomes(True))


@squad.primitive
def strike(target: str) -> Primitive:
    """Attack; the right is asked for once more before it begins, and not until it is over."""
    allowed = at_start(Soldier.may_attack[target])
    return primitive(precondition=allowed & (Soldier.at == target), duration=1)


@squad.primitive
def bandage(patient: str) -> Primitive:
    """Dress somebody's wounds."""
    return primitive(precondition=Soldier.at == patient, duration=2)


guard = squad.primitive("guard", duration=1)


@squad.compound
def serve() -> Methods:
    """Helping comes before fighting."""
    yield method(help_patient, when=Soldier.patient != "")
    yield method(lambda soldier: attack(soldier.target), when=Soldier.target != "")
    yield method(guard())


def help_patient(soldier: Soldier) -> list[TaskCall]:
    """Go to whoever is to be helped, and help."""
    return [be_at(soldier.patient), bandage(soldier.patient)]


@squad.compound
def attack(target: str) -> Methods:
    """Come near, wait for one's turn, strike."""
    yield method(be_at(target), wait_for_turn(target), strike(target))


@squad.compound
def be_at(whom: str) -> Methods:
    """Go there, unless that is where one is."""
    yield method(when=Soldier.at == whom)
    yield method(go_to(whom))
