"""Goals: conditions that a search makes true by any of the declared actions.

    network ::= … | achieve(condition)

A goal inside a network becomes a call of an anonymous task with one method. When planning reaches
that call, a ``Solver`` searches for the body. The solver is passed in by the packages above, so
this package defines goals without depending on a search algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from bthtn.engine.domain.chance import values_in_order
from bthtn.engine.domain.choice import known_value
from bthtn.engine.domain.condition import ConditionLike, condition_from
from bthtn.engine.domain.function import Computed, function_text
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import Construct, Network, sequence, with_tasks
from bthtn.engine.domain.task import PrimitiveTask, Task, TaskCall, strangers
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    StateView,
)
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import Truth
from bthtn.errors import Diagnostic, DomainError, nearest
from bthtn.records import record

T = TypeVar("T")

Written = Expression[Any] | Callable[[Any], Any]

Action = tuple[PrimitiveTask[...], Binding]
"""A primitive task with the values that it is called with."""

UNLIMITED: Final = 1_000_000
_HINT: Final = "give the values there are: objects={'spot': ('hill', 'bridge')}"


@record
class Manner:
    """How to search for a goal.

    ``forward`` searches from the state instead of back from the goal. ``optimal`` requests the
    cheapest steps. ``limit`` is the maximum number of expansions of a search inside a method.
    """

    heuristic: str = ""
    optimal: bool = False
    forward: bool = False
    limit: int = UNLIMITED


@record(eq=False)
class Solution:
    """Steps that make a goal true, and the fluents that the goal reads after them."""

    steps: tuple[Action, ...]
    reads: frozenset[Expression[Any]]


class Solver(Protocol):
    """**Protocol:** a search for the steps to a goal."""

    def faults(self, pursuit: Pursuit) -> Iterable[Diagnostic]:
        """Diagnostics for actions that this kind of search cannot use."""
        ...

    def solve(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Solution | None:
        """The steps from this state; None if no steps reach the goal. Raises UnknownRead."""
        ...

    def why_not(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Iterable[str]:
        """The reasons why no steps reach the goal from this state, line by line."""
        ...


@record(eq=False)
class Pursuit:
    """A goal, the actions that may be used for it, and the values of their parameters.

    ``objects`` has values by the name of a parameter, or by its type; parameters whose type is
    finite, such as an Enum, need none.
    """

    condition: Condition
    actions: tuple[PrimitiveTask[...], ...]
    objects: Mapping[Any, Expression[Any]]
    manner: Manner
    solver: Solver
    kept: dict[str, Any] = field(default_factory=dict)
    """A cache for the solver, which lives as long as this goal."""

    def values(self, view: StateView, binding: Binding) -> dict[Any, tuple[Any, ...]]:
        """The values of ``objects`` in this state.

        Raises UnknownRead for unknown ones, and DomainError for something that is no collection
        of hashable values.
        """
        found = {}
        for name, written in self.objects.items():
            values = known_value(written, RecordingView(view), binding)
            where = partial("objects of '{}'".format, _text(name))
            found[name] = tuple(dict.fromkeys(values_in_order(values, where, _HINT)))
        return found

    def holds(self, view: StateView, binding: Binding) -> Truth:
        """Whether the goal is reached. Every part is evaluated, so that all its reads are recorded.

        Evaluation usually stops at the first decisive part.
        """
        return _asked(self.condition, view, binding)


def _asked(condition: Condition, view: StateView, binding: Binding) -> Truth:
    match condition:
        case Junction(parts):
            for part in parts:
                _asked(part, view, binding)
        case Negation(operand):
            _asked(operand, view, binding)
    return condition.evaluate(view, binding)


@record(eq=False)
class GoalBody(PlainBody):
    """A method body whose network is found by a search for a goal."""

    pursuit: Pursuit = field(kw_only=True)

    def network(self, view: StateView, binding: Binding) -> Network | None:
        """The steps in order; None if no steps reach the goal.

        Only the fluents that the goal reads are recorded. Other reads of the search helped to
        choose these steps, but the plan does not depend on them. Raises UnknownRead and
        PlanningError.
        """
        below = getattr(view, "below", view)  # where nothing is recorded
        solution = self.pursuit.solver.solve(self.pursuit, below, binding)
        if solution is None:
            return None
        for fluent in sorted(solution.reads, key=str):
            view.get(fluent)
        return with_tasks(steps_network(solution.steps), self.tasks)

    def why_not(self, view: StateView, binding: Binding) -> str:
        reasons = self.pursuit.solver.why_not(self.pursuit, view, binding)
        return "; ".join([f"no plan for {self.pursuit.condition.text(binding)}", *reasons])

    def __str__(self) -> str:
        return f"achieve({self.pursuit.condition})"


def steps_network(steps: Iterable[Action]) -> Network:
    return sequence(*(TaskCall(task, tuple(map(Constant, args))) for task, args in steps))


@record(eq=False)
class Achieve(Construct):
    """The construct ``achieve``: any steps that make the condition true."""

    condition: Any
    actions: tuple[PrimitiveTask[...], ...]
    objects: tuple[tuple[Any, Written], ...]
    manner: Manner
    solver: Solver
    word: str = "achieve"
    parts: tuple[Network, ...] = ()

    def text(self, binding: Binding | None = None) -> str:
        goal: ConditionLike = self.condition
        if isinstance(goal, Expression):
            return f"achieve({goal.text(binding)})"
        return f"achieve({function_text(goal) if callable(goal) else goal})"

    def pursuit(self, tasks: Mapping[str, Task], state_class: type[State]) -> Pursuit:
        """The goal with its actions, those of the domain where none are named.

        Raises DomainError for actions of another domain, parameters without values, and
        actions that the solver cannot use.
        """
        every = tuple(task for task in tasks.values() if isinstance(task, PrimitiveTask))
        actions = self.actions or every
        objects = {
            name: written if isinstance(written, Expression) else Computed(written, state_class)
            for name, written in self.objects
        }
        state_class.__schema__.check(*objects.values())
        condition = condition_from(self.condition, state_class)
        pursuit = Pursuit(condition, actions, objects, self.manner, self.solver)
        found = [
            *strangers(actions, tasks, "achieve"),
            *_unused(every, objects),
        ]
        DomainError.raise_for(found or self.solver.faults(pursuit))
        return pursuit


def _unused(
    tasks: Iterable[PrimitiveTask[...]], objects: Mapping[Any, Any]
) -> Iterator[Diagnostic]:
    """A finding for values of a parameter, or a type, that no primitive task of the domain has."""
    parameters = [parameter for task in tasks for parameter in task.parameters]
    names = {parameter.name for parameter in parameters}
    kinds = [parameter.annotation for parameter in parameters]
    for name in objects:
        if name not in names and name not in kinds:
            of_type = "" if isinstance(name, str) else "of type "
            message = f"no primitive task has a parameter {of_type}'{_text(name)}'"
            yield Diagnostic("BT121", message, "achieve", nearest(_text(name), names))


def given_for(parameter: Parameter[Any], objects: Mapping[Any, T]) -> T | None:
    """What is given for a parameter, by its name or else by its type."""
    found = objects.get(parameter.name)
    return objects.get(parameter.annotation) if found is None else found


def _text(name: Any) -> str:
    """The name of a parameter, or of a type."""
    return name if isinstance(name, str) else getattr(name, "__name__", str(name))


def pursued(body: object) -> Pursuit | None:
    """The goal of a method body that is found by search; None for other bodies."""
    return body.pursuit if isinstance(body, GoalBody) else None
