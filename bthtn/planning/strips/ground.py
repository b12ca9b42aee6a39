"""Grounding: primitive tasks as actions with values, conditions and writes.

    stack(block, below)   ──►   stack('a', 'b')
                                needs   hand == 'a',  clear['b']
                                writes  hand = 'none',  on['a'] = 'b',  clear['b'] = false

An action needs a conjunction of *atoms*: conditions that cannot be taken apart. A task with a
disjunction becomes several actions. Nothing here depends on a state, so tasks whose conditions
or effects only a state can tell cannot be grounded: ``opaque_parts`` names what is in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from types import MappingProxyType
from typing import Any, Final

from bthtn.domain.effect import Effect
from bthtn.domain.function import FunctionEffect
from bthtn.domain.goal import Action, finite_values
from bthtn.domain.task import PrimitiveTask, call_text
from bthtn.errors import DomainError
from bthtn.planning.least_cost import below_zero
from bthtn.world.assignment import Assignment
from bthtn.world.expression import (
    Arithmetic,
    Binding,
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    StateView,
)
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN, Truth, negation, value_text

Objects = Mapping[str, tuple[Any, ...]]
"""The values that parameters can have, by the parameter's name."""

_OPPOSITE: Final = MappingProxyType(
    {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
)
_MIRRORED: Final = MappingProxyType(
    {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
)


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition without parts, wanted true or wanted false. Equal when it asks the same."""

    key: tuple[Any, ...]
    fluents: tuple[Fluent[Any], ...] = field(compare=False)
    condition: Condition = field(compare=False)
    binding: Binding = field(compare=False)
    wanted: bool = field(compare=False)

    def evaluate(self, view: StateView) -> Truth:
        """Whether it is as wanted."""
        truth = self.condition.evaluate(view, self.binding)
        return truth if self.wanted else negation(truth)

    @property
    def equal_to(self) -> tuple[Any, ...]:
        """The one value that its fluent has to have, in brackets; nothing where there are more."""
        return (self.key[-1],) if self.key[0] == "==" else ()

    def __str__(self) -> str:
        if self.key[0] in _OPPOSITE:
            symbol, fluent, _, value = self.key
            if isinstance(value, bool):
                return str(fluent) if value else f"not {fluent}"
            return f"{fluent} {symbol} {value_text(value)}"
        text = self.condition.text(self.binding)
        return text if self.wanted else f"not ({text})"


Conjunction = tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GroundAction:
    """A primitive task with arguments: what it needs, what it writes, what it costs."""

    task: PrimitiveTask[Any]
    args: Binding
    needs: Conjunction
    writes: Mapping[Fluent[Any], Any]
    cost: float

    @property
    def action(self) -> Action:
        """The task and its arguments."""
        return (self.task, self.args)

    def __str__(self) -> str:
        return call_text(self.task, self.args)


@dataclass(frozen=True, slots=True)
class Written:
    """A view of nothing but what an action writes."""

    values: Mapping[Fluent[Any], Any]

    def get(self, fluent: Any, /) -> Any:
        """What is written to the fluent."""
        return self.values[fluent]


class _Nowhere:
    """A view on which there is nothing to read."""

    def get(self, fluent: Any, /) -> Any:
        raise AssertionError(f"{fluent} is read where no state is")


_NOWHERE: Final = _Nowhere()


def calls(tasks: Iterable[PrimitiveTask[Any]], objects: Objects) -> Iterator[Action]:
    """Every task with all values that it can be called with, in order of definition."""
    for task in tasks:
        choices = (objects.get(one.name) or finite_values(one) for one in task.parameters)
        for args in product(*choices):
            yield task, args


def grounded(tasks: Iterable[PrimitiveTask[Any]], objects: Objects) -> tuple[GroundAction, ...]:
    """The actions of tasks without opaque parts. Raises DomainError for costs below zero."""
    found: list[GroundAction] = []
    for task, args in calls(tasks, objects):
        needs = conjunctions(task.precondition, args)
        writes = _writes((*task.effects, *task.expected), args)
        cost = task.cost.evaluate(_NOWHERE, args)
        cost = 0 if cost is UNKNOWN else cost
        if not cost >= 0:
            raise DomainError(below_zero(cost, f"action '{call_text(task, args)}'"))
        found += [GroundAction(task, args, one, writes, cost) for one in needs]
    return tuple(found)


def _writes(effects: Sequence[Effect], binding: Binding) -> dict[Fluent[Any], Any]:
    together: dict[Fluent[Any], Any] = {}
    for effect in effects:
        assert isinstance(effect, Assignment), "functions are opaque"
        target = effect.target.ground(_NOWHERE, binding)
        assert isinstance(target, Fluent), "nothing is unknown without a state"
        together[target] = effect.value.evaluate(_NOWHERE, binding)
        target.check(together[target])
    return together


def conjunctions(condition: Condition, binding: Binding) -> tuple[Conjunction, ...]:
    """The condition as alternatives, one of which has to hold in all of its atoms."""
    return tuple(dict.fromkeys(_alternatives(condition, binding, wanted=True)))


def _alternatives(
    condition: Condition, binding: Binding, *, wanted: bool
) -> tuple[Conjunction, ...]:
    match condition:
        case Negation(operand):
            return _alternatives(operand, binding, wanted=not wanted)
        case Junction(parts, decisive):
            each = [_alternatives(part, binding, wanted=wanted) for part in parts]
            if decisive is wanted:
                return tuple(chain.from_iterable(each))
            return tuple(
                tuple(dict.fromkeys(chain.from_iterable(several))) for several in product(*each)
            )
        case _:
            fluents = tuple(dict.fromkeys(_fluents(condition, binding)))
            if not fluents:
                return ((),) if condition.evaluate(_NOWHERE, binding) is wanted else ()
            key = _question(condition, binding, wanted=wanted)
            return ((Atom(key, fluents, condition, binding, wanted),),)


def _question(condition: Condition, binding: Binding, *, wanted: bool) -> tuple[Any, ...]:
    """What is asked, in a form that is equal for conditions that ask the same."""
    if isinstance(condition, Comparison):
        symbol = condition.symbol if wanted else _OPPOSITE[condition.symbol]
        left, right = condition.left, condition.right
        if not isinstance(left, Fluent | MemberOf):
            left, right, symbol = right, left, _MIRRORED[symbol]
        if isinstance(left, Fluent | MemberOf) and not list(_fluents(right, binding)):
            return _compared(symbol, left, right.evaluate(_NOWHERE, binding), binding)
    if isinstance(condition, Fluent | MemberOf) and condition.value_type is bool:
        return _compared("==", condition, wanted, binding)
    return (wanted, _structure(condition, binding))


def _compared(
    symbol: str, place: Fluent[Any] | MemberOf[Any], value: Any, binding: Binding
) -> tuple[Any, ...]:
    fluent = place.ground(_NOWHERE, binding)
    if symbol == "!=" and isinstance(value, bool) and place.value_type is bool:
        symbol, value = "==", not value
    return (symbol, fluent, type(value), value)


def _structure(expression: Expression[Any], binding: Binding) -> Any:
    match expression:
        case Fluent() | MemberOf():
            return expression.ground(_NOWHERE, binding)
        case Comparison(symbol, left, right) | Arithmetic(symbol, left, right):
            return (symbol, _structure(left, binding), _structure(right, binding))
        case Negation(operand):
            return ("not", _structure(operand, binding))
        case Junction(parts, decisive):
            return (decisive, *(_structure(part, binding) for part in parts))
        case _:
            value = expression.evaluate(_NOWHERE, binding)
            return (type(value), value)


def _fluents(expression: Expression[Any], binding: Binding) -> Iterator[Fluent[Any]]:
    """The fluents that an expression without opaque parts mentions."""
    if isinstance(expression, Fluent | MemberOf):
        found = expression.ground(_NOWHERE, binding)
        assert isinstance(found, Fluent), "nothing is unknown without a state"
        yield found
    for part in _parts(expression):
        yield from _fluents(part, binding)


def _parts(expression: Expression[Any]) -> tuple[Expression[Any], ...]:
    match expression:
        case Comparison(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case Negation(operand):
            return (operand,)
        case Junction(parts):
            return parts
        case _:
            return ()


def opaque_parts(task: PrimitiveTask[Any]) -> Iterator[str]:
    """What keeps the task from being grounded, as text."""
    yield from opaque(task.precondition)
    for effect in (*task.effects, *task.expected):
        if isinstance(effect, FunctionEffect):
            yield f"the effect {effect} is a function"
        elif effect.grows:
            yield f"the effect '{effect}' depends on the value before"
        else:
            yield from chain(
                opaque(effect.target), _reading(effect.value, f"the effect '{effect}'")
            )
    yield from _reading(task.cost, f"the cost {task.cost}")


def opaque(expression: Expression[Any]) -> Iterator[str]:
    """What in a condition only a state can tell: functions, and indices that read fluents."""
    if isinstance(expression, MemberOf):
        yield from _reading(expression.index, f"the index of {expression}")
    elif not isinstance(expression, _TRANSPARENT):
        yield f"the condition {expression} is a function"
    for part in _parts(expression):
        yield from opaque(part)


_TRANSPARENT: Final = (Fluent, Constant, Parameter, Comparison, Arithmetic, Negation, Junction)


def _reading(expression: Expression[Any], what: str) -> Iterator[str]:
    """A text where the expression needs a state."""
    pending: list[Expression[Any]] = [expression]
    while pending:
        one = pending.pop()
        if isinstance(one, Fluent | MemberOf) or not isinstance(one, _TRANSPARENT):
            yield (
                f"{what} reads the state"
                if what.startswith("the ")
                else f"'{what}' reads the state"
            )
            return
        pending.extend(_parts(one))
