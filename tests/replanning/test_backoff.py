"""A goal that cannot be reached is tried ever more rarely, and at once when something changes."""

import pytest

from bthtn import Domain, Fluent, State, fluent, seconds
from bthtn.errors import DomainError
from bthtn.plan.failure import Failure
from bthtn.planning.exclusions import avoidable
from bthtn.replanning.backoff import NO_BACKOFF, RetryPolicy
from bthtn.replanning.failures import AttributedFailure, GoalFailures


class Miner(State):
    coal: Fluent[int] = fluent(default=0)
    tired: Fluent[bool] = fluent(default=False)
    lamp: Fluent[bool] = fluent(default=True)


MINE = Domain("mine", Miner)
dig = MINE.primitive("dig")
DIG = avoidable(MINE.freeze(), dig)
POLICY = RetryPolicy(wait_after=2, wait=2, longest_wait=16)


IN_SECONDS = RetryPolicy(
    wait_after=2,
    wait=seconds(2),
    longest_wait=seconds(16),
    cooldown=seconds(3),
    longest_cooldown=seconds(12),
)


def attempts(failures, ticks, changes=None, delta=None):
    """The ticks in which an attempt is made, each of which reads the coal and finds no plan.

    With a ``delta`` time these are the seconds.
    """
    made = []
    for tick in range(1, ticks + 1):
        time = None if delta is None else tick * delta
        failures.ticked((changes or {}).get(tick, ()), time=time)
        if failures.waiting() is None:
            made.append(failures.tick)
            failures.began()
            failures.failed(Failure("there is no plan"), {Miner.coal: 0})
    return made


def test_attempts_become_ever_rarer_down_to_a_bound():
    assert attempts(GoalFailures(POLICY), 70) == [1, 2, 5, 10, 19, 36, 53, 70]


@pytest.mark.parametrize("delta", [1, 0.5, 0.1, 1 / 3])
def test_attempts_in_seconds_do_not_depend_on_how_long_a_tick_is(delta):
    made = attempts(GoalFailures(IN_SECONDS), int(70 / delta), delta=delta)
    from_second = [round(second - made[1], 6) for second in made[1:]]
    assert from_second == [0, 2, 6, 14, 30, 46, 62]
    assert made[1] - made[0] == pytest.approx(delta)


def test_changes_in_vain_are_followed_by_waits_of_the_first_length():
    every_tick = {tick: [Miner.coal] for tick in range(1, 101)}
    made = attempts(GoalFailures(IN_SECONDS), 100, every_tick, delta=0.5)
    assert made[:7] == [0.5, 1.0, 1.5, 3.5, 7.5, 15.5, 31.5]


def test_what_is_avoided_in_seconds_is_tried_again_when_they_are_over():
    failures = GoalFailures(IN_SECONDS)
    tried = []
    for tick in range(1, 101):
        failures.ticked(time=tick * 0.5)
        if DIG not in failures.avoided():
            tried.append(tick * 0.5)
            failures.part_failed(AttributedFailure(DIG, Failure("too tired")))
    assert tried[:6] == [0.5, 1.0, 1.5, 4.5, 10.5, 22.5]
    failures.ticked(time=51.0)
    (why,) = failures.avoided().values()
    assert why.startswith("it failed at second 46.5 because too tired; until second 58.5")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"wait": seconds(1)}, "BT128"),
        ({"wait": seconds(-1)}, "BT202"),
        ({"avoid_after": "never"}, "BT126"),
        ({"avoid_after": -1}, "BT202"),
        ({"cooldown": seconds(0)}, "BT202"),
        ({"cooldown": seconds("1")}, "BT110"),
    ],
)
def test_the_numbers_of_a_policy_are_times_all_in_seconds_or_all_in_ticks_and_counts(wrong, code):
    with pytest.raises(DomainError, match=code):
        RetryPolicy(**wrong)


def test_a_change_of_something_that_was_read_is_followed_by_an_attempt_at_once():
    changes = {30: [Miner.tired], 31: [Miner.coal]}
    assert attempts(GoalFailures(POLICY), 50, changes) == [1, 2, 5, 10, 19, 31, 48]


def test_changes_in_vain_count_ever_more_seldom():
    every_tick = {tick: [Miner.coal] for tick in range(1, 501)}
    made = attempts(GoalFailures(POLICY), 500, every_tick)
    assert made[:9] == [1, 2, 3, 5, 8, 13, 22, 39, 56]
    assert len(made) < 40


def test_after_a_quiet_wait_a_change_counts_at_once_again():
    changes = {tick: [Miner.coal] for tick in range(1, 23)} | {45: [Miner.coal]}
    assert attempts(GoalFailures(POLICY), 50, changes) == [1, 2, 3, 5, 8, 13, 22, 39, 45]


def test_a_value_that_a_search_could_not_tell_from_the_last_is_not_waited_for():
    differs = lambda _fluent, before: before != 0  # noqa: E731 - it stands for the goal's search
    changes = {tick: [Miner.coal] for tick in range(6, 60)}
    assert attempts(GoalFailures(POLICY, differs), 40, changes) == [1, 2, 5, 10, 19, 36]


def test_success_ends_the_waiting():
    failures = GoalFailures(POLICY)
    attempts(failures, 12)
    failures.succeeded()
    assert attempts(failures, 8) == [13, 14, 17]


def test_the_diagnosis_says_how_often_why_how_long_and_for_what():
    failures = GoalFailures(POLICY)
    attempts(failures, 5)
    assert failures.waiting().failure(6).why == (
        "in vain 3 times: there is no plan; waits 4 more ticks, or for a change of coal"
    )


def test_it_does_not_wait_longer_than_something_is_avoided():
    failures = GoalFailures(
        RetryPolicy(avoid_after=1, cooldown=3, wait_after=2, wait=50, longest_wait=50)
    )
    failures.ticked()
    failures.part_failed(AttributedFailure(DIG, Failure("no lamp", "dig")))
    failures.failed(Failure("gave up"))
    failures.ticked()
    failures.began()
    assert failures.failed(Failure("there is no plan")).until == 5


def test_what_failed_steps_have_read_wakes_as_well():
    failures = GoalFailures(RetryPolicy(avoid_after=2, wait_after=2, wait=50, longest_wait=50))
    reads = frozenset({Miner.lamp})
    for _ in range(2):
        failures.ticked()
        failures.began()
        failures.part_failed(AttributedFailure(DIG, Failure("no lamp", "dig", reads=reads)))
        waiting = failures.failed(Failure("gave up"))
    assert waiting.fluents == reads
    failures.ticked()
    assert failures.waiting() is waiting
    failures.ticked([Miner.lamp])
    assert failures.waiting() is None
    assert failures.avoided() == {}


def test_waiting_can_be_turned_off():
    assert attempts(GoalFailures(NO_BACKOFF), 5) == [1, 2, 3, 4, 5]
