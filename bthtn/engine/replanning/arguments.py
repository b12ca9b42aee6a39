"""Arguments: whether the calls of a running plan would have other arguments if made now.

call ahead            evaluated in the state to which the plan leads there
decomposition begun   its call, the values of its variable and its plain method, evaluated in
                      the current state: differences from the plan count, unless a step in it has
                      written a fluent that was read, for the calls in it that are ahead
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network, calls_in
from bthtn.engine.domain.task import TaskCall, call_text
from bthtn.engine.domain.task_effects import grounded
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.engine.replanning.rest import INVALID, Rest
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Binding, Expression, Parameter, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.truth import value_text


@dataclass(frozen=True, slots=True)
class Context:
    """How a decomposition differs from when it was planned.

    ``values`` are those of its parameters by position, ``calls`` replace those of its network.
    They depend on the fluents ``reads``, and on the context ``outside``.
    """

    values: Mapping[int, Any] = field(default_factory=dict)
    calls: Mapping[TaskCall, TaskCall] = field(default_factory=dict)
    reads: frozenset[Expression[Any]] = frozenset()
    outside: Context | None = None

    def chain(self) -> Iterator[Context]:
        """This context, and those on which it depends."""
        context: Context | None = self
        while context is not None:
            yield context
            context = context.outside

    def all_reads(self) -> frozenset[Expression[Any]]:
        """The fluents on which this context, and those around it, depend."""
        return frozenset().union(*(context.reads for context in self.chain()))

    def evaluated(
        self, call: TaskCall, view: RecordingView, binding: Binding
    ) -> tuple[Any, ...] | None:
        """The arguments of a call in this state and context, None if one is unknown."""
        if self.values:
            binding = tuple(self.values.get(n, value) for n, value in enumerate(binding))
        return grounded(self.calls.get(call, call), view, binding)


AS_PLANNED = Context()


class Arguments:
    """Evaluates the calls of a running plan again."""

    def __init__(self, rest: Rest, domain: FrozenDomain, now: StateView) -> None:
        self._rest = rest
        self._domain = domain
        self._now = now

    def failure(
        self, node: TaskNode | ScopeNode, context: Context, now: StateView
    ) -> Failure | None:
        """The failure of a call ahead that has other arguments in this state, None if it has not.

        Arguments that an anonymous task takes over from the one around it do not count.
        """
        view = RecordingView(now)
        for position, value in changed_arguments(node, view, context).items():
            if not (_is_anonymous(node) and _is_parameter(node, position)):
                why = changed_text(node, position, value)
                return Failure(why, str(node), reads=view.reads | context.all_reads())
        return None

    def suspended_failure(self, node: SuspendedNode, context: Context) -> Failure | None:
        """The failure of a suspended part that would be planned with another binding, or None."""
        view = RecordingView(self._now)
        for call in (call for network in node.rest for call in calls_in(network)):
            planned = grounded(call, view, node.binding)
            args = context.evaluated(call, view, node.binding)
            if planned != args and planned is not None and args is not None:
                now = call_text(call.task, args)
                why = f"{call_text(call.task, planned)} would be {now} now"
                return Failure(why, str(node), reads=context.all_reads())
        return None

    def ahead(self, node: ScopeNode, context: Context, now: StateView) -> Context:
        """The context inside of a decomposition that has not begun."""
        if not _is_anonymous(node):
            return AS_PLANNED
        return Context(changed_arguments(node, RecordingView(now), context), outside=context)

    def begun(self, node: ScopeNode, context: Context) -> Context:
        """The context inside of a decomposition that has begun. Raises any error of users' code."""
        chosen = node.body is not None or isinstance(node.task.choice, ValueChoice)
        if not (node.args or chosen):  # there is nothing in it that could be otherwise
            return context if context is AS_PLANNED else Context(outside=context)
        view = RecordingView(self._now)
        values: dict[int, Any] = {}
        calls: dict[TaskCall, TaskCall] = {}
        try:
            changed = changed_arguments(node, view, context)
            own = changed and (_is_anonymous(node) or self._has_written(node, view))
            values = {n: v for n, v in changed.items() if not own or _is_parameter(node, n)}
            other, calls = self._decomposed(node, view)
            if self._has_written(node, view):
                calls = {}
            else:
                values |= other
        except UnknownRead:
            pass  # what cannot be known now is as planned
        return Context(values, calls, view.reads, context)

    def _decomposed(
        self, node: ScopeNode, view: RecordingView
    ) -> tuple[dict[int, Any], dict[TaskCall, TaskCall]]:
        """The value of a variable instead of one that is gone, and the calls by a plain method."""
        if node.body is None and not isinstance(node.task.choice, ValueChoice):
            return {}, {}
        decompositions = self._domain.decompositions(node.task, node.args, view)
        number = index_now(node, decompositions)
        if number is None:
            gone = decompositions.variable
            if not isinstance(gone, ValueChoice):
                return {}, {}
            first = next(iter(decompositions.values), None)
            if first is None:
                return dict.fromkeys(gone.positions), {}
            return gone.assigned(first), {}
        if node.body is None:
            return {}, {}
        method, binding = decompositions.method(number), decompositions.binding(number)
        return {}, renewed(node.body, self._domain.network(method, view, binding)) or {}

    def _has_written(self, node: ScopeNode, view: RecordingView) -> bool:
        """Whether a step has written one of these fluents since the decomposition began."""
        if not view.reads:
            return False
        places, writes = self._started
        return any(writes.get(fluent, -1) >= places[node] for fluent in view.reads)

    @cached_property
    def _started(self) -> tuple[dict[Node, int], dict[Expression[Any], int]]:
        """The place of each node from left to right, and of the last step that wrote a fluent."""
        places: dict[Node, int] = {}
        writes: dict[Expression[Any], int] = {}
        pending = [self._rest.tree]
        while pending:
            node = pending.pop()
            places[node] = len(places)
            if isinstance(node, TaskNode) and self._rest.status(node) is not INVALID:
                writes.update(dict.fromkeys(fluents_changed_by(node), places[node]))
            pending.extend(reversed(self._rest.all_below(node)))
        return places, writes


