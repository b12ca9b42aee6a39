"""Paired statistics, against values that can be worked out by hand or are in the literature."""

import math

import pytest

from bthtn.studio.compare.pair import most_different, other_plans
from bthtn.studio.compare.statistics import findings


def rows(text, pairs):
    return [
        {"seed": seed, "same": a == b, f"a.{text}": a, f"b.{text}": b}
        for seed, (a, b) in enumerate(pairs)
    ]


def test_a_truth_gets_the_exact_test_of_mcnemar():
    # Of 20 discordant pairs 5 are for a: twice the tail of a binomial distribution.
    pairs = [(True, False)] * 5 + [(False, True)] * 15 + [(True, True)] * 30 + [(False, False)] * 50
    (found,) = findings(rows("won", pairs), ["won"])
    by_hand = 2 * sum(math.comb(20, k) for k in range(6)) / 2**20
    assert found.p == pytest.approx(by_hand)
    assert (found.a, found.b) == (0.35, 0.45)
    assert (found.only_a, found.only_b) == (5, 15)
    assert found.low < 0.1 < found.high
    assert found.is_significant


def test_a_number_gets_a_permutation_test_of_the_signs():
    # All eight differences are above zero: 2 of 2 ** 8 choices of signs are as extreme.
    (found,) = findings(rows("ticks", [(n, n + 1 + n / 10) for n in range(8)]), ["ticks"])
    assert found.p == pytest.approx(2 / 2**8)
    assert 1 < found.low < found.b - found.a < found.high < 2


def test_p_values_are_corrected_over_all_measures_that_were_registered():
    pairs = [(n, n + 1 + n / 10) for n in range(8)]
    together = [
        {**one, **other}
        for one, other in zip(rows("x", pairs), rows("y", [(n, n) for n in range(8)]), strict=True)
    ]
    x, y = findings(together, ["x", "y"])
    assert x.p == pytest.approx(2 * x.p_alone)
    assert (y.p, y.is_significant) == (1.0, False)


def test_values_that_are_not_known_are_left_out_and_counted():
    (found,) = findings(rows("cost", [(None, 3), (1, 1), (2, None)]), ["cost"])
    assert (found.seeds, found.left_out) == (1, 2)
    assert (found.low, found.high, found.p) == (0.0, 0.0, 1.0)
    (nothing,) = findings(rows("cost", [(None, None)]), ["cost"])
    assert (nothing.seeds, nothing.a, nothing.p) == (0, 0.0, 1.0)


def test_without_measures_nothing_is_found():
    assert findings(rows("ticks", [(1, 2)]), []) == []


def test_the_statistics_are_the_same_every_time():
    found = rows("ticks", [(n % 7, n % 5) for n in range(60)])
    assert findings(found, ["ticks"]) == findings(found, ["ticks"])


def test_seeds_are_ranked_by_all_measures_and_the_same_ones_left_out():
    found = rows("ticks", [(5, 5), (5, 9), (5, 6), (7, 7), (1, None)])
    assert [row["seed"] for row in most_different(found, ["ticks"], 10)] == [1, 2, 4]
    assert [row["seed"] for row in most_different(found, ["ticks"], 1)] == [1]


def test_states_that_lead_to_the_same_two_plans_come_together_the_most_frequent_first():
    def row(seed, plan):
        state = {"ammo": seed > 1}
        decision = {"tick": 3, "goal": "fight", "state": state, "a": "(shoot)", "b": plan}
        return {"seed": seed, "decision": decision if plan else None}

    found = other_plans([row(0, "(run)"), row(1, None), row(2, "(hide)"), row(3, "(hide)")])
    assert [(one.b, one.seeds) for one in found] == [("(hide)", [2, 3]), ("(run)", [0])]
    assert found[0].example == {"ammo": True}
