"""A domain, a state and a goal as a problem of Unified Planning, for its other planners.

    a fluent, a family, a relation      a fluent
    a string, a member of an Enum       an object; all strings are of one type
    achieve(condition)                  a problem with a goal
    tasks                               a hierarchical problem: constructs are tasks, too
    a variable of a method              a parameter of it, with a precondition

What is data can be written. What a function computes, and what is decided when a plan runs, cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, assert_never

from unified_planning.environment import get_environment
from unified_planning.model import InstantaneousAction, MinimizeActionCosts, Problem
from unified_planning.model import Parameter as Argument
from unified_planning.model.htn import HierarchicalProblem, Task
from unified_planning.model.htn import Method as Ways

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import Pursuit, given_for
from bthtn.engine.domain.join import Range
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import (
    NULL,
    DeferNetwork,
    Network,
    NetworkLike,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
)
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, pursuit_alone, question_of, start_of
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import (
    Constant,
    Expression,
    Matching,
    Parameter,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent, MemberOf
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.state import FrozenState, State
from bthtn.kit.unified_planning.world_writer import World

_WRITTEN: Final = ("", "condition", "first_of", "one_of", "optional", "random_of", "unordered",
    "until", "with_cleanup", "finally",
)  # fmt: skip
"""The constructs whose tasks are written, by the word for them; "" is that of tasks with names."""


@checked
def to_unified_planning(
    domain: Domain[Any] | FrozenDomain, state: State | FrozenState, goal: NetworkLike
) -> Any:
    """A ``Problem`` of Unified Planning for what is planned here: for tasks a hierarchical one.

    Raises DomainError for what has no form there, and for a malformed domain or goal.
    """
    whole, network = question_of(domain, goal, DEFAULT_SETTINGS)
    return _Writer(whole, start_of(whole, state), network).written()


Called = tuple[Any, list[Any]]
"""A task with its arguments, as Unified Planning has both."""


class _Writer:
    def __init__(self, domain: FrozenDomain, state: FrozenState, goal: Network) -> None:
        self._domain, self._state, self._goal = domain, state, goal
        self._pursuit = pursuit_alone(domain, goal)
        kind = Problem if self._pursuit else HierarchicalProblem
        self._problem = kind(domain.name, get_environment())
        self._manager = self._problem.environment.expression_manager
        self._world = World(self._problem, state, domain.schema)
        self._costs: dict[Any, Any] = {}
        self._tasks: dict[str, Any] = {}
        """The actions and tasks that were written, by the names of those of bthtn."""
        self._changing = {
            effect.target.family.name if isinstance(effect.target, MemberOf) else effect.target.name
            for task in domain.tasks.values()
            if isinstance(task, PrimitiveTask)
            for effect in (*task.effects, *task.expected)
            if isinstance(effect, Assignment) and isinstance(effect.target, MemberOf | Fluent)
        }

    def written(self) -> Any:
        """The problem."""
        if self._pursuit is None:
            calls = [list(self._calls(self._goal))]
            self._join(self._problem.task_network, self._called(calls, {}, None))
        else:
            self._achieved(self._pursuit)
        if any(
            not cost.is_constant() or cost.constant_value() != 1 for cost in self._costs.values()
        ):
            self._problem.add_quality_metric(MinimizeActionCosts(self._costs))
        return self._problem

    def _achieved(self, pursuit: Pursuit) -> None:
        objects = pursuit.values(self._state, ())
        for task in pursuit.actions:
            self._primitive(task, {p.position: given_for(p, objects) for p in task.parameters})
        self._world.where = "the goal"
        for part in conjuncts(pursuit.condition):
            self._problem.add_goal(self._world.condition(part, {}))

    # steps

    def _primitive(
        self, task: PrimitiveTask[...], values: Mapping[int, Sequence[Any] | None] = {}
    ) -> None:
        world = self._world
        world.where = f"task '{task.name}'"
        arguments = {each.position: self._argument(each) for each in task.parameters}
        scope = self._scope(arguments)
        types = {each.name: each.type for each in arguments.values()}
        action = InstantaneousAction(world.named(task.name), types, self._problem.environment)
        for each in task.parameters:
            listed = values.get(each.position) or each.literals
            if listed:
                among = world.among(listed, f"values of {each.name}", [scope[each.position]])
                action.add_precondition(among)
        for part in conjuncts(task.precondition):
            action.add_precondition(world.condition(part, scope))
        for effect in (*task.effects, *task.expected):
            if not isinstance(effect, Assignment):
                world.refuse(f"the effect '{effect}'", "write it as data, not as a function")
            target = world.value(effect.target, scope)
            if any(each.is_fluent_exp() for each in target.args):
                hint = "give the task a parameter that its precondition makes equal to it"
                world.refuse(f"the effect '{effect}', whose index reads the state", hint)
            value = world.value(effect.value, scope, target.type)
            (action.add_increase_effect if effect.grows else action.add_effect)(target, value)
        self._problem.add_action(action)
        self._tasks[task.name] = action
        self._costs[action] = world.value(task.cost, scope)

    def _argument(self, parameter: Parameter[Any], kind: Any = None) -> Any:
        """The parameter of an action, a task or a method."""
        if kind is None:
            what = f"the parameter '{parameter.name}'"
            kind = self._world.object_type(parameter.type or object, what)
        return Argument(parameter.name, kind, self._problem.environment)

    def _scope(self, arguments: Mapping[int, Any]) -> dict[int, Any]:
        return {place: self._manager.ParameterExp(each) for place, each in arguments.items()}

    # tasks

    def _compound(self, task: CompoundTask[...], kinds: Mapping[int, Any]) -> None:
        """Write a task; one of a construct has the parameters that are given, of these types."""
        world = self._world
        world.where = f"task '{task.name}'"
        if task.origin not in _WRITTEN or task.decorator is not None:
            world.refuse(f"'{task.doc}'")
        arguments = {
            each.position: self._argument(each, kinds.get(each.position))
            for each in task.parameters
            if not task.origin or each.position in kinds
        }
        named = Task(world.named(task.name), [*arguments.values()], self._problem.environment)
        self._problem.add_task(named)
        self._tasks[task.name] = named
        for method, chains in self._methods(task):
            world.where = f"task '{task.name}'"
            self._method(task, named, dict(arguments), method, chains)

    def _methods(self, task: CompoundTask[...]) -> Iterator[tuple[Method, list[list[TaskCall]]]]:
        """The methods of a task, with the calls that come one after the other in each."""
        methods = self._domain.methods[task]
        if task.origin == "unordered":
            in_turns = methods[-1].body
            assert isinstance(in_turns, TaskCall), "it is lowered so"
            assert isinstance(in_turns.task, CompoundTask), "so is this"
            bodies = [each.body for each in self._domain.methods[in_turns.task][:-1]]
            yield Method(NULL, name="all"), [self._calls(body) for body in bodies]
            return
        for method in methods:
            if not (isinstance(method.cost, Constant) and method.cost.value == 0):
                self._world.refuse(f"the cost of the method '{method.name}'", "give it to a step")
            yield method, [self._calls(method.body)]

    def _calls(self, body: Network | PlainBody) -> list[TaskCall]:
        """The tasks of a network that come one after the other."""
        match body:
            case TaskCall():
                return [body]
            case SequenceNetwork(parts):
                return [call for part in parts for call in self._calls(part)]
            case NullNetwork():
                return []
            case PlainBody():
                hint = "write its networks as data: method(…, when=…)"
                return self._world.refuse(f"the method '{body}', a function", hint)
            case ParallelNetwork() | PriorityNetwork() | DeferNetwork() | PauseNetwork():
                return self._world.refuse(f"'{network_text(body)}'")
            case _:
                assert_never(body)

    def _method(
        self,
        task: CompoundTask[...],
        named: Any,
        arguments: dict[int, Any],
        method: Method,
        chains: list[list[TaskCall]],
    ) -> None:
        world, given = self._world, [*arguments.values()]
        conditions: list[Any] = []
        if isinstance(task.choice, ValueChoice):
            conditions += self._chosen(task.choice, arguments)
        scope = self._scope(arguments)
        conditions += [world.condition(part, scope) for part in conjuncts(method.condition)]
        lifted = _Lifted([], conditions)
        called = self._called(chains, scope, lifted)
        own = [*arguments.values(), *lifted.arguments]
        name = world.named(f"{task.name}: {method.name or len(self._problem.methods)}")
        ways = Ways(name, own, self._problem.environment)
        ways.set_task(named, *given)
        for condition in conditions:
            ways.add_precondition(condition)
        self._join(ways, called)
        self._problem.add_method(ways)

    def _chosen(self, choice: ValueChoice, arguments: dict[int, Any]) -> Iterator[Any]:
        """The conditions on the variables of a method, which become arguments."""
        names = dict(zip(choice.positions, choice.names, strict=True))
        ranges = choice.join.ranges if choice.join else [Range(choice.ranges[0], choice.positions)]
        for each in ranges:
            if each.whole in choice.positions:
                self._world.refuse(f"a tuple as the value of '{names[each.whole]}'", "unpack it")
            makes, kinds = self._range(each, self._scope(arguments))
            own = []
            for place, kind in zip(each.places, kinds, strict=True):
                name = f"{names.get(place) or 'value'} {place}"
                arguments[place] = Argument(name, kind, self._problem.environment)
                own.append(self._manager.ParameterExp(arguments[place]))
            yield makes(own)

    def _range(
        self, each: Range, scope: Mapping[int, Any]
    ) -> tuple[Callable[[list[Any]], Any], list[Any]]:
        """What makes the condition that arguments are among the values, and their types."""
        world, values = self._world, each.values
        if isinstance(values, Matching | Relation):
            relation: Any = values.relation if isinstance(values, Matching) else values
            made = world.fluent(relation)
            pattern = values.pattern if isinstance(values, Matching) else (None,) * made.arity
            kinds = [
                p.type for p, part in zip(made.signature, pattern, strict=True) if part is None
            ]

            def matching(own: list[Any]) -> Any:
                left = iter(own)
                return made(*(next(left) if p is None else world.value(p, scope) for p in pattern))

            return matching, kinds
        if self._reads(values) & self._changing or any(
            not isinstance(leaf, Fluent | Constant) for leaf in leaves_of(values)
        ):
            world.refuse(f"the values '{values}', which depend on the state", "use a relation")
        found: Any = values.evaluate(self._state)
        rows = sorted(found, key=str) if isinstance(found, frozenset) else [*found]
        first = rows[0] if rows else ("",) * len(each.places)
        parts = first if len(each.places) > 1 or not rows else (first,)
        kinds = [world.object_type(type(part), f"a value of '{values}'") for part in parts]
        text = "listed values" if isinstance(values, Constant) else f"values of {values}"
        return lambda own: world.among(rows, text, own), kinds

    def _reads(self, expression: Expression[Any]) -> set[str]:
        """The names of the fluents in an expression."""
        leaves = [*leaves_of(expression)]
        inside = [leaf for m in leaves if isinstance(m, MemberOf) for leaf in leaves_of(m.index)]
        names = {leaf.name for leaf in (*leaves, *inside) if isinstance(leaf, Fluent)}
        return names | {
            leaf.family.name for leaf in (*leaves, *inside) if isinstance(leaf, MemberOf)
        }

    # networks

    def _called(
        self, chains: list[list[TaskCall]], scope: Mapping[int, Any], lifted: _Lifted | None
    ) -> list[list[Called]]:
        return [
            [
                self._call(call, scope, lifted, is_first=not place and len(chains) == 1)
                for place, call in enumerate(chain)
            ]
            for chain in chains
        ]

    def _call(
        self, call: TaskCall, scope: Mapping[int, Any], lifted: _Lifted | None, *, is_first: bool
    ) -> Called:
        task, kept, kinds = call.task, list(call.args), dict[int, Any]()
        if isinstance(task, CompoundTask) and task.origin:
            kept = [a for a in kept if isinstance(a, Parameter) and a.position in scope]
            kinds = {a.position: scope[a.position].type for a in kept if isinstance(a, Parameter)}
        where = self._world.where
        if task.name not in self._tasks:
            if isinstance(task, PrimitiveTask):
                self._primitive(task)
            else:
                self._compound(task, kinds)
        self._world.where = where
        named = self._tasks[task.name]
        arguments = [
            self._passed(arg, wanted.type, scope, lifted, is_first=is_first)
            for arg, wanted in zip(kept, named.parameters, strict=True)
        ]
        return named, arguments

    def _passed(
        self,
        given: Expression[Any],
        kind: Any,
        scope: Any,
        lifted: _Lifted | None,
        *,
        is_first: bool,
    ) -> Any:
        """An argument of a subtask; one that reads the state is a further one of the method."""
        node = self._world.value(given, scope, kind)
        reads = self._reads(given)
        if not reads:
            return node
        if lifted is None or not (is_first or reads.isdisjoint(self._changing)):
            hint = "choose it with one_of, and make it equal in the method's condition"
            self._world.refuse(f"the argument '{given}', which is known when its turn comes", hint)
        name = f"argument {len(lifted.arguments) + 1}"
        argument = Argument(name, kind, self._problem.environment)
        lifted.arguments.append(argument)
        lifted.conditions.append(self._manager.Equals(node, argument))
        return self._manager.ParameterExp(argument)

    def _join(self, network: Any, called: list[list[Called]]) -> None:
        """Put the tasks into a network of Unified Planning, in their order."""
        for chain in called:
            added = [network.add_subtask(task, *arguments) for task, arguments in chain]
            network.set_ordered(*added)


class _Lifted(NamedTuple):
    """Further arguments of a method, and its conditions."""

    arguments: list[Any]
    conditions: list[Any]
