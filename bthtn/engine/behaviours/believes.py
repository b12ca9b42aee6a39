"""Believes: a condition on the beliefs, as a leaf of a tree written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from py_trees.common import Status

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed, text_of
from bthtn.engine.agent.reentrance import work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.branch import only_runs_on
from bthtn.engine.behaviours.middle import at_work_in
from bthtn.engine.behaviours.plan_behaviour import LeanBehaviour
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.condition import ConditionLike, condition_from, why_so
from bthtn.engine.world.expression import Binding, Condition, Expression
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import Truth
from bthtn.errors import ExecutionError


class Believes(Unpicklable, LeanBehaviour):
    """Succeeds while the agent believes the condition, fails while it is false or unknown.

    The condition is written as in a domain: ``Believes("hurt", agent, Soldier.health < 40)``.
    In a sequence without memory it is checked again at every tick, before the later children: it is
    their guard. When it turns false in the tick in which a PlanGoal behind it can end, since only
    running steps are left of its plan, it succeeds once more, and the goal fails if it does not
    end in this tick.

    Two kinds of hysteresis keep a guard on a noisy value from flickering. With ``until``, it
    succeeds from the tick in which the condition is true to the one in which ``until`` is true.
    With ``hold``, it fails only after the condition was false (or ``until`` true) for so many ticks
    in a row before; an interruption of the tree ends that. It also fails when evaluating a
    condition raises; the exception's text is the feedback message.
    """

    _message = ""
    _found: tuple[Condition, Binding, Truth, Mapping[Expression[Any], Any]] | None = None

    @checked
    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        condition: ConditionLike,
        *,
        until: ConditionLike | None = None,
        hold: int = 0,
    ) -> None:
        """Raises DomainError for no condition, ExecutionError for a ``hold`` below zero."""
        self.agent = agent
        state_class = type(agent.beliefs.now)
        self.condition = condition_from(condition, state_class)
        self.until = None if until is None else condition_from(until, state_class)
        self.name, self.status, self.children = name, INVALID, []
        if hold < 0:
            hint = "give a number of ticks, 0 for not at all"
            raise ExecutionError("BT202", f"'{self.name}' is held for {hold} ticks", hint=hint)
        self.hold = hold
        self._left = 0  # ticks for which it is held from now on
        self._is_on = self._has_turned = False

    @property
    def feedback_message(self) -> str:
        """What it has found in its latest tick; the text is made when it is asked for."""
        if self._found is not None:
            try:
                self.feedback_message = why_so(*self._found)
            except Exception as error:  # noqa: BLE001 - the __repr__ of a value is the user's code
                self.feedback_message = text_of(error)
        return self._message

    @feedback_message.setter
    def feedback_message(self, message: str) -> None:
        self._message, self._found = message, None

    @work
    def update(self) -> Status:
        """Called by py_trees at every tick. Raises ExecutionError in the middle of one."""
        with at_work_in(self, self.agent):
            return self._update()

    def _update(self) -> Status:
        try:
            holds = self._holds()
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = text_of(error)
            self._is_on, self._left = False, 0
            self.agent.emit(code_failed(f"guard '{self.name}'", error))
            runtime_of(self.agent).errors.raise_first()
            return FAILURE
        if holds:
            self._left = self.hold
        elif self._left:
            self._left -= 1
            self.feedback_message += f"; held for {self._left} more ticks"
        elif self.status is not SUCCESS or not self._lets_a_goal_end():
            return FAILURE
        return SUCCESS

    def waits(self) -> Wait:
        """For a change; unless it is held for some more ticks, or asks its other condition next."""
        is_held = self.status is SUCCESS and not self._is_on
        return AT_ONCE if is_held or self._has_turned else Wait()

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an interruption ends the holding."""
        if new_status is INVALID:
            self._left = 0

    def _holds(self) -> bool:
        seen, was_on = RecordingView(self.agent.beliefs), self._is_on
        if self._is_on and self.until is not None:
            condition, truth = self.until, self.until.evaluate(seen)
            self._is_on = truth is not True
        else:
            condition, truth = self.condition, self.condition.evaluate(seen)
            self._is_on = truth is True
        self._has_turned = self._is_on is not was_on
        self._found = condition, (), truth, seen.readings
        return self._is_on

    def _lets_a_goal_end(self) -> bool:
        """Whether a running goal behind it, in the same composite, can end in this tick."""
        siblings = [] if self.parent is None else self.parent.children
        place = next((n for n, sibling in enumerate(siblings) if sibling is self), len(siblings))
        running = (
            sibling
            for sibling in siblings[place:]
            if isinstance(sibling, PlanGoal) and sibling.status is RUNNING
        )
        goal = next(running, None)
        if goal is None or not all(map(only_runs_on, goal.children)) or not goal.children:
            return False
        goal.ends_for = self.feedback_message
        return True
