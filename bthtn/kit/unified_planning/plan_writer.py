"""Plans as those of Unified Planning."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

from unified_planning.model.htn import HierarchicalProblem
from unified_planning.plans import ActionInstance, HierarchicalPlan, SequentialPlan
from unified_planning.plans.hierarchical_plan import Decomposition, MethodInstance

from bthtn.engine.plan.plan import Plan
from bthtn.kit.formats.hddl.decomposition import Done, decomposition
from bthtn.kit.formats.hddl.necessary import closed
from bthtn.kit.formats.hddl.orders import in_line
from bthtn.kit.formats.hddl.syntax import Network
from bthtn.kit.unified_planning.problem_reader import Reading


def written(plan: Plan, problem: Any, reading: Reading) -> Any:
    """The plan for a problem that was read so, with its decomposition if that has one."""
    return _Writer(problem, reading).written(plan)


class _Writer:
    def __init__(self, problem: Any, reading: Reading) -> None:
        self._problem, self._reading = problem, reading
        self._methods = {each.spelled: each for each in reading.domain.methods}
        self._instances: dict[int, Any] = {}
        """The steps of Unified Planning by the ids of those of bthtn."""

    def written(self, plan: Plan) -> Any:
        """The plan."""
        environment = self._problem.environment
        if not isinstance(self._problem, HierarchicalProblem):
            steps = [self._step(task.name, args) for task, args in plan.actions]
            return SequentialPlan(steps, environment)
        done, roots = decomposition(plan)
        own = [step for step in done if step.name not in self._reading.telling]
        self._instances = {id(step): self._step(step.name, step.args) for step in own}
        network = self._reading.problem.network
        assert network is not None, "a hierarchical problem has one"
        tasks = self._tasks(self._problem.task_network, network, roots, {})
        return HierarchicalPlan(SequentialPlan([*self._instances.values()], environment), tasks)

    def _step(self, name: str, args: Sequence[str]) -> Any:
        return ActionInstance(self._problem.action(name), tuple(map(self._object, args)))

    def _object(self, name: str) -> Any:
        manager = self._problem.environment.expression_manager
        return manager.ObjectExp(self._problem.object(name))

    def _tasks(
        self, owner: Any, network: Network, done: Sequence[Done], values: dict[str, str]
    ) -> Any:
        """What became of the tasks of a network. ``values`` gets those of its variables."""
        found = matched(network, done, values)
        # Those of Unified Planning come first: a step that only tells values is the last one.
        names = [each.identifier for each in owner.subtasks]
        return Decomposition({name: self._of(found[n]) for n, name in enumerate(names)})

    def _of(self, done: Done) -> Any:
        if not done.method:
            return self._instances[id(done)]
        read, method = self._methods[done.method], self._problem.method(done.method)
        values = dict(zip(read.task.terms, done.args, strict=True))
        tasks = self._tasks(method, read.network, done.tasks, values)
        given = tuple(self._object(values[each.name]) for each in read.parameters)
        return MethodInstance(method, given, tasks)


def matched(network: Network, done: Sequence[Done], values: dict[str, str]) -> Mapping[int, Done]:
    """For each task of a network the one that it has become; ``values`` gets its variables'.

    In a total order, it is the one at its place, and else the one of its name where that is alone.
    Then all values are known: of those with equal arguments, which comes first is done first.
    """
    line = in_line(network)
    found: dict[int, Done] = {}
    if line is not None:
        found = dict(zip(line, done, strict=True))
    else:
        counts = Counter(task.name for task in network.tasks)
        of_name = {each.name: each for each in done}
        found = {n: of_name[t.name] for n, t in enumerate(network.tasks) if counts[t.name] == 1}
    for number, each in found.items():
        values |= zip(network.tasks[number].terms, each.args, strict=True)
    left: dict[tuple[str, tuple[str, ...]], deque[Done]] = {}
    for each in done:
        left.setdefault((each.name, each.args), deque()).append(each)
    for number in _in_order(network):
        if number not in found:
            name, terms, _ = network.tasks[number]
            found[number] = left[name, tuple(values.get(t, t) for t in terms)].popleft()
    return found


def _in_order(network: Network) -> list[int]:
    """The tasks, each behind those that come before it."""
    count = len(network.tasks)
    earlier = Counter(then for _, then in closed(count, network.before))
    return sorted(range(count), key=lambda number: earlier[number])
