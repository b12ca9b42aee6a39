"""Assignments: what a task does to a fluent, as data."""

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.footprint import RecordingView, Write, WriteKind
from bthtn.engine.world.trail import WorkingState
from bthtn.errors import StateError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    spare: Fluent[int] = fluent(default=2)
    health: Fluent[float] = fluent(default=1.0)
    target: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="home")
    seen: FluentFamily[str, bool] = fluents(default=False)


def write(assignment, binding=(), **values):
    return assignment.write(Soldier(**values).frozen(), binding)


def reads(assignment, **values):
    recorder = RecordingView(Soldier(**values).frozen())
    assignment.write(recorder)
    return recorder.reads


# what is written


def test_a_fluent_becomes_a_constant():
    assert write(Soldier.ammo.becomes(3)) == Write(WriteKind.CONSTANT, 3)
    assert reads(Soldier.ammo.becomes(3)) == set()


def test_a_fluent_becomes_the_argument_of_a_task_which_is_a_constant_too():
    who = Parameter("who", 0, str)
    assert write(Soldier.at.becomes(who), ("hill",)) == Write(WriteKind.CONSTANT, "hill")


def test_a_fluent_becomes_what_is_computed_from_others():
    assert write(Soldier.ammo.becomes(Soldier.spare + 1)) == Write(WriteKind.COMPUTED, 3)
    assert reads(Soldier.ammo.becomes(Soldier.spare + 1)) == {Soldier.spare}


def test_a_fluent_becomes_unknown():
    assert write(Soldier.ammo.becomes(UNKNOWN)) == Write(WriteKind.CONSTANT, UNKNOWN)
    assert write(Soldier.ammo.becomes(Soldier.spare), spare=UNKNOWN).value is UNKNOWN


def test_a_number_increases_without_being_read():
    assert write(Soldier.ammo.increases(2)) == Write(WriteKind.INCREASE, 2)
    assert write(Soldier.ammo.decreases(2)) == Write(WriteKind.INCREASE, -2)
    assert reads(Soldier.ammo.increases(2)) == set()


def test_a_number_increases_by_the_value_of_another():
    assert write(Soldier.ammo.increases(Soldier.spare)) == Write(WriteKind.INCREASE, 2)
    assert write(Soldier.ammo.decreases(Soldier.spare)) == Write(WriteKind.INCREASE, -2)
    assert reads(Soldier.ammo.increases(Soldier.spare)) == {Soldier.spare}


def test_a_float_grows_too_but_in_parallel_only_whole_numbers_commute():
    grows = write(Soldier.health.increases(0.5))
    assert grows == Write(WriteKind.INCREASE, 0.5)
    assert write(Soldier.health.decreases(1)) == Write(WriteKind.INCREASE, -1)
    assert not grows.commutes_with(grows)
    assert write(Soldier.ammo.increases(2)).commutes_with(write(Soldier.ammo.decreases(1)))


def test_an_increase_by_or_of_an_unknown_is_unknown():
    unknown = Write(WriteKind.COMPUTED, UNKNOWN)
    assert write(Soldier.ammo.increases(Soldier.spare), spare=UNKNOWN) == unknown
    state = WorkingState(Soldier(health=UNKNOWN).frozen())
    state.apply(Soldier.health, write(Soldier.health.increases(0.5)))
    assert state.get(Soldier.health) is UNKNOWN


def test_which_member_is_written_may_depend_on_a_parameter_or_a_fluent():
    who = Parameter("who", 0, str)
    state = Soldier(at="hill").frozen()
    assert Soldier.seen[who].becomes(True).target.ground(state, ("a",)) is Soldier.seen["a"]
    assert Soldier.seen[Soldier.at].becomes(True).target.ground(state) is Soldier.seen["hill"]


# as text


@pytest.mark.parametrize(
    ("assignment", "text"),
    [
        (Soldier.ammo.becomes(3), "ammo becomes 3"),
        (Soldier.target.becomes(True), "target becomes true"),
        (Soldier.at.becomes("hill"), "at becomes 'hill'"),
        (Soldier.target.becomes(UNKNOWN), "target becomes unknown"),
        (Soldier.ammo.increases(2), "ammo increases by 2"),
        (Soldier.ammo.decreases(2), "ammo decreases by 2"),
        (Soldier.ammo.increases(-2), "ammo decreases by 2"),
        (Soldier.ammo.becomes(Soldier.spare + 1), "ammo becomes spare + 1"),
        (Soldier.seen["enemy"].becomes(True), "seen[enemy] becomes true"),
        (Soldier.seen[Parameter("who", 0)].becomes(True), "seen[who] becomes true"),
    ],
    ids=str,
)
def test_an_assignment_prints_as_it_is_read(assignment, text):
    assert str(assignment) == text
    assert repr(assignment) == f"<{text}>"


def test_with_a_binding_an_assignment_prints_values_for_parameters():
    who = Parameter("who", 0, str)
    assert Soldier.seen[who].becomes(True).text(("a",)) == "seen[a] becomes true"
    assert Soldier.at.becomes(who).text(("a",)) == "at becomes 'a'"


# refused


@pytest.mark.parametrize("variable", [Soldier.target, Soldier.at, Soldier.seen["a"]], ids=str)
def test_only_numbers_grow(variable):
    with pytest.raises(StateError, match="cannot grow") as caught:
        variable.increases(1)
    assert caught.value.code == "BT106"
    assert "use becomes(...)" in str(caught.value)


@pytest.mark.parametrize("amount", ["two", None, True], ids=str)
def test_a_number_does_not_grow_by_what_is_none(amount):
    for grow in (Soldier.ammo.increases, Soldier.ammo.decreases):
        with pytest.raises(StateError, match="BT106"):
            grow(amount)


def test_a_whole_number_does_not_grow_by_a_fraction():
    with pytest.raises(StateError, match="BT106"):
        Soldier.ammo.increases(0.5)


def test_a_parameter_has_to_be_of_the_type_of_the_fluent():
    number = Parameter("number", 0, int)
    with pytest.raises(StateError, match="'at' is str; parameter 'number' is int") as caught:
        Soldier.at.becomes(number)
    assert caught.value.code == "BT106"
    assert str(Soldier.health.becomes(number)) == "health becomes number"
    assert str(Soldier.ammo.becomes(Parameter("anything", 0))) == "ammo becomes anything"
