"""Nodes that write beliefs: a leaf, and a decorator whose child ends.

They do what scripts do in BehaviorTree.CPP. A plan changes beliefs by the effects of its steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed, text_of
from bthtn.engine.agent.reentrance import work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.middle import at_work_in
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import UNKNOWN


class Assign(Unpicklable, Behaviour):
    """Writes beliefs one after the other, and succeeds; fails when a value cannot be computed."""

    def __init__(self, name: str, agent: Agent[Any, Any], changes: Sequence[Assignment]) -> None:
        super().__init__(name)
        self.agent = agent
        self.changes = tuple(changes)

    @work
    def update(self) -> Status:
        """Called by py_trees at every tick. Raises ExecutionError in the middle of one."""
        with at_work_in(self, self.agent):
            return SUCCESS if assigned(self, self.agent, self.changes) else FAILURE


class Afterwards(Unpicklable, Decorator):
    """Writes beliefs when its child has succeeded, failed, ended in any way, or was stopped.

    Its status is that of its child.
    """

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        child: Behaviour,
        changes: Mapping[str, Sequence[Assignment]],
    ) -> None:
        """``changes`` are those at each of ``MOMENTS``."""
        super().__init__(name, child)
        self.agent = agent
        self.changes = {moment: tuple(changes.get(moment, ())) for moment in MOMENTS}

    def update(self) -> Status:
        """Called by py_trees after the child's tick."""
        status = self.decorated.status
        if status in (SUCCESS, FAILURE):
            self._assign("success" if status is SUCCESS else "failure")
            self._assign("end")
        return status

    def waits(self) -> Wait:
        """For its child, while nothing is to be written."""
        return Wait(below=self.children) if self.status is RUNNING else AT_ONCE

    def stop(self, new_status: Status = INVALID) -> None:
        """Stop the child first, if it runs, and then write what is written when it was stopped."""
        is_halted = new_status is INVALID and self.decorated.status is RUNNING
        super().stop(new_status)
        if is_halted:
            self._assign("halt")

    @work
    def _assign(self, moment: str) -> None:
        with at_work_in(self, self.agent):
            assigned(self, self.agent, self.changes[moment])


MOMENTS: Final = ("success", "failure", "halt", "end")


def assigned(node: Behaviour, agent: Agent[Any, Any], changes: Sequence[Assignment]) -> bool:
    """Whether all changes could be written; the first one that could not is reported."""
    for change in changes:
        target = change.target.ground(agent.beliefs)
        try:
            value = change.value.evaluate(agent.beliefs)
            if isinstance(target, Fluent):
                agent.believe(target, _fitting(target, value), source=node.name)
        except Exception as error:  # noqa: BLE001 - contained and reported
            node.feedback_message = text_of(error)
            agent.emit(code_failed(f"script of '{node.name}'", error))
            runtime_of(agent).errors.raise_first()
            return False
    return True


def _fitting(fluent: Fluent[Any], value: Any) -> Any:
    """The value; as a whole number or a truth where the fluent has only those and it is one."""
    if value is not UNKNOWN and not fluent.accepts(value) and isinstance(value, int | float):
        kind = fluent.value_type
        if kind in (int, bool) and kind(value) == value:
            return kind(value)
    return value
