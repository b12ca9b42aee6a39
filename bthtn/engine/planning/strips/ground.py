"""Grounding: primitive tasks as actions with values, conditions and writes.

    stack(block, below)   ──►   stack('a', 'b')
                                needs   hand == 'a',  clear['b']
                                writes  hand = 'none',  on['a'] = 'b',  clear['b'] = false

The precondition of an action is a conjunction of *atoms*: conditions without parts. A task
with a disjunction becomes several actions. Grounding reads no state, so tasks whose conditions
or effects are functions or read fluents cannot be grounded: ``opaque_parts`` names those parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from itertools import chain, product
from typing import Any, Final, TypeVar

from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import Computed, FunctionEffect
from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.number import number_of
from bthtn.engine.domain.task import PrimitiveTask, call_text
from bthtn.engine.planning.least_cost import below_zero
from bthtn.engine.planning.strips.instances import Instances, Objects, Statics, positions_in
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.at_start import conjunction
from bthtn.engine.world.expression import (
    NOTHING_KNOWN,
    Arithmetic,
    Binding,
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    Related,
    StateView,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent, MemberOf
from bthtn.engine.world.symbol import Comparable, comparable
from bthtn.engine.world.truth import Truth, negation, value_text
from bthtn.errors import DomainError
from bthtn.records import record

Grounded = TypeVar("Grounded")

_OPPOSITE: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@record(eq=False)
class Atom(Comparable):
    """A literal: a condition without parts, or its negation. Equal if equivalent in form."""

    key: tuple[Any, ...]
    fluents: tuple[Fluent[Any], ...] = field(compare=False)
    condition: Condition = field(compare=False)
    binding: Binding = field(compare=False)
    positive: bool = field(compare=False)

    def _key(self) -> object:
        return comparable(self.key)

    def __hash__(self) -> int:
        return hash(self.key)  # a fluent is found by identity anyway

    def evaluate(self, view: StateView) -> Truth:
        truth = self.condition.evaluate(view, self.binding)
        return truth if self.positive else negation(truth)

    def __str__(self) -> str:
        if self.key[0] in _OPPOSITE:
            symbol, fluent, _, value = self.key
            if isinstance(value, bool):
                return str(fluent) if value else f"not {fluent}"
            return f"{fluent} {symbol} {value_text(value)}"
        text = self.condition.text(self.binding)
        return text if self.positive else f"not ({text})"


Conjunction = tuple[Atom, ...]


@record(eq=False)
class GroundAction:
    """A primitive task with arguments: its preconditions, written values and cost."""

    task: PrimitiveTask[...]
    args: Binding
    preconditions: Conjunction
    writes: Mapping[Fluent[Any], Any]
    cost: float

    @property
    def action(self) -> Action:
        """The task and its arguments."""
        return (self.task, self.args)

    def __str__(self) -> str:
        return call_text(self.task, self.args)


def is_sensed(view: StateView) -> bool:
    """Whether the values of volatile fluents in this view come from sensors.

    In a state predicted by a plan they come from the plan's effects, and persist.
    """
    return bool(getattr(view, "foreseeable", True))


def ground_actions(
    tasks: Iterable[PrimitiveTask[...]], objects: Objects, statics: Statics
) -> Iterator[GroundAction]:
    """The actions of tasks without opaque parts. Raises DomainError for a negative cost."""
    for task in tasks:
        instances = Instances(task, objects, statics)
        needs = [
            _once_for_values(partial(_alternatives, part, positive=True), part)
            for number, part in enumerate(conjuncts(task.precondition))
            if number not in instances.settled and not calls_function(part)
        ]
        writes = [_write(effect, statics.view) for effect in (*task.effects, *task.expected)]
        for args in instances.rows:
            written = dict([write(args) for write in writes])
            cost = number_of(task.cost, statics.view, args)
            if not cost >= 0:
                raise DomainError.of(below_zero(cost, f"action '{call_text(task, args)}'"))
            for atoms in dict.fromkeys(_together([need(args) for need in needs])):
                yield GroundAction(task, args, atoms, written, cost)


def _write(effect: Effect, view: StateView) -> Callable[[Binding], tuple[Fluent[Any], Any]]:
    """A function from a binding to the fluent and the value that are written."""
    assert isinstance(effect, Assignment), "functions are opaque"

    def ground(binding: Binding) -> tuple[Fluent[Any], Any]:
        target = effect.target.ground(NOTHING_KNOWN, binding)
        assert isinstance(target, Fluent), "nothing is unknown without a state"
        value = effect.value.evaluate(view, binding)
        target.check(value)
        return target, value

    return _once_for_values(ground, effect.target, effect.value)


def _once_for_values(
    ground: Callable[[Binding], Grounded], *expressions: Expression[Any]
) -> Callable[[Binding], Grounded]:
    """The function, called once for all bindings that give the expressions the same values."""
    used = sorted(set().union(*map(positions_in, expressions)))
    known: dict[tuple[Any, ...], Grounded] = {}

    def grounded(binding: Binding) -> Grounded:
        values = tuple([(type(binding[position]), binding[position]) for position in used])
        if values not in known:
            known[values] = ground(binding)
        return known[values]

    return grounded


def calls_function(condition: Condition) -> bool:
    return any(isinstance(leaf, Computed) for leaf in leaves_of(condition))


def data_of(condition: Condition) -> Condition:
    """The conjuncts that call no function, if there are any; else the condition itself."""
    data = [part for part in conjuncts(condition) if not calls_function(part)]
    return conjunction(data) if data else condition


def conjunctions(condition: Condition, binding: Binding) -> tuple[Conjunction, ...]:
    """The condition in disjunctive normal form."""
    return tuple(dict.fromkeys(_alternatives(condition, binding, positive=True)))


def _alternatives(
    condition: Condition, binding: Binding, *, positive: bool
) -> tuple[Conjunction, ...]:
    match condition:
        case Negation(operand):
            return _alternatives(operand, binding, positive=not positive)
        case Junction(parts, decisive):
            each = [_alternatives(part, binding, positive=positive) for part in parts]
            if decisive is positive:
                return tuple(chain.from_iterable(each))
            return _together(each)
        case _:
            fluents = tuple(dict.fromkeys(_fluents(condition, binding)))
            if not fluents:
                return ((),) if condition.evaluate(NOTHING_KNOWN, binding) is positive else ()
            key = _atom_key(condition, binding, positive=positive)
            return ((Atom(key, fluents, condition, binding, positive),),)


def _together(each: list[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
    """The conjunctions of one alternative of each."""
    return tuple(
        tuple(dict.fromkeys(chain.from_iterable(combination))) for combination in product(*each)
    )


def _atom_key(condition: Condition, binding: Binding, *, positive: bool) -> tuple[Any, ...]:
    """A key that is equal for conditions that compare the same fluent with the same value."""
    if isinstance(condition, Comparison):
        symbol = condition.symbol if positive else _OPPOSITE[condition.symbol]
        left, right = condition.left, condition.right
        if not isinstance(left, Fluent | MemberOf):
            left, right, symbol = right, left, _MIRRORED[symbol]
        if isinstance(left, Fluent | MemberOf) and not list(_fluents(right, binding)):
            return _compared(symbol, left, right.evaluate(NOTHING_KNOWN, binding), binding)
    if isinstance(condition, Fluent | MemberOf) and condition.value_type is bool:
        return _compared("==", condition, positive, binding)
    return (positive, _structure(condition, binding))


def _compared(
    symbol: str, place: Fluent[Any] | MemberOf[Any], value: Any, binding: Binding
) -> tuple[Any, ...]:
    fluent = place.ground(NOTHING_KNOWN, binding)
    if symbol == "!=" and isinstance(value, bool) and place.value_type is bool:
        symbol, value = "==", not value
    return (symbol, fluent, type(value), value)


def _structure(expression: Expression[Any], binding: Binding) -> Any:
    match expression:
        case Fluent() | MemberOf():
            return expression.ground(NOTHING_KNOWN, binding)
        case Comparison(symbol, left, right) | Arithmetic(symbol, left, right):
            return (symbol, _structure(left, binding), _structure(right, binding))
        case Negation(operand):
            return ("not", _structure(operand, binding))
        case Junction(parts, decisive):
            return (decisive, *(_structure(part, binding) for part in parts))
        case Related(relation, values):
            return (relation, *(_structure(value, binding) for value in values))
        case _:
            value = expression.evaluate(NOTHING_KNOWN, binding)
            return (type(value), value)


def _fluents(expression: Expression[Any], binding: Binding) -> Iterator[Fluent[Any]]:
    """The fluents in an expression without opaque parts."""
    for leaf in leaves_of(expression):
        if isinstance(leaf, Fluent | MemberOf):
            found = leaf.ground(NOTHING_KNOWN, binding)
            assert isinstance(found, Fluent), "nothing is unknown without a state"
            yield found


def opaque_parts(task: PrimitiveTask[...], statics: Statics) -> Iterator[str]:
    """Texts that name the parts of a task that prevent grounding."""
    yield from opaque(data_of(task.precondition))
    for effect in (*task.effects, *task.expected):
        if isinstance(effect, FunctionEffect):
            yield f"the effect {effect} is a function"
        elif effect.grows:
            yield f"the effect '{effect}' depends on the value before"
        else:
            yield from chain(
                opaque(effect.target),
                _state_reads(effect.value, statics, f"the effect '{effect}'"),
            )
    yield from _state_reads(task.cost, statics, f"the cost {task.cost!s}")


def opaque(expression: Expression[Any]) -> Iterator[str]:
    """Texts that name the functions and state-dependent indices in a condition."""
    for leaf in leaves_of(expression):
        if isinstance(leaf, MemberOf):
            if not all(isinstance(part, Constant | Parameter) for part in leaves_of(leaf.index)):
                yield f"the index of {leaf!s} reads the state"
        elif not isinstance(leaf, Fluent | Constant | Parameter):
            yield f"the condition {leaf!s} is a function"


def _state_reads(expression: Expression[Any], statics: Statics, text: str) -> Iterator[str]:
    """Yield a text if the value of the expression depends on what actions write."""
    if not statics.is_static(expression):
        yield f"{text} reads the state"
