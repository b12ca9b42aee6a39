"""DrawnGoal: a decorator that draws which action its goal prefers (semantics 2.11).

    started   draw, and write the value of each action into the beliefs
    planned   the action in the plan counts as executed: weights change
    ended     success or failure; repeated failures exclude the action from later draws

Values are written only when the goal starts, so they do not change during a search, and no new
draw interrupts the action that is being done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from py_trees.common import Status
from py_trees.decorators import Decorator

from bthtn.checked import checked
from bthtn.engine.agent.events import ActionsDrawn
from bthtn.engine.agent.programming_errors import code_failed
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import preorder
from bthtn.engine.world.fluent import FluentFamily
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.lottery import STEP, UNLISTED, Lottery, values_of


class DrawnGoal(Unpicklable, Decorator):
    """Draws before its goal plans, and reports the action to the lottery.

    ``values`` is the family of fluents from which methods take their ``value``; an action is
    named like the method or the compound task that does it. ``on`` says when an action counts as
    executed: when its plan starts, or when it succeeds. ``disabled`` returns the actions that
    cannot be drawn now. When it raises, or a precondition does, nothing is drawn.
    """

    @checked
    def __init__(  # noqa: PLR0913 - what comes behind the lottery is given by name
        self,
        name: str,
        goal: PlanGoal,
        lottery: Lottery,
        values: FluentFamily[str, float],
        *,
        on: Literal["start", "success"] = "start",
        step: float = STEP,
        unlisted: float = UNLISTED,
        disabled: Callable[[], Collection[str]] = tuple,
    ) -> None:
        super().__init__(name, goal)
        self.lottery = lottery
        self.listed: tuple[str, ...] = ()
        self.action = ""
        self._plan: Plan | None = None
        self._goal = goal
        self.values = values
        self._on = on
        self._step = step
        self._unlisted = unlisted
        self._disabled = disabled

    def initialise(self) -> None:
        """Called by py_trees when a run starts: draw, and write the values."""
        agent = self._goal.agent
        beliefs = agent.beliefs
        self.action = ""
        self._plan = None
        try:
            self.listed = self.lottery.draw(beliefs, self._disabled())
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.listed = ()
            agent.emit(code_failed(f"draw for '{self._goal.name}'", error))
        else:
            weights = self.lottery.weights
            drawn = tuple(weights[action] for action in self.listed)
            agent.emit(ActionsDrawn(self._goal.name, self.listed, drawn))
        worth = values_of(self.listed, step=self._step)
        for action in self.lottery.table.rows:
            value = worth.get(action, self._unlisted)
            beliefs.write(self.values[action], float(value), source=self.name)
        self.feedback_message = ", ".join(self.listed) or "nothing can be drawn"

    def update(self) -> Status:
        """Called by py_trees after the goal's tick: report to the lottery."""
        plan, status = self._goal.plan, self._goal.status
        if plan is not None and plan is not self._plan:
            self._plan = plan
            self._started(self._action_of(plan))
        if self.action and status is Status.SUCCESS:
            if self._on == "success":
                self.lottery.executed(self.action)
            self.lottery.succeeded(self.action)
        if self.action and status is Status.FAILURE:
            self.lottery.failed(self.action)
        return status

    def waits(self) -> Wait:
        """For its goal; when that has ended, it draws anew."""
        return Wait(below=self.children) if self.status is Status.RUNNING else AT_ONCE

    def _started(self, action: str) -> None:
        """Report that a plan starts; if it is not the first one, the earlier one has failed."""
        if action == self.action:
            return
        if self.action:
            self.lottery.failed(self.action)
        if action and self._on == "start":
            self.lottery.executed(action)
        self.action = action

    def _action_of(self, plan: Plan) -> str:
        """The first drawn action in the plan; plans contain one at most."""
        scopes = (node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
        names = (name for scope in scopes for name in (scope.name, scope.task.name))
        return next((name for name in names if name in self.lottery.table.rows), "")
