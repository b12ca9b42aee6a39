"""The specification of HTN planning: a short recursive planner that defines the plans.

``_solutions`` enumerates all decompositions of a network from one state, in order of preference:
so backtracking into any earlier choice is complete by construction. Every other search has to
return the same plans in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Final, assert_never

from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.domain.chance import values_in_order
from bthtn.engine.domain.choice import ValueChoice, known_value
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.engine.domain.number import number_of
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.domain.task_effects import grounded, projected
from bthtn.engine.plan.merge import after_parallel, after_priority, conflict
from bthtn.engine.plan.nodes import (
    HORIZON,
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    SuspensionKind,
    TaskNode,
    cause_of,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import footprint, record_entries
from bthtn.engine.planning.exclusions import why_avoided
from bthtn.engine.planning.least_cost import least_sums
from bthtn.engine.planning.partial import cut
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.world.expression import Binding, Condition, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, RecordingView, Write
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN, same_value

_ABSENT: Final = object()


@dataclass(frozen=True)
class PathState:
    """A projected state, with the number of steps and the time that the path to it has taken.

    ``guard`` is the number of steps at which the innermost priority alternative begins.
    """

    base: FrozenState
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    steps: int = 0
    elapsed: float = 0
    guard: int | None = None

    def get(self, fluent: Any, /) -> Any:
        """Return the projected value; a volatile fluent is unknown after the first step."""
        if fluent in self.written:
            return self.written[fluent]
        return self.base.get(fluent) if self.foreseeable or not fluent.volatile else UNKNOWN

    def after(self, writes: Mapping[Fluent[Any], Write]) -> Mapping[Fluent[Any], Any]:
        """Return all values written on the path, including these writes."""
        values = {fluent: write.applied(fluent, self) for fluent, write in writes.items()}
        return {**self.written, **values}

    @property
    def foreseeable(self) -> bool:
        """Whether volatile fluents still have their sensed values."""
        return self.steps == 0 and self.guard is None

    def same_as(self, other: PathState, *, volatile: bool) -> bool:
        """Whether both moments have the same decompositions."""
        if volatile and self.foreseeable is not other.foreseeable:
            return False
        touched = {*self.written, *other.written}
        return all(
            same_value(self._effective(fluent), other._effective(fluent)) for fluent in touched
        )

    def _effective(self, fluent: Fluent[Any]) -> Any:
        return self.written.get(fluent, _ABSENT if fluent.volatile else self.base.get(fluent))


@dataclass(frozen=True)
class Outcome:
    """One decomposition of a network: its node, the moment after it, its part of the record."""

    node: Node
    moment: PathState
    record: tuple[int, ...] = ()
    cause: Suspension | None = None


@dataclass(frozen=True)
class Place:
    """The context of a network: its parameter binding, the moment, and the open calls."""

    binding: Binding
    at: PathState
    above: tuple[tuple[CompoundTask[...], tuple[Any, ...], PathState], ...] = ()


def by_loops(choice: ValueChoice, at: StateView, args: Binding) -> tuple[Any, ...]:
    """What a choice of several variables at once has to give: the result of nested loops."""
    assert choice.join is not None
    join, view = choice.join, RecordingView(at)
    ranges = [
        values_in_order(known_value(each.values, view, args), str, "") for each in join.ranges
    ]
    rows, last = [], max(choice.positions, default=0)
    for row in product(*map(dict.fromkeys, ranges)):
        values = [*args, *[None] * (last + 1 - len(args))]
        for each, value in zip(join.ranges, row, strict=True):
            parts = value if len(each.places) > 1 else (value,)
            for place, part in (*zip(each.places, parts, strict=True), (each.whole, value)):
                if place in choice.positions:
                    values[place] = part
        if all(_may_hold(condition, view, tuple(values)) for condition in join.conditions):
            rows.append((row, tuple(values[position] for position in choice.positions)))
    if choice.key is not None:
        key, window = Bindable(choice.key).bound(args), choice.state_class.over(view)
        rows.sort(key=lambda row: key(window, *row[0]))
    return tuple(
        dict.fromkeys(values if len(choice.positions) > 1 else values[0] for _, values in rows)
    )


def _may_hold(condition: Condition, view: StateView, binding: Binding) -> bool:
    try:
        return condition.evaluate(view, binding) is not False
    except Exception:  # noqa: BLE001 - the method itself evaluates it again
        return True


class Reference(Unpicklable):
    """The recursive planner for one request."""

    def __init__(self, request: PlanRequest) -> None:
        self._request = request
        self._domain = request.domain
        self._settings = request.settings
        self.expansions = 0

    def plans(self) -> Iterator[Plan]:
        """Yield every plan of the request, most preferred first."""
        return map(self._as_asked, self._whole_plans())

    def best(self) -> Plan | None:
        """Return the first plan, or None; with costs or values, the first with the least sum."""
        sums = least_sums(self._domain, cheapest=self._settings.cheapest)
        if sums is None:
            return next(self.plans(), None)
        found = min(self._whole_plans(), key=sums.value, default=None)
        return None if found is None else self._as_asked(found)

    def _as_asked(self, plan: Plan) -> Plan:
        """Return the plan; with ``check_rest``, cut to the part that is to be planned now."""
        asked = self._request
        return cut(plan, asked.state, asked.settings) if asked.settings.check_rest else plan

    def _whole_plans(self) -> Iterator[Plan]:
        asked = self._request
        for found in self._solutions(asked.goal, Place(asked.binding, PathState(asked.state))):
            record = MethodTraversalRecord(found.record)
            # Behind a part that is suspended inside of a branch, entries are of other choices.
            entries = record_entries(found.node, open_branches=False)
            if asked.bound is not None and not MethodTraversalRecord(entries).beats(asked.bound):
                continue
            yield Plan(
                asked.domain,
                asked.goal,
                asked.binding,
                found.node,
                record,
                asked.state.changed(found.moment.written),
                self.expansions,
            )

    def _solutions(self, network: Network, place: Place) -> Iterator[Outcome]:
        match network:
            case TaskCall():
                return self._call(network, place)
            case SequenceNetwork(parts):
                return self._sequence(parts, 0, place)
            case ParallelNetwork():
                return self._parallel(network, place)
            case PriorityNetwork():
                return self._priority(network, place)
            case DeferNetwork(call) if self._settings.check_rest:
                return self._call(call, place)
            case DeferNetwork():
                return iter([_deferred(network, place)])
            case PauseNetwork() if not self._settings.check_rest:
                return iter([Outcome(NULL_NODE, place.at, cause=cause_of(network))])
            case PauseNetwork() | NullNetwork():
                return iter([Outcome(NULL_NODE, place.at)])
            case _:
                assert_never(network)

    def _call(self, call: TaskCall, place: Place) -> Iterator[Outcome]:
        view = RecordingView(place.at)
        args = grounded(call, view, place.binding)
        if args is None:
            yield _undecided(call, place, str(view.unknown))
        elif isinstance(call.task, PrimitiveTask):
            yield from self._primitive(call, place, args, view)
        elif not self._cut(call.task, args, place):
            yield from self._compound(call, place, args, view)

    def _primitive(
        self, call: TaskCall, place: Place, args: tuple[Any, ...], view: RecordingView
    ) -> Iterator[Outcome]:
        assert isinstance(call.task, PrimitiveTask)
        self.expansions += 1
        if why_avoided((call.task, args), self._request.avoiding):
            return
        step, at = projected(call.task, args, view), place.at
        undecided = step.possible is UNKNOWN and at.guard != at.steps
        if step.possible is False:
            return
        if step.writes is None or undecided:
            yield _undecided(call, place, step.unknown)
            return
        node = TaskNode(call.task, args, step.footprint, step.duration, step.cost)
        elapsed = at.elapsed + step.duration
        after = replace(at, written=at.after(step.writes), steps=at.steps + 1, elapsed=elapsed)
        yield Outcome(node, after)

    def _compound(
        self, call: TaskCall, place: Place, args: tuple[Any, ...], view: RecordingView
    ) -> Iterator[Outcome]:
        assert isinstance(call.task, CompoundTask)
        above = (*place.above, (call.task, args, place.at))
        try:
            decompositions = self._domain.decompositions(call.task, args, view)
        except UnknownRead as signal:
            yield _undecided(call, place, str(signal.fluent))
            return
        if isinstance(call.task.choice, ValueChoice) and call.task.choice.join is not None:
            assert decompositions.values == by_loops(call.task.choice, place.at, args)
        for index in range(len(decompositions)):
            if why_avoided(decompositions.avoidable(index), self._request.avoiding):
                continue
            seen, inside = RecordingView(place.at), decompositions.binding(index)
            try:
                body = self._network(decompositions.method(index), seen, inside)
            except UnknownRead as signal:
                yield _undecided(call, place, str(signal.fluent))
                return
            if body is None:
                continue
            self.expansions += 1
            chosen = decompositions.method(index)
            cost, value = (
                number_of(number, seen, inside) for number in (chosen.cost, chosen.value)
            )
            scope = Footprint(view.reads | seen.reads)
            entered = (call.task, args, index)
            for found in self._solutions(body, Place(inside, place.at, above)):
                node = ScopeNode(
                    *entered, found.node, scope, decompositions.name(index), cost, value
                )
                yield replace(found, node=node, record=(index, *found.record))

    def _network(self, method: Method, view: RecordingView, binding: Binding) -> Network | None:
        return self._domain.network(method, view, binding)

    def _sequence(self, parts: tuple[Network, ...], index: int, place: Place) -> Iterator[Outcome]:
        """Yield the outcomes of the parts from ``index`` on; their nodes are sequences."""
        if index == len(parts):
            yield Outcome(SequenceNode(()), place.at)
        elif index > 0 and self._at_horizon(place.at):
            rest = SuspendedNode(parts[index:], place.binding, HORIZON)
            yield Outcome(SequenceNode((rest,)), place.at, cause=HORIZON)
        else:
            for first in self._solutions(parts[index], place):
                for last in self._behind(first, parts, index + 1, place):
                    assert isinstance(last.node, SequenceNode)
                    node = SequenceNode((first.node, *last.node.children))
                    yield replace(last, node=node, record=first.record + last.record)

    def _behind(
        self, first: Outcome, parts: tuple[Network, ...], index: int, place: Place
    ) -> Iterator[Outcome]:
        """Return the outcomes of the parts after ``first``, suspended if ``first`` is."""
        if first.cause is None:
            return self._sequence(parts, index, replace(place, at=first.moment))
        rest = parts[index:]
        nodes = (SuspendedNode(rest, place.binding, first.cause),) if rest else ()
        return iter([Outcome(SequenceNode(nodes), first.moment, (), first.cause)])

    def _parallel(self, network: ParallelNetwork, place: Place) -> Iterator[Outcome]:
        for branches in self._branches(network.parts, place):
            footprints = [footprint(branch.node) for branch in branches]
            if conflict(footprints) is None:
                ends = [branch.moment for branch in branches]
                writes = after_parallel(footprints, network.policy, lambda i, f: ends[i].get(f))  # noqa: B023 - called before the loop goes on
                node = ParallelNode(tuple(branch.node for branch in branches), network.policy)
                yield _joined(node, branches, place.at, place.at.after(writes))

    def _branches(self, parts: tuple[Network, ...], place: Place) -> Iterator[tuple[Outcome, ...]]:
        """Yield every combination of the outcomes of the branches, each from the same moment."""
        if not parts:
            yield ()
            return
        for first in self._solutions(parts[0], place):
            for others in self._branches(parts[1:], place):
                yield (first, *others)

    def _priority(self, network: PriorityNetwork, place: Place) -> Iterator[Outcome]:
        inside = replace(place, at=replace(place.at, guard=place.at.steps))
        for choices in self._alternatives(network.parts, inside):
            kept = {i: choice for i, choice in enumerate(choices) if choice is not None}
            if kept:
                yield _chosen_later(network, place, inside.at, choices, kept)

    def _alternatives(
        self, parts: tuple[Network, ...], place: Place
    ) -> Iterator[tuple[Outcome | None, ...]]:
        """Yield every combination of outcomes; None for an alternative that has no outcome."""
        if not parts:
            yield ()
            return
        planned = False
        for first in self._solutions(parts[0], place):
            planned = True
            for others in self._alternatives(parts[1:], place):
                yield (first, *others)
        if not planned:
            for others in self._alternatives(parts[1:], place):
                yield (None, *others)

    def _cut(self, task: CompoundTask[...], args: tuple[Any, ...], place: Place) -> bool:
        """Whether the call is nested too deep, or in itself in an unchanged state."""
        volatile = self._domain.schema.has_volatile
        again = any(
            task is other
            and all(map(same_value, args, values))
            and place.at.same_as(moment, volatile=volatile)
            for other, values, moment in place.above
        )
        too_deep = len(place.above) >= self._settings.max_depth
        return too_deep or (self._settings.strict_recursion and again)

    def _at_horizon(self, at: PathState) -> bool:
        settings = self._settings
        return not settings.check_rest and settings.is_horizon(at.steps, at.elapsed)


def _undecided(call: TaskCall, place: Place, unknown: str) -> Outcome:
    """Return the outcome of a call that is suspended until a fluent is known."""
    cause = Suspension(SuspensionKind.UNKNOWN, unknown)
    return Outcome(SuspendedNode((call,), place.binding, cause), place.at, cause=cause)


def _deferred(network: DeferNetwork, place: Place) -> Outcome:
    """Return the outcome of a deferred call; planning goes on after it if it ensures effects."""
    view = RecordingView(place.at)
    try:
        ensured = writes_of(network.ensures, view, place.binding)
    except UnknownRead as signal:
        return _undecided(network.call, place, str(signal.fluent))
    cause = cause_of(network)
    node = SuspendedNode((network.call,), place.binding, cause, ensured, view.reads)
    after = replace(place.at, written=place.at.after(ensured))
    return Outcome(node, after, cause=None if ensured else cause)


def _joined(
    node: Node, branches: Iterable[Outcome], entry: PathState, written: Mapping[Fluent[Any], Any]
) -> Outcome:
    """Return the joint outcome of branches that started at one moment."""
    ends = list(branches)
    after = replace(
        entry,
        written=written,
        steps=max(end.moment.steps for end in ends),
        elapsed=max(end.moment.elapsed for end in ends),
    )
    record = tuple(entry for end in ends for entry in end.record)
    cause = next((end.cause for end in ends if end.cause is not None), None)
    return Outcome(node, after, record, cause)


def _chosen_later(
    network: PriorityNetwork,
    place: Place,
    inside: PathState,
    choices: tuple[Outcome | None, ...],
    kept: Mapping[int, Outcome],
) -> Outcome:
    """Return the outcome of a priority node with the alternatives that have a plan."""
    node = PriorityNode(
        tuple(choice.node for choice in kept.values()), tuple(kept), network.reactive
    )
    values = after_priority([choice.moment.written for choice in kept.values()], inside.get)
    joined = _joined(node, kept.values(), place.at, {**place.at.written, **values})
    record = tuple(e for choice in choices for e in ((0, *choice.record) if choice else (1,)))
    return replace(joined, record=record)
