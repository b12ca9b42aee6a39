"""Problems of Unified Planning as the domain and the problem that HDDL would say.

    a fluent that is true or false      a predicate
    any other fluent                    a function, which is a number or an object
    an effect that leaves the bounds    a precondition that it does not

Names are kept. What HDDL has no words for is said by others: ``f(g(x))`` is ``f(y)`` for some ``y``
that ``g(x)`` is, and two conditions that are equivalent are both true or both false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from unified_planning.model import OperatorKind
from unified_planning.model.htn import HierarchicalProblem

from bthtn.errors import InputError
from bthtn.kit.formats.hddl.orders import in_line
from bthtn.kit.formats.hddl.parser import OBJECT
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import (
    Action,
    And,
    Assign,
    Atom,
    Calculation,
    Change,
    Compared,
    Condition,
    Declared,
    DomainFile,
    Effect,
    Equal,
    Exists,
    ForAll,
    Increase,
    Method,
    Network,
    Not,
    Or,
    ProblemFile,
    Signature,
    Value,
)
from bthtn.records import record

COST: Final = "cost of the plan"
"""The function that is minimized."""
_COMPARED: Final = {OperatorKind.EQUALS: "==", OperatorKind.LT: "<", OperatorKind.LE: "<="}
_CALCULATED: Final = {
    OperatorKind.PLUS: "+",
    OperatorKind.MINUS: "-",
    OperatorKind.TIMES: "*",
    OperatorKind.DIV: "/",
}


class Reading(NamedTuple):
    """What a problem says. ``telling`` are actions that it has not, which tell values in plans."""

    domain: DomainFile
    problem: ProblemFile
    telling: frozenset[str]


def read(problem: Any) -> Reading:
    """The domain and the problem in one of Unified Planning. Raises InputError for what is not."""
    return _Reader(problem).read()


@record(eq=False)
class _Parts(Source):
    """The parts of a problem, for messages: a place is the number of a line of the text."""

    def where(self, at: int) -> str:
        """The name of the part."""
        return f"{self.path}, {self.text.splitlines()[at]}"


class _Reader:
    def __init__(self, problem: Any) -> None:
        self._problem = problem
        self._parts = ["the problem"]
        self._nested: list[tuple[Declared, Condition]] = []
        """The values of fluents among the arguments of the condition that is read."""
        self._named = 0
        self._telling: set[str] = set()
        self._actions: dict[str, Action] = {}

    def read(self) -> Reading:
        """Both, of which each part is read once. Raises InputError."""
        problem = self._problem
        metric = self._metric()
        predicates: dict[str, Signature] = {}
        functions = {COST: Signature(COST, (), COST, 0)}
        for fluent in problem.fluents:
            kind = fluent.type
            values = (self._type(kind),) if kind.is_user_type() else ()
            named = Signature(fluent.name, self._declared(fluent.signature), fluent.name, 0, values)
            (predicates if kind.is_bool_type() else functions)[fluent.name] = named
        types = {self._type(t): self._declared_type(t) for t in problem.user_types}
        for action in problem.actions:
            self._actions[action.name] = self._action(action, metric)
        tasks: dict[str, Signature] = {}
        methods: list[Method] = []
        network: Network | None = None
        variables: tuple[Declared, ...] = ()
        if isinstance(problem, HierarchicalProblem):
            for task in problem.tasks:
                parameters = self._declared(task.parameters)
                tasks[task.name] = Signature(task.name, parameters, task.name, 0)
            methods += map(self._method, problem.methods)
            self._part("the initial task network")
            variables = self._declared(problem.task_network.variables)
            network = self._network(problem.task_network)
            network = self._told("the initial task network", network, variables)
        self._part("the goals")
        goal = And(tuple(map(self._condition, problem.goals)), self._at)
        objects = {
            each.name: Declared(each.name, (self._type(each.type),), each.name, 0)
            for each in problem.all_objects
        }
        facts, values_at_first = self._initial()
        source = _Parts(Path(problem.name or "problem"), "\n".join(self._parts))
        name = problem.name or "problem"
        domain = DomainFile(
            source, name, types, objects, predicates, functions, tasks, self._actions,
            tuple(methods),
        )  # fmt: skip
        asked = ProblemFile(
            source, name, name, objects, facts, values_at_first, variables, network, goal,
            COST if metric else "",
        )  # fmt: skip
        return Reading(domain, asked, frozenset(self._telling))

    # places

    def _part(self, name: str) -> None:
        """What is read from here on is a part of this name."""
        self._parts.append(name)

    @property
    def _at(self) -> int:
        return len(self._parts) - 1

    def _unsupported(self, message: str, hint: str = "") -> InputError:
        where = f"{self._problem.name or 'problem'}, {self._parts[-1]}"
        return InputError("BT441", message, where, hint)

    # what is declared

    def _type(self, kind: Any) -> str:
        """The name of a type, which may be called ``object`` and not be that of everything."""
        return f"type {kind.name}"

    def _declared_type(self, kind: Any) -> Declared:
        above = (OBJECT,) if kind.father is None else (self._type(kind.father),)
        return Declared(self._type(kind), above, kind.name, 0)

    def _declared(self, variables: Iterable[Any], sign: str = "?") -> tuple[Declared, ...]:
        return tuple(
            Declared(f"{sign}{each.name}", (self._type(each.type),), each.name, self._at)
            for each in variables
        )

    def _initial(self) -> tuple[tuple[Atom, ...], tuple[tuple[Atom, float | str], ...]]:
        """What is true at first, and the values of functions."""
        facts: list[Atom] = []
        values: list[tuple[Atom, float | str]] = []
        self._part("the initial values")
        for fluent, given in self._problem.initial_values.items():
            atom = self._atom(fluent)
            value = given.simplify()
            if value.is_bool_constant():
                facts += [atom] * value.is_true()
            elif value.is_object_exp():
                values.append((atom, value.object().name))
            else:
                values.append((atom, float(value.constant_value())))
        return tuple(facts), tuple(values)

    def _metric(self) -> Any:
        """What plans are compared by, None if by nothing."""
        metrics = self._problem.quality_metrics
        if len(metrics) > 1:
            hint = "leave all but one out, or add the costs up"
            raise self._unsupported("only one quality metric can be minimized", hint)
        return metrics[0] if metrics else None

    # conditions

    def _condition(self, node: Any) -> Condition:
        at = self._at
        match node.node_type:
            case OperatorKind.AND:
                return And(tuple(map(self._condition, node.args)), at)
            case OperatorKind.OR:
                return Or(tuple(map(self._condition, node.args)), at)
            case OperatorKind.NOT:
                return Not(self._condition(node.arg(0)), at)
            case OperatorKind.IMPLIES:
                first, then = map(self._condition, node.args)
                return Or((Not(first, at), then), at)
            case OperatorKind.IFF:
                sides = tuple(map(self._condition, node.args))
                neither = tuple(Not(side, at) for side in sides)
                return Or((And(sides, at), And(neither, at)), at)
            case OperatorKind.EXISTS | OperatorKind.FORALL:
                quantified = Exists if node.is_exists() else ForAll
                variables = self._declared(node.variables(), "?each ")
                return quantified(variables, self._condition(node.arg(0)), at)
            case OperatorKind.BOOL_CONSTANT:
                return And((), at) if node.is_true() else Or((), at)
            case OperatorKind.FLUENT_EXP | OperatorKind.EQUALS | OperatorKind.LT | OperatorKind.LE:
                return self._literal(node)
        raise self._unsupported(f"the condition '{node}' is not read")

    def _literal(self, node: Any) -> Condition:
        """A condition without parts, for some values that the fluents among its arguments are."""
        around, self._nested = self._nested, []
        made: Condition
        if node.is_fluent_exp():
            made = self._atom(node)
        else:
            left, right = map(self._value, node.args)
            made = Compared(_COMPARED[node.node_type], left, right, self._at)
            if isinstance(left, str) and isinstance(right, str):
                made = Equal(left, right, self._at)
        for variable, condition in reversed(self._nested):
            made = Exists((variable,), And((condition, made), self._at), self._at)
        self._nested = around
        return made

    def _atom(self, node: Any) -> Atom:
        return Atom(node.fluent().name, tuple(map(self._term, node.args)), self._at)

    def _term(self, node: Any) -> str:
        value = self._value(node)
        if isinstance(value, str):
            return value
        if not isinstance(value, Atom):
            raise self._unsupported(f"the argument '{node}' is no object, parameter or fluent")
        self._named += 1
        name = f"?value {self._named}"
        variable = Declared(name, (self._type(node.type),), name, self._at)
        self._nested.append((variable, Compared("==", value, name, self._at)))
        return name

    def _value(self, node: Any) -> Value:
        match node.node_type:
            case OperatorKind.OBJECT_EXP:
                return str(node.object().name)
            case OperatorKind.PARAM_EXP:
                return f"?{node.parameter().name}"
            case OperatorKind.VARIABLE_EXP:
                return f"?each {node.variable().name}"
            case OperatorKind.INT_CONSTANT | OperatorKind.REAL_CONSTANT:
                return float(node.constant_value())
            case OperatorKind.FLUENT_EXP if not node.type.is_bool_type():
                return self._atom(node)
            case kind if kind in _CALCULATED:
                symbol = _CALCULATED[kind]
                return reduce(
                    lambda left, right: Calculation(symbol, left, right),
                    map(self._value, node.args),
                )
        raise self._unsupported(f"'{node}' is not read as a value")

    def _alone(self, node: Any) -> Value:
        """A value outside of conditions, where no fluent can be among arguments."""
        value = self._value(node)
        if self._nested:
            hint = "give the action a parameter that a precondition makes equal to that fluent"
            raise self._unsupported(f"a fluent is among the arguments in '{node}'", hint)
        return value

    # actions

    def _action(self, action: Any, metric: Any) -> Action:
        self._part(f"action {action.name}")
        at = self._at
        conditions = [self._condition(each) for each in action.preconditions]
        effects: list[Effect] = []
        for effect in action.effects:
            made = list(self._effects(effect))
            effects += made
            conditions += self._within_bounds(effect, made)
        always = And((), at)
        if metric is not None and metric.is_minimize_action_costs():
            cost = metric.get_action_cost(action)
            amount = 0.0 if cost is None else self._alone(cost)
            effects.append(Increase(Atom(COST, (), at), amount, (), always))
        elif metric is not None:
            effects.append(Increase(Atom(COST, (), at), 1.0, (), always))
        parameters = self._declared(action.parameters)
        condition = And(tuple(conditions), at)
        return Action(action.name, parameters, condition, tuple(effects), action.name, at)

    def _effects(self, effect: Any) -> Iterator[Effect]:
        variables = self._declared(effect.forall, "?each ")
        condition = self._condition(effect.condition)
        target = self._alone_atom(effect.fluent)
        if effect.fluent.type.is_bool_type():
            is_true = self._condition(effect.value)
            for truth, becomes in ((is_true, True), (Not(is_true, self._at), False)):
                if not effect.value.is_bool_constant():
                    both = And((condition, truth), self._at)
                    yield Change(target, becomes, variables, both)
                elif effect.value.is_true() is becomes:
                    yield Change(target, becomes, variables, condition)
            return
        value = self._alone(effect.value)
        if effect.is_assignment():
            yield Assign(target, value, variables, condition)
            return
        if effect.is_decrease():
            value = -value if isinstance(value, float) else Calculation("-", 0.0, value)
        yield Increase(target, value, variables, condition)

    def _alone_atom(self, node: Any) -> Atom:
        atom = self._atom(node)
        assert not self._nested, "Unified Planning refuses a changed fluent of fluents"
        return atom

    def _within_bounds(self, effect: Any, made: Sequence[Effect]) -> Iterator[Condition]:
        """That a number stays in the bounds of its type, without which an action is impossible."""
        kind = effect.fluent.type
        if kind.is_bool_type() or kind.is_user_type():
            return
        (change,) = made
        assert not isinstance(change, Change), "it is a number"
        value: Value = (
            change.value
            if isinstance(change, Assign)
            else Calculation("+", change.target, change.amount)
        )
        at = self._at
        bounds: list[Condition] = []
        if kind.lower_bound is not None:
            bounds.append(Compared("<=", float(kind.lower_bound), value, at))
        if kind.upper_bound is not None:
            bounds.append(Compared("<=", value, float(kind.upper_bound), at))
        for bound in bounds:
            inside: Condition = Or((Not(change.condition, at), bound), at)
            yield ForAll(change.variables, inside, at) if change.variables else inside

    # methods

    def _method(self, method: Any) -> Method:
        self._part(f"method {method.name}")
        achieved = method.achieved_task
        terms = tuple(f"?{each.name}" for each in achieved.parameters)
        conditions = tuple(map(self._condition, method.preconditions))
        parameters = self._declared(method.parameters)
        own = [each for each in parameters if each.name not in terms]
        network = self._told(method.name, self._network(method), own)
        return Method(
            method.name, parameters, Atom(achieved.task.name, terms, self._at),
            And(conditions, self._at), network, method.name, self._at,
        )  # fmt: skip

    def _network(self, network: Any) -> Network:
        numbers = {each.identifier: number for number, each in enumerate(network.subtasks)}
        tasks = [
            Atom(each.task.name, tuple(map(self._argument, each.parameters)), self._at)
            for each in network.subtasks
        ]
        total = network.total_order()
        pairs = network.partial_order() if total is None else list(pairwise(total))
        if pairs is None:
            raise self._unsupported("orders at points in time are not read", "order whole tasks")
        before = tuple((numbers[first], numbers[then]) for first, then in pairs)
        constraints = tuple(map(self._condition, network.non_temporal_constraints()))
        return Network(tuple(tasks), before, And(constraints, self._at), self._at)

    def _argument(self, node: Any) -> str:
        value = self._value(node)
        if not isinstance(value, str):
            message = f"the argument '{node}' of a subtask is neither an object nor a parameter"
            raise self._unsupported(message)
        return value

    def _told(self, owner: str, network: Network, own: Sequence[Declared]) -> Network:
        """The network with a last step that tells its variables' values, if no other step does."""
        counts = Counter(task.name for task in network.tasks)
        is_total = in_line(network) is not None
        known = {
            term
            for task in network.tasks
            if is_total or counts[task.name] == 1
            for term in task.terms
        }
        if known.issuperset(each.name for each in own):
            return network
        name = f"values of {owner}"
        self._telling.add(name)
        parameters, always = tuple(own), And((), self._at)
        self._actions[name] = Action(name, parameters, always, (), name, self._at)
        step = Atom(name, tuple(each.name for each in own), self._at)
        last = len(network.tasks)
        before = (*network.before, *((each, last) for each in range(last)))
        return Network((*network.tasks, step), before, network.constraints, network.at)
