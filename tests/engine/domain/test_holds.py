"""Asked by hand: whether a condition holds in a state, and what a task makes of a state."""

import pytest

from bthtn import (
    UNKNOWN,
    BthtnError,
    Domain,
    Fluent,
    State,
    apply,
    find_plan,
    fluent,
    holds,
    method,
    primitive,
)
from bthtn.errors import DomainError, PlanningError, StateError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    cover: Fluent[bool] = fluent(default=False)
    target: Fluent[str] = fluent(default="none")


class Moon(State):
    full: Fluent[bool] = fluent(default=True)


war = Domain("war", Soldier)
reload = war.primitive("reload", effects=Soldier.ammo.becomes(6))
ready = Soldier.cover & (Soldier.ammo > 0)


@war.primitive
def shoot(target: str, shots: int = 1):
    return primitive(
        precondition=Soldier.cover & (Soldier.ammo >= shots),
        effects=[Soldier.ammo.decreases(shots), Soldier.target.becomes(target)],
        expected=Soldier.cover.becomes(False),
        actual=Soldier.target.becomes("gone"),
    )


@war.compound
def fight():
    yield method(reload(), shoot("enemy"))


@pytest.mark.parametrize(
    ("state", "truth", "why"),
    [
        (Soldier(cover=True, ammo=2), True, "cover and ammo > 0 is true: cover = true, ammo = 2"),
        (Soldier(cover=True), False, "ammo > 0 is false: ammo = 0"),
        (Soldier(ammo=2), False, "cover is false: cover = false"),
        (Soldier(cover=UNKNOWN, ammo=2), UNKNOWN, "cover is unknown: cover = unknown"),
        (Soldier(cover=UNKNOWN), False, "ammo > 0 is false: ammo = 0"),
    ],
)
def test_an_answer_names_the_part_of_the_condition_that_decides(state, truth, why):
    answer = holds(ready, state)
    assert answer.truth is truth
    assert bool(answer) is (truth is True)
    assert str(answer) == why


def test_a_function_and_a_plain_truth_can_be_asked_for_too():
    assert holds(lambda state: state.ammo > 2, Soldier(ammo=3))
    assert not holds(lambda state: state.ammo > 2, Soldier(ammo=UNKNOWN))
    assert holds(True, Soldier())
    assert "ammo = 1" in str(holds(lambda state: state.ammo > 2, Soldier(ammo=1)))


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(StateError, match="BT102"):
        holds(Moon.full, Soldier())
    with pytest.raises(DomainError, match="BT110"):
        holds(Soldier.ammo, Soldier())
    with pytest.raises(BthtnError, match="BT126"):
        holds(Soldier(), ready)


def test_a_task_is_applied_as_planning_foresees_it():
    before = Soldier(cover=True, ammo=3)
    after = apply(war, before, shoot("enemy", 2))
    assert after == Soldier(ammo=1, target="enemy")
    assert before == Soldier(cover=True, ammo=3)
    plan = find_plan(war, before, shoot("enemy", 2))
    assert after.frozen() == plan.predicted


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (Soldier(ammo=3), "shoot('enemy', 1) is not possible in this state: cover is false"),
        (Soldier(cover=True, ammo=UNKNOWN), "ammo >= 1 is unknown: ammo = unknown"),
    ],
)
def test_a_task_that_is_not_possible_says_which_part_of_its_precondition_is_in_the_way(
    state, message
):
    with pytest.raises(PlanningError) as caught:
        apply(war, state, shoot("enemy"))
    assert caught.value.code == "BT205"
    assert message in str(caught.value)


def test_a_task_whose_arguments_or_effects_are_unknown_is_not_applied():
    guess = war.copy()
    copied = guess.primitive("guess", effects=lambda state: setattr(state, "ammo", state.ammo + 1))
    with pytest.raises(PlanningError, match="effects depend on ammo, which is unknown"):
        apply(guess, Soldier(ammo=UNKNOWN), copied())
    with pytest.raises(PlanningError, match="target is unknown"):
        apply(war, Soldier(target=UNKNOWN), shoot(Soldier.target))


def test_what_is_no_primitive_task_of_the_domain_is_not_applied():
    with pytest.raises(DomainError, match="compound task"):
        apply(war, Soldier(), fight())
    with pytest.raises(DomainError, match="plans with Soldier"):
        apply(war, Moon(), reload())
    with pytest.raises(DomainError, match="BT109"):
        apply(Domain("peace", Soldier), Soldier(), reload())
