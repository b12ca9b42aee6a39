"""What a tree that is written out is made of: leaves for steps and conditions, composites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn.behaviours import OperatorFailed, Running
from bthtn.examples.domains.crafter.beliefs import Castaway

from .senses import Castaways

BACKOFF: Final = 100
"""For so many steps nobody tries again what has failed: the world has to change first."""


class Do(Behaviour):
    """Does a step of the domain, as a plan would; begins it anew when it was interrupted."""

    def __init__(
        self, agent: Castaways, step: Callable[..., Running], *given: str | int, done: str = ""
    ) -> None:
        super().__init__(" ".join((step.__name__, *map(str, given))))
        self._agent, self._step, self._given, self._done = agent, step, given, done
        self._running: Running | None = None
        self._not_before = 0

    def initialise(self) -> None:
        """Begin the step."""
        self._running = self._step(self._agent, *self._given)

    def update(self) -> Status:
        """Go on with the step, unless it has just failed."""
        now = self._agent.body.level.steps
        if now < self._not_before:
            return Status.FAILURE
        try:
            next(self._running or iter(()))
        except StopIteration:
            if self._done:
                self._agent.believe(Castaway.done[self._done], True)
            return Status.SUCCESS
        except OperatorFailed:
            self._not_before = now + BACKOFF
            return Status.FAILURE
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:  # noqa: ARG002 - py_trees gives it
        """Leave the step, whether it is over or not."""
        self._running = None


class If(Behaviour):
    """Succeeds if a condition holds for what is believed."""

    def __init__(self, agent: Castaways, name: str, holds: Callable[[Castaway], bool]) -> None:
        super().__init__(name)
        self._agent, self._holds = agent, holds

    def update(self) -> Status:
        """Ask."""
        return Status.SUCCESS if self._holds(self._agent.beliefs.now) else Status.FAILURE


def first(name: str, *children: Behaviour) -> Behaviour:
    """The first child that does not fail."""
    return Selector(name, memory=False, children=list(children))


def each(name: str, *children: Behaviour) -> Behaviour:
    """All children in their order, as far as they succeed."""
    return Sequence(name, memory=False, children=list(children))


def one_by_one(name: str, *children: Behaviour) -> Behaviour:
    """All children in their order, each until it has succeeded once."""
    return Sequence(name, memory=True, children=list(children))
