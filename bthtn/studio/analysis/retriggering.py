"""Methods that prevent later methods from reacting to their effects (BT155).

A method sets ``navigating``, and a later method has the condition ``navigating``. If no effect of
the first method makes its own condition false, the first is chosen again, and the second never.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import calls_in
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Condition, Constant, conjuncts, leaves_of
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.symbol import Comparable


@dataclass(frozen=True, slots=True, eq=False)
class Retriggering(Comparable):
    """A method that makes the condition of a later one true, but prevents its being chosen.

    ``method`` and ``later`` are their indices, ``fluent`` is the fluent that the later one reads.
    """

    task: str
    method: int
    later: int
    fluent: Fluent[Any]


def retriggering(domain: FrozenDomain) -> Iterator[Retriggering]:
    """One finding for each method that prevents a later one.

    Only certain cases are reported: methods with plain functions, parameters or indexed fluents
    in their conditions or effects are skipped.
    """
    for task, methods in domain.methods.items():
        if task.choice is not None:
            continue
        for index, method in enumerate(methods):
            done = _MethodEffects.by(method, domain)
            read = _reads(method.condition)
            if done is None or not read or read & done.values.keys():
                continue
            for later in range(index + 1, len(methods)):
                fluent = _waits_for(methods[later].condition, method.condition, done)
                if fluent is not None and not _others_write(fluent, done, domain):
                    yield Retriggering(task.name, index, later, fluent)
                    break


@dataclass(slots=True)
class _MethodEffects:
    """The tasks that a method can lead to, and the constants they assign to each fluent."""

    values: dict[Fluent[Any], list[Any]] = field(default_factory=dict)
    tasks: dict[PrimitiveTask[...], None] = field(default_factory=dict)

    @classmethod
    def by(cls, method: Method, domain: FrozenDomain) -> _MethodEffects | None:
        """The effects of a method, None if it involves plain functions."""
        done, seen, pending = cls(), dict[CompoundTask[...], None](), [method]
        while pending:
            body = pending.pop().body
            if isinstance(body, PlainBody):
                return None
            for call in calls_in(body):
                if isinstance(call.task, PrimitiveTask):
                    done.tasks[call.task] = None
                elif call.task not in seen:
                    seen[call.task] = None
                    pending.extend(domain.methods[call.task])
        return done if all(done.add(task) for task in done.tasks) else None

    def add(self, task: PrimitiveTask[...]) -> bool:
        """Add the effects of a task. Returns False if the fluents they write are not constant."""
        for effect in task.all_effects:
            if not isinstance(effect, Assignment) or not isinstance(effect.target, Fluent):
                return False
            values = self.values.setdefault(effect.target, [])
            if isinstance(effect.value, Constant) and not effect.grows:
                values.append(effect.value.value)
        return True


def _waits_for(later: Condition, earlier: Condition, done: _MethodEffects) -> Fluent[Any] | None:
    """The fluent whose assigned value makes the later condition true, else None.

    None also if the two conditions compare the same fluent differently: then they may exclude
    each other.
    """
    asked, known = _reads(earlier), {part.text() for part in conjuncts(earlier)}
    found: Fluent[Any] | None = None
    for part in conjuncts(later):
        read = _reads(part)
        if read is None or (asked is not None and read & asked and part.text() not in known):
            return None
        for fluent in read if len(read) == 1 else ():
            brought_about = any(
                part.evaluate(FrozenState({fluent: value})) is True
                for value in done.values.get(fluent, ())
            )
            if brought_about and part.evaluate(FrozenState({})) is not True:
                found = found or fluent
    return found


def _others_write(fluent: Fluent[Any], done: _MethodEffects, domain: FrozenDomain) -> bool:
    """Whether a task outside of the method assigns to the fluent, or may do so."""
    for task in domain.tasks.values():
        if not isinstance(task, PrimitiveTask) or task in done.tasks:
            continue
        for effect in task.all_effects:
            if not isinstance(effect, Assignment):
                return True
            puts_back = (
                isinstance(effect.value, Constant)
                and not effect.grows
                and effect.value.value == fluent.default
            )
            if effect.target is fluent and not puts_back:
                return True
    return False


def _reads(condition: Condition) -> set[Fluent[Any]] | None:
    """The fluents that a condition mentions; None if it contains a function or a parameter."""
    leaves = [*leaves_of(condition)]
    if not all(isinstance(leaf, Fluent | Constant) for leaf in leaves):
        return None
    return {leaf for leaf in leaves if isinstance(leaf, Fluent)}
