"""PlanDecorated: the steps of a part of a plan that has a decorator.

| decorator  | its steps fail | its steps succeed | besides                        |
| ---------- | -------------- | ----------------- | ------------------------------ |
| `timeout`  | FAILURE        | SUCCESS           | FAILURE when the time is over  |
| `retry`    | they restart   | SUCCESS           | FAILURE after the last try     |
| `cooldown` | FAILURE        | SUCCESS           | FAILURE until the time is over |
| `invert`   | SUCCESS        | FAILURE           |                                |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, assert_never, cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Timer
from bthtn.engine.behaviours.plan_run import Path, PlanRun, failed_at
from bthtn.engine.behaviours.sequence import PlanSequence
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.decorator import (
    CooldownDecorator,
    Decorator,
    InvertDecorator,
    RetryDecorator,
    TimeoutDecorator,
    decorator_text,
)
from bthtn.engine.domain.number import Seconds
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import ScopeNode


def timer_of(time: int | Seconds, agent: Agent[Any, Any]) -> Timer:
    """A timer of so many ticks, or seconds of an agent's clock."""
    if isinstance(time, Seconds):
        return Timer(cast("float", time.length), agent.clock or agent.time)
    return Timer(time)


class PlanDecorated(PlanSequence):
    """Steps whose status is changed by a decorator (semantics 3.24).

    ``failure`` is set when the decorator has failed the part, and not one of its steps.
    """

    node: ScopeNode

    def __init__(
        self,
        children: list[Behaviour],
        node: ScopeNode,
        decorator: Decorator,
        path: Path,
        run: PlanRun,
    ) -> None:
        super().__init__(children, node)
        self.decorator = decorator
        self.failure: Failure | None = None
        self.path = path
        self._run = run
        self._timer: Timer | None = None
        self._tries = 0
        if isinstance(decorator.number, Seconds):
            run.agent.time()  # an agent without a clock is refused here

    def _title(self) -> str:
        return decorator_text(self.decorator)

    gone: Final = ()

    @property
    def is_tried_again(self) -> bool:
        """Whether a try of the steps has failed, and another one was begun."""
        return self.status is not INVALID and self._tries > 0  # the last one may be mended

    def tick(self) -> Iterator[Behaviour]:
        """Tick the steps, unless the decorator ends the part first."""
        if self.status is not RUNNING:
            self.failure, self._timer, self._tries = None, self._limit(), 0
            if isinstance(self.decorator, CooldownDecorator) and self.node in self._run.cooldowns:
                self._fail("it cools down")
                yield self
                return
        elif self._timer is None:
            self._timer = self._limit()  # a step of another plan runs on in it
        elif self._timer.is_over():
            if self.current_child is not None:
                self.current_child.stop(INVALID)
            self._fail("it is not done in time")
            yield self
            return
        yield from super().tick()

    def waits(self) -> Wait:
        """For its steps, and for the end of the time that a timeout gives them."""
        steps = super().waits()
        if not isinstance(self.decorator, TimeoutDecorator):
            return steps
        timer = self._timer
        return AT_ONCE if timer is None else Wait(timer.left, steps.below, timer.clock)

    def go_on_from(self, old: PlanDecorated) -> None:
        """Count on from the time and tries of the same part of another plan."""
        self._timer, self._tries = old._timer, old._tries

    def _limit(self) -> Timer | None:
        """A timer for the time that a timeout gives, from now on."""
        return (
            self._started(self.decorator.number)
            if isinstance(self.decorator, TimeoutDecorator)
            else None
        )

    def _started(self, time: int | Seconds) -> Timer:
        timer = timer_of(time, self._run.agent)
        timer.start()
        return timer

    def _fail(self, why: str) -> None:
        self.failure = failed_at(self.path, str(self.node), self.node, why)
        self.feedback_message = why
        super()._leave(FAILURE)

    def _leave(self, status: Status) -> None:
        """End, or go on, as the decorator has it."""
        match self.decorator:
            case RetryDecorator(tries) if status is not SUCCESS and self._tries + 1 < tries:
                self._tries += 1
                self._restart()
                self.feedback_message = f"try {self._tries + 1} of {tries}"
            case InvertDecorator() if status is SUCCESS:
                self._fail("it was to fail, and has succeeded")
            case InvertDecorator():
                super()._leave(SUCCESS)
            case CooldownDecorator(time) if status is SUCCESS:
                self._run.cooldowns.begin(self.node, self._started(time))
                super()._leave(status)
            case TimeoutDecorator() | RetryDecorator() | CooldownDecorator():
                super()._leave(status)
            case _:
                assert_never(self.decorator)
