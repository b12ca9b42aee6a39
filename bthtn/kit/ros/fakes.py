"""Fakes of ROS 2: a node, action servers and services, with what bthtn.ros calls of rclpy.

    server = FakeActionServer()
    operators.bind(drive)(ActionOperator(server.client, lambda agent, to: to))

    tree.tick()
    server.goal.accept()
    tree.tick()
    server.goal.succeed()

There are no threads. What a test lets a server do has arrived at once, as if an executor had spun
between two ticks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from bthtn.engine.domain.number import TOLERANCE
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.ros.protocols import GoalStatus

_TRANSIENT_LOCAL: Final = 1
"""The durability of a latched topic, by the numbers of rclpy.qos.DurabilityPolicy."""


class FakeFuture:
    """An answer that a test gives."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[FakeFuture], object]] = []
        self._is_done = False
        self._result: Any = None
        self._exception: Exception | None = None

    def done(self) -> bool:
        return self._is_done

    def result(self) -> Any:
        """The answer. Raises the exception that was given instead."""
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self) -> Exception | None:
        return self._exception

    def add_done_callback(self, callback: Callable[[FakeFuture], object]) -> None:
        if self._is_done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def set_result(self, result: object) -> None:
        self._end(result, None)

    def set_exception(self, exception: Exception) -> None:
        self._end(None, exception)

    def _end(self, result: object, exception: Exception | None) -> None:
        self._is_done, self._result, self._exception = True, result, exception
        for callback in self._callbacks:
            callback(self)


class FakeGoal(Unpicklable):
    """A goal that was sent to a FakeActionServer, and which a test lets it deal with.

    ``message`` is what was sent. ``cancels`` counts how often a cancel was asked for.
    """

    def __init__(
        self, server: FakeActionServer, message: Any, feedback_callback: Callable[[Any], object]
    ) -> None:
        self.message = message
        self.accepted = False
        self.cancels = 0
        self.sent = FakeFuture()
        self._server = server
        self._feedback_callback = feedback_callback
        self._results: list[FakeFuture] = []
        self._response: SimpleNamespace | None = None

    @property
    def is_running(self) -> bool:
        """Whether it was accepted, and has not ended."""
        return self.accepted and self._response is None

    def accept(self) -> None:
        self.accepted = True
        self.sent.set_result(self)

    def refuse(self) -> None:
        self.sent.set_result(self)

    def feedback(self, feedback: Any) -> None:
        """Send feedback."""
        self._feedback_callback(SimpleNamespace(feedback=feedback))

    def succeed(self, result: Any = None) -> None:
        self.end(GoalStatus.SUCCEEDED, result)

    def abort(self, result: Any = None) -> None:
        """End as a goal that the server could not reach."""
        self.end(GoalStatus.ABORTED, result)

    def cancel(self, result: Any = None) -> None:
        """End as cancelled, whoever has asked for it."""
        self.end(GoalStatus.CANCELED, result)

    def end(self, status: GoalStatus, result: Any = None) -> None:
        """End, and answer whoever has asked for the result."""
        self._response = SimpleNamespace(status=status, result=result)
        for asked in self._results:
            asked.set_result(self._response)

    def die(self) -> None:
        """End without an answer to anybody; who asks later gets UNKNOWN."""
        self._results.clear()
        self.end(GoalStatus.UNKNOWN)

    def get_result_async(self) -> FakeFuture:
        """Called by an ActionOperator."""
        asked = FakeFuture()
        if self._response is None or not self._server.is_here:
            self._results.append(asked)
        else:
            asked.set_result(self._response)
        return asked

    def cancel_goal_async(self) -> FakeFuture:
        """Called by an ActionOperator."""
        self.cancels += 1
        if self.is_running:
            self._server.on_cancel(self)
        return FakeFuture()


class FakeActionServer(Unpicklable):
    """An action server in a test; ``client`` is what an ActionOperator is given.

    ``goals`` are those that were sent, ``goal`` is the latest one, ``running`` has the messages of
    those that were accepted and have not ended. ``on_goal`` is called with each goal that is
    sent, ``on_cancel`` with each running one that is to be cancelled: for a server that does as it
    is told, ``FakeActionServer(on_goal=FakeGoal.accept, on_cancel=FakeGoal.cancel)``.
    """

    def __init__(
        self,
        *,
        on_goal: Callable[[FakeGoal], object] = lambda goal: None,  # noqa: ARG005 - as it is called
        on_cancel: Callable[[FakeGoal], object] = lambda goal: None,  # noqa: ARG005
    ) -> None:
        self.on_goal = on_goal
        self.on_cancel = on_cancel
        self.is_here = True
        self.goals: list[FakeGoal] = []

    @property
    def client(self) -> FakeActionServer:
        return self

    @property
    def goal(self) -> FakeGoal:
        """The goal that was sent last."""
        return self.goals[-1]

    @property
    def running(self) -> list[Any]:
        """The messages of the goals that were accepted and have not ended."""
        return [goal.message for goal in self.goals if goal.is_running]

    def go_away(self) -> None:
        """End the server, and its goals with it."""
        self.is_here = False
        for goal in self.goals:
            goal.die()

    def come_back(self) -> None:
        """Begin anew, without any goal."""
        self.is_here = True

    def restart(self) -> None:
        """Go away and come back before anybody has noticed."""
        self.go_away()
        self.come_back()

    def server_is_ready(self) -> bool:
        """Called by an ActionOperator."""
        return self.is_here

    def send_goal_async(
        self, message: Any, *, feedback_callback: Callable[[Any], object]
    ) -> FakeFuture:
        """Called by an ActionOperator."""
        goal = FakeGoal(self, message, feedback_callback)
        self.goals.append(goal)
        self.on_goal(goal)
        return goal.sent