def changed_arguments(
    node: TaskNode | ScopeNode, view: RecordingView, context: Context = AS_PLANNED
) -> dict[int, Any]:
    """The arguments that differ from those of the plan in this state, by position.

    There are none as long as one of them is unknown.
    """
    if node.call is None or not node.args:
        return {}
    args = context.evaluated(node.call, view, node.binding)
    pairs = enumerate(zip(node.args, args or (), strict=False))
    return {n: now for n, (planned, now) in pairs if not _is_equal(planned, now)}


def changed_text(node: TaskNode | ScopeNode, position: int, value: object) -> str:
    """The name of the changed argument, with its value before and now."""
    name, planned = node.task.parameters[position].name, node.args[position]
    return f"{name} was {value_text(planned)} when it was planned, and is {value_text(value)} now"


def index_now(node: ScopeNode, decompositions: Decompositions) -> int | None:
    """The index that a decomposition has by now: values may come in another order, or be gone."""
    if decompositions.variable is None:
        return node.method if node.method < len(decompositions) else None
    return next(
        (n for n in range(len(decompositions)) if decompositions.name(n) == node.name), None
    )


def renewed(planned: Network, now: Network | None) -> dict[TaskCall, TaskCall] | None:
    """The calls of a network that replace those of another; None for other tasks."""
    before, calls = list(calls_in(planned)), [] if now is None else list(calls_in(now))
    if [call.task for call in before] != [call.task for call in calls]:
        return None
    return dict(zip(before, calls, strict=True))


def fluents_changed_by(node: TaskNode) -> frozenset[Expression[Any]]:
    """The fluents that a running step writes: the change may be seen before it ends."""
    actual = (effect.target for effect in node.task.actual if isinstance(effect, Assignment))
    return frozenset(
        (*node.footprint.writes, *(target for target in actual if isinstance(target, Fluent)))
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; one that does not equal itself equals another such value."""
    return one is other or one == other or bool(one != one and other != other)  # noqa: PLR0124 - NaN


def _is_anonymous(node: TaskNode | ScopeNode) -> bool:
    """Whether it is the decomposition of a construct, whose own numbers are evaluated once."""
    return isinstance(node, ScopeNode) and bool(node.task.origin)


def _is_parameter(node: TaskNode | ScopeNode, position: int) -> bool:
    """Whether an argument is a parameter, or a variable, of the decomposition around the call."""
    return node.call is not None and isinstance(node.call.args[position], Parameter)
