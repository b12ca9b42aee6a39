"""A goal that cannot be reached is tried ever more rarely, and at once when something changes."""

from bthtn import Domain, Fluent, State, fluent
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


def attempts(failures, ticks, changes=None):
    """The ticks in which an attempt is made, each of which reads the coal and finds no plan."""
    made = []
    for _ in range(ticks):
        failures.ticked((changes or {}).get(failures.tick + 1, ()))
        if failures.waiting is None:
            made.append(failures.tick)
            failures.began()
            failures.failed(Failure("there is no plan"), {Miner.coal: 0})
    return made


def test_attempts_become_ever_rarer_down_to_a_bound():
    assert attempts(GoalFailures(POLICY), 70) == [1, 2, 5, 10, 19, 36, 53, 70]


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
    assert failures.waiting.failure(6).why == (
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
    assert failures.waiting is waiting
    failures.ticked([Miner.lamp])
    assert failures.waiting is None
    assert failures.avoided == {}


def test_waiting_can_be_turned_off():
    assert attempts(GoalFailures(NO_BACKOFF), 5) == [1, 2, 3, 4, 5]
