"""A snapshot that remembers what was read of it."""

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.world.footprint import Write, WriteKind
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState
from bthtn.world.trail import WorkingState


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    target: Fluent[bool] = fluent(default=True)
    noise: Fluent[bool] = fluent(default=False, volatile=True)
    seen: FluentFamily[str, bool] = fluents(default=False)


@pytest.fixture
def recorded():
    return RecordingState(Soldier(ammo=5, seen={"enemy": UNKNOWN}).frozen())


def test_what_is_read_is_kept_in_the_order_of_the_first_reading(recorded):
    for variable in (Soldier.target, Soldier.seen["enemy"], Soldier.target, Soldier.ammo):
        recorded.get(variable)
    assert list(recorded.readings.items()) == [
        (Soldier.target, True),
        (Soldier.seen["enemy"], UNKNOWN),
        (Soldier.ammo, 5),
    ]


def test_it_is_the_state_that_it_records(recorded):
    assert recorded == Soldier(ammo=5, seen={"enemy": UNKNOWN}).frozen()
    assert recorded.readings == {}, "comparing states is not what a search does"


def test_what_is_derived_from_it_is_a_plain_state(recorded):
    derived = recorded.changed({Soldier.ammo: 6})
    assert type(derived) is FrozenState
    assert derived == Soldier(seen={"enemy": UNKNOWN}).frozen()
    assert recorded.readings == {}


def test_writing_reads_nothing_but_an_increase_does(recorded):
    state = WorkingState(recorded)
    state.put(Soldier.target, False)
    state.put(Soldier.target, True)
    assert recorded.readings == {}
    state.apply(Soldier.ammo, Write(WriteKind.INCREASE, 1))
    assert recorded.readings == {Soldier.ammo: 5}
