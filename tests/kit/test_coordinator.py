"""The combat coordinator: rights that are never too many, never lost, and come to everybody."""

import pytest

from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.agent.agent import Agent
from bthtn.errors import DomainError
from bthtn.kit.coordinator import CombatCoordinator, CombatUnits, grouped


class Grunt(State):
    may_attack: FluentFamily[str, bool] = fluents(default=False)
    health: Fluent[int] = fluent(default=100)


DOMAIN = Domain("grunts", Grunt)


def right(target):
    return Grunt.may_attack[target]


def agent(name, **values):
    return Agent(name, DOMAIN, Grunt(**values), body=None)


def group(*names, **settings):
    head = CombatCoordinator("unit", right, **settings)
    members = [agent(name) for name in names]
    for member in members:
        head.join(member)
    return head, members


def names(members):
    return [member.name for member in members]


# attack rights


def test_no_more_may_attack_a_target_than_there_are_rights():  # R003-14
    head, members = group("a", "b", "c", attackers=2)
    for member in members:
        head.ask(member, "hero")
    head.step()
    assert names(head.attacking("hero")) == ["a", "b"]
    assert names(head.waiting("hero")) == ["c"]
    assert [one.beliefs.get(Grunt.may_attack["hero"]) for one in members] == [True, True, False]


def test_a_right_that_is_given_back_goes_to_who_has_waited_longest():
    head, (one, two, three) = group("a", "b", "c", attackers=1)
    for member in (two, one, three):
        head.ask(member, "hero")
    head.step()
    head.release(two, "hero")
    head.ask(two, "hero")
    head.step()
    assert names(head.attacking("hero")) == ["a"]
    assert names(head.waiting("hero")) == ["c", "b"]
    assert two.beliefs.get(Grunt.may_attack["hero"]) is False


def test_each_target_has_rights_of_its_own():
    head, (one, two) = group("a", "b", attackers=1)
    head.ask(one, "hero")
    head.ask(two, "squire")
    head.step()
    assert head.may_attack(one, "hero")
    assert head.may_attack(two, "squire")
    assert not head.may_attack(one, "squire")


def test_asking_twice_is_asking_once():
    head, (one, two) = group("a", "b", attackers=1)
    for member in (one, one, two, one):
        head.ask(member, "hero")
    assert names(head.waiting("hero")) == ["a", "b"]
    head.step()
    head.ask(one, "hero")
    assert names(head.waiting("hero")) == ["b"]


def test_nobody_is_told_anything_before_the_tick_begins():
    head, (one,) = group("a")
    head.ask(one, "hero")
    assert not head.may_attack(one, "hero")
    head.step()
    assert head.may_attack(one, "hero")


def test_whoever_leaves_gives_everything_back_and_waits_no_longer():
    head, (one, two) = group("a", "b", attackers=1)
    head.ask(one, "hero")
    head.ask(one, "squire")
    head.ask(two, "hero")
    head.step()
    head.ask(one, "king")
    head.leave(one)
    head.step()
    assert names(head.members) == names(head.attacking("hero")) == ["b"]
    assert head.attacking("squire") == head.waiting("king") == ()
    assert one.beliefs.get(Grunt.may_attack["squire"]) is False


def test_a_term_ends_only_when_somebody_waits():
    head, (one, two) = group("a", "b", attackers=1, term=3)
    head.ask(one, "hero")
    for _ in range(10):
        head.step()
    assert names(head.attacking("hero")) == ["a"]
    head.ask(two, "hero")
    head.step()
    assert names(head.attacking("hero")) == ["b"]


def test_a_fresh_right_outlives_the_others_until_its_term_is_over():
    head, (one, two, three) = group("a", "b", "c", attackers=2, term=2)
    head.ask(one, "hero")
    head.step()
    head.ask(two, "hero")
    head.step()
    head.ask(three, "hero")
    head.step()
    assert names(head.attacking("hero")) == ["b", "c"]


