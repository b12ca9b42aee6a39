"""replay: check a plan against its domain, independently of the planner that made it.

Every node is compared with the network that it should come from, every condition is evaluated in
the state after the steps before it, and the footprints of branches are computed again. No code but
``merge`` is shared with searches or ``projection``, so that a mistake in one is found by the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, assert_never

from bthtn.checked import checked
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.condition import why
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.goal import Action, Pursuit, pursued, steps_network
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    ParallelPolicy,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    equal_parts,
    network_text,
)
from bthtn.engine.domain.number import number_of
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.domain.task_effects import grounded, projected
from bthtn.engine.plan.merge import conflict, merge_into
from bthtn.engine.plan.nodes import (
    BranchingNode,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import Visit, node_text, unwound
from bthtn.engine.world.expression import NOTHING_KNOWN, Binding, Constant
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, RecordingView
from bthtn.engine.world.state import FrozenState, State, snapshot
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import exception_text
from bthtn.records import record


@record
class Replay:
    """The verdict on a plan, with its record, footprint and cost if it is ``ok``.

    It is true in a test if the plan is ``ok``. If not, ``where`` names the node, ``reason`` says
    why, and ``final`` is the state before it.
    """

    ok: bool
    reason: str
    where: str
    final: FrozenState
    record: MethodTraversalRecord
    footprint: Footprint
    cost: float = 0

    def __bool__(self) -> bool:
        return self.ok


@checked
def replay(plan: Plan, state: State | FrozenState) -> Replay:
    """Whether the plan comes from its domain and works from this state; true in a test if it does.

    Effects and expected effects are applied.
    """
    state = snapshot(state)
    seed = plan.predicted.get(SEED)  # beliefs have no seed: draws depend on that of the plan
    start = state if seed == state.get(SEED) else state.changed({SEED: seed})
    judge = _ReplayJudge(plan.domain, start)
    try:
        seen = unwound(judge.node(plan.tree, plan.goal, plan.binding))
    except _Wrong as wrong:
        return Replay(False, wrong.reason, wrong.where, judge.now(), *_NOTHING)  # noqa: FBT003 - a value, no switch
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - a condition of the user's that raises
        return Replay(False, exception_text(error), "", judge.now(), *_NOTHING)  # noqa: FBT003 - a value, no switch
    record = MethodTraversalRecord(seen.record)
    return Replay(True, "", "", judge.now(), record, seen.footprint, seen.cost)  # noqa: FBT003 - a value, no switch


class _Wrong(Exception):  # noqa: N818 - it ends the replay and never leaves this module
    def __init__(self, node: Node, reason: str) -> None:
        self.where = node_text(node)
        self.reason = reason
        super().__init__(reason)


@record
class _Seen:
    """Record, footprint and cost of a part of the plan, computed again."""

    record: tuple[int, ...] = ()
    footprint: Footprint = field(default_factory=Footprint)
    cost: float = 0


_NOTHING = (MethodTraversalRecord(), Footprint())


@record
class _BranchEnd:
    seen: _Seen
    written: dict[Fluent[Any], Any]
    steps: int
    stopped: bool
    blind: bool


class _ReplayJudge:
    """Walks the plan and keeps the state that its steps lead to.

    ``stopped`` is true after a suspended part, ``blind`` after one that has no foreseen tree, and
    ``inside`` within a foreseen tree, where only unknown fluents suspend planning. ``alternative``
    is the number of steps before the innermost alternative of a priority node.
    """

    def __init__(self, domain: FrozenDomain, state: FrozenState) -> None:
        self._domain = domain
        self._state = WorkingState(state)
        self._steps = 0
        self._alternative: int | None = None
        self._stopped = False
        self._blind = False
        self._inside = False

    def now(self) -> FrozenState:
        """The state after the steps checked so far."""
        return self._state.freeze()

    def node(self, node: Node, network: Network, binding: Binding) -> Visit[_Seen]:
        """Compare a node with the network it should come from. Raises _Wrong."""
        match network:
            case TaskCall():
                return self._called(node, network, binding)
            case SequenceNetwork(parts) if isinstance(node, SequenceNode):
                return self._sequence(node, parts, binding)
            case ParallelNetwork() if isinstance(node, ParallelNode):
                return self._parallel(node, network, binding)
            case PriorityNetwork() if isinstance(node, PriorityNode):
                return self._priority(node, network, binding)
            case DeferNetwork():
                return self._deferred(node, network, binding)
            case PauseNetwork() | NullNetwork():
                return self._nothing(node, network, binding)
            case SequenceNetwork() | ParallelNetwork() | PriorityNetwork():
                raise _mismatch(node, network, binding)
            case _:
                assert_never(network)

    def _called(self, node: Node, call: TaskCall, binding: Binding) -> Visit[_Seen]:
        if isinstance(node, SuspendedNode):
            return self._suspended(node, (call,), binding)
        if isinstance(node, TaskNode) and isinstance(call.task, PrimitiveTask):
            return self._task(node, call, binding)
        if isinstance(node, ScopeNode) and isinstance(call.task, CompoundTask):
            return self._scope(node, call, binding)
        raise _mismatch(node, call, binding)

    def _task(self, node: TaskNode, call: TaskCall, binding: Binding) -> Visit[_Seen]:
        yield from ()
        view = self._view()
        self._check_call(node, call, view, binding)
        step = projected(node.task, node.args, view)
        if step.possible is False:
            raise _Wrong(node, why(node.task.precondition, self._state, node.args))
        is_first = self._alternative == self._steps
        if step.writes is None or (step.possible is UNKNOWN and not is_first):
            raise _Wrong(node, f"it was planned although {step.unknown} is unknown")
        for fluent, write in step.writes.items():
            self._state.apply(fluent, write)
        self._steps += 1
        return _Seen(footprint=step.footprint, cost=step.cost)

    def _scope(self, node: ScopeNode, call: TaskCall, binding: Binding) -> Visit[_Seen]:
        view = self._view()
        self._check_call(node, call, view, binding)
        try:
            choices = self._domain.decompositions(node.task, node.args, view)
        except UnknownRead as signal:
            raise _undecided(node, signal) from None
        if not 0 <= node.method < len(choices):
            raise _Wrong(node, f"'{node.task.name}' has {len(choices)} methods")
        pursuit = pursued(choices.method(node.method).body)
        if pursuit is not None:
            seen_steps: _Seen = yield self._steps_to(node, pursuit)
            return seen_steps
        for skipped in range(node.method):
            self._body(node, choices, skipped, self._view())
        seen, binding = self._view(), choices.binding(node.method)
        body = self._body(node, choices, node.method, seen)
        if body is None:
            method = choices.method(node.method)
            if isinstance(method.body, PlainBody) and method.condition.evaluate(view, binding):
                raise _Wrong(node, method.body.why_not(view, binding))
            raise _Wrong(node, why(method.condition, self._state, binding))
        cost = number_of(choices.method(node.method).cost, seen, binding)
        entry = Footprint(view.reads | seen.reads)
        inside: _Seen = yield self.node(node.child, body, binding)
        record = (node.method, *inside.record)
        return _Seen(record, entry.then(inside.footprint), cost + inside.cost)

    def _steps_to(self, node: ScopeNode, pursuit: Pursuit) -> Visit[_Seen]:
        """Check the steps to a goal: all allowed actions that reach it are right."""
        steps = steps_network(_steps_below(node, pursuit))
        inside: _Seen = yield self.node(node.child, steps, node.args)
        view = self._view()
        if pursuit.holds(view, node.args) is not True and not self._stopped:
            raise _Wrong(node, why(pursuit.condition, self._state, node.args))
        record, entry = (node.method, *inside.record), Footprint(view.reads)
        return _Seen(record, entry.then(inside.footprint), inside.cost)

    def _body(
        self, node: ScopeNode, choices: Decompositions, index: int, view: RecordingView
    ) -> Network | None:
        try:
            return self._domain.network(choices.method(index), view, choices.binding(index))
        except UnknownRead as signal:
            raise _undecided(node, signal) from None

    def _check_call(
        self, node: TaskNode | ScopeNode, call: TaskCall, view: RecordingView, binding: Binding
    ) -> None:
        if node.task is not call.task or node.args != grounded(call, view, binding):
            raise _Wrong(node, f"it does not come from {call.text(binding)}")

    def _sequence(
        self, node: SequenceNode, parts: tuple[Network, ...], binding: Binding
    ) -> Visit[_Seen]:
        records: list[int] = []
        footprint = Footprint()
        cost: float = 0
        for index, child in enumerate(node.children):
            if not (rest := parts[index:]):
                raise _Wrong(child, "the sequence has fewer parts")
            behind = isinstance(child, SuspendedNode) and equal_parts(child.rest, rest, binding)
            if self._stopped or (behind and index > 0):
                seen: _Seen = yield self._suspended(child, rest, binding)
                if index + 1 < len(node.children):
                    raise _Wrong(node.children[index + 1], "it comes behind a suspended rest")
                return _Seen(tuple(records), footprint.then(seen.footprint), cost)
            seen = yield self.node(child, rest[0], binding)
            records.extend(seen.record)
            footprint = footprint.then(seen.footprint)
            cost += seen.cost
        if len(node.children) < len(parts):
            raise _Wrong(node, f"{network_text(parts[len(node.children)], binding)} is missing")
        return _Seen(tuple(records), footprint, cost)

    def _suspended(self, node: Node, rest: tuple[Network, ...], binding: Binding) -> Visit[_Seen]:
        if not isinstance(node, SuspendedNode):
            raise _Wrong(node, "it comes behind a suspension")
        if not equal_parts(node.rest, rest, binding) or node.binding != binding or node.ensures:
            raise _Wrong(node, "it does not suspend what is left")
        footprint = Footprint()
        if node.foreseen is None:
            self._blind = True
        elif self._blind or self._inside:
            raise _Wrong(node, "it was planned ahead although what comes before it is not known")
        else:
            self._stopped, self._inside = False, True
            whole = rest[0] if len(rest) == 1 else SequenceNetwork(rest)
            seen: _Seen = yield self.node(node.foreseen.tree, whole, binding)
            self._inside, footprint = False, seen.footprint
        self._stopped = True
        return _Seen(footprint=footprint)

    def _nothing(self, node: Node, network: Network, binding: Binding) -> Visit[_Seen]:
        yield from ()
        if not isinstance(node, NullNode):
            raise _mismatch(node, network, binding)
        self._stopped = isinstance(network, PauseNetwork) and not self._inside
        return _Seen()

    def _deferred(self, node: Node, network: DeferNetwork, binding: Binding) -> Visit[_Seen]:
        if self._inside:
            seen: _Seen = yield self.node(node, network.call, binding)
            return seen
        if not isinstance(node, SuspendedNode):
            raise _mismatch(node, network, binding)
        if not node.ensures:
            seen = yield self._suspended(node, (network.call,), binding)
            return seen
        view = self._view()
        try:
            ensured = writes_of(network.ensures, view, binding)
        except UnknownRead as signal:
            reason = f"it ensures something although {signal.fluent} is unknown"
            raise _Wrong(node, reason) from None
        if node.rest != (network.call,) or node.ensures != ensured:
            raise _Wrong(node, "it does not ensure what the network says")
        for fluent, write in ensured.items():
            self._state.apply(fluent, write)
        return _Seen(footprint=Footprint(view.reads, ensured))

    def _parallel(
        self, node: ParallelNode, network: ParallelNetwork, binding: Binding
    ) -> Visit[_Seen]:
        if node.policy is not network.policy or len(node.children) != len(network.parts):
            raise _mismatch(node, network, binding)
        branches: list[_BranchEnd] = yield self._branches(node, network.parts, binding)
        clash = conflict([branch.seen.footprint for branch in branches])
        if clash is not None:
            raise _Wrong(node, f"branches {clash[0]} and {clash[1]} both touch {clash[2]}")
        record = tuple(entry for branch in branches for entry in branch.seen.record)
        cost = sum(branch.seen.cost for branch in branches)
        return _Seen(record, self._join(branches, node.policy), cost)

    def _priority(
        self, node: PriorityNode, network: PriorityNetwork, binding: Binding
    ) -> Visit[_Seen]:
        fits = list(node.kept) == sorted(set(node.kept)) and len(node.kept) == len(node.children)
        if not fits or not node.kept or node.kept[-1] >= len(network.parts):
            raise _mismatch(node, network, binding)
        outer, self._alternative = self._alternative, self._steps
        parts = [network.parts[index] for index in node.kept]
        branches: list[_BranchEnd] = yield self._branches(node, parts, binding)
        footprint = self._join(branches, None)
        self._alternative = outer
        by_place = dict(zip(node.kept, branches, strict=True))
        record: list[int] = []
        for place in range(len(network.parts)):
            record += (0, *by_place[place].seen.record) if place in by_place else (1,)
        return _Seen(tuple(record), footprint, max(branch.seen.cost for branch in branches))

    def _branches(
        self, node: BranchingNode, parts: Sequence[Network], binding: Binding
    ) -> Visit[list[_BranchEnd]]:
        """Check each branch from the current state, which is restored afterwards."""
        entry = self._steps
        branches = []
        for child, part in zip(node.children, parts, strict=True):
            mark = self._state.mark()
            seen: _Seen = yield self.node(child, part, binding)
            written = self._state.written_since(mark)
            branches.append(_BranchEnd(seen, written, self._steps, self._stopped, self._blind))
            self._state.undo(mark)
            self._steps, self._stopped, self._blind = entry, False, False
        return branches

    def _join(self, branches: Sequence[_BranchEnd], policy: ParallelPolicy | None) -> Footprint:
        self._foresee()
        ends = [(branch.seen.footprint, branch.written) for branch in branches]
        footprint = merge_into(self._state, ends, policy)
        self._steps = max(branch.steps for branch in branches)
        self._stopped = any(branch.stopped for branch in branches)
        self._blind = any(branch.blind for branch in branches)
        return footprint

    def _view(self) -> RecordingView:
        self._foresee()
        return RecordingView(self._state)

    def _foresee(self) -> None:
        self._state.foreseeable = self._steps == 0 and self._alternative is None


def _steps_below(scope: ScopeNode, pursuit: Pursuit) -> Iterator[Action]:
    """The steps to a goal, including suspended ones. Raises _Wrong."""
    inside = scope.child.children if isinstance(scope.child, SequenceNode) else (scope.child,)
    for node in inside:
        calls = node.rest if isinstance(node, SuspendedNode) else ()
        if isinstance(node, TaskNode):
            calls = (TaskCall(node.task, tuple(map(Constant, node.args))),)
        elif not isinstance(node, SuspendedNode | NullNode):
            raise _Wrong(node, "it is no step to a goal")
        for call in calls:
            if not isinstance(call, TaskCall) or call.task not in pursuit.actions:
                raise _Wrong(node, "it is no action that may be used for the goal")
            yield call.task, tuple(argument.evaluate(NOTHING_KNOWN) for argument in call.args)


def _mismatch(node: Node, network: Network, binding: Binding) -> _Wrong:
    return _Wrong(node, f"it does not come from {network_text(network, binding)}")


def _undecided(node: ScopeNode, signal: UnknownRead) -> _Wrong:
    return _Wrong(node, f"it was decided although {signal.fluent} is unknown")
