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
from typing import assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours.plan_run import Path, PlanRun, failed_at
from bthtn.behaviours.sequence import PlanSequence
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.domain.decorator import (
    Cooldown,
    Decorator,
    Invert,
    Retry,
    Timeout,
    decorator_text,
)
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import ScopeNode


class PlanDecorated(PlanSequence):
    """Steps whose end is what their decorator makes of it (semantics 3.24).

    ``failure`` is set when the decorator has failed the part, and not one of its steps.
    """

    def __init__(
        self,
        node: ScopeNode,
        decorator: Decorator,
        path: Path,
        run: PlanRun,
        steps: list[Behaviour],
    ) -> None:
        super().__init__(steps, decorator_text(decorator))
        self.node = node
        self.decorator = decorator
        self.failure: Failure | None = None
        self._path = path
        self._run = run
        self._began: int | None = None
        self._tries = 0

    @property
    def is_retried(self) -> bool:
        """Whether a try of the steps has failed, and another one was begun."""
        return self.status is RUNNING and self._tries > 0

    def tick(self) -> Iterator[Behaviour]:
        """Tick the steps, unless the decorator ends the part first."""
        if self.status is not RUNNING:
            self.failure, self._began, self._tries = None, self._run.ticks, 0
        match self.decorator:
            case Timeout(ticks) if self._run.ticks - self._first_tick >= ticks:
                for child in self.ahead[:1]:
                    child.stop(INVALID)
                yield from self._fail(f"it is not done after {ticks} tick{'s' * (ticks > 1)}")
            case Cooldown() if self.status is not RUNNING and self.node in self._run.cooldowns:
                yield from self._fail("it cools down")
            case _:
                yield from super().tick()

    def go_on_from(self, old: PlanDecorated) -> None:
        """Count on from the ticks and tries of the same part of another plan."""
        self._began, self._tries = old._began, old._tries

    @property
    def _first_tick(self) -> int:
        if self._began is None:  # a step of another plan runs on in it
            self._began = self._run.ticks
        return self._began

    def _fail(self, why: str) -> Iterator[Behaviour]:
        self.failure = failed_at(self._path, str(self.node), self.node, why)
        self.feedback_message = why
        yield from super()._leave(FAILURE)

    def _leave(self, status: Status) -> Iterator[Behaviour]:
        if status is RUNNING:
            yield from super()._leave(status)
            return
        match self.decorator:
            case Retry(tries) if status is not SUCCESS and self._tries + 1 < tries:
                self._tries += 1
                self._restart()
                self.feedback_message = f"try {self._tries + 1} of {tries}"
                yield from super()._leave(RUNNING)
            case Invert() if status is SUCCESS:
                yield from self._fail("it was to fail, and has succeeded")
            case Invert():
                yield from super()._leave(SUCCESS)
            case Cooldown(ticks) if status is SUCCESS:
                self._run.cooldowns.begin(self.node, ticks)
                yield from super()._leave(status)
            case Timeout() | Retry() | Cooldown():
                yield from super()._leave(status)
            case _:
                assert_never(self.decorator)
