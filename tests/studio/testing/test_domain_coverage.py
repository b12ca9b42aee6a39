"""Coverage of a domain: methods, and conditions in all of their parts."""

from dataclasses import replace

import pytest

from bthtn import Domain, Fluent, State, any_order, find_plan, fluent, method, parallel, unordered
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.protocol import Settings, request
from bthtn.studio.testing import domain_coverage
from bthtn.studio.testing.coverage import Coverage
from bthtn.studio.testing.domain_coverage import DomainCoverage, coverage_dot


class Shop(State):
    money: Fluent[int] = fluent(default=5)
    is_open: Fluent[bool] = fluent(default=True)
    has_list: Fluent[bool] = fluent(default=False)


shop = Domain("shop", Shop)
pay = shop.primitive("pay", precondition=Shop.money > 2, effects=Shop.money.decreases(3))
write = shop.primitive("write", effects=Shop.has_list.becomes(True))
beg = shop.primitive("beg")


@shop.compound
def buy():
    yield method(pay(), pay(), when=Shop.is_open & (Shop.has_list | ~(Shop.money < 3)))
    yield method(pay(), when=Shop.is_open)
    yield method(beg())


def counted(*states, task=None, settings=None):
    coverage = Coverage()
    counts = DomainCoverage(coverage, "shop", shop.freeze())
    for state in states:
        goal = buy() if task is None else task
        counts.planned(request(shop, state, goal, settings or Settings()))
    return coverage


def rows(coverage, kind):
    return coverage.counts["shop"][kind]


def test_methods_are_chosen_entered_and_rejected():
    coverage = counted(Shop(money=8), Shop(), Shop(is_open=False))
    assert [*rows(coverage, "method").values()] == [[1, 2, 1], [1, 1, 1], [1, 1, 0]]


def test_every_part_of_a_condition_has_a_row_of_its_own():
    whole = "is_open and (has_list or not (money < 3))"
    assert [*rows(counted(), "condition")] == [
        f"buy, method 0: {whole}",
        "buy, method 0: is_open",
        "buy, method 0: has_list",
        "buy, method 0: not (money < 3)",
        "buy, method 1: is_open",
        "pay, precondition: money > 2",
    ]


def test_conditions_are_counted_once_for_each_value_that_they_had_in_the_search():
    coverage = counted(Shop())
    assert [*rows(coverage, "condition").values()] == [
        [1, 0],
        [1, 0],
        [0, 1],
        [1, 0],
        [1, 0],
        [1, 1],
    ]
    assert coverage.covered("condition") == (7, 12)


def test_conditions_of_later_methods_are_not_asked_when_an_earlier_one_leads_to_a_plan():
    coverage = counted(Shop(money=8))
    assert rows(coverage, "condition")["buy, method 1: is_open"] == [0, 0]


def test_conditions_are_those_of_the_state_that_earlier_steps_lead_to():
    coverage = counted(Shop(money=2), task=(write(), buy()))
    assert rows(coverage, "condition")["buy, method 0: has_list"] == [1, 0]


def test_a_search_without_a_plan_counts_as_well():
    coverage = counted(Shop(money=0), task=pay())
    assert rows(coverage, "condition")["pay, precondition: money > 2"] == [0, 1]


def test_the_cheapest_plan_is_the_one_whose_methods_are_chosen():
    coverage = counted(Shop(money=8), settings=Settings(cheapest=True))
    assert [row[0] for row in rows(coverage, "method").values()] == [0, 1, 0]


def test_a_function_that_raises_counts_for_what_came_before_it():
    house = Domain("house", Shop)
    knock = house.primitive("knock", precondition=lambda me: 1 / 0)
    coverage = Coverage()
    counts = DomainCoverage(coverage, "house", house.freeze())
    counts.planned(request(house, Shop(), (knock(),)))
    assert [*coverage.counts["house"]["condition"].values()] == [[0, 0]]


def test_a_long_search_counts_for_its_beginning(monkeypatch):
    monkeypatch.setattr(domain_coverage, "MOST_EXPANSIONS", 1)
    coverage = counted(Shop())
    assert rows(coverage, "condition")["pay, precondition: money > 2"] == [1, 0]


