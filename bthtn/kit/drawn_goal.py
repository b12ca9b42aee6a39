"""DrawnGoal: a goal whose methods are drawn, again at every decision (semantics 2.11).

    begins    draw, and let the beliefs say what each action is worth
    planned   the action that the plan came to is being executed: weights change
    ends      succeeded, or failed: repeated failures exclude the action from later draws

Values are written only when the goal begins, so nothing changes them in the middle of a
search, and no new draw interrupts the action that an earlier one led to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from py_trees.common import Status
from py_trees.decorators import Decorator

from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.kit.lottery import STEP, UNLISTED, Lottery, values_of
from bthtn.plan.nodes import ScopeNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import preorder
from bthtn.world.fluent import FluentFamily


class DrawnGoal(Decorator):
    """Draws before its goal plans, and tells the lottery what became of the draw.

    ``values`` is the family of fluents from which methods take their ``value``; an action is
    the name of the method that does it. ``on`` says when it counts as executed: as soon as its
    plan runs, or when it succeeds. ``disabled`` names the actions that the agent cannot do now.
    """

    def __init__(  # noqa: PLR0913 - what comes behind the lottery is given by name
        self,
        goal: PlanGoal,
        lottery: Lottery,
        values: FluentFamily[str, float],
        *,
        on: Literal["start", "success"] = "start",
        step: float = STEP,
        unlisted: float = UNLISTED,
        disabled: Callable[[], Collection[str]] = tuple,
    ) -> None:
        super().__init__(f"draw for {goal.name}", goal)
        self.lottery = lottery
        self.listed: tuple[str, ...] = ()
        self.action = ""
        self._plan: Plan | None = None
        self._goal = goal
        self._values = values
        self._on = on
        self._step = step
        self._unlisted = unlisted
        self._disabled = disabled

    def initialise(self) -> None:
        """Called by py_trees when a run begins: a decision is to be made."""
        beliefs = self._goal.agent.beliefs
        self.action = ""
        self._plan = None
        self.listed = self.lottery.draw(beliefs, self._disabled())
        worth = values_of(self.listed, step=self._step)
        for action in self.lottery.table.rows:
            value = worth.get(action, self._unlisted)
            beliefs.write(self._values[action], float(value), source=self.name)
        self.feedback_message = ", ".join(self.listed) or "nothing can be drawn"

    def update(self) -> Status:
        """Called by py_trees behind the goal's tick."""
        plan, status = self._goal.plan, self._goal.status
        if plan is not None and plan is not self._plan:
            self._plan = plan
            self._does(self._action_of(plan))
        if self.action and status is Status.SUCCESS:
            if self._on == "success":
                self.lottery.executed(self.action)
            self.lottery.succeeded(self.action)
        if self.action and status is Status.FAILURE:
            self.lottery.failed(self.action)
        return status

    def _does(self, action: str) -> None:
        """A plan begins; if it is not the first, the one before it has failed."""
        if action == self.action:
            return
        if self.action:
            self.lottery.failed(self.action)
        if action and self._on == "start":
            self.lottery.executed(action)
        self.action = action

    def _action_of(self, plan: Plan) -> str:
        """The drawn action that the plan does: the first one, as plans do one at a time."""
        names = (node.name for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
        return next((name for name in names if name in self.lottery.table.rows), "")
