"""States: snapshots that are equal when all their values are, and windows on states."""

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.diff import Change, difference
from bthtn.engine.world.pages import FEW
from bthtn.engine.world.state import FrozenState, snapshot
from bthtn.engine.world.trail import WorkingState
from bthtn.errors import StateError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    target: Fluent[bool] = fluent(default=False)
    seen: FluentFamily[str, bool] = fluents(default=False)


def test_on_an_instance_a_fluent_is_its_value():
    soldier = Soldier(ammo=3, seen={"enemy": True})
    assert soldier.ammo == 3
    assert soldier.target is False
    assert soldier.seen["enemy"] is True
    assert soldier.seen["friend"] is False


def test_a_state_is_made_of_fluents_that_exist():
    with pytest.raises(StateError, match="Soldier has no fluent 'amo'") as caught:
        Soldier(amo=3)
    assert caught.value.code == "BT102"
    assert "did you mean 'ammo'?" in str(caught.value)


def test_a_state_is_made_of_values_of_the_right_types():  # R004-01
    with pytest.raises(StateError, match="'ammo' is int"):
        Soldier(ammo="three")
    with pytest.raises(StateError, match=r"'seen\[enemy\]' is bool"):
        Soldier(seen={"enemy": 1})


def test_states_are_equal_when_all_values_are():
    assert Soldier(ammo=6) == Soldier()
    assert hash(Soldier(ammo=6)) == hash(Soldier())
    assert Soldier(ammo=5) != Soldier()
    assert Soldier(ammo=UNKNOWN) != Soldier()
    assert Soldier(seen={"enemy": False}) == Soldier()


def test_states_of_different_classes_are_never_equal():
    class Sergeant(Soldier):
        pass

    assert Sergeant() != Soldier()
    assert Soldier() != Soldier().frozen()


def test_a_snapshot_cannot_be_written():
    soldier = Soldier()
    with pytest.raises(StateError, match="this state is a snapshot") as caught:
        soldier.ammo = 3
    assert caught.value.code == "BT108"
    with pytest.raises(StateError, match="BT108"):
        soldier.seen["enemy"] = True
    assert soldier == Soldier()


def test_a_property_of_a_state_is_not_taken_for_a_fluent_that_is_missing():
    class Guard(Soldier):
        @property
        def is_armed(self):
            return self.ammo > 0

    guard = Guard()
    with pytest.raises(AttributeError, match="is_armed") as caught:
        guard.is_armed = False
    assert not isinstance(caught.value, StateError)
    assert guard.is_armed
    with pytest.raises(StateError, match="Guard has no fluent 'is_armd'"):
        guard.is_armd = False


def test_a_window_on_a_working_state_shows_and_writes_it():
    work = WorkingState(Soldier(ammo=3).frozen())
    window = Soldier.over(work)
    window.target = True
    window.seen["enemy"] = True
    window.seen = {"friend": True}
    assert work.get(Soldier.target) is True
    assert (window.ammo, window.seen["enemy"], window.seen["friend"]) == (3, True, True)
    with pytest.raises(StateError, match="'ammo' is int"):
        window.ammo = "three"


def test_a_window_on_something_that_changes_is_no_snapshot():
    window = Soldier.over(WorkingState(Soldier().frozen()))
    with pytest.raises(StateError, match="still changing") as caught:
        window.frozen()
    assert caught.value.code == "BT108"
    assert repr(window) == "<Soldier over WorkingState>"


def test_whether_a_fluent_is_known_can_be_asked():
    soldier = Soldier(ammo=UNKNOWN)
    assert not soldier.is_known(Soldier.ammo)
    assert soldier.is_known(Soldier.target)


def test_a_state_prints_what_differs_from_the_defaults_sorted_by_name():
    soldier = Soldier(target=True, ammo=UNKNOWN, seen={"b": True, "a": True})
    inside = "ammo=unknown, seen[a]=true, seen[b]=true, target=true"
    assert repr(soldier) == f"Soldier({inside})"
    assert repr(soldier.frozen()) == f"FrozenState({inside})"


def test_a_changed_snapshot_is_another_one():
    before = Soldier().frozen()
    after = before.changed({Soldier.ammo: 3})
    assert before.get(Soldier.ammo) == 6
    assert after == Soldier(ammo=3).frozen()
    assert after.changed({Soldier.ammo: 6}) == before


def crowded(number, **others):
    return Soldier(seen=dict.fromkeys(map(str, range(number)), True), **others).frozen()


@pytest.mark.parametrize("number", [FEW - 1, FEW, 10 * FEW])
def test_a_state_of_many_members_is_as_one_of_few(number):
    before = crowded(number)
    after = before.changed({Soldier.seen["new"]: True, Soldier.seen["0"]: False})
    assert (before.get(Soldier.seen["0"]), after.get(Soldier.seen["0"])) == (True, False)
    assert after != before
    again = after.changed({Soldier.seen["new"]: False, Soldier.seen["0"]: True})
    assert again == before == crowded(number)
    assert hash(again) == hash(before)
    assert len(list(before.items())) == number


@pytest.mark.parametrize("number", [1, 10 * FEW])
def test_a_state_says_whether_something_is_unknown(number):
    state = crowded(number, ammo=UNKNOWN)
    found = [state.has_unknown]
    for change in (
        {Soldier.ammo: UNKNOWN, Soldier.target: UNKNOWN},
        {Soldier.target: True},
        {Soldier.ammo: 6},
    ):
        state = state.changed(change)
        found.append(state.has_unknown)
    assert found == [True, True, True, False]


def test_a_snapshot_of_either_form_is_the_same_snapshot():
    soldier = Soldier(ammo=3)
    assert snapshot(soldier) is soldier.frozen()
    assert snapshot(soldier.frozen()) is soldier.frozen()
    assert isinstance(snapshot(soldier), FrozenState)


def test_a_difference_lists_every_change_with_its_source_sorted_by_name():
    before = Soldier(ammo=3, target=True).frozen()
    after = Soldier(ammo=UNKNOWN, seen={"enemy": True}).frozen()
    changes = difference(before, after, "eyes")
    assert [str(change) for change in changes] == [
        "ammo: 3 → unknown (by eyes)",
        "seen[enemy]: false → true (by eyes)",
        "target: true → false (by eyes)",
    ]
    assert changes[0] == Change(Soldier.ammo, 3, UNKNOWN, "eyes")
    assert difference(before, before, "eyes") == ()
