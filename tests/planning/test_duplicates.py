"""A domain may ask that nothing is tried twice in vain (semantics 2.6.8)."""

from itertools import pairwise

import pytest

from bthtn import (
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    fluent,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.planning.explain import Explanation
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request
from bthtn.planning.trace import TriedBefore

DEFAULT = Settings()
ARMS = "arms"


class Purse(State):
    coins: Fluent[int] = fluent(default=0)


class Weather(State):
    rain: Fluent[bool] = fluent(default=False, volatile=True)


class Shop:
    """A domain with or without memory of what was tried."""

    def __init__(self, prunes):
        self.domain = Domain("shop", Purse, prunes_duplicates=prunes)
        self.idle = self.domain.primitive("idle")
        self.grab = self.domain.primitive("grab", uses=ARMS)
        self.hold = self.domain.primitive("hold", uses=ARMS)

        @self.domain.primitive
        def add(coins: int) -> Primitive:
            return primitive(effects=Purse.coins.increases(coins))

        @self.domain.primitive
        def pay(coins: int) -> Primitive:
            return primitive(precondition=Purse.coins == coins)

        @self.domain.compound
        def earn():
            yield method(add(1))
            yield method(add(2))

        @self.domain.compound
        def save(times: int):
            yield method(earn(), save(times - 1), when=lambda _: times > 0)
            yield method(pay(-1), when=lambda _: times == 0)

        self.add, self.pay, self.earn, self.save = add, pay, earn, save

    def search(self, goal, listener=None, settings=DEFAULT):
        search = HtnSearch(request(self.domain, Purse(), goal, settings), listener)
        search.advance()
        return search


@pytest.fixture(params=[True, False], ids=["pruning", "not pruning"])
def shop(request):
    return Shop(request.param)


# what it saves


def expansions(prunes, goal):
    shop = Shop(prunes)
    search = shop.search(goal(shop))
    assert search.status is SearchStatus.EXHAUSTED
    return search.expansions


def in_sequence(times):
    return lambda shop: sequence(*[shop.earn()] * times, shop.pay(0))


def in_recursion(times):
    return lambda shop: shop.save(times)


@pytest.mark.parametrize("goal", [in_sequence, in_recursion])
def test_ways_that_come_together_are_followed_once(goal):
    """Ten times one or two coins are a thousand ways, but only eleven sums."""
    pruned, plain = ([expansions(prunes, goal(n)) for n in (4, 7, 10)] for prunes in (True, False))
    assert all(after > 7.5 * before for before, after in pairwise(plain))
    assert all(after < 3.5 * before for before, after in pairwise(pruned))
    assert pruned[-1] < 400
    assert plain[-1] > 4_000


def test_who_listens_is_told():
    shop, told = Shop(prunes=True), []
    shop.search(in_sequence(3)(shop), told.append)
    assert [event.task for event in told if isinstance(event, TriedBefore)] == ["earn"]


def test_what_was_tried_before_is_a_reason_too():
    shop, explanation = Shop(prunes=True), Explanation()
    shop.search(in_sequence(3)(shop), explanation.add)
    assert any("earn: tried before, in the same state" in one.text for one in explanation.reasons())


# what it must not lose


def test_in_another_state_or_with_other_things_left_to_do_it_is_tried_again(shop):
    @shop.domain.compound
    def begin():
        yield method(shop.earn(), shop.pay(9))
        yield method()

    assert list(shop.search((begin(), shop.earn(), shop.pay(2))).plan.record) == [1, 1]
    assert list(shop.search((shop.earn(), shop.earn(), shop.pay(4))).plan.record) == [1, 1]


def test_states_are_compared_and_not_only_their_fingerprints(shop):
    """In Python -1 and -2 have one hash."""

    @shop.domain.compound
    def owe():
        yield method(shop.add(-1))
        yield method(shop.add(-2))

    assert list(shop.search((owe(), shop.earn(), shop.pay(-1))).plan.record) == [1, 0]


def test_what_failed_because_of_an_open_task_may_succeed_without_it(shop):
    """Inside `first`, `shared` cannot use `first`; inside `second` it can."""

    @shop.domain.compound
    def top():
        yield method(first())
        yield method(second())

    @shop.domain.compound
    def first():
        yield method(shared())
        yield method()

    @shop.domain.compound
    def second():
        yield method(shared())

    @shop.domain.compound
    def shared():
        yield method(first(), shop.add(1))

    search = shop.search((top(), shop.pay(1)))
    assert list(search.plan.record) == [1, 0, 0, 1]


def test_what_failed_may_succeed_where_an_open_task_forbids_an_alternative(shop):
    """`shared` needs that `first` is no alternative: it would need the arms that are busy."""

    @shop.domain.compound
    def top():
        yield method(second())
        yield method(first())

    @shop.domain.compound
    def first():
        yield method(shop.grab())
        yield method(over())

    @shop.domain.compound
    def second():
        yield method(over_there())

    @shop.domain.compound
    def over():
        yield method(shared())

    @shop.domain.compound
    def over_there():
        yield method(shared())

    @shop.domain.compound
    def shared():
        yield method(parallel(priority(first(), shop.idle()), shop.hold()), shop.add(1))

    # The depth keeps the guard out of it when `shared` is tried for the first time.
    search = shop.search((top(), shop.pay(1)), settings=Settings(max_depth=5))
    assert list(search.plan.record) == [1, 1, 0, 0, 1, 0]


def test_at_another_distance_from_the_horizon_it_is_tried_again(shop):
    """With fewer steps behind it, the same is planned further."""

    @shop.domain.compound
    def begin():
        yield method(shop.idle())
        yield method(shop.idle(), shop.idle())

    goal = (begin(), shop.earn(), shop.idle(), shop.pay(9))
    search = shop.search(goal, settings=Settings(horizon=4))
    assert [str(step) for step in search.plan.steps] == ["idle", "idle", "add(1)", "idle"]


@pytest.mark.parametrize("prunes", [True, False])
def test_before_the_first_step_more_is_known_than_behind_it(prunes):
    domain = Domain("walk", Weather, prunes_duplicates=prunes)
    wait = domain.primitive("wait")
    never = domain.primitive("never", precondition=False)

    @domain.compound
    def begin():
        yield method()
        yield method(wait())

    @domain.compound
    def stay():
        yield method(never(), when=~Weather.rain)
        yield method(wait())

    search = HtnSearch(request(domain, Weather(), (begin(), stay(), never())))
    assert search.advance() is SearchStatus.SOLVED
    assert list(search.plan.record) == [1]  # behind a step it is not known whether it rains


def test_the_cheapest_plan_is_looked_for_without_it(shop):
    search = shop.search((*[shop.earn()] * 3, shop.pay(5)), settings=Settings(cheapest=True))
    assert search.plan.cost == 4