def test_anonymous_tasks_have_no_rows():
    fair = Domain("fair", Shop)
    sing = fair.primitive("sing", precondition=Shop.is_open)

    @fair.compound
    def visit():
        yield method(any_order(sing(), sing()))

    coverage = Coverage()
    counts = DomainCoverage(coverage, "fair", fair.freeze())
    counts.planned(request(fair, Shop(), visit()))
    assert coverage.counts["fair"] == {
        "method": {"visit, method 0: always": [1, 1, 0]},
        "condition": {"sing, precondition: is_open": [1, 0]},
    }


def test_a_search_for_the_cheapest_plan_counts_for_the_conditions_that_it_asks():
    coverage = counted(Shop(), settings=Settings(cheapest=True))
    assert rows(coverage, "condition")["pay, precondition: money > 2"] == [1, 1]
    dear = Domain("dear", Shop)
    wait, fly = dear.primitive("wait"), dear.primitive("fly", cost=9, precondition=Shop.is_open)

    @dear.compound
    def go():
        yield method(wait())
        yield method(fly())

    coverage = Coverage()
    counts = DomainCoverage(coverage, "dear", dear.freeze())
    counts.planned(request(dear, Shop(), go(), Settings(cheapest=True)))
    assert coverage.counts["dear"]["condition"] == {"fly, precondition: is_open": [0, 0]}


def test_what_is_avoided_is_avoided_in_the_search_that_counts():
    coverage = Coverage()
    counts = DomainCoverage(coverage, "shop", shop.freeze())
    frozen = shop.freeze()
    avoided = {avoidable(frozen, pay): "lost", avoidable(frozen, buy, (), 2): "shame"}
    counts.planned(request(frozen, Shop(), buy(), avoiding=avoided))
    assert [*rows(coverage, "method").values()] == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]


def test_parts_of_a_condition_that_it_does_not_ask_keep_no_branches_apart():
    yard = Domain("yard", Shop)
    take = yard.primitive("take", precondition=Shop.is_open | Shop.has_list)
    note = yard.primitive("note", effects=Shop.has_list.becomes(True))

    @yard.compound
    def visit():
        yield method(parallel(take(), note()))

    coverage = Coverage()
    counts = DomainCoverage(coverage, "yard", yard.freeze())
    counts.planned(request(yard, Shop(), visit()))
    assert coverage.counts["yard"]["method"] == {"visit, method 0: always": [1, 1, 0]}


def test_conditions_of_tasks_that_take_turns_are_counted():
    fair = Domain("fair", Shop)
    buy_all = fair.primitive("buy_all", precondition=Shop.is_open)

    @fair.compound
    def look():
        yield method(buy_all(), when=Shop.has_list)
        yield method(buy_all(), when=~Shop.has_list)

    @fair.compound
    def visit():
        yield method(unordered(look(), (buy_all(), buy_all())))

    frozen, soon = fair.freeze(), Settings(horizon=1)
    asked = request(frozen, Shop(), visit(), soon)
    coverage = Coverage()
    counts = DomainCoverage(coverage, "fair", frozen)
    counts.planned(asked)
    conditions = coverage.counts["fair"]["condition"]
    assert conditions == {
        "look, method 0: has_list": [0, 1],
        "look, method 1: not has_list": [1, 0],
        "buy_all, precondition: is_open": [1, 0],
    }
    (rest,) = find_plan(frozen, Shop(), visit(), soon).suspended
    later = replace(asked, state=Shop(is_open=False).frozen())
    counts.planned(replace(later, goal=rest.rest[0], binding=rest.binding))
    assert conditions["buy_all, precondition: is_open"] == [1, 1]


@pytest.mark.parametrize(
    ("states", "signs"),
    [
        ((), "✗✗✗"),
        ((Shop(money=8), Shop(), Shop(is_open=False)), "▶✓✓"),
        ((Shop(money=8), Shop(), Shop(is_open=False), Shop(money=1), Shop(has_list=True)), "✓✓✓"),
    ],
)
def test_methods_are_drawn_by_what_became_of_them_and_their_conditions(states, signs):
    drawn = coverage_dot(counted(*states), "shop", shop.freeze())
    places = [(drawn.index(f" {number}: "), number) for number in range(3)]
    assert "".join(drawn[place - 1] for place, _ in places) == signs
