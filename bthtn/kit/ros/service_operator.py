"""ServiceOperator: a task that is one call of a service of ROS 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from inspect import Signature
from typing import Any

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Timer, steady_time
from bthtn.engine.agent.operators import OperatorFailed, Running
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.ros.protocols import (
    ServiceClient,
    answer_of,
    demand,
    demand_positive,
    no_fault,
    signature_of,
)


@checked
@dataclass(frozen=True, eq=False)
class ServiceOperator(Unpicklable):
    """An operator that calls a service: ``operators.bind(grip)(ServiceOperator(client, …))``.

    ``request`` makes the request of the agent and the task's arguments. ``judge`` is called with
    the agent and the response, and returns why that is a failure; nothing if it is a success. It
    may believe what the response says. The step fails when the service is away or goes away, when
    the call raises, and when no answer has come within so many seconds of the agent's clock. An
    abort drops the call: the server is not told, and its answer is ignored. Raises ExecutionError
    for what is no client, and for seconds that are not above zero.
    """

    client: ServiceClient
    request: Callable[..., Any]
    _: KW_ONLY
    judge: Callable[[Agent[Any, Any], Any], str | None] = no_fault
    answer_within: float = 5.0
    __signature__: Signature | None = field(init=False, repr=False)  # what ``bind`` looks at

    def __post_init__(self) -> None:
        hint = "give it a client: node.create_client(SetBool, 'gripper')"
        demand(self.client, ServiceClient, hint)
        demand_positive("answer_within", self.answer_within)
        object.__setattr__(self, "__signature__", signature_of(self.request))

    def __call__(self, agent: Agent[Any, Any], *args: Any) -> Running:
        """Call the service, and wait for its answer. Raises OperatorFailed."""
        if not self.client.service_is_ready():
            raise OperatorFailed("its service is away")
        limit = Timer(self.answer_within, partial(steady_time, agent))
        limit.start()
        response = self.client.call_async(self.request(agent, *args))
        try:
            while not response.done():
                if not self.client.service_is_ready():
                    raise OperatorFailed("its service went away")
                if limit.is_over():
                    raise OperatorFailed(f"no answer came within {self.answer_within:g} s")
                yield
        finally:
            self.client.remove_pending_request(response)
        if reason := self.judge(agent, answer_of(response)):
            raise OperatorFailed(reason)
