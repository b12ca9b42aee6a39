"""Conditions as authors may write them, and explanations of why they are false."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.function import Computed, is_function
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.at_start import AtStart, conjunction
from bthtn.engine.world.expression import (
    ALWAYS,
    Asked,
    Binding,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    StateView,
    conjuncts,
)
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import Truth, value_text
from bthtn.errors import DomainError
from bthtn.records import record

OneCondition = Expression[bool] | bool | Callable[[Any], bool]
ConditionLike = OneCondition | Sequence[OneCondition]
"""Everything that users may write as a condition: several in a list all have to hold."""


def condition_from(written: ConditionLike | None, state_class: type[State]) -> Condition:
    """The condition as an expression. Raises DomainError when its value cannot be a boolean."""
    if written is None or written is True:
        return ALWAYS
    if isinstance(written, bool):
        return Constant(written)
    if isinstance(written, Expression) and not written.is_condition:
        kind = written.value_type.__name__ if isinstance(written, FluentReference) else "a number"
        hint = f"compare it: {written!s} > 0, {written!s} == ..."
        raise DomainError("BT110", f"'{written!s}' is {kind}, not a condition", hint=hint)
    if isinstance(written, Expression):
        condition = _with_functions(written, state_class)
        state_class.__schema__.check(condition)
        return condition
    if isinstance(written, list | tuple):
        parts = (condition_from(part, state_class) for part in written)
        return conjunction([each for part in parts for each in conjuncts(part)])
    if is_function(written):
        return Computed(written, state_class, as_truth=True)
    hint = "write a comparison of fluents, Soldier.ammo > 0, or a function of the state"
    if isinstance(written, set | frozenset):
        hint = "write several conditions in a list: [Soldier.ammo > 0, Soldier.has_target]"
    elif isinstance(written, Assignment):
        hint = f"a condition changes nothing: write {written.target!s} == {written.value!s}"
    message = f"{written!r} is not a condition, but {type(written).__name__}"
    raise DomainError("BT110", message, hint=hint)


def _with_functions(condition: Condition, state_class: type[State]) -> Condition:
    """The condition with its functions asked of states of this class. Raises DomainError."""
    match condition:
        case Asked(function):
            return condition_from(function, state_class)
        case Negation(operand):
            inside = _with_functions(operand, state_class)
            return condition if inside is operand else Negation(inside)
        case Junction(parts, decisive):
            read = tuple([_with_functions(part, state_class) for part in parts])
            is_same = all(one is other for one, other in zip(read, parts, strict=True))
            return condition if is_same else Junction(read, decisive)
        case _:
            return condition


def precondition_from(
    written: ConditionLike | None, state_class: type[State]
) -> tuple[Condition, Condition]:
    """The precondition as an expression, and what is watched of it: all but ``at_start`` parts.

    Raises DomainError as ``condition_from``, and for an ``at_start`` inside of a part.
    """
    listed = written if isinstance(written, list | tuple) else (written,)
    parts = [
        part
        for each in listed
        for part in (conjuncts(each) if isinstance(each, Expression) else (each,))
    ]
    if not any(isinstance(part, AtStart) for part in parts):
        condition = condition_from(written, state_class)
        return condition, condition
    asked: list[Condition] = []
    watched: list[Condition] = []
    for part in parts:
        if isinstance(part, AtStart):
            asked += conjuncts(condition_from(part.condition, state_class))
            continue
        condition = condition_from(part, state_class)
        asked += conjuncts(condition)
        watched += conjuncts(condition)
    return conjunction(asked), conjunction(watched)


@record
class Held:
    """Whether a condition holds in a state; true in a test if it does.

    ``truth`` is its value: True, False or UNKNOWN. ``why`` names the part of it that decides, and
    the values of the fluents that were read.
    """

    truth: Truth
    why: str

    def __bool__(self) -> bool:
        return self.truth is True

    def __str__(self) -> str:
        return self.why


@checked
def holds(condition: ConditionLike, state: State) -> Held:
    """Whether the condition holds in the state, and why not: the first of its parts that is false.

    Raises DomainError for what is no condition, and StateError for fluents of another State class.
    """
    return held(condition_from(condition, type(state)), state.frozen())


def held(condition: Condition, view: StateView, binding: Binding = ()) -> Held:
    """Whether the condition holds, with the first of its parts that is false or unknown."""
    truth = condition.evaluate(view, binding)
    parts = (
        conjunct for conjunct in conjuncts(condition) if conjunct.evaluate(view, binding) is truth
    )
    return Held(truth, why(condition if truth is True else next(parts), view, binding))


def why(condition: Condition, view: StateView, binding: Binding = ()) -> str:
    """The condition, its value and the fluents read: ``ammo > 0 is false: ammo = 0``."""
    recorder = RecordingView(view)
    truth = condition.evaluate(recorder, binding)
    return why_so(condition, binding, truth, recorder.readings)


def why_so(
    condition: Condition, binding: Binding, truth: Truth, readings: Mapping[Expression[Any], Any]
) -> str:
    """The same, of its value and the readings of an evaluation."""
    read = [f"{fluent} = {value_text(value)}" for fluent, value in readings.items()]
    text = f"{condition.text(binding)} is {value_text(truth)}"
    return f"{text}: {', '.join(read)}" if read else text
