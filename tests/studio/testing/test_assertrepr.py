"""What pytest says of states and plans that are not equal."""

import sys

from bthtn import Domain, Fluent, FluentFamily, State, find_plan, fluent, fluents
from bthtn.studio.testing.assertrepr import comparison
from bthtn.studio.testing.plugin import pytest_assertrepr_compare


class Yard(State):
    bones: Fluent[int] = fluent(default=3)
    lit: Fluent[bool] = fluent(default=False)
    on: FluentFamily[str, str] = fluents(default="table")


yard = Domain("yard", Yard)
dig, eat = yard.primitive("dig"), yard.primitive("eat")


def planned(*goal):
    return find_plan(yard, Yard(), goal)


def test_states_are_compared_by_the_fluents_in_which_they_differ():
    one, other = Yard(bones=1, on={"a": "b"}), Yard(lit=True, on={"a": "b"})
    assert comparison(one, other) == [
        "two states, Yard, that differ:",
        "bones: 1 != 3",
        "lit: false != true",
    ]
    assert comparison(one.frozen(), other.frozen())[1:] == ["bones: 1 != 3", "lit: false != true"]


def test_plans_are_compared_by_their_trees_beside_each_other():
    summary, *lines = comparison(planned(dig(), eat()), planned(dig(), dig()))
    assert summary.startswith("two plans, ")
    assert [line.split() for line in lines] == [
        ["left", "right"],
        ["sequence", "sequence"],
        ["dig", "dig"],
        ["✗", "eat", "dig"],
    ]


def test_the_rest_is_left_to_pytest():
    assert comparison(Yard(), 3) is None
    assert comparison(Yard(), Yard().frozen()) is None
    assert comparison(planned(dig()), planned(dig())) is None
    assert pytest_assertrepr_compare("!=", Yard(), Yard(bones=1)) is None


def test_the_plugin_says_it_and_imports_nothing_for_others(monkeypatch):
    said = pytest_assertrepr_compare("==", Yard(), Yard(bones=1))
    assert said[1:] == ["bones: 3 != 1"]
    monkeypatch.delitem(sys.modules, "bthtn.engine.world.state")
    assert pytest_assertrepr_compare("==", Yard(), Yard(bones=1)) is None
