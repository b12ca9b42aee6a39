"""Plans and scenarios in the tests of users: what is judged is true or false in an ``assert``."""

import pytest

from bthtn import Domain, Fluent, State, find_plan, fluent
from bthtn.errors import ArgumentError
from bthtn.studio.views import domain_dot, domain_tree, normal, tree_text
from bthtn.testing import Played, play, replay, validate


class Yard(State):
    bones: Fluent[int] = fluent(default=1)


yard = Domain("yard", Yard)
eat = yard.primitive("eat", precondition=Yard.bones > 0, effects=Yard.bones.decreases(1))


@pytest.fixture
def plan():
    return find_plan(yard, Yard(), eat())


@pytest.mark.parametrize("judge", [replay, validate])
def test_a_plan_is_judged_from_a_state_of_either_kind(plan, judge):
    assert judge(plan, Yard())
    assert judge(plan, Yard().frozen())
    assert not judge(plan, Yard(bones=0))
    assert judge(plan, Yard()) == judge(plan, Yard().frozen())


@pytest.mark.parametrize("judge", [replay, validate])
def test_what_cannot_be_judged_is_said_to_be_none(plan, judge):
    with pytest.raises(ArgumentError, match=r"'plan' of .* is Plan; None is NoneType"):
        judge(None, Yard())
    with pytest.raises(ArgumentError, match=r"'state' of .* is State or FrozenState"):
        judge(plan, {"bones": 1})


def test_a_run_is_true_if_nothing_is_wrong():
    assert Played((), "")
    assert not Played((), "no 'done eat' in 5 ticks")


def test_what_is_no_scenario_is_not_played():
    with pytest.raises(ArgumentError, match="'scenario' of play"):
        play("cover.scenario.toml")


@pytest.mark.parametrize("shown", [normal, tree_text])
def test_a_plan_in_place_of_its_tree_is_told_what_to_give(plan, shown):
    assert shown(plan.tree) == "eat"
    with pytest.raises(
        ArgumentError, match=r"takes a node of a plan; .*\n.*\n.*give it plan\.tree"
    ):
        shown(plan)
    with pytest.raises(ArgumentError, match="None is NoneType"):
        shown(None)


def test_a_domain_that_is_being_written_is_drawn():
    assert domain_dot(yard) == domain_dot(yard.freeze())
    assert domain_tree(yard) == domain_tree(yard.freeze())
