"""RunningPlan: what a review asks of a plan that runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.replanning.rest import Rest


class AtWork(NamedTuple):
    """The steps of a plan that are running, and whether a better plan may interrupt them."""

    steps: list[TaskNode]
    are_interruptible: bool


class RunningPlan(Protocol):
    """**Protocol:** a plan that runs. It is asked only if the plan has to be reviewed."""

    def rest(self) -> Rest:
        """What is left of it."""
        ...

    def place(self) -> object:
        """A key that is equal only as long as the rest is the same."""
        ...

    def give_up(self, ended: Iterable[Failure]) -> None:
        """Let running steps fail whose precondition does not hold any more, in their next tick."""
        ...

    def report(self, raised: Iterable[Failure]) -> None:
        """Report the exceptions of conditions of running steps, which go on."""
        ...

    def at_work(self) -> AtWork:
        """The steps that are running, and whether it may be replaced by a better plan now."""
        ...