class FakeService(Unpicklable):
    """A service in a test; ``client`` is what a ServiceOperator is given.

    ``requests`` are those that were sent, ``waiting`` the answers that somebody waits for.
    """

    def __init__(self) -> None:
        self.is_here = True
        self.requests: list[Any] = []
        self.waiting: list[FakeFuture] = []

    @property
    def client(self) -> FakeService:
        return self

    def answer(self, response: Any) -> None:
        """Answer the oldest request."""
        self.waiting[0].set_result(response)

    def fail(self, exception: Exception) -> None:
        """Let the oldest call raise."""
        self.waiting[0].set_exception(exception)

    def go_away(self) -> None:
        self.is_here = False

    def come_back(self) -> None:
        self.is_here = True

    def service_is_ready(self) -> bool:
        """Called by a ServiceOperator."""
        return self.is_here

    def call_async(self, request: Any) -> FakeFuture:
        """Called by a ServiceOperator."""
        self.requests.append(request)
        self.waiting.append(FakeFuture())
        return self.waiting[-1]

    def remove_pending_request(self, future: FakeFuture) -> None:
        """Called by a ServiceOperator."""
        self.waiting.remove(future)


@dataclass(eq=False)
class FakeTimer:
    """A timer of a FakeNode: its period and the time at which it is due."""

    period: float
    callback: Callable[[], object]
    due: float


class FakeNode(Unpicklable):
    """A node in a test: topics that lead back to itself, and a clock that a test advances.

    ``spin`` lets time pass, in which timers are called; ``jump`` sets the time, also back.
    Its time is 1 at the beginning; 0 is that of a node whose simulation has not told the time yet.
    ``published`` has the messages of each topic.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self.published: dict[str, list[Any]] = {}
        self._latched: dict[str, Any] = {}
        self._subscriptions: dict[str, list[Callable[[Any], object]]] = {}
        self._timers: list[FakeTimer] = []

    def spin(self, seconds: float = 0.0) -> None:
        """Let so many seconds pass, and call each timer whenever it is due."""
        end = self.seconds + seconds + TOLERANCE
        while timer := min(self._timers, key=lambda timer: timer.due, default=None):
            if timer.due > end:
                break
            self.seconds = max(self.seconds, timer.due)
            timer.due += timer.period
            timer.callback()
        self.seconds = end - TOLERANCE

    def jump(self, seconds: float) -> None:
        """Set the time, as a simulation does that is reset. Timers begin a period anew."""
        self.seconds = seconds
        for timer in self._timers:
            timer.due = seconds + timer.period

    def get_clock(self) -> FakeNode:
        return self

    def now(self) -> SimpleNamespace:
        """The time of its clock."""
        return SimpleNamespace(nanoseconds=round(self.seconds * 1e9))

    def create_timer(self, period: float, callback: Callable[[], object]) -> FakeTimer:
        timer = FakeTimer(period, callback, self.seconds + period)
        self._timers.append(timer)
        return timer

    def destroy_timer(self, timer: FakeTimer) -> None:
        self._timers.remove(timer)

    def create_subscription(
        self,
        message_type: Any,  # noqa: ARG002 - as rclpy has it
        topic: str,
        callback: Callable[[Any], object],
        qos: Any,
    ) -> None:
        self._subscriptions.setdefault(topic, []).append(callback)
        if _is_latched(qos) and topic in self._latched:
            callback(self._latched[topic])

    def create_publisher(self, message_type: Any, topic: str, qos: Any) -> SimpleNamespace:  # noqa: ARG002
        """An object whose ``publish`` gives a message to all who have subscribed to the topic."""

        def publish(message: Any) -> None:
            self.published.setdefault(topic, []).append(message)
            if _is_latched(qos):
                self._latched[topic] = message
            for callback in self._subscriptions.get(topic, ()):
                callback(message)

        return SimpleNamespace(publish=publish)


def _is_latched(qos: Any) -> bool:
    return getattr(qos, "durability", None) == _TRANSIENT_LOCAL
