"""What users' code has made for a step that never starts."""

from inspect import CORO_CLOSED, getcoroutinestate

from bthtn.behaviours import Completion
from bthtn.engine.behaviours.operator import give_up


def test_what_was_made_for_a_step_that_an_interrupt_keeps_from_starting_is_given_up():
    aborted = []
    give_up(Completion(on_abort=lambda: aborted.append(True)))
    assert aborted == [True]

    async def walk():
        aborted.append("never begun")

    coroutine = walk()
    give_up(coroutine)
    assert getcoroutinestate(coroutine) == CORO_CLOSED
    assert aborted == [True]
