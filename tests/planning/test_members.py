"""Members of families, as generated functions look them up."""

import pytest

from bthtn import Domain, FluentFamily, Planner, State, fluents, method
from bthtn.errors import StateError
from bthtn.plan.notation import normal
from bthtn.planning.htn.compiled import members
from bthtn.planning.htn.compiled.members import MembersByIndex, MembersByParts, Pattern


class Yard(State):
    on: FluentFamily[str, bool] = fluents(default=False)
    cost: FluentFamily[int, int] = fluents(default=0, index=int)


def test_who_was_asked_for_once_is_met():
    known = MembersByIndex(Yard.on)
    assert known.met == {}
    assert known["a"] is Yard.on["a"]
    assert known.met == {"a": Yard.on["a"]}


def test_who_cannot_be_is_not_met():
    known = MembersByIndex(Yard.on)
    with pytest.raises(StateError):
        known[1]
    assert known.met == {}


def test_an_index_is_met_part_by_part():
    known = MembersByParts(Pattern(Yard.on, ("from ", None, " to ", None)))
    assert known["a"]["b"] is Yard.on["from a to b"]
    assert known["a"]["c"] is Yard.on["from a to c"]
    assert known.met == {"a": {"b": Yard.on["from a to b"], "c": Yard.on["from a to c"]}}


def test_when_there_are_too_many_all_are_forgotten_and_met_again(monkeypatch):
    monkeypatch.setattr(members, "MOST_MET", 3)
    known = MembersByIndex(Yard.cost)
    for index in range(10):
        assert known[index] is Yard.cost[index]
        assert known.met[index] is Yard.cost[index]
        assert len(known) == len(known.met) <= 3


def test_plans_are_the_same_whoever_was_met_before(monkeypatch):
    monkeypatch.setattr(members, "MOST_MET", 2)
    domain = Domain("yard", Yard)
    step = domain.primitive("step", effects=Yard.on["there"].becomes(True))

    @domain.compound
    def go(to: str):
        yield method(when=Yard.on[to])
        yield method(step())

    planners = [Planner(domain, go(to)) for to in ("a", "b", "c", "there")]
    state = Yard(on={"b": True})
    for _ in range(3):
        found = [normal(planner.plan(state).tree) for planner in planners]
        assert found == ["step", "null", "step", "step"]
