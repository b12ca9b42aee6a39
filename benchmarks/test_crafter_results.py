"""What the tables about Crafter are computed with, on made-up games whose answers are known."""

import math
from collections import Counter

import numpy as np
import pytest

from benchmarks.crafter_lines import decisions, lines
from benchmarks.crafter_results import (
    ACHIEVEMENTS,
    ARMS,
    drawn_scores,
    faults,
    holm,
    interval,
    score_of,
    sign_flips,
    tables,
    unlocked,
)
from benchmarks.report import markdown


def made_up(arm, seed, unlocked=(), cause="zombie", **more):
    game = {"arm": arm, "seed": seed, "achievements": dict.fromkeys(unlocked, 7), "steps": 100}
    return {**game, "cause": cause, "plans": 2, "idle": 0, "aborts": {}, **more}


def cells(table, row):
    (found,) = [line for line in table if row in line]
    return dict(zip(table[0], found, strict=True))


@pytest.mark.parametrize(
    ("rates", "score"),
    [([0.0] * 22, 0.0), ([1.0] * 22, 100.0), ([1.0] * 11 + [0.0] * 11, math.sqrt(101) - 1)],
)
def test_the_score_is_the_geometric_mean_of_the_rates_with_an_offset_of_one_percent(rates, score):
    assert score_of(np.array(rates)) == pytest.approx(score)


def test_a_rate_is_the_share_of_games_in_which_it_was_unlocked():
    games = [made_up("hybrid", seed, ["wake_up"] * (seed % 4 == 0)) for seed in range(8)]
    rates = dict(zip(ACHIEVEMENTS, unlocked(games).mean(axis=0), strict=True))
    assert rates.pop("wake_up") == 0.25
    assert set(rates.values()) == {0.0}


def test_games_that_are_all_alike_have_an_interval_without_a_width():
    games = [made_up("hybrid", seed, ACHIEVEMENTS[:11]) for seed in range(20)]
    assert interval(drawn_scores(games)) == pytest.approx((math.sqrt(101) - 1,) * 2)


def test_an_interval_is_that_of_the_binomial_distribution_where_only_one_rate_varies():
    games = [made_up("hybrid", seed, ["wake_up"] * (seed % 2)) for seed in range(100)]
    rates = np.expm1(22 * np.log1p(np.array(interval(drawn_scores(games))))) / 100
    assert rates == pytest.approx([0.40, 0.60], abs=0.011)


def test_signs_that_might_as_well_be_others_have_the_chance_that_can_be_counted():
    assert sign_flips([1] * 10) == pytest.approx(2 / 2**10, rel=0.2)
    assert sign_flips([3, -3, 1, -1]) == 1.0
    assert sign_flips([0] * 5) == 1.0
    assert sign_flips([1, 1, 1, -1]) == pytest.approx(10 / 16, rel=0.02)


def test_holm_corrects_the_least_chance_most_and_keeps_their_order():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_arms_are_compared_on_the_seeds_that_both_have_played():
    most = ACHIEVEMENTS[:3]
    games = [made_up("hybrid", seed, most) for seed in range(12)]
    games += [made_up("scripted", seed, most[: seed % 3 + 1]) for seed in range(9)]
    row = cells(tables(games)["compared"], "scripted")
    assert row["achievements"] == "+1.00"
    assert row["seeds: more, as many, fewer"] == "6, 3, 0"
    assert float(row["p"]) == pytest.approx(2 / 2**6, rel=0.1)


def test_deaths_and_aborts_are_counted_by_arm():
    fled = {"PlanAborted": {"flee": 3}}
    games = [made_up("hybrid", seed, cause="" if seed else "lava", aborts=fled) for seed in (0, 1)]
    games.append(made_up("scripted", 0))
    made = tables(games)
    assert made["deaths"][0] == ["died of", "hybrid", "scripted"]
    assert cells(made["deaths"], "lava")["hybrid"] == "1"
    assert cells(made["deaths"], "lived to the end")["hybrid"] == "1"
    assert cells(made["aborts"], "PlanAborted: flee")["hybrid"] == "3.00"


def test_times_of_games_are_put_together_by_kind_and_the_tail_is_that_of_all_steps():
    took = Counter({1_000: 98, 6_000: 1, 30_000: 1})
    times = {"took": took, "microseconds": 134_000.0, "collected": 13_400.0}
    games = [made_up("hybrid", seed, times={"goes on": times}) for seed in range(3)]
    row = cells(tables(games)["times"], "goes on")
    assert (row["steps"], row["mean"], row["p99"]) == ("300", "1.340", "6.00")
    assert (row["over 5 ms, %"], row["over 20 ms, %"]) == ("2.0000", "1.0000")
    assert row["of it garbage collector, %"] == "10.0"


def test_the_arms_stand_in_the_ladder_by_their_scores():
    made = tables([made_up("hybrid", 0, ACHIEVEMENTS), made_up("scripted", 0)])
    players = [row[0] for row in made["ladder"][1:]]
    assert (players[0], players[-1]) == ("**bthtn, hybrid**", "**bthtn, scripted**")
    assert players[1:3] == ["human experts", "SPRING with GPT-4"]


def test_a_page_whose_ladder_lost_a_number_or_that_is_half_of_a_run_is_at_fault():
    made = tables([made_up(arm, 0, ["wake_up"]) for arm in ARMS])
    empty = dict.fromkeys(("times", "lines"), "Not run yet.")
    texts = {name: markdown(table) for name, table in made.items()} | empty

    def page(**other):
        parts = (texts | other).items()
        return "\n".join(f"<!-- table: {n} -->\n{t}\n<!-- end of {n} -->" for n, t in parts)

    assert faults(page()) == []
    assert faults(page(ladder=texts["ladder"].replace("27.3", "72.3"))) == [
        "the ladder has no 27.3 ± 1.2 of SPRING with GPT-4"
    ]
    assert faults(page(arms="Not run yet.")) == [
        "tables of a run stand beside others that are not run yet"
    ]


SOURCE = '''"""What it is."""

import os  # to have a line


def chosen(one, other):
    """Which."""
    # Why.
    if one and other or None:
        return [
            one
            for one in other
        ]
    return other
'''


def test_lines_are_those_with_code_and_decisions_the_places_where_it_branches():
    assert lines(SOURCE) == 8
    assert decisions(SOURCE) == 4  # if, and, or, for
    assert decisions("yield_ = method(a(), when=B.x & B.y | ~B.z)") == 3
