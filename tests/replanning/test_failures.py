"""What failed is avoided for a while, sooner tried again when it may go better."""

from dataclasses import replace

import pytest

from bthtn import Domain, Fluent, State, fluent
from bthtn.errors import DomainError
from bthtn.plan.failure import Failure
from bthtn.planning.exclusions import avoidable
from bthtn.replanning.backoff import NO_BACKOFF, RetryPolicy
from bthtn.replanning.failures import MAX_REMEMBERED, AttributedFailure, FailureMemory


class Troll(State):
    sees: Fluent[bool] = fluent(default=False)
    health: Fluent[int] = fluent(default=3)


CAVE = Domain("cave", Troll)
roar = CAVE.primitive("roar")
slam = CAVE.primitive("slam")
ROAR = avoidable(CAVE.freeze(), roar)
SLAM = avoidable(CAVE.freeze(), slam)
BLIND = AttributedFailure(ROAR, Failure("sees is false", "roar", reads=frozenset({Troll.sees})))
POLICY = RetryPolicy(avoid_after=2, cooldown=10, longest_cooldown=40)


def memory_after(*ticks, policy=POLICY):
    memory = FailureMemory(policy)
    for tick in ticks:
        memory.avoided(tick)
        memory.failed(BLIND, tick)
    return memory


def avoided_during(memory, ticks):
    """The ticks of these in which roaring is avoided."""
    return [tick for tick in ticks if ROAR in memory.avoided(tick)]


def test_one_failure_is_forgiven():
    assert avoided_during(memory_after(1), range(2, 50)) == []


def test_after_two_failures_in_a_row_it_is_avoided_for_the_cool_down():
    assert avoided_during(memory_after(1, 3), range(4, 50)) == list(range(4, 14))


def test_what_is_avoided_says_when_it_failed_why_and_until_when():
    assert memory_after(1, 3).avoided(4) == {
        ROAR: "it failed at tick 3 because sees is false; until tick 14, or a change of sees"
    }


def test_a_success_in_between_clears_it():
    memory = memory_after(1)
    memory.succeeded(ROAR)
    memory.failed(BLIND, 3)
    assert avoided_during(memory, range(4, 50)) == []


def test_tried_again_in_vain_it_is_avoided_at_once_and_twice_as_long_up_to_a_bound():
    memory = memory_after(1, 3, 20)
    assert avoided_during(memory, range(21, 80)) == list(range(21, 41))
    memory.failed(BLIND, 100)
    assert len(avoided_during(memory, range(101, 160))) == 40
    memory.failed(BLIND, 160)
    assert len(avoided_during(memory, range(161, 400))) == 40


def test_a_change_of_what_it_has_read_lets_it_be_tried_again_at_once():
    memory = memory_after(1, 3)
    memory.changed([Troll.health])
    assert avoided_during(memory, range(4, 6)) == [4, 5]
    memory.changed([Troll.sees])
    assert avoided_during(memory, range(6, 50)) == []


def test_what_the_goal_itself_changes_counts_only_where_a_condition_was_false():
    tried = memory_after(1, 3)
    tried.changed([], own=[Troll.sees])
    assert ROAR in tried.avoided(4)
    refused = FailureMemory(POLICY)
    for tick in (1, 3):
        refused.failed(replace(BLIND, refused=True), tick)
    refused.changed([], own=[Troll.sees])
    assert ROAR not in refused.avoided(4)


def test_noise_lets_it_be_tried_again_ever_more_rarely():
    memory = FailureMemory(RetryPolicy(avoid_after=1, cooldown=1000, longest_cooldown=1000))
    tried = []
    for tick in range(100):
        memory.changed([Troll.sees])
        if ROAR not in memory.avoided(tick):
            tried.append(tick)
            memory.failed(BLIND, tick)
    assert tried == [0, 1, 3, 6, 11, 20, 37, 70]


def test_things_are_avoided_each_for_itself():
    memory = memory_after(1, 3)
    memory.failed(AttributedFailure(SLAM, Failure("it missed", "slam")), 4)
    assert list(memory.avoided(5)) == [ROAR]
    memory.failed(AttributedFailure(SLAM, Failure("it missed", "slam")), 6)
    assert list(memory.avoided(7)) == [ROAR, SLAM]
    assert memory.next_change(7) == 14
    memory.changed([Troll.sees])
    assert list(memory.avoided(7)) == [SLAM]
    assert memory.avoided(7)[SLAM] == "it failed at tick 6 because it missed; until tick 17"


def test_of_very_many_failures_the_oldest_is_forgotten():
    memory = FailureMemory(RetryPolicy(avoid_after=1))
    for number in range(MAX_REMEMBERED + 1):
        memory.failed(AttributedFailure((roar, (number,)), Failure("nobody heard", "roar")), 1)
    assert len(memory.avoided(2)) == MAX_REMEMBERED
    assert (roar, (0,)) not in memory.avoided(2)


def test_a_memory_can_be_turned_off():
    assert avoided_during(memory_after(1, 2, 3, policy=NO_BACKOFF), range(4, 9)) == []


@pytest.mark.parametrize(
    "wrong", [{"avoid_after": 0}, {"cooldown": 0}, {"longest_cooldown": -1}, {"wait": -1}]
)
def test_numbers_that_mean_nothing_are_refused(wrong):
    with pytest.raises(DomainError, match="BT202"):
        RetryPolicy(**wrong)


def test_what_failed_long_ago_is_forgotten():
    memory = memory_after(1)
    memory.avoided(41)
    assert len(memory) == 1
    memory.avoided(42)
    assert len(memory) == 0
    assert len(memory_after(1, 3, 20, 100)) == 1
