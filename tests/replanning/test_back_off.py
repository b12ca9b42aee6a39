"""A goal that cannot be reached is tried ever more rarely, and at once when something changes."""

from bthtn import Domain, Fluent, State, fluent
from bthtn.planning.avoided import avoidable
from bthtn.replanning.failure_memory import Failure
from bthtn.replanning.retries import Retries
from bthtn.replanning.retrying import EAGER, Retrying


class Miner(State):
    coal: Fluent[int] = fluent(default=0)
    tired: Fluent[bool] = fluent(default=False)
    lamp: Fluent[bool] = fluent(default=True)


MINE = Domain("mine", Miner)
dig = MINE.primitive("dig")
RETRYING = Retrying(wait_after=2, wait=2, longest_wait=16)


def attempts(retries, ticks, changes=None):
    """The ticks in which an attempt is made, each of which reads the coal and finds no plan."""
    made = []
    for _ in range(ticks):
        retries.ticked((changes or {}).get(retries.tick + 1, ()))
        if retries.waiting is None:
            made.append(retries.tick)
            retries.began()
            retries.in_vain("there is no plan", {Miner.coal: 0})
    return made


def test_attempts_become_ever_rarer_down_to_a_bound():
    assert attempts(Retries(RETRYING), 70) == [1, 2, 5, 10, 19, 36, 53, 70]


def test_a_change_of_something_that_was_read_is_followed_by_an_attempt_at_once():
    changes = {30: [Miner.tired], 31: [Miner.coal]}
    assert attempts(Retries(RETRYING), 50, changes) == [1, 2, 5, 10, 19, 31, 48]


def test_success_ends_the_waiting():
    retries = Retries(RETRYING)
    attempts(retries, 12)
    retries.succeeded()
    assert attempts(retries, 8) == [13, 14, 17]


def test_the_diagnosis_says_how_often_why_how_long_and_for_what():
    retries = Retries(RETRYING)
    attempts(retries, 5)
    assert retries.waiting.text(6) == (
        "in vain 3 times: there is no plan; waits 4 more ticks, or for a change of coal"
    )


def test_it_does_not_wait_longer_than_something_is_avoided():
    retries = Retries(Retrying(avoid_after=1, cooldown=3, wait_after=2, wait=50, longest_wait=50))
    retries.ticked()
    retries.failed(Failure(avoidable(MINE.freeze(), dig), "dig", "no lamp"))
    retries.in_vain("gave up")
    retries.ticked()
    retries.began()
    assert retries.in_vain("there is no plan").until == 5


def test_what_failed_steps_have_read_wakes_as_well():
    retries = Retries(Retrying(avoid_after=2, wait_after=2, wait=50, longest_wait=50))
    reads = frozenset({Miner.lamp})
    for _ in range(2):
        retries.ticked()
        retries.began()
        retries.failed(Failure(avoidable(MINE.freeze(), dig), "dig", "no lamp", reads))
        waiting = retries.in_vain("gave up")
    assert waiting.fluents == reads
    retries.ticked()
    assert retries.waiting is waiting
    retries.ticked([Miner.lamp])
    assert retries.waiting is None
    assert retries.avoided == {}


def test_waiting_can_be_turned_off():
    assert attempts(Retries(EAGER), 5) == [1, 2, 3, 4, 5]
