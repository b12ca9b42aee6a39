"""ActionOperator: a task that is one goal of an action server of ROS 2.

| the goal is | and then                           | the step                                |
| ----------- | ---------------------------------- | --------------------------------------- |
| sent        | it is refused, or not answered     | fails                                   |
| accepted    | it has ended                       | succeeds, or fails, by status and judge |
| accepted    | the server is away, or has lost it | fails                                   |
| accepted    | the time limit is over             | asks for a cancel, fails at its end     |
| either      | an abort                           | asks for a cancel, is over at its end   |

Futures and feedback come in the executor's thread, and are looked at in ticks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from inspect import Signature
from math import inf
from typing import Any

from py_trees.common import Status

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Timer, steady_time
from bthtn.engine.agent.operators import OperatorFailed
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.ros.protocols import (
    ActionClient,
    Future,
    GoalHandle,
    GoalStatus,
    answer_of,
    demand,
    demand_positive,
    no_fault,
    signature_of,
)


@checked
@dataclass(frozen=True, eq=False)
class ActionOperator(Unpicklable):
    """An operator that sends a goal: ``operators.bind(drive)(ActionOperator(client, …))``.

    ``goal`` makes the goal of the agent and the task's arguments. ``judge`` is called with the
    agent and the result of a goal that has succeeded, or was aborted by its server, and returns
    why that is a failure; nothing if it is none. ``on_feedback`` is called with the agent and the
    latest feedback, in a tick. Both may believe what they are told.

    An abort cancels the goal, and is over when the server says that the goal has ended, however it
    has. All seconds are those of the agent's clock. After ``time_limit`` the goal is cancelled,
    and the step fails. A server has to answer to a goal ``answer_within`` so many seconds; as
    often, it is asked anew for the result, as one that was restarted knows nothing of the goal. A
    goal that has not ended ``cancel_within`` so many seconds of its cancelling is given up. Raises
    ExecutionError for what is no client, and for seconds that are not above zero.
    """

    client: ActionClient
    goal: Callable[..., Any]
    _: KW_ONLY
    judge: Callable[[Agent[Any, Any], Any], str | None] = no_fault
    on_feedback: Callable[[Agent[Any, Any], Any], object] | None = None
    time_limit: float = inf
    answer_within: float = 5.0
    cancel_within: float = 30.0
    __signature__: Signature | None = field(init=False, repr=False)  # what ``bind`` looks at

    def __post_init__(self) -> None:
        hint = "give it a client: ActionClient(node, NavigateToPose, 'navigate_to_pose')"
        demand(self.client, ActionClient, hint)
        for name in ("time_limit", "answer_within", "cancel_within"):
            demand_positive(name, getattr(self, name))
        object.__setattr__(self, "__signature__", signature_of(self.goal))

    def __call__(self, agent: Agent[Any, Any], *args: Any) -> _Goal:
        """The operator of one step."""
        return _Goal(self, agent, args)


class _Goal:
    """One goal, from its sending to its end."""

    def __init__(
        self, action: ActionOperator, agent: Agent[Any, Any], args: tuple[Any, ...]
    ) -> None:
        self._action = action
        self._agent = agent
        self._args = args
        clock = partial(steady_time, agent)
        self._limit = Timer(action.time_limit, clock)
        self._silence = Timer(action.answer_within, clock)
        self._cancelling = Timer(action.cancel_within, clock)
        self._heard: deque[Any] = deque(maxlen=1)
        self._sent: Future  # from the start on
        self._handle: GoalHandle | None = None
        self._result: Future | None = None
        self._cancelled_for: str | None = None
        self._is_aborted = False

    def start(self) -> None:
        """Send the goal. Raises OperatorFailed where nobody would hear it."""
        if not self._action.client.server_is_ready():
            raise OperatorFailed("its action server is away")
        self._limit.start()
        self._silence.start()
        goal = self._action.goal(self._agent, *self._args)
        self._sent = self._action.client.send_goal_async(goal, feedback_callback=self._hear)

    def tick(self) -> Status:
        """RUNNING until the goal has ended, also in an abort. Raises OperatorFailed."""
        if self._handle is None and self._sent.done():
            handle: GoalHandle = answer_of(self._sent)
            if not handle.accepted:
                return self._fail("its action server refused the goal")
            self._handle = handle
            self._ask(handle)
        self._pass_on()
        if self._result is not None and self._result.done():
            return self._end(answer_of(self._result))
        if not self._action.client.server_is_ready():
            self._cancel("")  # it may only be out of sight
            return self._fail("its action server went away")
        self._watch_the_time()
        return Status.RUNNING

    def abort(self) -> Status:
        """Ask for a cancel. RUNNING while the goal has not ended."""
        self._is_aborted = True
        self._cancel("it was aborted")
        return self.tick()

    def _hear(self, message: Any) -> None:
        """Keep the latest feedback; called by an executor."""
        self._heard.append(message.feedback)

    def _pass_on(self) -> None:
        if self._action.on_feedback is None or self._is_aborted or not self._heard:
            return
        try:
            self._action.on_feedback(self._agent, self._heard.popleft())
        except BaseException:
            self._cancel("")  # the step fails with it
            raise

    def _ask(self, handle: GoalHandle) -> None:
        """Ask for the result, which is answered when there is one."""
        self._result = handle.get_result_async()
        self._silence.start()

    def _watch_the_time(self) -> None:
        action = self._action
        if self._cancelled_for is None:
            if self._limit.is_over():
                self._cancel(f"it took longer than {action.time_limit:g} s")
        elif self._cancelling.is_over():
            raise OperatorFailed(
                f"the goal was not cancelled within {action.cancel_within:g} s, and may be running"
            )
        if not self._silence.is_over():
            return
        if self._handle is not None:
            self._ask(self._handle)
        elif self._cancelled_for is None:
            why = f"its action server did not answer within {action.answer_within:g} s"
            self._cancel(why)
            raise OperatorFailed(why)

    def _cancel(self, why: str) -> None:
        """Cancel the goal once it is accepted, were it after the end of the step."""
        if self._cancelled_for is not None:
            return
        self._cancelled_for = why
        self._cancelling.start()
        if self._sent.done():
            _cancel_accepted(self._sent)  # a callback would wait for an executor to spin again
        else:
            self._sent.add_done_callback(_cancel_accepted)

    def _end(self, response: Any) -> Status:
        """The end of the step by the end of its goal."""
        if self._is_aborted:
            return Status.FAILURE  # whatever else the goal has come to
        match response.status:
            case GoalStatus.SUCCEEDED:
                reason = self._action.judge(self._agent, response.result)
                return self._fail(reason) if reason else Status.SUCCESS
            case GoalStatus.ABORTED:
                reason = self._action.judge(self._agent, response.result)
                reason = self._cancelled_for or reason
                return self._fail(reason or "its action server aborted the goal")
            case GoalStatus.CANCELED:
                return self._fail(self._cancelled_for or "something else cancelled the goal")
            case _:
                return self._fail("its action server has lost the goal, as after a restart")

    def _fail(self, reason: str) -> Status:
        """FAILURE in an abort, of which nobody asks why. Raises OperatorFailed else."""
        if self._is_aborted:
            return Status.FAILURE
        raise OperatorFailed(reason)


def _cancel_accepted(sent: Future) -> None:
    if sent.exception() is None and sent.result().accepted:
        sent.result().cancel_goal_async()