def test_a_stranger_cannot_ask():
    head, _ = group("a")
    with pytest.raises(DomainError, match="'b' asks 'unit', and is no member") as caught:
        head.ask(agent("b"), "hero")
    assert caught.value.code == "BT123"


@pytest.mark.parametrize("settings", [{"attackers": 0}, {"term": 0}])
def test_numbers_that_allow_nothing_are_refused(settings):
    with pytest.raises(DomainError, match="above zero"):
        group("a", **settings)


# roles, and help


def test_roles_go_to_those_fittest_for_them():
    head, members = group("a", "b", "c", "d")
    fitness = {"tank": {"a": 1, "b": 3, "c": 2, "d": 2}, "scout": {"a": 1, "b": 9, "c": 1, "d": -1}}
    roles = head.assign({"tank": 2, "scout": 3}, lambda one, role: fitness[role][one.name])
    assert {one.name: role for one, role in roles.items()} == {
        "a": "scout",
        "b": "tank",
        "c": "tank",
    }
    assert list(roles) == [one for one in members if one in roles]


def test_the_neediest_is_helped_first_and_by_the_nearest():  # R003-14
    head, members = group("a", "b", "c", "d")
    health = {"a": 90, "b": 10, "c": 50, "d": 100}
    place = {"a": 0, "b": 5, "c": 6, "d": 4}
    pairs = head.pair(
        [members[0], members[3], members[1]],
        need=lambda one: 95 - health[one.name],
        distance=lambda one, other: abs(place[one.name] - place[other.name]),
    )
    assert {one.name: other.name for one, other in pairs.items()} == {"d": "b", "b": "c"}


# groups


def test_who_is_within_reach_of_each_other_is_one_group_also_through_others():
    one, two, three, four = map(agent, "abcd")
    places = {one: (0, 0), two: (30, 0), three: (9, 0), four: (18, 0)}
    assert [names(some) for some in grouped(places, reach=10)] == [["a", "c", "d"], ["b"]]
    assert [names(some) for some in grouped(places, reach=12)] == [["a", "b", "c", "d"]]
    assert grouped({}) == ()
    places = {one: (0, 0), two: (10, 0), three: (20.5, 0)}
    assert [names(some) for some in grouped(places)] == [["a", "b"], ["c"]]


def units():
    return CombatUnits(lambda name: CombatCoordinator(name, right, attackers=1))


def test_a_group_keeps_the_coordinator_that_most_of_it_had():
    one, two, three, four = map(agent, "abcd")
    heads = units()
    heads.regroup([[one, two, three], [four]])
    first, second = heads.coordinators
    first.ask(one, "hero")
    heads.step()
    heads.regroup([[four, one], [two, three]])
    assert heads.of(two) is heads.of(three) is first
    assert heads.of(four) is heads.of(one) is second
    # Who has changed the group has left its rights behind.
    assert first.attacking("hero") == ()
    assert one.beliefs.get(Grunt.may_attack["hero"]) is False


def test_who_is_in_no_group_any_more_has_left_and_empty_groups_have_no_head():
    one, two = map(agent, "ab")
    heads = units()
    heads.regroup([[one], [two]])
    heads.of(one).ask(one, "hero")
    heads.step()
    heads.regroup([[two]])
    assert heads.of(one) is None
    assert len(heads.coordinators) == 1
    assert one.beliefs.get(Grunt.may_attack["hero"]) is False


def test_a_long_queue_is_not_gone_through_for_each_that_asks(monkeypatch):
    members = [agent(str(number)) for number in range(200)]
    head = CombatCoordinator("group", right, attackers=2)
    compared = []
    monkeypatch.setattr(Agent, "__hash__", object.__hash__)
    monkeypatch.setattr(Agent, "__eq__", lambda one, other: compared.append(1) or one is other)
    for member in members:
        head.join(member)
    for _ in range(2):
        for member in members:
            head.ask(member, "boss")
        head.step()
    for member in members:
        head.leave(member)
    assert len(compared) <= 10 * len(members)
