"""From a domain and a problem as data to what is planned: a domain, a state and a goal."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bthtn.engine.domain.builder import Domain, Primitive
from bthtn.engine.domain.construct import partial_order, unordered
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Methods, WrittenMethod, method
from bthtn.engine.domain.network import NULL, NetworkLike, sequence
from bthtn.engine.domain.task import PrimitiveTask, Task
from bthtn.engine.domain.variable import one_of
from bthtn.engine.planning.strips.achieve import achieve
from bthtn.engine.planning.strips.ground import opaque_parts
from bthtn.engine.planning.strips.instances import Statics
from bthtn.engine.world.expression import NOTHING_KNOWN, Expression, Parameter, as_expression
from bthtn.kit.formats.hddl.actions import Actions
from bthtn.kit.formats.hddl.decomposition import ROOT
from bthtn.kit.formats.hddl.functions import Functions
from bthtn.kit.formats.hddl.names import python_names
from bthtn.kit.formats.hddl.necessary import Needs, conjuncts_of, literals_in, terms_of
from bthtn.kit.formats.hddl.orders import arranged, in_line
from bthtn.kit.formats.hddl.parser import OBJECT
from bthtn.kit.formats.hddl.problem import PlanningProblem
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import (
    Action,
    And,
    Atom,
    Condition,
    Declared,
    DomainFile,
    Method,
    Network,
    ProblemFile,
    Signature,
)
from bthtn.kit.formats.hddl.truths import Truth, Truths, equal
from bthtn.kit.formats.hddl.world import World
from bthtn.records import record


def planning_problem(domain: DomainFile, problem: ProblemFile) -> PlanningProblem:
    """What is to be planned. Raises InputError for what cannot be."""
    return _Lowering(domain, problem).lowered()


def domain_alone(domain: DomainFile) -> FrozenDomain:
    """The domain for a problem without objects: its tasks and methods, to be shown and checked."""
    always = And((), 0)
    nothing = ProblemFile(
        domain.source, "", domain.name, domain.constants, (), (), (),
        Network((), (), always, 0), always, "",
    )  # fmt: skip
    return _Lowering(domain, nothing, is_alone=True).lowered().domain


@record(eq=False)
class _Part:
    """A network with its variables and conditions, as a method or a problem has it.

    ``scope`` has the parameters of the task by the variables that stand for them.
    """

    name: str
    variables: tuple[Declared, ...]
    conditions: tuple[Condition, ...]
    network: Network
    scope: Mapping[str, Expression[Any]]
    source: Source


class _Lowering:
    def __init__(self, domain: DomainFile, problem: ProblemFile, *, is_alone: bool = False) -> None:
        self._file, self._problem, self._is_alone = domain, problem, is_alone
        self._needs = Needs(domain, is_total=_is_total(domain, problem))
        self._world = World(domain, problem, self._needs.changing, self._needs.growing)
        self._truths = Truths(self._world)
        self._functions = Functions(domain, problem)
        self._methods: dict[str, list[Method]] = {name: [] for name in domain.tasks}
        for each in domain.methods:
            self._methods[each.task.name].append(each)
        if problem.network is not None and any(conjuncts_of(problem.goal)):
            # Any order of methods is as good in HDDL. One that ends a recursion before the goal is
            # reached would be found out only behind the last task.
            for methods in self._methods.values():
                methods.sort(key=lambda each: not _comes_back(each))
        self._tasks: dict[str, Task] = {}

    def lowered(self) -> PlanningProblem:
        """The domain, the state and the goal."""
        domain = Domain(self._file.name, self._world.state_class)
        narrow = self._narrow()
        actions = Actions(self._world, self._truths, self._file.source, self._functions)
        for action in self._file.actions.values():
            described = self._description(action, actions, narrow[action.name])
            self._tasks[action.name] = domain.primitive(described)
        for task in self._file.tasks.values():
            define = domain.compound if self._methods[task.name] else domain.extension_point
            self._tasks[task.name] = define(self._definition(task))
        goal = self._goal(domain)
        return PlanningProblem(domain.freeze(), self._world.start(), goal)

    # actions

    def _description(self, action: Action, actions: Actions, narrow: set[str]) -> Any:
        """The function that describes the primitive task of an action."""

        def described(*values: Expression[Any]) -> Primitive:
            scope = _by_name(action.parameters, values)
            of = self._truths.of_type
            types = [of(scope[e.name], e.types) for e in action.parameters if e.name in narrow]
            return actions.described(action, scope, types)

        return _signed(described, action.spelled, action.parameters)

    def _narrow(self) -> dict[str, set[str]]:
        """The parameters of actions for which values of other types may be given.

        Where an action is called for in a method, the types of its arguments are mostly known.
        """
        actions = self._file.actions.values()
        if self._problem.network is None:
            return {each.name: {p.name for p in each.parameters} for each in actions}
        found: dict[str, set[str]] = {each.name: set() for each in actions}
        networks = [(each.network, each.parameters) for each in self._file.methods]
        networks.append((self._problem.network, self._problem.variables))
        for network, variables in networks:
            types = {each.name: each.types for each in variables}
            for call in network.tasks:
                action = self._file.actions.get(call.name)
                parameters = action.parameters if action else ()
                for term, parameter in zip(call.terms, parameters, strict=False):
                    if not self._world.are_among(self._types_of(term, types), parameter.types):
                        found[call.name].add(parameter.name)
        return found

    def _types_of(self, term: str, types: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The declared types of a variable or an object."""
        return types[term] if term in types else self._problem.objects[term].types

    # methods

    def _definition(self, task: Signature) -> Any:
        """The function that yields the methods of a task."""

        def defined(*values: Parameter[Any]) -> Methods:
            for each in self._methods[task.name]:
                yield self._method(each, task, values)

        return _signed(defined, task.spelled, task.parameters)

    def _method(
        self, written: Method, task: Signature, values: Sequence[Parameter[Any]]
    ) -> WrittenMethod:
        scope: dict[str, Expression[Any]] = {}
        truths: list[Truth] = []
        variables = {each.name: each for each in written.parameters}
        for term, value, parameter in zip(written.task.terms, values, task.parameters, strict=True):
            if term in scope or term not in variables:
                truths.append(equal(value, self._truths.term(term, scope)))
                continue
            scope[term] = value
            if not self._world.are_among(parameter.types, variables[term].types):
                truths.append(self._truths.of_type(value, variables[term].types))
        conditions = [*conjuncts_of(written.condition), *conjuncts_of(written.network.constraints)]
        part = _Part(
            written.spelled, written.parameters, tuple(conditions), written.network, scope,
            self._file.source,
        )  # fmt: skip
        return self._decomposition(part, truths)

    def _decomposition(self, part: _Part, truths: list[Truth]) -> WrittenMethod:
        """The method: its free variables in groups, each of which is chosen together."""
        free = [each for each in part.variables if each.name not in part.scope]
        conditions = [*part.conditions, *self._pulled_up(part)]
        scope: dict[str, Any] = dict(part.scope)
        if not self._is_alone and not all(self._world.of_types(each.types) for each in free):
            return method(when=False, name=part.name)
        for group in _groups(free, conditions):
            values: list[Any] = [self._values(each.types) for each in group]
            names = [each.name for each in group]
            scope |= zip(names, _chosen(values, names), strict=True)
        own = {each.name for each in free}
        for each in conditions:
            if isinstance(each, Atom) and not own.isdisjoint(each.terms):
                truths += self._first(each, scope)
            truths.append(self._truths.of(each, scope, part.source))
        return method(self._body(part.network, scope), when=truths, name=part.name)

    def _first(self, atom: Atom, scope: Mapping[str, Any]) -> list[Truth]:
        """Where no action makes an atom true: that it was so at first, which a join looks up."""
        if atom.name not in self._world.shrinking:
            return []
        values = [self._truths.term(term, scope) for term in atom.terms]
        return [self._world.fluent("first", atom.name, values)]

    def _values(self, types: tuple[str, ...]) -> Any:
        """The objects of these types: a relation where it is one type."""
        if len(types) == 1 and types[0] != OBJECT:
            return self._world.fluent("type", types[0])
        return tuple(self._world.of_types(types)) or ("",)

    def _pulled_up(self, part: _Part) -> Iterator[Condition]:
        """What the tasks of a network need when it begins, as far as it is not known."""
        known = {literal for each in part.conditions for literal in literals_in(each)}
        types = {each.name: each.types for each in part.variables}
        for literal in self._needs.of_network(part.network):
            if literal.types:
                given = self._types_of(literal.terms[0], types)
                if self._world.are_among(given, literal.types):
                    continue
            if literal not in known:
                yield literal.condition

    def _body(self, network: Network, scope: Mapping[str, Any]) -> NetworkLike:
        calls = [
            self._tasks[call.name](*(self._truths.term(term, scope) for term in call.terms))
            for call in network.tasks
        ]
        return sequence(*arranged(network, calls, _Constructs())) if calls else NULL

    # the goal

    def _goal(self, domain: Domain[Any]) -> NetworkLike:
        problem = self._problem
        goal = self._truths.of(problem.goal, {}, problem.source)
        if problem.network is None:
            return self._achieved(goal, domain.freeze())
        final = () if goal is True else (as_expression(goal),)
        constraints = tuple(conjuncts_of(problem.network.constraints))
        if not problem.variables and not constraints:
            return (self._body(problem.network, {}), *final)
        part = _Part("", problem.variables, constraints, problem.network, {}, problem.source)

        def htn() -> Methods:
            yield self._decomposition(part, [])

        return (domain.compound(_signed(htn, ROOT, ()))(), *final)

    def _achieved(self, goal: Truth, domain: FrozenDomain) -> NetworkLike:
        """The goal, from which a search goes back if it can through all actions."""
        tasks = [task for task in domain.tasks.values() if isinstance(task, PrimitiveTask)]
        statics = Statics(tasks, {}, NOTHING_KNOWN)
        is_opaque = any(part for task in tasks for part in opaque_parts(task, statics))
        names = {parameter.name for task in tasks for parameter in task.parameters}
        objects = dict.fromkeys(names, self._world.of_types((OBJECT,)))
        return achieve(goal, objects=objects, forward=is_opaque or self._functions.are_compared)


