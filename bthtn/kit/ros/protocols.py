"""What is called of rclpy, the client library of ROS 2 for Python."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from inspect import Signature, signature
from typing import Any, Protocol, runtime_checkable

from bthtn.engine.agent.operators import OperatorFailed
from bthtn.errors import ExecutionError, exception_text


class GoalStatus(IntEnum):
    """How a goal ended, by the numbers of action_msgs/GoalStatus."""

    UNKNOWN = 0
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


class Future(Protocol):
    """**Protocol:** an answer that comes later; an executor sets it, perhaps in another thread."""

    def done(self) -> bool: ...

    def result(self) -> Any:
        """The answer. Raises the exception that came instead."""
        ...

    def exception(self) -> Any: ...

    def add_done_callback(self, callback: Callable[[Any], None], /) -> None: ...


class GoalHandle(Protocol):
    """**Protocol:** a goal that a server has answered."""

    @property
    def accepted(self) -> bool: ...

    def get_result_async(self) -> Future: ...

    def cancel_goal_async(self) -> Future: ...


@runtime_checkable
class ActionClient(Protocol):
    """**Protocol:** rclpy.action.ActionClient."""

    def server_is_ready(self) -> bool: ...

    def send_goal_async(
        self, goal: Any, /, *, feedback_callback: Callable[[Any], None]
    ) -> Future: ...


@runtime_checkable
class ServiceClient(Protocol):
    """**Protocol:** what the ``create_client`` of a node makes."""

    def service_is_ready(self) -> bool: ...

    def call_async(self, request: Any, /) -> Future: ...

    def remove_pending_request(self, future: Any, /) -> None: ...


class Instant(Protocol):
    """**Protocol:** rclpy.time.Time."""

    @property
    def nanoseconds(self) -> int: ...


class NodeClock(Protocol):
    """**Protocol:** the clock of a node."""

    def now(self) -> Instant: ...


@runtime_checkable
class Node(Protocol):
    """**Protocol:** rclpy.node.Node."""

    def get_clock(self) -> NodeClock: ...

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Callable[[Any], None], qos_profile: Any, /
    ) -> Any: ...

    def create_publisher(self, msg_type: Any, topic: str, qos_profile: Any, /) -> Any: ...

    def create_timer(self, timer_period_sec: float, callback: Callable[[], None], /) -> Any: ...

    def destroy_timer(self, timer: Any, /) -> Any: ...


def demand(given: object, kind: type, hint: str) -> None:
    """Raise ExecutionError for what cannot be called as this kind of rclpy's is."""
    if not isinstance(given, kind):
        message = f"{given!r} is used as a {kind.__name__} of rclpy, and has not its methods"
        raise ExecutionError("BT110", message, hint=hint)


def demand_positive(name: str, time: float) -> None:
    """Raise ExecutionError unless the time is above zero."""
    if not time > 0:
        raise ExecutionError("BT202", f"{name} is {time}", hint="give a number above zero")


def answer_of(future: Future) -> Any:
    """The answer of a future that is done. Raises OperatorFailed for an exception."""
    try:
        return future.result()
    except Exception as error:
        raise OperatorFailed(f"the call of its server raised {exception_text(error)}") from error


def signature_of(function: Callable[..., Any]) -> Signature | None:
    """The arguments that a user's function takes; None for a builtin, which does not say."""
    try:
        return signature(function)
    except (TypeError, ValueError):
        return None


def no_fault(agent: Any, answer: Any) -> str:  # noqa: ARG001 - as the functions of users
    """The judge of answers that are all good."""
    return ""
