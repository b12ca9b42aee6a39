"""Beliefs: every change has a source, and what is believed already is no change."""

import tracemalloc
from copy import copy
from enum import Enum

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.diff import Change
from bthtn.errors import StateError


class Stance(Enum):
    UPRIGHT = 1
    PRONE = 2


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    target: Fluent[bool] = fluent(default=False)
    speed: Fluent[float] = fluent(default=1.0)
    stance: Fluent[Stance] = fluent(default=Stance.UPRIGHT)
    pack: Fluent[tuple] = fluent(default=())
    seen: FluentFamily[str, bool] = fluents(default=False)


def test_beliefs_begin_with_a_state_and_show_it():
    beliefs = Beliefs(Soldier(ammo=3))
    assert beliefs.now == Soldier(ammo=3)
    assert beliefs.get(Soldier.ammo) == 3
    assert beliefs.get(Soldier.target) is False
    assert beliefs.version == 0


def test_a_change_is_told_with_its_source():
    told = []
    beliefs = Beliefs(Soldier(), told.append)
    beliefs.write(Soldier.ammo, 5, "shoot")
    (change,) = told
    assert str(change) == "ammo: 6 → 5 (by shoot)"
    assert beliefs.now == Soldier(ammo=5)
    assert beliefs.version == 1


def test_whoever_listens_may_come_and_go():
    told = []
    beliefs = Beliefs(Soldier())
    for listener, ammo in ((None, 1), (told.append, 2), (None, 3), (told.append, 4)):
        beliefs.on_change = listener
        beliefs.write(Soldier.ammo, ammo)
    assert [str(change) for change in told] == [
        *("ammo: 1 → 2 (by sensor)", "ammo: 3 → 4 (by sensor)"),
    ]


def test_what_is_believed_already_is_no_change():
    told = []
    beliefs = Beliefs(Soldier(ammo=3), told.append)
    beliefs.write(Soldier.ammo, 3, "eyes")
    beliefs.write(Soldier.target, False, "eyes")
    assert (told, beliefs.version) == ([], 0)


def test_something_can_be_forgotten_and_learned_again():
    beliefs = Beliefs(Soldier())
    beliefs.write(Soldier.target, UNKNOWN, "smoke")
    assert beliefs.get(Soldier.target) is UNKNOWN
    beliefs.write(Soldier.target, False, "eyes")
    assert beliefs.now == Soldier()
    assert beliefs.version == 2


def test_members_of_families_are_believed_one_by_one():
    beliefs = Beliefs(Soldier())
    beliefs.write(Soldier.seen["enemy"], True, "eyes")
    assert beliefs.now == Soldier(seen={"enemy": True})


def test_a_value_of_another_type_is_refused_and_nothing_changes():
    told = []
    beliefs = Beliefs(Soldier(), told.append)
    with pytest.raises(StateError, match="'ammo' is int") as caught:
        beliefs.write(Soldier.ammo, "three", "eyes")
    assert caught.value.code == "BT106"
    assert (beliefs.now, told, beliefs.version) == (Soldier(), [], 0)


def test_the_snapshot_is_the_same_object_until_something_changes():
    beliefs = Beliefs(Soldier())
    before = beliefs.frozen()
    assert beliefs.frozen() is before
    beliefs.write(Soldier.ammo, 5, "shoot")
    assert beliefs.frozen() is not before
    assert before.get(Soldier.ammo) == 6


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        (Soldier.ammo, True),
        (Soldier.ammo, 6.0),
        (Soldier.target, 0),
        (Soldier.speed, True),
        (Soldier.stance, 1),
        (Soldier.pack, (["rope"],)),
        (Soldier.pack, None),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused_even_where_it_equals_what_is_believed(variable, value):
    beliefs = Beliefs(Soldier())
    with pytest.raises(StateError, match="BT106"):
        beliefs.write(variable, value, "eyes")
    assert beliefs.version == 0


def test_what_equals_the_belief_and_fits_is_no_change_whatever_its_type():
    beliefs = Beliefs(Soldier())
    beliefs.write(Soldier.speed, 1, "eyes")
    beliefs.write(Soldier.stance, Stance.UPRIGHT, "eyes")
    assert beliefs.version == 0
    beliefs.write(Soldier.stance, Stance.PRONE, "eyes")
    assert beliefs.version == 1


def test_a_reading_that_stays_no_number_is_no_change():
    beliefs = Beliefs(Soldier())
    for _ in range(3):
        beliefs.write(Soldier.speed, float("nan"), "eyes")
    assert beliefs.version == 1
    beliefs.write(Soldier.speed, 2.0, "eyes")
    beliefs.write(Soldier.speed, float("nan"), "eyes")
    assert beliefs.version == 3


class SeenMeanwhile(dict):
    """Values of beliefs of which a snapshot is made in the middle of a write."""

    def __setitem__(self, variable, value):
        super().__setitem__(variable, value)
        self.frozen()


def test_a_write_is_in_the_next_snapshot_when_another_one_is_made_meanwhile():
    beliefs = Beliefs(Soldier())
    beliefs.write(Soldier.ammo, 3)
    beliefs._values = SeenMeanwhile(beliefs._values)
    beliefs._values.frozen = beliefs.frozen
    for count in (4, 5):
        beliefs.write(Soldier.ammo, count)
        assert beliefs.frozen().get(Soldier.ammo) == count


def bytes_of_a_snapshot(members):
    """How many bytes a snapshot after one write takes."""
    beliefs = Beliefs(Soldier(seen=dict.fromkeys(map(str, range(members)), True)))
    before = beliefs.frozen()
    beliefs.write(Soldier.ammo, 3)
    tracemalloc.start()
    try:
        after = beliefs.frozen()
        assert (before.get(Soldier.ammo), after.get(Soldier.ammo)) == (6, 3)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_a_snapshot_costs_by_what_has_changed():
    assert bytes_of_a_snapshot(40_000) < 15 * bytes_of_a_snapshot(1_000)  # pages, and on each more
    assert bytes_of_a_snapshot(40_000) < 20_000  # of a state of more than a million bytes


def test_a_change_cannot_be_changed_and_can_be_copied():
    change = Change(Soldier.ammo, 6, 5, "shoot")
    with pytest.raises(AttributeError):
        change.after = 4
    assert copy(change) == change
    assert type(copy(change)) is type(change)
    assert (change.fluent, change.before, change.after, change.source) == (*change,)
    assert repr(change) == "<change ammo: 6 → 5 (by shoot)>"


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (99.9, 99.9 - 0.1, "99.9 → 99.8"),
        (0.1 + 0.2, 0.3, "0.30000000000000004 → 0.3"),
        (1.0, 1e300, "1.0 → 1e+300"),
        (float("inf"), -0.0, "inf → -0.0"),
        (1.0, UNKNOWN, "1.0 → unknown"),
    ],
)
def test_a_change_shows_floats_without_noise_unless_that_is_the_change(before, after, text):
    assert Change(Soldier.speed, before, after, "legs").values_text == text
