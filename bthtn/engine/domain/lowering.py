"""Lowering: constructs become calls of anonymous tasks of the same domain.

    fight:  (a, first_of(b, c), d)   ──►   fight:             (a, fight.first_of_1, d)
                                           fight.first_of_1:  b
                                                              c

An anonymous task has the parameters of the task that contains it, so that expressions inside the
construct keep their meaning. ``LOWERINGS`` has a function for each kind of construct. Planners,
judges, views and codecs handle tasks and methods only, and need not know constructs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any, Final, assert_never

from bthtn.engine.domain.choice import DecompositionChoice, RandomOrder, TurnChoice, ValueChoice
from bthtn.engine.domain.condition import condition_from
from bthtn.engine.domain.construct import (
    FINALLY,
    AnyOrder,
    FirstOf,
    RandomOf,
    Repetition,
    Unordered,
    Until,
    WithCleanup,
    Written,
)
from bthtn.engine.domain.construct_progress import AllDone, Due, MarkDone, OneLess, TimesLeft
from bthtn.engine.domain.decorate import DecoratedPart
from bthtn.engine.domain.decorator import Decorator
from bthtn.engine.domain.function import Computed
from bthtn.engine.domain.goal import Achieve, GoalBody
from bthtn.engine.domain.join import Join, Range
from bthtn.engine.domain.method import FREE, Method, PlainBody, never_called
from bthtn.engine.domain.network import (
    NULL,
    ConditionPart,
    Construct,
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    has_construct,
    network_text,
    sequence,
)
from bthtn.engine.domain.parameter import Parameters
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.domain.turns import OfTurn, TurnBody
from bthtn.engine.domain.variable import Choice, Variable, variables_in
from bthtn.engine.world.at_start import conjunction
from bthtn.engine.world.expression import (
    ALWAYS,
    Condition,
    Constant,
    Expression,
    Parameter,
    conjuncts,
)
from bthtn.engine.world.state import State
from bthtn.errors import DomainError

Scope = tuple[Expression[Any], ...]
"""The arguments inside a method: parameters and variables, None at positions not used."""

MOST_WRITTEN_OUT: Final = 10_000
"""Repetitions that become a sequence; more are counted by the search, whose limits bound them."""

_NOTHING: Final[Expression[Any]] = Constant(None)


class Lowering:
    """Makes the anonymous tasks of one compound task, or of one goal, and keeps their methods.

    ``instead`` maps tasks that were defined again to those that take their place.
    """

    def __init__(
        self,
        owner: str,
        parameters: Parameters,
        tasks: Mapping[str, Task],
        state_class: type[State],
        instead: Mapping[Task, Task] = MappingProxyType({}),
    ) -> None:
        self.methods: dict[CompoundTask[...], tuple[Method, ...]] = {}
        self.tasks = tasks
        self.state_class = state_class
        self._owner = owner
        self._parameters = parameters
        self._instead = instead
        self._variables: list[Variable[Any]] = []
        self._networks: dict[tuple[Construct, int], Network] = {}

    def method(self, method: Method, known: Sequence[Variable[Any]]) -> Method:
        """The method without constructs: each variable becomes a choice around its body.

        ``known`` are the variables that it mentioned when it was written. Raises DomainError for
        another one, and for a variable that belongs to another task.
        """
        body = method.body
        plain = body.function if isinstance(body, PlainBody) else body
        variables = variables_in(plain, method.condition, method.cost, method.value)
        if not variables:
            if isinstance(body, PlainBody) or not has_construct(body):
                return method
            return replace(method, body=self.network(body, self._parameters))
        _refuse_others(variables, known)
        choices = list(dict.fromkeys(variable.choice for variable in variables))
        for variable in variables:
            self._place(variable)
        # By how many choices are made there, the outermost level first.
        levels = [Method(NULL, name=method.name), *[Method(NULL)] * len(choices)]
        for part in ("cost", "value"):
            at = _bound_at(getattr(method, part), choices)
            levels[at] = replace(levels[at], **{part: getattr(method, part)})
        conditions = _by_level(method.condition, choices)
        scopes: list[Scope] = [self._parameters]
        tasks: list[CompoundTask[...]] = []
        for level, choice in enumerate(choices, 1):
            chosen = [variable for variable in variables if variable.choice is choice]
            bound, text = self._bound(choice, chosen, conditions[level])
            tasks.append(self.task("one_of", text, scopes[-1], bound))
            scopes.append(self._with(scopes[-1], chosen))
        for level, parts in enumerate(conditions):
            levels[level] = replace(levels[level], condition=conjunction(parts))
        if not isinstance(body, PlainBody):
            body = self.network(body, scopes[-1])
        for index in reversed(range(len(tasks))):
            self.methods[tasks[index]] = (replace(levels[index + 1], body=body),)
            body = TaskCall(tasks[index], scopes[index])
        return replace(levels[0], body=body)

    def network(self, network: Network, scope: Scope) -> Network:
        if not has_construct(network):
            return network
        if isinstance(network, Construct):
            key = (network, len(scope))
            if key not in self._networks:
                self._networks[key] = LOWERINGS[type(network)](self, network, scope)
            return self._networks[key]
        match network:
            case SequenceNetwork(parts):
                return sequence(*(self.network(part, scope) for part in parts))
            case ParallelNetwork(parts) | PriorityNetwork(parts):
                return replace(network, parts=tuple(self.network(part, scope) for part in parts))
            case TaskCall() | DeferNetwork() | PauseNetwork() | NullNetwork():
                raise AssertionError("a network without parts holds no construct")
            case _:
                assert_never(network)

    def task(
        self,
        word: str,
        text: str,
        scope: Scope,
        choice: DecompositionChoice | None = None,
        decorator: Decorator | None = None,
    ) -> CompoundTask[...]:
        """A new anonymous task, of that origin; the caller sets its methods."""
        parameters = tuple(
            variable if isinstance(variable, Parameter) else Parameter("unused", position)
            for position, variable in enumerate(scope)
        )
        what = (self.name(word), parameters, lambda *_: iter(()), text, word, choice)
        task: CompoundTask[...] = CompoundTask(*what, decorator=decorator)
        self.methods[task] = ()  # its place, in front of the tasks inside it
        return task

    def name(self, word: str) -> str:
        """The name of the next anonymous task with this word."""
        taken = {task.name for task in self.methods}
        number = 1
        while (name := f"{self._owner}.{word}_{number}") in taken or name in self.tasks:
            number += 1
        return name

    def expression(self, written: Written) -> Expression[Any]:
        """An expression, or a function of the state, as data. Raises StateError."""
        if isinstance(written, Expression):
            self.state_class.__schema__.check(written)
            return written
        return Computed(written, self.state_class)

    def alternatives(self, construct: Construct, scope: Scope) -> tuple[Method, ...]:
        """A method for each part of a construct."""
        return tuple(
            Method(self.network(part, scope), name=brief_text(part)) for part in construct.parts
        )

    def present(self, action: PrimitiveTask[...]) -> PrimitiveTask[...]:
        """The action, or the one that was defined again in its place."""
        now = self._instead.get(action)
        return now if isinstance(now, PrimitiveTask) else action

    def _place(self, variable: Variable[Any]) -> None:
        if any(variable is other for other in self._variables):
            return
        if variable.is_placed:
            message = f"the variable '{variable.name}' belongs to another compound task"
            hint = "call one_of inside the function whose methods use it"
            raise DomainError("BT118", message, hint=hint)
        variable.place(len(self._parameters) + len(self._variables))
        self._variables.append(variable)

    def _with(self, scope: Scope, chosen: Sequence[Variable[Any]]) -> Scope:
        last = max(variable.position for variable in chosen)
        inside = [*scope, *[_NOTHING] * (last + 1 - len(scope))]
        for variable in chosen:
            inside[variable.position] = variable
        return tuple(inside)

    def _bound(
        self, choice: Choice, chosen: Sequence[Variable[Any]], conditions: Sequence[Condition]
    ) -> tuple[ValueChoice, str]:
        """How these variables of a choice get their values, and a text that says it."""
        places = {id(variable): variable.position for variable in chosen}
        others = count(len(self._parameters) + len(self._variables))
        ranges = [
            Range(
                self.expression(variable.values),
                tuple(places[id(p)] if id(p) in places else next(others) for p in parts),
                places.get(id(variable), -1) if variable.parts else -1,
                tuple(part.name or "value" for part in parts),
            )
            for variable in choice.variables
            for parts in [variable.parts or (variable,)]
            if not places.keys().isdisjoint(map(id, (variable, *parts)))
        ]
        join = None
        if choice.is_joint:
            join = Join(ranges, conditions, lambda part: _places_in(part, places))
        bound = ValueChoice(
            tuple(variable.name for variable in chosen),
            tuple(places.values()),
            tuple(each.values for each in ranges),
            choice.key,
            self.state_class,
            join,
        )
        return bound, ", ".join(each.text for each in ranges)


def _first_of(
    lowering: Lowering, construct: Construct, scope: Scope, choice: RandomOrder | None = None
) -> TaskCall:
    decorator = construct.decorator if isinstance(construct, DecoratedPart) else None
    task = lowering.task(construct.word, construct.text(), scope, choice, decorator)
    lowering.methods[task] = lowering.alternatives(construct, scope)
    return TaskCall(task, scope)


def _random_of(lowering: Lowering, construct: RandomOf, scope: Scope) -> TaskCall:
    weights = tuple(map(lowering.expression, construct.weights))
    by = tuple(map(lowering.expression, construct.by))
    choice = RandomOrder(lowering.name(construct.word), weights, by)
    return _first_of(lowering, construct, scope, choice)


def _any_order(lowering: Lowering, construct: AnyOrder, scope: Scope) -> TaskCall:
    """A task that calls itself with one more part done."""
    done: Parameter[int] = Parameter("done", len(scope), int)
    task = lowering.task(construct.word, construct.text(), (*scope, done))
    names = construct.names or tuple(map(brief_text, construct.parts))
    methods: list[Method] = []
    for place, part in enumerate(construct.parts):
        behind = tuple(sorted(first for first, second in construct.before if second == place))
        on = TaskCall(task, (*scope, MarkDone(done, place)))
        body = sequence(lowering.network(part, scope), on)
        methods.append(Method(body, Due(done, place, behind, names), names[place]))
    methods.append(Method(NULL, AllDone(done, len(names)), "all done"))
    lowering.methods[task] = tuple(methods)
    return TaskCall(task, (*scope, Constant(0)))


def _unordered(lowering: Lowering, construct: Unordered, scope: Scope) -> TaskCall:
    """A task that plans its members one after the other, or if that is impossible in turns.

    The task of the turns has a method for each member, and as the last one that of every turn.
    """
    whole = lowering.task(construct.word, construct.text(), scope)
    together = _any_order(lowering, AnyOrder(construct.parts), scope)
    pending: Parameter[Any] = Parameter("pending", len(scope))
    task = lowering.task("turns", construct.text(), (*scope, pending), TurnChoice())
    numbers = OfTurn("cost", FREE), OfTurn("value", FREE)
    body = TurnBody(never_called, lowering.state_class)
    turn = Method(body, OfTurn("condition", ALWAYS), "next turn", *numbers)
    lowering.methods[task] = (*lowering.alternatives(construct, scope), turn)
    in_turns = TaskCall(task, (*scope, Constant(None)))
    lowering.methods[whole] = (
        Method(together, name="one after the other"),
        Method(in_turns, name="in turns"),
    )
    return TaskCall(whole, scope)


def _repeat(lowering: Lowering, construct: Repetition, scope: Scope) -> Network:
    """A sequence if the number is known and not large, else a task that counts down."""
    part, times = construct.parts[0], construct.times
    if isinstance(times, Constant) and times.value <= MOST_WRITTEN_OUT:
        return sequence(*[lowering.network(part, scope)] * times.value)
    left: Parameter[int] = Parameter("times", len(scope))  # written as any expression
    task = lowering.task(construct.word, construct.text(), (*scope, left))
    on = TaskCall(task, (*scope, OneLess(left)))
    body = sequence(lowering.network(part, scope), on)
    lowering.methods[task] = (
        Method(body, TimesLeft(left), "once more"),
        Method(NULL, TimesLeft(left, over=True), "often enough"),
    )
    return TaskCall(task, (*scope, lowering.expression(times)))


def _until(lowering: Lowering, construct: Until, scope: Scope) -> TaskCall:
    task = lowering.task(construct.word, construct.text(), scope)
    condition = condition_from(construct.condition, lowering.state_class)
    again = sequence(lowering.network(construct.parts[0], scope), TaskCall(task, scope))
    lowering.methods[task] = (
        Method(NULL, condition, "it holds"),
        Method(again, ~condition, "once more"),
    )
    return TaskCall(task, scope)


def _condition(lowering: Lowering, construct: ConditionPart, scope: Scope) -> TaskCall:
    """A task with nothing to do, where the condition holds."""
    condition = condition_from(construct.condition, lowering.state_class)
    task = lowering.task(construct.word, construct.text(), scope)
    lowering.methods[task] = (Method(NULL, condition, construct.text()),)
    return TaskCall(task, scope)


def _with_cleanup(lowering: Lowering, construct: WithCleanup, scope: Scope) -> TaskCall:
    """A task whose cleanup is a task of its own, so that it can be planned separately."""
    task = lowering.task(construct.word, construct.text(), scope)
    body, cleanup = construct.parts
    behind = lowering.task(FINALLY, network_text(cleanup), scope)
    last = lowering.network(cleanup, scope)
    lowering.methods[behind] = (Method(last, name=brief_text(cleanup)),)
    whole = sequence(lowering.network(body, scope), TaskCall(behind, scope))
    lowering.methods[task] = (Method(whole, name=brief_text(body)),)
    return TaskCall(task, scope)


def _achieve(lowering: Lowering, construct: Achieve, scope: Scope) -> TaskCall:
    present = replace(construct, actions=tuple(map(lowering.present, construct.actions)))
    pursuit = present.pursuit(lowering.tasks, lowering.state_class)
    task = lowering.task(construct.word, construct.text(), scope)
    body = GoalBody(never_called, lowering.state_class, pursuit=pursuit)
    lowering.methods[task] = (Method(body, name=pursuit.condition.text()),)
    return TaskCall(task, scope)


LOWERINGS: Final[Mapping[type[Construct], Callable[[Lowering, Any, Scope], Network]]] = {
    Achieve: _achieve,
    AnyOrder: _any_order,
    ConditionPart: _condition,
    DecoratedPart: _first_of,
    FirstOf: _first_of,
    RandomOf: _random_of,
    Repetition: _repeat,
    Unordered: _unordered,
    Until: _until,
    WithCleanup: _with_cleanup,
}
"""What makes the tasks of each construct, and the network in its place for these arguments.

