"""OwnEffects: the effects that a running plan should have had by now, and those it had.

What differs from them is news, and a reason to look for another plan. But a step that runs has had
some of its effects: a sensor sees a walker on the way between two places. So a fluent that a
running step writes is no news as long as its value is the old one, the planned one, or, for
numbers, one in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.diff import Change
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import INCREASE, Write
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN


class OwnEffects:
    """The planned effects of the steps of a plan."""

    __slots__ = ("_beliefs", "_done", "source", "start")

    def __init__(self, beliefs: Beliefs[Any], source: str) -> None:
        self._beliefs = beliefs
        self.source = source
        self.begin()

    def begin(self) -> None:
        """A plan begins with the beliefs of now."""
        self.start = self._beliefs.frozen()
        self._done: dict[Fluent[Any], Any] = {}  # the planned writes of finished steps

    @property
    def predicted(self) -> FrozenState:
        """The state at adoption, with the effects and expected effects of finished steps."""
        return self.start.changed(self._done) if self._done else self.start

    def expected(self, running: Iterable[TaskNode]) -> FrozenState:
        """The predicted state, with the running steps' effects as far as they are believed."""
        seen: dict[Fluent[Any], Any] = {}
        predicted = self.predicted
        for node in running:
            for fluent, write in node.footprint.writes.items():
                now, end = self._beliefs.get(fluent), self._after(fluent, write)
                if now == end or _is_between(predicted.get(fluent), now, end):
                    seen[fluent] = now
        return predicted.changed(seen) if seen else predicted

    def finished(self, node: TaskNode) -> Change | None:
        """Note a step that has succeeded. Returns an effect with another value than planned."""
        unexpected: Change | None = None
        for fluent, write in node.footprint.writes.items():
            self._done[fluent] = self._after(fluent, write)
            if write.kind is INCREASE or write.value is UNKNOWN:
                continue
            now = self._beliefs.get(fluent)
            if now != write.value:
                unexpected = Change(fluent, write.value, now, self.source)
        return unexpected

    def _after(self, fluent: Fluent[Any], write: Write) -> Any:
        if write.kind is not INCREASE:
            return write.value
        before = self._done.get(fluent, self.start.get(fluent))
        return UNKNOWN if before is UNKNOWN else before + write.value


def _is_between(start: object, value: object, end: object) -> bool:
    """Whether a number lies on the way from one number to another."""
    match start, value, end:
        case (int() | float(), int() | float(), int() | float()):
            return start <= value <= end or end <= value <= start
        case _:
            return False
