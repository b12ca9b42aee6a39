"""Composites that choose among goals; their children are goals, or any behaviours.

| composite           | prefers                                  | decides again                 |
| ------------------- | ---------------------------------------- | ---------------------------- |
| `PriorityGoals`     | the order in which they were written     | every ``period`` ticks       |
| `UtilityGoals`      | the greatest utility in the beliefs      | when the beliefs have changed |
| `StateMachineGoals` | the one of the current state             | in every tick                |

While one goal runs, the first two search for a plan of a goal that they prefer, and switch once
there is one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed, text_of
from bthtn.engine.agent.reentrance import work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.middle import at_work_in
from bthtn.engine.behaviours.plain_data import STRUCTURE, Json, plain_data, put_plain_data
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.condition import ConditionLike, condition_from
from bthtn.engine.domain.network import NetworkLike, network_from, network_text
from bthtn.engine.domain.number import NumberLike, expression_from, number_from
from bthtn.engine.plan.plan import is_empty
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.engine.world.expression import ALWAYS, Expression
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.errors import DomainError, ExecutionError, InputError

GoalLike = Behaviour | NetworkLike
"""A behaviour, or a task network that becomes a PlanGoal."""

Budget = int | PlanningSchedule | None

DEFAULT_BUDGET: Final = 1_000
_PAIR: Final = 2


class _Preferring(Unpicklable, Composite):
    """Runs the most preferred child that does not fail, and prepares better ones meanwhile."""

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        children: Sequence[Behaviour],
        when: Sequence[ConditionLike],
    ) -> None:
        if when and len(when) != len(children):
            message = f"'{name}' has {len(children)} goals and {len(when)} conditions"
            hint = "give a condition for each goal, True where there is none"
            raise DomainError("BT110", message, hint=hint)
        super().__init__(name, children)
        self.agent = agent
        state_class = type(agent.beliefs.now)
        self.conditions = [
            condition_from(condition, state_class) for condition in when or [True] * len(children)
        ]
        self._failed: set[int] = set()  # those that had nothing to do, too
        self._holds_already = False
        self._to_try: deque[int] = deque()

    @abstractmethod
    def ranking(self) -> list[int]:
        """Positions of the children to try, the most preferred first."""

    @abstractmethod
    def better(self, running: int) -> list[int] | None:
        """Positions of the children to try instead of the running one; None for no new ones.

        Called once in every tick in which a child is running.
        """

    @abstractmethod
    def keeps(self, running: int) -> bool:
        """Whether there is nothing better than the running one until something changes."""

    def allowed(self) -> list[int]:
        """Positions of the children whose conditions hold, in the order as written."""
        return [index for index in range(len(self.children)) if self._holds(index)]

    def _holds(self, index: int) -> bool:
        return self._evaluated("condition", self.conditions, index) is True

    @work
    def _evaluated(self, what: str, expressions: Sequence[Expression[Any]], index: int) -> object:
        """The value of a child's expression now; None if it raises, which is reported."""
        try:
            with at_work_in(self, self.agent):
                return expressions[index].evaluate(self.agent.beliefs)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = text_of(error)
            goal = f"'{self.children[index].name}' in '{self.name}'"
            self.agent.emit(code_failed(f"{what} of {goal}", error))
            return None

    def tick(self) -> Iterator[Behaviour]:
        """Tick the running child, or switch to a better one that is ready."""
        if self.status is not Status.RUNNING:
            self.initialise()
            self._restart()
            was_ticked = False
        else:
            was_ticked = yield from self._review()
        child = self.current_child
        while child is not None and self.status is Status.RUNNING:
            if not was_ticked:
                yield from child.tick()
            was_ticked = False
            if child.status is not Status.FAILURE and not _had_nothing_to_do(child):
                break
            self._holds_already = self._holds_already or child.status is Status.SUCCESS
            self._failed.add(self._position(child))
            child = self._next()
            self.current_child = child or self.current_child
        if self.status is Status.RUNNING:  # else it was stopped in the middle
            without = Status.SUCCESS if self._holds_already else Status.FAILURE
            status = without if child is None else child.status
            if status is not Status.RUNNING:
                self.stop(status)
            self.status = status
        runtime_of(self.agent).errors.raise_first()
        yield self

    def waits(self) -> Wait:
        """For the child that runs; once all have failed, for all of them."""
        child = self.current_child
        if self.status is Status.FAILURE:
            return Wait(below=[self.children[index] for index in self._failed])
        if self.status is not Status.RUNNING or child is None or self._to_try:
            return AT_ONCE
        return Wait(below=(child,)) if self.keeps(self._position(child)) else AT_ONCE

    def terminate(self, new_status: Status) -> None:  # noqa: ARG002 - the same at every end
        """Called by py_trees at every end: background searches are dropped."""
        self._to_try = deque()
        for child in self.children:
            if isinstance(child, PlanGoal):
                child.stop_preparing()

    def save(self) -> Json:
        """What was tried, and is to be tried, by the positions of the children."""
        return plain_data(self, but=STRUCTURE)

    def load(self, saved: Json) -> None:
        """Go on where ``save`` was called. Raises InputError for positions without a child."""
        put_plain_data(self, saved, but=STRUCTURE)
        if not {*self._failed, *self._to_try} <= {*range(len(self.children))}:
            raise InputError("BT497", f"'{self.name}' has no goals in some of the saved positions")

    def _restart(self) -> None:
        for child in self.children:
            if child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        self.status = Status.RUNNING
        self._failed.clear()
        self._holds_already = False
        self.current_child = self._next()

    def _next(self) -> Behaviour | None:
        """The most preferred child that has not failed."""
        untried = (index for index in self.ranking() if index not in self._failed)
        index = next(untried, None)
        return None if index is None else self.children[index]

    def _review(self) -> Generator[Behaviour, None, bool]:
        """Try better children. Returns whether the current child is a new one that was ticked."""
        assert self.current_child is not None, "something runs"
        fresh = self.better(self._position(self.current_child))
        wanted = self._to_try if fresh is None else fresh
        self._to_try = deque(index for index in wanted if self._holds(index))
        while self._to_try:
            child = self.children[self._to_try[0]]
            if isinstance(child, PlanGoal):
                is_better = child.prepare()
            else:
                yield from child.tick()
                is_better = child.status is not Status.FAILURE
            if is_better is None or self.status is not Status.RUNNING:
                return False
            if is_better:
                self._switch(child)
                return not isinstance(child, PlanGoal)
            self._to_try.popleft()
        return False

    def _switch(self, child: Behaviour) -> None:
        replaced, self.current_child = self.current_child, child
        assert replaced is not None, "something ran"
        if child.status is Status.FAILURE:  # of an earlier try
            child.stop(Status.INVALID)
        replaced.stop(Status.INVALID)
        self._failed.clear()
        self._holds_already = False
        self._to_try = deque()

    def _position(self, child: Behaviour) -> int:
        return next(index for index, other in enumerate(self.children) if other is child)