The parts of the construct go through ``Lowering.network``, with the same arguments.
"""


def brief_text(network: Network) -> str:
    """A short name for a part of a construct: the name of its task, or of its first task."""
    match network:
        case TaskCall(task):
            return task.name
        case SequenceNetwork(parts):
            return f"{brief_text(parts[0])}, …"
        case ParallelNetwork(parts) | PriorityNetwork(parts):
            word = "parallel" if isinstance(network, ParallelNetwork) else "priority"
            return f"{word}({brief_text(parts[0])}, …)"
        case Construct(parts=()):
            return network.text()
        case Construct():
            return f"{network.word}({brief_text(network.parts[0])}, …)"
        case NullNetwork():
            return "nothing"
        case DeferNetwork() | PauseNetwork():
            return network_text(network)
        case _:
            assert_never(network)


def _refuse_others(variables: Sequence[Variable[Any]], known: Sequence[Variable[Any]]) -> None:
    """Raise DomainError for a variable that a function has come to see in place of a known one."""
    ids = set(map(id, known))
    for variable in variables:
        if id(variable) not in ids:
            message = f"a function of it would see another '{variable.name}', made after it"
            hint = "a function looks its names up when it is called: give each variable its own"
            raise DomainError("BT118", message, hint=hint)


def _by_level(condition: Condition, choices: Sequence[Choice]) -> list[list[Condition]]:
    """The parts of a condition by how many choices have to be made before they are evaluated.

    Where no values depend on it, a condition stays whole.
    """
    levels: list[list[Condition]] = [[] for _ in range(len(choices) + 1)]
    is_joint = any(choice.is_joint for choice in choices)
    for part in conjuncts(condition) if is_joint else (condition,):
        levels[_bound_at(part, choices)].append(part)
    return levels


def _bound_at(expression: Expression[Any], choices: Sequence[Choice]) -> int:
    """Number of choices, from the first, to be made before this can be evaluated."""
    mentioned = {id(variable.choice) for variable in variables_in(expression)}
    return max((n for n, choice in enumerate(choices, 1) if id(choice) in mentioned), default=0)


def _places_in(expression: Expression[Any], places: Mapping[int, int]) -> frozenset[int]:
    """The positions of those of some variables that the expression mentions."""
    mentioned = map(id, variables_in(expression))
    return frozenset(places[variable] for variable in mentioned if variable in places)
