"""Choosing among goals: composites whose children are goals, or any behaviours.

| composite           | prefers                                  | looks again                  |
| ------------------- | ---------------------------------------- | ---------------------------- |
| `PriorityGoals`     | the order in which they were written     | every ``period`` ticks       |
| `UtilityGoals`      | the greatest value in the beliefs        | when the beliefs have changed |
| `StateMachineGoals` | the one that a state is for              | in every tick                |

The first two look for a plan of what they prefer while something else runs, and switch when
there is one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bthtn.agent.agent import Agent
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.domain.network import NetworkLike, network_from, network_text
from bthtn.domain.number import NumberLike, number_from
from bthtn.errors import Diagnostic, ExecutionError
from bthtn.replanning.schedule import PlanningSchedule
from bthtn.world.expression import Expression
from bthtn.world.truth import UNKNOWN, value_text

GoalLike = Behaviour | NetworkLike
"""A behaviour, or a task network that becomes a PlanGoal."""

Budget = int | PlanningSchedule | None

DEFAULT_BUDGET: Final = 1_000


class _Preferring(Composite):
    """Runs the most preferred child that does not fail, and looks for a better one meanwhile."""

    def __init__(self, name: str, agent: Agent[Any, Any], children: Sequence[Behaviour]) -> None:
        super().__init__(name, children)
        self.agent = agent
        self._failed: set[int] = set()
        self._to_try: list[int] = []

    @abstractmethod
    def ranking(self) -> list[int]:
        """Positions of the children to try, the most preferred first."""

    @abstractmethod
    def better(self, running: int) -> list[int] | None:
        """Positions of what to look at instead of the running one; None: nothing new to look at.

        Asked once in every tick in which a child is running.
        """

    def tick(self) -> Iterator[Behaviour]:
        """Go on with the running child, or with a better one that was found."""
        if self.status is not Status.RUNNING:
            self._restart()
            was_ticked = False
        else:
            was_ticked = yield from self._review()
        child = self.current_child
        while child is not None:
            if not was_ticked:
                yield from child.tick()
            was_ticked = False
            if child.status is not Status.FAILURE:
                break
            self._failed.add(self._position(child))
            child = self._next()
            self.current_child = child or self.current_child
        status = Status.FAILURE if child is None else child.status
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def terminate(self, new_status: Status) -> None:  # noqa: ARG002 - the same at every end
        """Called by py_trees at every end: what was being looked for is forgotten."""
        self._to_try = []
        for child in self.children:
            if isinstance(child, PlanGoal):
                child.stop_preparing()

    def _restart(self) -> None:
        for child in self.children:
            if child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        self.status = Status.RUNNING
        self._failed.clear()
        self.current_child = self._next()

    def _next(self) -> Behaviour | None:
        """The most preferred child that has not failed."""
        untried = (index for index in self.ranking() if index not in self._failed)
        index = next(untried, None)
        return None if index is None else self.children[index]

    def _review(self) -> Generator[Behaviour, None, bool]:
        """Look at what would be better. Whether the current child is a new one, ticked already."""
        assert self.current_child is not None, "something runs"
        fresh = self.better(self._position(self.current_child))
        self._to_try = self._to_try if fresh is None else fresh
        while self._to_try:
            child = self.children[self._to_try[0]]
            if isinstance(child, PlanGoal):
                is_better = child.prepare()
            else:
                yield from child.tick()
                is_better = child.status is not Status.FAILURE
            if is_better is None:
                return False
            if is_better:
                self._switch(child)
                return not isinstance(child, PlanGoal)
            self._to_try.pop(0)
        return False

    def _switch(self, child: Behaviour) -> None:
        replaced, self.current_child = self.current_child, child
        assert replaced is not None, "something ran"
        if child.status is Status.FAILURE:  # of an earlier try
            child.stop(Status.INVALID)
        replaced.stop(Status.INVALID)
        self._failed.clear()
        self._to_try = []

    def _position(self, child: Behaviour) -> int:
        return next(index for index, one in enumerate(self.children) if one is child)


class PriorityGoals(_Preferring):
    """The first goal that works; goals before it are tried again every ``period`` ticks.

    When a goal fails the next one is tried. A goal before the running one is only planned for;
    the running one is interrupted when there is a plan. Any other behaviour has to be ticked to
    find that out, and takes over unless it fails, as under py_trees' ``Selector``.
    """

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        goals: Sequence[GoalLike],
        *,
        period: int = 10,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """``budget`` is that of the goals given as networks. Raises DomainError for those.

        Raises ExecutionError for a period below one tick.
        """
        if period < 1:
            message = f"the period of '{name}' is {period}"
            hint = "give a number of ticks above zero"
            raise ExecutionError(Diagnostic("BT202", message, hint=hint))
        super().__init__(name, agent, [goal_from(goal, agent, budget) for goal in goals])
        self.period = period
        self._ticks = 0

    def ranking(self) -> list[int]:
        """As they were written. A goal is being chosen: from now on the ticks are counted."""
        self._ticks = 0
        return list(range(len(self.children)))

    def better(self, running: int) -> list[int] | None:
        """Every ``period`` ticks, those before the running one."""
        self._ticks += 1
        return list(range(running)) if self._ticks % self.period == 0 else None


class UtilityGoals(_Preferring):
    """The goal of the greatest value; of equal ones the running, then the first written.

    Values are numbers, expressions or functions of the beliefs; a goal whose value is unknown,
    or no number, or raises, is not chosen. The running one counts ``inertia`` more. When the
    beliefs have changed, and another has the greater value, the running one is interrupted as
    soon as the other has a plan. When a goal fails the next one is tried.
    """

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        goals: Sequence[tuple[GoalLike, NumberLike]],
        *,
        inertia: float = 0,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """``budget`` is that of the goals given as networks. Raises DomainError for those."""
        super().__init__(name, agent, [goal_from(goal, agent, budget) for goal, _ in goals])
        self.inertia = inertia
        state_class = type(agent.beliefs.now)
        self._values = [number_from(value, state_class) for _, value in goals]
        self._version = -1

    def ranking(self) -> list[int]:
        """By value in the beliefs as they are."""
        self._version = self.agent.beliefs.version
        return self._by_value(running=None)

    def better(self, running: int) -> list[int] | None:
        """Those of greater value than the running one, when the beliefs have changed."""
        if self._version == self.agent.beliefs.version:
            return None
        self._version = self.agent.beliefs.version
        ranking = self._by_value(running)
        return ranking[: ranking.index(running)] if running in ranking else ranking

    def value(self, index: int) -> float | None:
        """What the goal is worth now; None where that cannot be told."""
        try:
            value = self._values[index].evaluate(self.agent.beliefs)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = f"{type(error).__name__}: {error}"
            return None
        return value if isinstance(value, int | float) and value == value else None  # noqa: PLR0124 - false of NaN alone

    def _by_value(self, running: int | None) -> list[int]:
        worth: list[tuple[float, bool, int]] = []
        for index in range(len(self.children)):
            value = self.value(index)
            if value is not None:
                is_running = index == running
                inertia = self.inertia if is_running else 0
                worth.append((-value - inertia, not is_running, index))
        return [index for _, _, index in sorted(worth)]


class StateMachineGoals(Composite):
    """The goal that is for the state which the beliefs are in: begun where the state is entered.

    ``state`` is an expression or a function of the beliefs. When it changes, the running goal is
    interrupted and the new state's begun in the same tick. A goal that has ended is not begun
    again while the state stays: the answer remains the same. A state that no goal is for, that
    is unknown, or whose function raises, is a failure.
    """

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        state: Expression[Any] | Callable[[Any], Any],
        goals: Mapping[Any, GoalLike],
        *,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """``budget`` is that of the goals given as networks. Raises DomainError for those."""
        made = {key: goal_from(goal, agent, budget) for key, goal in goals.items()}
        super().__init__(name, list(made.values()))
        self.agent = agent
        self.state: Any = None
        self._goals = made
        state_class = type(agent.beliefs.now)
        self._state = number_from(state, state_class)

    def tick(self) -> Iterator[Behaviour]:
        """Change goals when the state has changed; tick what is at work."""
        goal = self._goal()
        if goal is not self.current_child:
            left, self.current_child = self.current_child, goal
            if left is not None:
                left.stop(Status.INVALID)
        is_over = goal is not None and goal.status in (Status.SUCCESS, Status.FAILURE)
        self.status = Status.RUNNING
        if goal is not None and not is_over:
            yield from goal.tick()
        status = Status.FAILURE if goal is None else goal.status
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def _goal(self) -> Behaviour | None:
        """What is for the state that the beliefs are in."""
        try:
            self.state = self._state.evaluate(self.agent.beliefs)
            found = None if self.state is UNKNOWN else self._goals.get(self.state)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = f"{type(error).__name__}: {error}"
            return None
        if found is None:
            self.feedback_message = f"there is no goal for {value_text(self.state)}"
        else:
            self.feedback_message = f"in {value_text(self.state)}"
        return found


def goal_from(goal: GoalLike, agent: Agent[Any, Any], budget: Budget = DEFAULT_BUDGET) -> Behaviour:
    """The behaviour itself, or a PlanGoal for the network, called like it. Raises DomainError."""
    if isinstance(goal, Behaviour):
        return goal
    network = network_from(goal)
    return PlanGoal(network_text(network), agent, network, budget=budget)