class PriorityGoals(_Preferring):
    """The first goal that works; goals before it are tried again every ``period`` ticks.

    When a goal fails, or has nothing to do, the next one is tried. For a goal before the running
    one, only a plan is searched for; the running one is interrupted once there is a plan. Any other
    behaviour before it is ticked, and takes over unless it fails, as under py_trees' ``Selector``.

    ``when`` has a condition for each goal. A goal is tried only while its condition holds; a
    running one whose condition does not hold any more is replaced by the first other that works.
    """

    @checked
    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        goals: Sequence[GoalLike],
        *,
        when: Sequence[ConditionLike] = (),
        period: int = 10,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """``budget`` is that of the goals given as networks. Raises DomainError for those.

        Raises ExecutionError for a period below one tick.
        """
        if period < 1:
            hint = "give a number of ticks above zero"
            raise ExecutionError("BT202", f"the period of '{name}' is {period}", hint=hint)
        super().__init__(name, agent, [goal_from(goal, agent, budget) for goal in goals], when)
        self.period = period
        self._ticks = 0

    def ranking(self) -> list[int]:
        """In the order in which they were written. The period starts anew."""
        self._ticks = 0
        return self.allowed()

    def better(self, running: int) -> list[int] | None:
        """Every ``period`` ticks, the ones before the running one."""
        self._ticks += 1
        return _before(running, self.allowed()) if self._ticks % self.period == 0 else None

    def keeps(self, running: int) -> bool:
        """If it is the first one and has no condition: for any other, ticks are counted."""
        return running == 0 and self.conditions[0] is ALWAYS


