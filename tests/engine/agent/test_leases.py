"""Leases: who has what only so many can have."""

import pytest

from bthtn import Domain
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.leases import Account, Holder, Leases
from bthtn.engine.agent.runtime import runtime_of
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.testing.strategies import World

ANN, BEN = Holder("Ann"), Holder("Ben")


@pytest.fixture
def leases():
    return Leases({"attack": 2})


def test_what_is_taken_nobody_else_can_take(leases):
    assert leases.take("cover", ANN)
    assert not leases.take("cover", BEN)
    assert leases.holders("cover") == (ANN,)


def test_what_is_given_back_can_be_taken(leases):
    leases.take("cover", ANN)
    assert leases.give_back("cover", ANN)
    assert leases.take("cover", BEN)


def test_only_who_has_it_can_give_it_back(leases):
    leases.take("cover", ANN)
    assert not leases.give_back("cover", BEN)
    assert not leases.give_back("path", ANN)
    assert leases.holders("cover") == (ANN,)


def test_taken_twice_it_is_had_once(leases):
    assert leases.take("attack", ANN)
    assert leases.take("attack", ANN)
    assert leases.holders("attack") == (ANN,)
    assert leases.take("attack", BEN)
    assert not leases.take("attack", Holder("Cleo"))
    assert len(leases) == 2


def test_who_is_inside_of_a_holder_has_what_that_has(leases):
    leases.take("cover", ANN)
    hand = Holder("Ann's hand", Holder("Ann's arm", ANN))
    assert leases.has("cover", hand)
    assert leases.take("cover", hand)
    assert leases.holders("cover") == (ANN,)
    assert not leases.give_back("cover", hand)


def test_a_holder_is_within_itself_and_whatever_is_around_it():
    hand = Holder("Ann's hand", Holder("Ann's arm", ANN))
    assert ANN.is_within(ANN)
    assert hand.is_within(ANN)
    assert not ANN.is_within(hand)
    assert not hand.is_within(BEN)
    assert not hand.is_within(None)


def test_holders_of_the_same_name_are_not_the_same(leases):
    leases.take("cover", ANN)
    assert not leases.take("cover", Holder("Ann"))


def test_nothing_is_left_of_what_was_given_back(leases):
    for number in range(100):
        leases.take(number, ANN)
        leases.give_back(number, ANN)
    assert len(leases) == 0
    assert leases._holders == {}


# an agent


@pytest.fixture
def heard():
    return RecordingListener()


def agent(name, heard=None, leases=None):
    return Agent(name, Domain("house", World), World(), body=None, listener=heard, leases=leases)


def test_an_agent_takes_and_gives_back_for_itself(heard):
    ann = agent("Ann", heard)
    assert ann.take("cover")
    assert ann.give_back("cover")
    assert not ann.give_back("cover")
    assert heard.story() == ["Ann has cover", "Ann gave back cover"]


def test_agents_with_leases_of_their_own_are_not_in_each_other_s_way():
    assert agent("Ann").take("cover")
    assert agent("Ben").take("cover")


def test_agents_that_share_leases_are(leases):
    assert agent("Ann", leases=leases).take("cover")
    assert not agent("Ben", leases=leases).take("cover")


def test_a_coordinator_is_a_holder_like_any_other(leases):
    leases.take("cover", Holder("coordinator"))
    assert not agent("Ann", leases=leases).take("cover")


def test_to_take_what_one_has_is_told_once(heard):
    ann = agent("Ann", heard)
    assert ann.take("cover")
    assert ann.take("cover")
    assert heard.story() == ["Ann has cover"]


def test_an_account_is_settled_at_once_the_latest_first(heard):
    ann = agent("Ann", heard)
    account = Account(Holder("step", runtime_of(ann).holder))
    with runtime_of(ann).acting(account):
        ann.take("cover")
        ann.take("path")
    runtime_of(ann).settle(account)
    runtime_of(ann).settle(account)
    assert heard.story()[2:] == ["step gave back path", "step gave back cover"]


def test_what_an_heir_relies_on_is_handed_on(heard):
    ann = agent("Ann", heard)
    plan = Holder("plan", runtime_of(ann).holder)
    first, second = Account(plan), Account(plan)
    for account in (first, second):
        with runtime_of(ann).acting(account):
            assert ann.take("cover")
    runtime_of(ann).settle(first, [second])
    assert heard.story() == ["plan has cover"]
    runtime_of(ann).settle(second)
    assert heard.story()[1:] == ["plan gave back cover"]


def test_one_of_several_can_give_back(leases):
    leases.take("attack", ANN)
    leases.take("attack", BEN)
    assert leases.give_back("attack", ANN)
    assert leases.holders("attack") == (BEN,)
