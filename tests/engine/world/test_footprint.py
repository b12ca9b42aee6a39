"""What something reads, writes and occupies, and who may run beside it (semantics 2.3.2)."""

import pytest

from bthtn import UNKNOWN, Fluent, State, fluent
from bthtn.engine.world.footprint import Footprint, RecordingView, Write, WriteKind


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    health: Fluent[int] = fluent(default=3)


def constant(value):
    return Write(WriteKind.CONSTANT, value)


def increase(amount):
    return Write(WriteKind.INCREASE, amount)


def computed(value):
    return Write(WriteKind.COMPUTED, value)


def reading(*fluents):
    return Footprint(reads=frozenset(fluents))


def writing(write, variable=Soldier.ammo):
    return Footprint(writes={variable: write})


# who may run beside whom


@pytest.mark.parametrize(
    ("one", "other", "over"),
    [
        (reading(Soldier.ammo), reading(Soldier.ammo), None),
        (reading(Soldier.health), writing(constant(1)), None),
        (reading(Soldier.ammo), writing(constant(1)), "ammo"),
        (reading(Soldier.ammo), writing(increase(1)), "ammo"),
        (reading(Soldier.ammo), writing(computed(1)), "ammo"),
        (writing(constant(1)), writing(constant(1)), None),
        (writing(constant(UNKNOWN)), writing(constant(UNKNOWN)), None),
        (writing(constant(1)), writing(constant(2)), "ammo"),
        (writing(constant(1)), writing(constant(UNKNOWN)), "ammo"),
        (writing(increase(1)), writing(increase(1)), None),
        (writing(increase(1)), writing(increase(-7)), None),
        (writing(increase(1)), writing(constant(1)), "ammo"),
        (writing(computed(1)), writing(computed(1)), "ammo"),
        (writing(computed(1)), writing(constant(1)), "ammo"),
        (writing(computed(1)), writing(increase(1)), "ammo"),
        (writing(constant(1)), writing(constant(2), Soldier.health), None),
        (Footprint(uses=frozenset({"legs"})), Footprint(uses=frozenset({"arms"})), None),
        (Footprint(uses=frozenset({"legs"})), Footprint(uses=frozenset({"arms", "legs"})), "legs"),
        (Footprint(), writing(computed(1)), None),
    ],
)
def test_two_may_run_side_by_side_when_no_order_can_matter(one, other, over):
    assert one.conflict_with(other) == over
    assert other.conflict_with(one) == over


def test_of_several_things_to_fight_over_the_first_by_name_is_told():
    both = {Soldier.health: constant(1), Soldier.ammo: constant(1)}
    other = {Soldier.health: constant(2), Soldier.ammo: constant(2)}
    assert Footprint(writes=both).conflict_with(Footprint(writes=other)) == "ammo"
    arms = frozenset({"legs", "arms"})
    assert Footprint(uses=arms).conflict_with(Footprint(uses=arms)) == "arms"


# one after the other


@pytest.mark.parametrize(
    ("first", "later", "both"),
    [
        (increase(1), increase(2), increase(3)),
        (increase(1), increase(1), increase(2)),
        (constant(1), constant(1), constant(1)),
        (constant(1), constant(2), computed(2)),
        (constant(1), increase(2), computed(3)),
        (increase(2), constant(1), computed(1)),
        (computed(1), constant(2), computed(2)),
        (computed(1), increase(2), computed(3)),
        (increase(1), computed(5), computed(5)),
        (constant(UNKNOWN), constant(1), computed(1)),
        (constant(1), constant(UNKNOWN), computed(UNKNOWN)),
    ],
    ids=str,
)
def test_two_writes_of_one_fluent_are_one_write(first, later, both):
    assert first.then(later) == both


@pytest.mark.parametrize("unknown", [constant(UNKNOWN), computed(UNKNOWN)], ids=str)
def test_what_is_unknown_and_then_increased_is_unknown(unknown):
    assert unknown.then(increase(1)).value is UNKNOWN


def test_the_footprint_of_two_steps_is_everything_that_both_touch():
    first = Footprint(frozenset({Soldier.ammo}), {Soldier.health: increase(1)}, frozenset({"legs"}))
    later = Footprint(
        frozenset({Soldier.health}),
        {Soldier.health: increase(1), Soldier.ammo: constant(0)},
        frozenset({"arms"}),
    )
    both = first.then(later)
    assert both.reads == {Soldier.ammo, Soldier.health}
    assert both.writes == {Soldier.health: increase(2), Soldier.ammo: constant(0)}
    assert both.uses == {"legs", "arms"}


# one of several


def test_a_choice_reads_and_occupies_what_any_alternative_does():
    first = Footprint(frozenset({Soldier.ammo}), uses=frozenset({"legs"}))
    second = Footprint(frozenset({Soldier.health}), uses=frozenset({"arms"}))
    choice = Footprint.one_of([first, second])
    assert choice.reads == {Soldier.ammo, Soldier.health}
    assert choice.uses == {"legs", "arms"}


def test_a_choice_writes_for_sure_only_what_all_alternatives_write_alike():
    sure = Footprint.one_of([writing(increase(1)), writing(increase(1))])
    assert sure.writes == {Soldier.ammo: increase(1)}
    for other in (writing(increase(2)), Footprint(), writing(constant(1))):
        choice = Footprint.one_of([writing(increase(1)), other])
        assert choice.writes[Soldier.ammo].kind is WriteKind.COMPUTED
        assert choice.conflict_with(writing(increase(1))) == "ammo"


def test_a_choice_of_nothing_touches_nothing():
    assert Footprint.one_of([]) == Footprint()


# recording


def test_a_recording_view_remembers_what_was_asked_and_answered_in_order():
    recorder = RecordingView(Soldier(health=UNKNOWN).frozen())
    assert recorder.get(Soldier.health) is UNKNOWN
    assert recorder.get(Soldier.ammo) == 6
    assert recorder.get(Soldier.health) is UNKNOWN
    assert list(recorder.readings.items()) == [(Soldier.health, UNKNOWN), (Soldier.ammo, 6)]
    assert recorder.reads == {Soldier.health, Soldier.ammo}
    assert recorder.unknown is Soldier.health


def test_where_everything_is_known_no_unknown_is_named():
    recorder = RecordingView(Soldier().frozen())
    recorder.get(Soldier.ammo)
    assert recorder.unknown is None
