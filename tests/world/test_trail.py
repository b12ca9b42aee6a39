"""The working state of a search: it can be written, taken back, and left for a while."""

import pytest

from bthtn import UNKNOWN, Fluent, State, fluent
from bthtn.world.footprint import Write, WriteKind
from bthtn.world.trail import WorkingState


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


def test_a_branch_can_be_left_and_returned_to(state):
    start = state.mark()
    state.put(Soldier.ammo, 3)
    end = state.mark()
    state.leave(start)
    assert state.get(Soldier.ammo) == 6
    state.put(Soldier.target, False)
    state.undo(end)
    assert state.get(Soldier.ammo) == 3
    assert state.get(Soldier.target) is True
    state.undo(start)
    assert state.get(Soldier.ammo) == 6


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
