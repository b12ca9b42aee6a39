"""Checked partial plans: planned to the end, suspended afterwards (semantics 2.5.6).

    cut       walk the plan together with the networks it came from, and project the state;
              where planning would have been suspended, put a suspended part that keeps the
              rest of the tree, and the state it was planned for
    go_on     on arrival in that state, return the rest of the tree, cut again

Neither searches, and the cut plan shares its nodes with the whole one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, assert_never

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
)
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.nodes import (
    HORIZON,
    Foreseen,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
    cause_of,
)
from bthtn.engine.plan.plan import Plan, SharedTree
from bthtn.engine.plan.projection import Projection
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import Visit, footprint, node_text, preorder, unwound, with_children
from bthtn.engine.planning.protocol import Settings, seeded
from bthtn.engine.world.diff import difference
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import PlanningError

N = TypeVar("N", bound=Node)


def cut(plan: Plan, state: FrozenState, settings: Settings) -> Plan:
    """The plan with a suspended part wherever planning from this state would have stopped.

    Raises PlanningError when a plain method answers differently from when it was planned.
    """
    left = _CutPlan(plan, state, settings, is_in_turn=False)
    tree = left.shared_tree
    return plan if tree.tree is plan.tree else Plan.found(left, tree)


def cut_later(plan: Plan, state: FrozenState, settings: Settings) -> Plan:
    """The same of a plan of tasks one after the other, with nothing deferred, cut on demand."""
    return Plan.found(_CutPlan(plan, state, settings, is_in_turn=True))


class _CutPlan(NamedTuple):
    """The plan that is left of a whole one, as it was found from a state.

    It ``is_in_turn`` if it is known to have only tasks, one after the other.
    """

    whole: Plan
    state: FrozenState
    settings: Settings
    is_in_turn: bool

    @property
    def domain(self) -> FrozenDomain:
        return self.whole.domain

    @property
    def goal(self) -> Network:
        return self.whole.goal

    @property
    def binding(self) -> Binding:
        return self.whole.binding

    @property
    def shared_tree(self) -> SharedTree:
        whole = self.whole
        foreseen = Foreseen(whole.tree, self.state, whole.predicted)
        cutter = _Cutter(whole.domain, self.settings, foreseen)
        tree = unwound(cutter.cut(whole.tree, whole.goal, whole.binding))
        return SharedTree(tree, MethodTraversalRecord(cutter.record), {})

    @property
    def record(self) -> MethodTraversalRecord:
        return self.shared_tree.record

    @property
    def predicted(self) -> FrozenState:
        return self.whole.predicted

    @property
    def expansions(self) -> int:
        return self.whole.expansions

    def actions(self) -> tuple[Action, ...] | None:
        """Those before the horizon, where that can be told without the tree."""
        settings = self.settings
        if self.is_in_turn and settings.horizon_time is None:
            return self.whole.actions[: settings.horizon]
        return None


def go_on(
    node: SuspendedNode, state: FrozenState, domain: FrozenDomain, settings: Settings
) -> Plan | None:
    """The plan that was made for a suspended part when it was checked, cut again.

    Returns None if the state is not the one it was made for. Raises PlanningError like ``cut``.
    """
    foreseen = node.foreseen
    # Beliefs hold no seed: what was drawn belongs to the plan.
    if foreseen is None or not is_as_foreseen(foreseen, seeded(state, settings.seed)):
        return None
    goal = node.rest[0] if len(node.rest) == 1 else SequenceNetwork(node.rest)
    cutter = _Cutter(domain, settings, foreseen)
    tree = unwound(cutter.cut(foreseen.tree, goal, node.binding))
    record = MethodTraversalRecord(cutter.record)
    return Plan(domain, goal, node.binding, tree, record, foreseen.after)


def is_as_foreseen(foreseen: Foreseen, state: FrozenState) -> bool:
    """Whether a state is the one for which a suspended part was planned.

    Fluents that were unknown there may have any value, since the plan does not rely on them; so
    may volatile fluents that it could not rely on, and fluents that parallel branches write. If
    those are not known, only the fluents that the plan reads are compared.
    """
    expected = foreseen.before.changed(foreseen.written)
    different = [
        change.fluent
        for change in difference(expected, state, "")
        if change.before is not UNKNOWN
        and (foreseen.sensed or not change.fluent.volatile or change.fluent in foreseen.written)
    ]
    if different and foreseen.concurrent is None:
        return footprint(foreseen.tree).reads.isdisjoint(different)
    return foreseen.concurrent is None or foreseen.concurrent.issuperset(different)


class _Cutter(Projection):
    """Cuts a tree; ``record`` is the method traversal record of the cut tree.

    The tree is walked together with the networks it came from. A visit is ``followed`` if a later
    part was planned for the state behind it; then the state is projected through the part that is
    cut off, too.
    """

    def __init__(self, domain: FrozenDomain, settings: Settings, start: Foreseen) -> None:
        super().__init__(WorkingState(start.before))
        for fluent, value in start.written.items():
            self.state.put(fluent, value)
        self.record: list[int] = []
        self._start = start
        self._domain = domain
        self._settings = settings
        self._concurrent = start.concurrent

    @property
    def senses(self) -> bool:
        """Whether volatile fluents still have their sensed values at this point."""
        return self._start.sensed and super().senses

    def cut(
        self, node: Node, network: Network, binding: Binding, *, followed: bool = False
    ) -> Visit[Node]:
        """The node after cutting; ``network`` is the one that it was planned from."""
        match network:
            case TaskCall():
                return self._called(node, network, binding, followed=followed)
            case DeferNetwork():
                return self._deferred(node, network, binding, followed=followed)
            case PauseNetwork():
                return self._leaf(_made_from(network, binding, node, NullNode), cause_of(network))
            case NullNetwork():
                return self._leaf(_made_from(network, binding, node, NullNode), None)
            case SequenceNetwork(parts):
                sequence = _made_from(network, binding, node, SequenceNode)
                return self._sequence(sequence, parts, binding, followed=followed)
            case ParallelNetwork(parts):
                parallel = _made_from(network, binding, node, ParallelNode)
                return self._parallel(parallel, parts, binding)
            case PriorityNetwork(parts):
                priority = _made_from(network, binding, node, PriorityNode)
                return self._priority(priority, parts, binding)
            case _:
                assert_never(network)

    def _called(
        self, node: Node, call: TaskCall, binding: Binding, *, followed: bool
    ) -> Visit[Node]:
        if isinstance(node, SuspendedNode):
            return self._leaf(node, node.cause)
        if isinstance(node, TaskNode) and node.task is call.task:
            self.task(node)
            return self._leaf(node, None)
        if isinstance(node, ScopeNode) and node.task is call.task:
            return self._scope(node, followed=followed)
        raise _changed(node, network_text(call, binding))

    def _leaf(self, node: Node, cause: Suspension | None) -> Visit[Node]:
        yield from ()
        self.path.cause = cause
        return node

    def _deferred(
        self, node: Node, network: DeferNetwork, binding: Binding, *, followed: bool
    ) -> Visit[Node]:
        if isinstance(node, SuspendedNode):
            self.path.cause = node.cause
            return node
        self.path.cause = cause_of(network)
        left: Node = yield self._cut_off((network.call,), binding, node, followed=followed)
        return left

    def _scope(self, node: ScopeNode, *, followed: bool) -> Visit[Node]:
        self.record.append(node.method)
        body, binding = self._entered(node)
        child: Node = yield self.cut(node.child, body, binding, followed=followed)
        return with_children(node, (child,))

    def _entered(self, node: ScopeNode) -> tuple[Network, Binding]:
        """The body of the method that the scope was planned with, and its binding."""
        self.sense()
        view = RecordingView(self.state)
        try:
            decompositions = self._domain.decompositions(node.task, node.args, view)
            if node.method < len(decompositions):
                method, binding = (
                    decompositions.method(node.method),
                    decompositions.binding(node.method),
                )
                if not isinstance(method.body, PlainBody):
                    return method.body, binding
                body = self._domain.network(method, view, binding)
                if body is not None:
                    return body, binding
        except UnknownRead as signal:
            raise _changed(node, str(signal)) from signal
        raise _changed(node, node.task.name)

    def _sequence(
        self, node: SequenceNode, parts: tuple[Network, ...], binding: Binding, *, followed: bool
    ) -> Visit[Node]:
        left: list[Node] = []
        last = len(node.children) - 1
        for index, child in enumerate(node.children):
            # Where planning was suspended in any case, no horizon comes before that.
            if index > 0 and self._is_at_horizon and not isinstance(child, SuspendedNode):
                self.path.cause = HORIZON
            if self.path.cause is not None:
                tree = child if index == last else SequenceNode(node.children[index:])
                rest = self._cut_off(parts[index:], binding, tree, followed=followed)
                left.append((yield rest))
                break
            inside = followed or index < last
            left.append((yield self.cut(child, parts[index], binding, followed=inside)))
        same = all(child is other for child, other in zip(left, node.children, strict=False))
        return node if same else SequenceNode(tuple(left))

    @property
    def _is_at_horizon(self) -> bool:
        path = self.path
        return path.cause is None and self._settings.is_horizon(path.steps, path.elapsed)

    def _parallel(
        self, node: ParallelNode, parts: tuple[Network, ...], binding: Binding
    ) -> Visit[Node]:
        outside = self._concurrent
        written = _written_concurrently(node, outside)

        def visit(index: int) -> Visit[Node]:
            self._concurrent = written[index]
            return self.cut(node.children[index], parts[index], binding, followed=True)

        branches: list[Node] = yield self.branches(node, range(len(node.children)), visit)
        self._concurrent = outside
        return with_children(node, branches)

    def _priority(
        self, node: PriorityNode, parts: tuple[Network, ...], binding: Binding
    ) -> Visit[Node]:
        def visit(index: int) -> Visit[Node]:
            place = node.kept[index]
            before = node.kept[index - 1] + 1 if index else 0
            self.record.extend([1] * (place - before))
            self.record.append(0)
            return self.cut(node.children[index], parts[place], binding, followed=True)

        branches: list[Node] = yield self.branches(node, range(len(node.children)), visit)
        self.record.extend([1] * (len(parts) - node.kept[-1] - 1))
        return with_children(node, branches)

    def _cut_off(
        self, rest: tuple[Network, ...], binding: Binding, tree: Node, *, followed: bool
    ) -> Visit[Node]:
        """The suspended part that replaces a tree."""
        if isinstance(tree, SuspendedNode) and tree.rest == rest:
            return tree
        cause = self.path.cause
        assert cause is not None, "nothing is suspended without a cause"
        written, sensed, after = self.state.written(), self.senses, self._start.after
        if followed:
            yield self.visit(tree)
            after = self.state.freeze()
        foreseen = Foreseen(tree, self._start.before, after, written, sensed, self._concurrent)
        return SuspendedNode(rest, binding, cause, foreseen=foreseen)


def _made_from(network: Network, binding: Binding, node: Node, kind: type[N]) -> N:
    """The node, if it is of the kind that the network becomes; else raises PlanningError."""
    if not isinstance(node, kind):
        raise _changed(node, network_text(network, binding))
    return node


def _written_concurrently(
    node: ParallelNode, outside: frozenset[Fluent[Any]] | None
) -> list[frozenset[Fluent[Any]] | None]:
    """For each branch the fluents that concurrent branches write; None if not known."""
    known = [
        frozenset(footprint(child).writes)
        if not any(isinstance(below, SuspendedNode) for _, below in preorder(child))
        else None
        for child in node.children
    ]
    concurrent: list[frozenset[Fluent[Any]] | None] = []
    for index in range(len(known)):
        others = [outside, *known[:index], *known[index + 1 :]]
        sure = [other for other in others if other is not None]
        concurrent.append(frozenset().union(*sure) if len(sure) == len(others) else None)
    return concurrent


def _changed(node: Node, network: str) -> PlanningError:
    message = f"{node_text(node)} was planned, and does not come from {network} any more"
    hint = "a plain function that is a method may depend on the state it is given, and nothing else"
    return PlanningError("BT201", message, hint=hint)