class UtilityGoals(_Preferring):
    """The goal of the greatest utility; of equal ones the running one, then the first written.

    Utilities are numbers, expressions or functions of the beliefs. A goal is not chosen while its
    utility is unknown, is not a number, or cannot be computed, nor while its condition in ``when``
    does not hold. ``inertia`` is added to the utility of the running goal. When another one has a
    greater utility after the beliefs have changed, the running one is interrupted as soon as the
    other has a plan. When a goal fails, or has nothing to do, the next one is tried.
    """

    @checked
    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        goals: Sequence[tuple[GoalLike, NumberLike]],
        *,
        when: Sequence[ConditionLike] = (),
        inertia: float = 0,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """``budget`` is that of the goals given as networks. Raises DomainError for those."""
        for pair in goals:
            if not _is_pair(pair):
                hint = "write pairs: [(fight(), Soldier.anger), (rest(), 1)]"
                raise DomainError("BT110", f"{pair!r} is no goal with its utility", hint=hint)
        super().__init__(name, agent, [goal_from(goal, agent, budget) for goal, _ in goals], when)
        self.inertia = inertia
        state_class = type(agent.beliefs.now)
        self.utilities = [number_from(value, state_class) for _, value in goals]
        self._version = -1

    def ranking(self) -> list[int]:
        """By utility, the greatest first."""
        self._version = self.agent.beliefs.version
        return self._by_utility(running=None)

    def better(self, running: int) -> list[int] | None:
        """The ones of greater utility than the running one, if the beliefs have changed."""
        if self._version == self.agent.beliefs.version:
            return None
        self._version = self.agent.beliefs.version
        return _before(running, self._by_utility(running))

    def keeps(self, running: int) -> bool:  # noqa: ARG002 - it was compared with all of them
        """Until the beliefs change."""
        return self._version == self.agent.beliefs.version

    def utility(self, index: int) -> float | None:
        """The utility of the goal now, None if it is unknown or cannot be computed."""
        value = self._evaluated("value", self.utilities, index)
        return value if isinstance(value, int | float) and value == value else None  # noqa: PLR0124 - isnan refuses huge integers

    def _by_utility(self, running: int | None) -> list[int]:
        worth: list[tuple[float, bool, int]] = []
        for index in self.allowed():
            value = self.utility(index)
            if value is not None:
                is_running = index == running
                inertia = self.inertia if is_running else 0
                worth.append((-value - inertia, not is_running, index))
        return [index for _, _, index in sorted(worth)]


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == _PAIR


def _had_nothing_to_do(child: Behaviour) -> bool:
    """Whether it is a goal that has ended with an empty plan, since it holds already."""
    if not isinstance(child, PlanGoal) or child.status is not Status.SUCCESS:
        return False
    return child.plan is not None and is_empty(child.plan)


def _before(running: int, ranking: list[int]) -> list[int]:
    """The positions before the running one; all if it is not among them."""
    return ranking[: ranking.index(running)] if running in ranking else ranking


class StateMachineGoals(Unpicklable, Composite):
    """The goal of the current state, started when the state is entered.

    ``state`` is an expression or a function of the beliefs. When its value changes, the running
    goal is interrupted and the one of the new state started in the same tick. A goal that has
    ended is not started again while the state stays; its status remains the answer. The node
    fails in a state without a goal, while the state is unknown, and when ``state`` raises.
    """

    @checked
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
        self.goals = made
        state_class = type(agent.beliefs.now)
        self.variable = expression_from(state, state_class)

    def tick(self) -> Iterator[Behaviour]:
        """Switch goals when the state has changed; tick the current one unless it has ended."""
        if self.status is not Status.RUNNING:
            self.initialise()
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
        runtime_of(self.agent).errors.raise_first()
        yield self

    def waits(self) -> Wait:
        """For the goal of the state; one that has ended counts if the goal is to be begun anew."""
        goal, parent = self.current_child, self.parent
        goes_on = parent is None or parent.status is Status.RUNNING  # else it may be reset
        if goal is None or (goes_on and goal.status in (Status.SUCCESS, Status.FAILURE)):
            return Wait()
        return Wait(below=(goal,))

    @work
    def _goal(self) -> Behaviour | None:
        """The goal of the current state, None without one."""
        try:
            with at_work_in(self, self.agent):
                self.state = self.variable.evaluate(self.agent.beliefs)
            found = None if self.state is UNKNOWN else self.goals.get(self.state)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = text_of(error)
            self.agent.emit(code_failed(f"state of '{self.name}'", error))
            return None
        if found is None:
            self.feedback_message = f"there is no goal for {value_text(self.state)}"
        else:
            self.feedback_message = f"in {value_text(self.state)}"
        return found


def goal_from(goal: GoalLike, agent: Agent[Any, Any], budget: Budget = DEFAULT_BUDGET) -> Behaviour:
    """The behaviour itself, or a PlanGoal named after the network. Raises DomainError."""
    if isinstance(goal, Behaviour):
        return goal
    network = network_from(goal)
    return PlanGoal(network_text(network), agent, network, budget=budget)
