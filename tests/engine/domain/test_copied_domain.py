"""A copy of a frozen domain: it can be changed, and the domain stays as it was."""

import copy

import pytest

from bthtn import Domain, Fluent, State, achieve, find_plan, first_of, fluent, method, primitive
from bthtn.errors import DomainError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    safe: Fluent[bool] = fluent(default=False)


def written():
    war = Domain("war", Soldier)
    reload = war.primitive("reload", effects=Soldier.ammo.becomes(6))

    @war.compound
    def fight():
        yield method(first_of(reload(), hide()))

    @war.compound
    def sometimes():
        yield method(lambda state: fight() if state.ammo < 9 else None)

    @war.primitive
    def hide():
        return primitive(effects=Soldier.safe.becomes(True))

    return war


def names(domain, task):
    return [step.task.name for step in find_plan(domain, Soldier(), domain.task(task)()).steps]


@pytest.mark.parametrize("copied", [Domain.copy, copy.copy, copy.deepcopy])
def test_a_copy_plans_alike_and_can_be_added_to(copied):
    war = written()
    assert names(war, "fight") == ["reload"]
    more = copied(war)
    more.primitive("wave")
    assert names(more, "fight") == ["reload"]
    assert names(more, "wave") == ["wave"]
    assert "wave" not in war.freeze().tasks


def test_a_task_that_is_defined_again_takes_the_place_of_the_old_one_everywhere():
    war = written()
    before = find_plan(war, Soldier(), war.task("sometimes")())
    other = war.copy()
    other.primitive("reload", effects=Soldier.ammo.becomes(3))
    assert find_plan(other, Soldier(), other.task("sometimes")()).predicted != before.predicted
    third = other.copy()
    third.primitive("reload", precondition=False)
    assert names(third, "sometimes") == ["hide"]
    assert names(other, "sometimes") == names(war, "sometimes") == ["reload"]
    assert find_plan(war, Soldier(), before.goal).predicted == before.predicted


def test_an_action_of_a_goal_is_defined_again_too():
    war = Domain("war", Soldier)
    reload = war.primitive("reload", effects=Soldier.ammo.becomes(6))

    @war.compound
    def prepare():
        yield method(achieve(Soldier.ammo > 0, actions=[reload]))

    twice = war.copy()
    twice.primitive("reload", effects=Soldier.ammo.becomes(3))
    twice = twice.copy()
    twice.primitive("reload", effects=Soldier.ammo.becomes(1))
    found = find_plan(twice, Soldier(), twice.task("prepare")())
    assert (found.steps[0].task, found.predicted.get(Soldier.ammo)) == (twice.task("reload"), 1)


def test_a_compound_task_is_defined_again_too():
    other = written().copy()

    @other.compound
    def fight():
        yield method(other.task("hide")())

    assert names(other, "sometimes") == ["hide"]


def test_a_task_is_defined_again_once_and_with_the_parameters_it_is_called_with():
    other = written().copy()
    other.primitive("reload")
    with pytest.raises(DomainError, match="two tasks are called 'reload'"):
        other.primitive("reload")
    with pytest.raises(DomainError, match=r"has the parameters \(\) where it is called"):

        @other.primitive
        def hide(spot: str):
            return primitive()


def test_a_frozen_domain_says_that_a_copy_can_be_changed():
    war = written()
    war.freeze()
    with pytest.raises(DomainError, match=r"domain = domain\.copy\(\)"):
        war.primitive("late")


def test_a_call_of_the_task_that_was_replaced_is_no_goal_of_the_copy():
    war = written()
    other = war.copy()
    other.primitive("reload")
    with pytest.raises(DomainError, match="BT109"):
        find_plan(other, Soldier(), war.task("reload")())
