"""The working state of a projection: it can be written, and taken back."""

import pytest

from bthtn import UNKNOWN, Fluent, State, fluent
from bthtn.engine.world.footprint import RecordingView, Write, WriteKind
from bthtn.engine.world.trail import WorkingState


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    target: Fluent[bool] = fluent(default=False)
    noise: Fluent[bool] = fluent(default=False, volatile=True)


@pytest.fixture
def state():
    return WorkingState(Soldier(target=True, noise=True).frozen())


def test_what_was_not_written_is_as_in_the_snapshot(state):
    assert state.get(Soldier.ammo) == 6
    assert state.get(Soldier.target) is True


def test_a_write_is_seen_and_leaves_the_snapshot_alone(state):
    before = state.freeze()
    state.put(Soldier.ammo, 3)
    assert state.get(Soldier.ammo) == 3
    assert state.freeze() == before.changed({Soldier.ammo: 3})
    assert before.get(Soldier.ammo) == 6


def test_undoing_takes_back_everything_since_the_save_point(state):
    state.put(Soldier.ammo, 5)
    mark = state.mark()
    state.put(Soldier.ammo, 4)
    state.put(Soldier.ammo, 3)
    state.put(Soldier.target, False)
    state.undo(mark)
    assert state.get(Soldier.ammo) == 5
    assert state.get(Soldier.target) is True
    assert state.written_since(mark) == {}


def test_an_increase_adds_to_the_value_at_the_time(state):
    state.put(Soldier.ammo, 1)
    state.apply(Soldier.ammo, Write(WriteKind.INCREASE, 2))
    assert state.get(Soldier.ammo) == 3
    state.apply(Soldier.ammo, Write(WriteKind.CONSTANT, UNKNOWN))
    state.apply(Soldier.ammo, Write(WriteKind.INCREASE, 2))
    assert state.get(Soldier.ammo) is UNKNOWN


def test_branches_are_written_one_after_the_other_from_one_state(state):
    state.put(Soldier.target, False)
    start, written = state.mark(), []
    for ammo in (3, 4):
        inner = state.mark()
        state.put(Soldier.ammo, ammo)
        written.append(state.written_since(inner))
        state.undo(inner)
        assert state.get(Soldier.ammo) == 6
    assert written == [{Soldier.ammo: 3}, {Soldier.ammo: 4}]
    assert state.written_since(start) == {}
    assert state.written() == {Soldier.target: False}


def test_writing_reads_nothing_of_the_snapshot_but_an_increase_does():
    snapshot = Soldier(ammo=5).frozen()
    seen = RecordingView(snapshot)
    state = WorkingState(snapshot, seen)
    state.put(Soldier.target, False)
    state.put(Soldier.target, True)
    assert seen.readings == {}
    state.apply(Soldier.ammo, Write(WriteKind.INCREASE, 1))
    assert seen.readings == {Soldier.ammo: 5}
    assert state.freeze() == Soldier(ammo=6, target=True).frozen()


def test_what_was_written_since_a_save_point_is_listed_with_its_last_value(state):
    state.put(Soldier.target, False)
    mark = state.mark()
    state.put(Soldier.ammo, 4)
    state.put(Soldier.ammo, 3)
    assert state.written_since(mark) == {Soldier.ammo: 3}
    assert state.written_since(0) == {Soldier.target: False, Soldier.ammo: 3}


def test_a_volatile_fluent_is_unknown_where_it_cannot_be_foreseen(state):
    assert state.get(Soldier.noise) is True
    state.foreseeable = False
    assert state.get(Soldier.noise) is UNKNOWN
    assert state.get(Soldier.target) is True, "the others are not driven by sensors"


def test_what_the_plan_wrote_to_a_volatile_fluent_can_be_foreseen(state):
    state.put(Soldier.noise, False)
    state.foreseeable = False
    assert state.get(Soldier.noise) is False
