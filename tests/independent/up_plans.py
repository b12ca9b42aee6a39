"""Verifies plans of Unified Planning, those for tasks with their decomposition, by its own means.

Its validator judges the steps, and gives the states between them; it has none for decompositions.
One is right if each task is what the method says, or the step, with its arguments, in its order;
if each step is in it once; and if the precondition of each method holds at some moment after all
that is ordered before it, and not after its first step.
"""

from itertools import pairwise, product
from typing import Any

from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.model import Problem
from unified_planning.model.htn import HierarchicalProblem
from unified_planning.model.walkers import StateEvaluator
from unified_planning.plans import ActionInstance


class NotAPlan(Exception):  # noqa: N818 - the sentence is the name
    """The plan is none for the problem."""


def verify(problem: Any, plan: Any) -> int:
    """The number of steps. Raises NotAPlan for a plan that is none for the problem."""
    if not isinstance(problem, HierarchicalProblem):
        _states(problem, plan)
        return len(plan.actions)
    states = _states(_without_tasks(problem), plan.action_plan)
    _Verifier(problem, plan, states).verify()
    return len(plan.action_plan.actions)


def _states(problem: Problem, plan: Any) -> list[Any]:
    result = SequentialPlanValidator().validate(problem, plan)
    if result.status is not ValidationResultStatus.VALID:
        raise NotAPlan(str(result))
    return result.trace


def _without_tasks(problem: HierarchicalProblem) -> Problem:
    plain = Problem(problem.name, problem.environment)
    for fluent in problem.fluents:
        default = problem.fluents_defaults.get(fluent)
        plain.add_fluent(fluent, default_initial_value=default)
    plain.add_objects(problem.all_objects)
    plain.add_actions(problem.actions)
    for fluent, value in problem.explicit_initial_values.items():
        plain.set_initial_value(fluent, value)
    for goal in problem.goals:
        plain.add_goal(goal)
    return plain


class _Verifier:
    def __init__(self, problem: HierarchicalProblem, plan: Any, states: list[Any]) -> None:
        self.problem, self.plan, self.states = problem, plan, states
        self.evaluator = StateEvaluator(problem)
        self.places = {id(step): n for n, step in enumerate(plan.action_plan.actions)}
        self.seen: list[int] = []

    def verify(self) -> None:
        network = self.problem.task_network
        count = len(self.places)
        unbound = [self.problem.objects(each.type) for each in network.variables]
        for chosen in product(*map(list, unbound)):
            values = dict(zip(network.variables, map(self.expression, chosen), strict=True))
            self.seen = []
            try:
                self.check_network(network, self.plan.decomposition, values, 0, count)
            except NotAPlan:
                if not network.variables:
                    raise
            else:
                if sorted(self.seen) == list(range(count)):
                    return
        raise NotAPlan("the tasks do not come to these steps")

    def expression(self, thing: Any) -> Any:
        return self.problem.environment.expression_manager.ObjectExp(thing)

    def holds(self, condition: Any, values: dict[Any, Any], place: int) -> bool:
        manager = self.problem.environment.expression_manager
        given = {manager.ParameterExp(each): value for each, value in values.items()}
        return self.evaluator.evaluate(condition.substitute(given), self.states[place]).is_true()

    def check_network(
        self, network: Any, decomposition: Any, values: dict[Any, Any], begin: int, end: int
    ) -> None:
        """Check what became of a network that begins and ends in between."""
        tasks = {each.identifier: each for each in network.subtasks}
        if tasks.keys() != decomposition.subtasks.keys():
            raise NotAPlan(f"{[*decomposition.subtasks]} are not the tasks {[*tasks]}")
        if not all(self.holds(each, values, 0) for each in network.non_temporal_constraints()):
            raise NotAPlan("a constraint does not hold")
        total = network.total_order()
        before = network.partial_order() if total is None else list(pairwise(total))
        spans = {name: self.span(each) for name, each in decomposition.subtasks.items()}
        for name, task in tasks.items():
            earliest = max(
                [begin, *(self.end_of(spans, a, before) for a, b in before if b == name)]
            )
            latest = min([end, *(self.start_of(spans, b, before) for a, b in before if a == name)])
            self.check(task, decomposition.subtasks[name], values, earliest, latest)

    def end_of(self, spans: Any, name: str, before: Any) -> int:
        """Where a task ends at the least: tasks without a step end with those before them."""
        if spans[name] is not None:
            return spans[name][1]
        return max((self.end_of(spans, a, before) for a, b in before if b == name), default=0)

    def start_of(self, spans: Any, name: str, before: Any) -> int:
        if spans[name] is not None:
            return spans[name][0]
        ends = (self.start_of(spans, b, before) for a, b in before if a == name)
        return min(ends, default=len(self.places))

    def span(self, done: Any) -> tuple[int, int] | None:
        """The places before the first and behind the last step; None if there is none."""
        if isinstance(done, ActionInstance):
            if id(done) not in self.places:
                raise NotAPlan(f"{done} is no step of the plan")
            return self.places[id(done)], self.places[id(done)] + 1
        inside = filter(None, map(self.span, done.decomposition.subtasks.values()))
        return (
            (min(a for a, _ in spans), max(b for _, b in spans)) if (spans := [*inside]) else None
        )

    def check(self, task: Any, done: Any, values: dict[Any, Any], begin: int, end: int) -> None:
        wanted = [values[e.parameter()] if e.is_parameter_exp() else e for e in task.parameters]
        span = self.span(done)
        if span is not None and not begin <= span[0] <= span[1] <= end:
            raise NotAPlan(f"{task} is done from {span[0]} to {span[1]}, not {begin} to {end}")
        if isinstance(done, ActionInstance):
            if done.action != task.task or list(done.actual_parameters) != wanted:
                raise NotAPlan(f"{done} is not {task}")
            self.seen.append(self.places[id(done)])
            return
        achieved = done.method.achieved_task
        own = dict(zip(done.method.parameters, done.parameters, strict=True))
        by_name = {each.name: value for each, value in own.items()}
        if achieved.task != task.task or [by_name[e.name] for e in achieved.parameters] != wanted:
            raise NotAPlan(f"{done.method.name} does not achieve {task} here")
        for parameter, value in own.items():
            if not parameter.type.is_compatible(value.type):
                raise NotAPlan(f"{value} is no {parameter.type}")
        latest = end if span is None else span[0]
        for place in range(begin, latest + 1):
            if all(self.holds(each, own, place) for each in done.method.preconditions):
                self.check_network(done.method, done.decomposition, own, place, end)
                return
        raise NotAPlan(f"{done.method.name} may not be chosen here")
