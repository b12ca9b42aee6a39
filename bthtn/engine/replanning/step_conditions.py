"""StepConditions: what a running step needs, of its precondition and ``during``.

    during         every fluent that the step writes is unknown here: its success may be seen early
    precondition   every fluent that an effect of it writes, at whatever moment, is unknown

An unknown condition is no failure.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, TypeVar

from bthtn.engine.domain.condition import why
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import FunctionEffect
from bthtn.engine.domain.function_names import names_in
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node, TaskNode
from bthtn.engine.replanning.arguments import fluents_changed_by
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Parameter,
    StateView,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent, MemberOf
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.truth import UNKNOWN, Unknown
from bthtn.errors import exception_text

V = TypeVar("V")
Fluents = Container[Expression[Any]]


class Without:
    """A state in which some fluents are unknown."""

    def __init__(self, view: StateView, unknown: Fluents) -> None:
        self._view = view
        self._unknown = unknown

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        if fluent in self._unknown:
            return UNKNOWN
        return self._view.get(fluent)


def condition_failure(
    node: Node,
    condition: Condition,
    view: StateView,
    binding: Binding,
    unseen: Fluents | None = None,
) -> Failure | None:
    """The failure of a condition that is false where the fluents ``unseen`` are unknown."""
    recorder = RecordingView(view)
    asked = recorder if unseen is None else Without(recorder, unseen)
    try:
        if condition.evaluate(asked, binding) is not False:
            return None
        return Failure(why(condition, view, binding), str(node), reads=recorder.reads)
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's code raises: that is a failure, too
        return Failure(exception_text(error), str(node), reads=recorder.reads, error=error)


def false_parts(node: TaskNode, view: StateView) -> tuple[Failure, ...]:
    """The failures of the parts of a running step's precondition that are watched and false."""
    watched, own = node.task.watched, _own_fluents(node, view)
    try:
        if watched.evaluate(view if own is None else Without(view, own), node.args) is not False:
            return ()
    except AssertionError:
        raise
    except Exception:  # noqa: BLE001, S110 - the user's code: the part that raises is found below
        pass
    found = (condition_failure(node, part, view, node.args, own) for part in conjuncts(watched))
    return tuple(failure for failure in found if failure is not None)


def needed_by(node: TaskNode, view: StateView) -> tuple[frozenset[Fluent[Any]], Exception | None]:
    """The fluents on which it depends whether a step that starts now may run on.

    The second is the first exception of its conditions: they may not be asked again.
    """
    task, recorder, raised = node.task, RecordingView(view), None
    own = _own_fluents(node, view) or ()
    asked: list[tuple[Condition, Fluents]] = [(part, own) for part in conjuncts(task.watched)]
    for condition, unseen in (*asked, (task.during, fluents_changed_by(node))):
        try:
            condition.evaluate(Without(recorder, unseen), node.args)
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - a condition is the user's code
            raised = raised or error
    fluents = frozenset(fluent for fluent in recorder.readings if isinstance(fluent, Fluent))
    return fluents, raised


def _own_fluents(node: TaskNode, view: StateView) -> Fluents | None:
    """The fluents that effects of a running step write, at whatever moment; None without any."""
    at_run_time = _at_run_time(node)
    if at_run_time:
        return _OwnFluents(node, at_run_time, view)
    return node.footprint.writes or None


def writes_nothing(node: TaskNode) -> bool:
    """Whether there is no effect of a step, at whatever moment."""
    return not (node.footprint.writes or _at_run_time(node))


def _at_run_time(node: TaskNode) -> tuple[Effect, ...]:
    task = node.task
    return (*task.actual, *task.on_start, *task.on_failure, *task.on_abort)


class _OwnFluents:
    """The fluents that the effects of a running step write, at whatever moment.

    A function that is an effect at run time counts with all fluents that it mentions.
    """

    def __init__(self, node: TaskNode, at_run_time: Iterable[Effect], view: StateView) -> None:
        self._written: set[Expression[Any]] = {*node.footprint.writes}
        self._names: set[str] = set()
        self._is_all = False
        for effect in at_run_time:
            self._add(effect, node.args, view)

    def __contains__(self, fluent: object) -> bool:
        return self._is_all or fluent in self._written or self._is_named(fluent)

    def _is_named(self, fluent: object) -> bool:
        return bool(self._names) and isinstance(fluent, Fluent) and fluent.name in self._names

    def _add(self, effect: Effect, args: Binding, view: StateView) -> None:
        if isinstance(effect, FunctionEffect):
            names = names_in(effect.function)
            self._is_all |= names is None
            self._names |= names or set()
            return
        target: Any = effect.target
        if isinstance(target, MemberOf):
            if not _is_fixed(target.index):
                self._names.add(target.family.name)
                return
            target = target.ground(view, args)
        self._written.add(target)


def _is_fixed(index: Expression[Any]) -> bool:
    """Whether an index depends on nothing but arguments."""
    return all(isinstance(leaf, Constant | Parameter) for leaf in leaves_of(index))
