"""ServiceOperator: every fault of a service, in a tree with a goal."""

import pytest
from py_trees.common import Status

from bthtn.behaviours import Operators
from bthtn.errors import ExecutionError
from bthtn.ros import FakeService, ServiceOperator


@pytest.fixture
def arrived(delivery):
    """A robot in the room, which is about to ring."""
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.succeed()
    return delivery


def test_a_step_calls_the_service_and_succeeds_with_its_answer(arrived):
    arrived.tick()
    assert arrived.bell.requests == ["ring"]
    assert arrived.tick() is Status.RUNNING
    arrived.bell.answer("")
    assert arrived.tick() is Status.SUCCESS
    assert arrived.owes_nothing()


def fails_and_rings_again(arrived, reason):
    """The step has failed for this reason, and later it is tried again."""
    assert arrived.reasons == [reason]
    assert not arrived.bell.waiting
    arrived.bell.come_back()
    for _ in range(20):
        arrived.tick()
    arrived.bell.answer("")
    assert arrived.tick() is Status.SUCCESS
    assert arrived.owes_nothing()


def test_a_service_that_is_away_fails_the_step(arrived):
    arrived.bell.go_away()
    arrived.tick()
    assert arrived.bell.requests == []
    fails_and_rings_again(arrived, "its service is away")


def test_a_service_that_goes_away_fails_the_step(arrived):
    arrived.tick()
    arrived.bell.go_away()
    arrived.tick()
    fails_and_rings_again(arrived, "its service went away")


def test_a_service_that_does_not_answer_fails_the_step(arrived):
    arrived.tick()
    arrived.tick(4.9)
    assert arrived.reasons == []
    arrived.tick(0.2)
    fails_and_rings_again(arrived, "no answer came within 5 s")


def test_a_call_that_raises_fails_the_step(arrived):
    arrived.tick()
    arrived.bell.fail(RuntimeError("no middleware"))
    arrived.tick()
    fails_and_rings_again(arrived, "the call of its server raised RuntimeError: no middleware")


def test_an_answer_that_is_judged_a_failure_fails_the_step(arrived):
    arrived.tick()
    arrived.bell.answer("the bell is broken")
    arrived.tick()
    fails_and_rings_again(arrived, "the bell is broken")


def test_an_abort_drops_the_call(arrived):
    arrived.tick()
    arrived.interrupt()
    arrived.agent.sense()
    assert arrived.heard.lines()[-1] == "aborted ring"
    assert arrived.owes_nothing()


def test_a_request_function_with_other_arguments_is_refused_when_it_is_bound(world):
    operator = ServiceOperator(FakeService().client, lambda agent, tone: tone)
    with pytest.raises(ExecutionError, match=r"'ring' is called with \(agent\)"):
        Operators().bind(world.ring)(operator)


def test_what_is_no_client_is_refused():
    with pytest.raises(ExecutionError, match=r"BT110.* ServiceClient of rclpy"):
        ServiceOperator("bell", lambda agent: "ring")


def test_seconds_that_are_not_above_zero_are_refused():
    with pytest.raises(ExecutionError, match=r"BT202.*answer_within is -1\.0"):
        ServiceOperator(FakeService().client, lambda agent: "ring", answer_within=-1.0)