class _Constructs:
    def sequence(self, parts: Sequence[NetworkLike]) -> NetworkLike:
        return sequence(*parts)

    def unordered(self, parts: Sequence[NetworkLike]) -> NetworkLike:
        return unordered(*parts)

    def partial_order(self, orders: Sequence[str], parts: dict[str, NetworkLike]) -> NetworkLike:
        return partial_order(*orders, **parts)


def _is_total(domain: DomainFile, problem: ProblemFile) -> bool:
    """Whether no step of one task can come between those of another."""
    networks = [method.network for method in domain.methods]
    networks += [problem.network] if problem.network else []
    return all(in_line(network) is not None for network in networks)


def _comes_back(written: Method) -> bool:
    """Whether a method has its own task among its subtasks."""
    return any(call.name == written.task.name for call in written.network.tasks)


def _groups(free: Sequence[Declared], conditions: Sequence[Condition]) -> Iterator[list[Declared]]:
    """The variables in groups, such that each condition is about those of one group."""
    own = {each.name for each in free}
    about = [own & set(terms_of(condition)) for condition in conditions]
    left = {each.name: each for each in free}
    while left:
        names: set[str] = set()
        more = {next(iter(left))}
        while more != names:
            names = more
            more = names.union(*(terms for terms in about if terms & names))
        yield [left.pop(each.name) for each in free if each.name in names]


def _chosen(values: Sequence[Any], names: Sequence[str]) -> Sequence[Any]:
    """A variable for each of the values."""
    chosen: Any = one_of(*values)
    variables: Sequence[Any] = [chosen] if len(values) == 1 else tuple(chosen)
    for variable, name in zip(variables, names, strict=True):
        variable.call(name.removeprefix("?"))
    return variables


def _by_name(variables: Sequence[Declared], values: Sequence[Any]) -> dict[str, Any]:
    return {each.name: value for each, value in zip(variables, values, strict=True)}


def _signed(function: Any, name: str, parameters: Sequence[Declared]) -> Any:
    """The function with this name, and with these parameters instead of any."""
    names = python_names(each.spelled for each in parameters).values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = [inspect.Parameter(each, kind, annotation=str) for each in names]
    function.__name__, function.__signature__ = name, inspect.Signature(given)
    function.__annotations__ = dict.fromkeys(names, str)
    return function
