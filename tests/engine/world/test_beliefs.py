"""Beliefs: every change has a source, and what is believed already is no change."""

from copy import copy
from enum import Enum

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.diff import Change
from bthtn.errors import StateError
from tests.counting import bytes_kept


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
    kept = bytes_kept(beliefs.frozen)
    assert (before.get(Soldier.ammo), beliefs.frozen().get(Soldier.ammo)) == (6, 3)
    return kept


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
