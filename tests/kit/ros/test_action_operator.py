"""ActionOperator: every fault of a server, in a tree with a goal."""

import pytest
from py_trees.common import Status

from bthtn.behaviours import Operators
from bthtn.errors import ExecutionError
from bthtn.events import LeafAborted
from bthtn.ros import ActionOperator, FakeActionServer


def test_a_step_sends_its_arguments_and_succeeds_with_its_goal(delivery):
    delivery.tick()
    assert delivery.wheels.goal.message == {"to": "room"}
    delivery.wheels.goal.accept()
    delivery.tick()
    assert delivery.heard.lines() == ["start drive('room')"]
    delivery.wheels.goal.succeed()
    delivery.tick()
    assert delivery.heard.lines()[1:] == ["done drive('room')", "start ring"]
    assert delivery.agent.beliefs.now.at == "room"
    delivery.bell.answer("")
    assert delivery.tick() is Status.SUCCESS
    assert delivery.owes_nothing()


def test_the_latest_feedback_is_believed_in_the_next_tick(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.feedback(9)
    delivery.wheels.goal.feedback(8)
    assert delivery.agent.beliefs.now.left == 0
    delivery.tick()
    assert delivery.heard.changes() == ["left: 0 → 8 (by drive('room'))"]
    delivery.tick()
    assert len(delivery.heard.changes()) == 1


def test_feedback_that_has_come_with_the_result_is_believed(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.goal.feedback(1)
    delivery.wheels.goal.succeed()
    delivery.tick()
    assert delivery.agent.beliefs.now.left == 1


def fails_and_crawls(delivery, reason):
    """The step has failed for this reason, and the plan was repaired: it goes there otherwise."""
    assert delivery.reasons == [reason]
    delivery.tick()
    assert delivery.heard.running() == ["crawl"]
    delivery.legs.goal.accept()
    delivery.legs.goal.succeed()
    delivery.tick()
    delivery.bell.answer("")
    assert delivery.tick() is Status.SUCCESS
    assert delivery.owes_nothing()


def test_a_server_that_is_away_fails_the_step(delivery):
    delivery.wheels.go_away()
    delivery.tick()
    assert delivery.wheels.goals == []
    fails_and_crawls(delivery, "its action server is away")


def test_a_goal_that_is_refused_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.refuse()
    delivery.tick()
    fails_and_crawls(delivery, "its action server refused the goal")


def test_a_goal_that_is_aborted_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.abort()
    delivery.tick()
    fails_and_crawls(delivery, "its action server aborted the goal")


def test_a_goal_that_is_aborted_fails_for_the_reason_that_its_result_has(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.abort("no way")
    delivery.tick()
    fails_and_crawls(delivery, "no way")


def test_a_goal_that_succeeded_with_a_bad_result_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.succeed("stopped a metre before the door")
    delivery.tick()
    fails_and_crawls(delivery, "stopped a metre before the door")


def test_a_goal_that_something_else_cancels_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.goal.cancel()
    delivery.tick()
    fails_and_crawls(delivery, "something else cancelled the goal")


def test_a_server_that_goes_away_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.go_away()
    delivery.tick()
    assert delivery.wheels.goal.cancels == 1  # should it only be out of sight
    fails_and_crawls(delivery, "its action server went away")


def test_a_goal_counts_that_has_ended_before_its_server_went_away(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.goal.succeed()
    delivery.wheels.go_away()
    delivery.tick()
    assert delivery.heard.lines()[1:] == ["done drive('room')", "start ring"]


def test_a_server_that_was_restarted_unseen_is_found_out_when_it_is_asked_anew(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.restart()
    delivery.tick(4.9)
    assert delivery.heard.running() == ["drive('room')"]
    delivery.tick(0.2)
    delivery.tick()
    fails_and_crawls(delivery, "its action server has lost the goal, as after a restart")


def test_a_server_that_is_asked_anew_answers_when_the_goal_has_ended(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    for _ in range(4):
        delivery.tick(3)
    delivery.wheels.goal.succeed()
    delivery.tick()
    assert delivery.heard.lines()[1:] == ["done drive('room')", "start ring"]


def test_a_server_is_asked_anew_every_five_seconds_and_not_more_often(delivery, monkeypatch):
    delivery.tick()
    goal, asked = delivery.wheels.goal, []
    ask = goal.get_result_async
    monkeypatch.setattr(
        goal, "get_result_async", lambda: asked.append(delivery.node.seconds) or ask()
    )
    goal.accept()
    for _ in range(12):
        delivery.tick(1)
    assert asked == [2, 7, 12]


def test_a_goal_that_is_not_answered_in_time_fails_the_step_and_is_cancelled_if_it_is_later(
    delivery,
):
    delivery.tick()
    delivery.tick(4.9)
    assert delivery.reasons == []
    delivery.tick(0.2)
    late = delivery.wheels.goal
    late.accept()
    assert late.cancels == 1
    late.cancel()
    fails_and_crawls(delivery, "its action server did not answer within 5 s")


def test_a_request_that_raises_fails_the_step(delivery):
    delivery.tick()
    delivery.wheels.goal.sent.set_exception(RuntimeError("no middleware"))
    delivery.tick()
    fails_and_crawls(delivery, "the call of its server raised RuntimeError: no middleware")


def test_a_goal_that_takes_longer_than_its_limit_is_cancelled_before_the_step_fails(delivery_with):
    delivery = delivery_with(time_limit=60.0)
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick(59.9)
    assert delivery.wheels.goal.cancels == 0
    delivery.tick(0.2)
    assert delivery.wheels.goal.cancels == 1
    delivery.tick(1.0)
    assert delivery.heard.running() == ["drive('room')"]  # it still moves
    delivery.wheels.goal.cancel()
    delivery.tick()
    fails_and_crawls(delivery, "it took longer than 60 s")


def test_a_server_that_ends_a_late_goal_as_aborted_does_not_hide_that_it_was_late(delivery_with):
    delivery = delivery_with(time_limit=60.0)
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick(61.0)
    delivery.wheels.goal.abort("interrupted")
    delivery.tick()
    fails_and_crawls(delivery, "it took longer than 60 s")


def test_a_late_goal_that_is_not_cancelled_in_time_fails_with_the_danger_told(delivery_with):
    delivery = delivery_with(time_limit=60.0, cancel_within=10.0)
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.tick(61.0)
    delivery.tick(9.9)
    assert delivery.reasons == []
    delivery.tick(0.2)
    assert delivery.reasons == ["the goal was not cancelled within 10 s, and may be running"]


def test_an_abort_takes_until_the_server_has_stopped(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.interrupt()
    assert delivery.wheels.goal.cancels == 1
    first = delivery.wheels.goal
    delivery.tick()
    delivery.tick()
    assert delivery.heard.lines() == ["start drive('room')", "aborting drive('room')"]
    assert len(delivery.wheels.goals) == 1
    first.cancel()
    delivery.tick()
    assert delivery.heard.lines()[2:] == ["aborted drive('room')", "start drive('room')"]
    assert delivery.wheels.goal is not first


def aborted(delivery):
    """End what runs, and tick the agent alone. Returns the errors of the aborts."""
    delivery.interrupt()
    delivery.agent.sense()
    return [event.error for event in delivery.heard.of(LeafAborted)]


def test_an_abort_before_the_goal_is_accepted_cancels_it_once_it_is(delivery):
    delivery.tick()
    assert aborted(delivery) == []
    delivery.wheels.goal.accept()
    assert delivery.wheels.goal.cancels == 1
    delivery.agent.sense()
    assert delivery.heard.lines()[-1] == "aborting drive('room')"
    delivery.wheels.goal.cancel()
    delivery.agent.sense()
    assert delivery.heard.lines()[-1] == "aborted drive('room')"
    assert delivery.owes_nothing()


def test_an_abort_waits_for_a_goal_that_is_accepted_late(delivery):
    delivery.tick()
    aborted(delivery)
    delivery.node.spin(6.0)
    delivery.agent.sense()
    assert delivery.heard.lines()[-1] == "aborting drive('room')"
    delivery.wheels.on_cancel = lambda goal: goal.cancel()
    delivery.wheels.goal.accept()
    delivery.agent.sense()
    assert delivery.heard.lines()[-1] == "aborted drive('room')"
    assert delivery.owes_nothing()


def test_an_abort_of_a_goal_that_is_cancelled_for_its_time_asks_once(delivery_with):
    delivery = delivery_with(time_limit=60.0)
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.tick(61.0)
    aborted(delivery)
    assert delivery.wheels.goal.cancels == 1
    delivery.wheels.goal.cancel()
    delivery.agent.sense()
    assert delivery.owes_nothing()


def test_an_abort_is_over_when_the_goal_is_refused(delivery):
    delivery.tick()
    delivery.wheels.goal.refuse()
    assert aborted(delivery) == [None]
    assert delivery.owes_nothing()


def test_an_abort_is_over_when_the_server_goes_away(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    aborted(delivery)
    delivery.wheels.go_away()
    delivery.agent.sense()
    assert delivery.heard.lines()[-1] == "aborted drive('room')"
    assert delivery.owes_nothing()


def test_an_abort_is_over_when_a_restarted_server_is_asked_anew(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.restart()
    aborted(delivery)
    delivery.node.spin(5.0)
    delivery.agent.sense()
    delivery.agent.sense()
    assert delivery.owes_nothing()


@pytest.mark.parametrize("end", ["succeed", "abort", "cancel"])
def test_a_result_that_comes_after_a_cancel_changes_nothing_that_is_believed(delivery, end):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.interrupt()
    delivery.wheels.goal.feedback(7)
    delivery.agent.sense()
    getattr(delivery.wheels.goal, end)("late")
    delivery.agent.sense()
    assert [event.error for event in delivery.heard.of(LeafAborted)] == [None]
    assert (delivery.heard.changes(), delivery.judged) == ([], [])
    assert delivery.owes_nothing()


def test_an_abort_of_a_request_that_raises_is_over_with_that(delivery):
    delivery.tick()
    aborted(delivery)
    delivery.wheels.goal.sent.set_exception(RuntimeError("no middleware"))
    delivery.agent.sense()
    (ended,) = delivery.heard.of(LeafAborted)
    assert "no middleware" in str(ended.error)
    assert delivery.owes_nothing()


def test_an_abort_is_given_up_where_the_server_never_cancels_and_says_so(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.interrupt()
    for _ in range(5):
        delivery.node.spin(6.1)
        delivery.agent.sense()
    (ended,) = delivery.heard.of(LeafAborted)
    assert str(ended.error) == "the goal was not cancelled within 30 s, and may be running"


def test_a_shutdown_cancels_the_goal(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.tick()
    delivery.wheels.on_cancel = lambda goal: goal.cancel()
    delivery.tree.shutdown()
    assert delivery.owes_nothing()


def test_a_feedback_function_that_raises_fails_the_step_and_cancels_the_goal(delivery):
    delivery.tick()
    delivery.wheels.goal.accept()
    delivery.wheels.goal.feedback("far")  # no number
    with pytest.raises(Exception, match="'left'"):
        delivery.tick()
    assert delivery.wheels.goal.cancels == 1
    assert len(delivery.reasons) == 1


def test_a_goal_function_that_does_not_take_the_arguments_is_refused_when_it_is_bound(world):
    operator = ActionOperator(FakeActionServer().client, lambda agent: "drive")
    with pytest.raises(ExecutionError, match=r"'drive' is called with \(agent, to\)"):
        Operators().bind(world.drive)(operator)


def test_a_goal_function_that_does_not_say_what_it_takes_is_believed(world):
    operator = ActionOperator(FakeActionServer().client, dict)
    assert Operators().bind(world.drive)(operator) is operator


def test_what_is_no_client_is_refused():
    with pytest.raises(ExecutionError, match=r"BT110.* ActionClient of rclpy"):
        ActionOperator("navigate_to_pose", lambda agent: "drive")


@pytest.mark.parametrize("name", ["time_limit", "answer_within", "cancel_within"])
def test_seconds_that_are_not_above_zero_are_refused(name):
    with pytest.raises(ExecutionError, match=f"BT202.*{name} is 0"):
        ActionOperator(FakeActionServer().client, lambda agent: "drive", **{name: 0})
