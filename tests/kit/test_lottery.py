"""The action lottery: what is listed, and how weights remember what was done."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import Fluent, State, fluent
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import DomainError, Severity
from bthtn.kit.lottery import Lottery, LotteryRow, LotteryTable, values_of


class Fighter(State):
    enraged: Fluent[bool] = fluent(default=False)
    distance: Fluent[int] = fluent(default=2)


CALM = Fighter().frozen()
JAB = LotteryRow("Jab", weight=50, increment=50)
SWING = LotteryRow("FullSwing", weight=10, increment=10)


def boxing(**settings):
    return Lottery(LotteryTable(JAB, SWING), **settings)


# weights


def test_whoever_is_done_starts_again_and_the_others_gain():  # R003-11
    lottery, course = boxing(), []
    for action in ("Jab", "Jab", "FullSwing"):
        course.append(tuple(lottery.weights.values()))
        lottery.executed(action)
    assert [*course, tuple(lottery.weights.values())] == [(50, 10), (50, 20), (50, 30), (100, 10)]


def first_drawn(weights, times=4_000):
    table = LotteryTable(*(LotteryRow(name, weight=weight) for name, weight in weights.items()))
    lottery = Lottery(table, seed=7)
    return Counter(lottery.draw(CALM)[0] for _ in range(times))


@pytest.mark.parametrize(("swing", "share"), [(10, 1 / 6), (20, 2 / 7), (30, 3 / 8)])
def test_actions_are_drawn_as_often_as_their_weights_say(swing, share):  # R003-11
    drawn = first_drawn({"Jab": 50, "FullSwing": swing})
    assert drawn["FullSwing"] / drawn.total() == pytest.approx(share, abs=0.025)


def test_a_group_is_reset_together():
    big = (
        LotteryRow("Slam", weight=5, increment=5, group="big"),
        LotteryRow("Stomp", weight=3, increment=3, group="big"),
    )
    lottery = Lottery(LotteryTable(JAB, *big))
    lottery.executed("Jab")
    lottery.executed("Slam")
    assert dict(lottery.weights) == {"Jab": 100, "Slam": 5, "Stomp": 3}


def test_actions_without_a_group_are_no_group():
    lottery = boxing()
    lottery.executed("Jab")
    assert lottery.weights["FullSwing"] == 20


tables = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 20), st.sampled_from(("", "", "a", "b"))),
    min_size=1,
    max_size=6,
)


@given(tables, st.data())
def test_a_weight_is_the_first_one_and_what_was_gained_since_the_last_reset(described, data):
    rows = [
        LotteryRow(f"act {number}", weight=weight, increment=gain, group=group)
        for number, (weight, gain, group) in enumerate(described)
    ]
    lottery = Lottery(LotteryTable(*rows))
    done = data.draw(st.lists(st.sampled_from(rows), max_size=20))
    for row in done:
        lottery.executed(row.action)
    for row in rows:
        resets = [
            place
            for place, other in enumerate(done)
            if other is row or (row.group and other.group == row.group)
        ]
        since = len(done) - 1 - resets[-1] if resets else len(done)
        assert lottery.weights[row.action] == row.weight + since * row.increment


# the list


def test_every_candidate_is_listed_and_none_twice():
    assert sorted(boxing().draw(CALM)) == ["FullSwing", "Jab"]


def test_a_larger_priority_is_listed_first():  # R003-10
    rows = [
        LotteryRow("Wave", priority=-1, weight=1_000),
        LotteryRow("Flee", priority=2),
        JAB,
        SWING,
    ]
    for seed in range(20):
        listed = Lottery(LotteryTable(*rows), seed=seed).draw(CALM)
        assert listed[0] == "Flee"
        assert listed[-1] == "Wave"


def test_only_what_holds_is_listed_and_the_unknown_does_not_hold():  # R003-10
    rows = (JAB, LotteryRow("Roar", Fighter.enraged), LotteryRow("Kick", Fighter.distance <= 1))
    lottery = Lottery(LotteryTable(*rows))
    assert lottery.draw(CALM) == ("Jab",)
    assert set(lottery.draw(Fighter(enraged=True, distance=1).frozen())) == {"Jab", "Roar", "Kick"}
    assert lottery.draw(Fighter(enraged=UNKNOWN).frozen()) == ("Jab",)


def test_what_weighs_nothing_is_not_listed_before_it_has_gained():
    lottery = Lottery(LotteryTable(JAB, LotteryRow("Slam", weight=0, increment=10)))
    assert lottery.draw(CALM) == ("Jab",)
    lottery.executed("Jab")
    assert set(lottery.draw(CALM)) == {"Jab", "Slam"}


def test_what_is_filtered_out_gains_all_the_same():
    lottery = Lottery(LotteryTable(JAB, LotteryRow("Roar", Fighter.enraged, increment=4)))
    lottery.draw(CALM)
    lottery.executed("Jab")
    assert lottery.weights["Roar"] == 5


def test_what_is_disabled_is_not_listed():
    assert boxing().draw(CALM, disabled={"Jab"}) == ("FullSwing",)


def test_equal_seeds_draw_equally_and_others_do_not():
    draws = [[lottery.draw(CALM) for _ in range(50)] for lottery in map(of_seed, (1, 1, 2))]
    assert draws[0] == draws[1] != draws[2]


def of_seed(seed):
    return boxing(seed=seed)


def test_the_values_count_the_places_by_fives():
    assert dict(values_of(["FullSwing", "Jab", "Kick"])) == {"FullSwing": 0, "Jab": 5, "Kick": 10}
    assert dict(values_of(["Jab", "Kick"], step=2)) == {"Jab": 0, "Kick": 2}


# failures


def test_what_fails_again_and_again_is_left_out_for_a_while_and_then_drawn_again():
    lottery = boxing(patience=2, absence=3)
    lottery.failed("Jab")
    assert "Jab" in lottery.draw(CALM)
    lottery.failed("Jab")
    assert lottery.excluded == ("Jab",)
    assert [lottery.draw(CALM) for _ in range(3)] == [("FullSwing",)] * 3
    assert set(lottery.draw(CALM)) == {"Jab", "FullSwing"}
    assert lottery.excluded == ()


def test_a_success_makes_earlier_failures_forgotten():
    lottery = boxing(patience=2)
    lottery.failed("Jab")
    lottery.succeeded("Jab")
    lottery.failed("Jab")
    assert lottery.excluded == ()


# mistakes


def test_a_list_that_outgrows_waiting_is_found():
    rows = [LotteryRow(f"act {number}") for number in range(42)]
    assert LotteryTable(*rows[:40]).checks() == ()
    (found,) = LotteryTable(*rows).checks()
    assert (found.code, found.severity) == ("BT160", Severity.WARNING)
    assert "only the first 40 drawn" in found.message
    assert found.where == "row 'act 40' and those behind it"
    assert LotteryTable(*rows).checks(step=4) == ()


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: LotteryTable(JAB, JAB), "two rows are for 'Jab'"),
        (lambda: LotteryTable(LotteryRow("Jab\n")), r"\[BT125\] an action cannot be called 'Jab"),
        (lambda: LotteryTable(LotteryRow("Jab", group="\0")), "a group cannot be called"),
        (lambda: LotteryTable(LotteryRow("")), "the name of an action is empty"),
        (lambda: LotteryTable(LotteryRow("Jab", weight=-1)), "its weight is -1"),
        (lambda: LotteryTable(LotteryRow("Jab", increment=float("nan"))), "its increment is nan"),
        (lambda: boxing().executed("Jap"), "did you mean 'Jab'"),
        (lambda: boxing().failed("Jap"), "no row is for 'Jap'"),
        (lambda: boxing(patience=0), "patience is 0"),
    ],
)
def test_mistakes_are_told(make, what):
    with pytest.raises(DomainError, match=what):
        make()
