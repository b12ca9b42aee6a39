"""Repair: plan only the smallest part of a running plan again that does not work.

    part        the innermost decomposition around the broken step, then the one around it, …
    its state   the current state if the part has begun, else the projected state at its start
    search      for the part's task, from that state
    check       the whole rest with the new part, projected from the current state, still works
    otherwise   the same with the next larger part; for the whole goal a new plan is searched,
                which is not done here

Nodes outside of the part are kept, so that steps that are running there can continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NULL, Network, SequenceNetwork
from bthtn.domain.task import TaskCall
from bthtn.errors import BthtnError
from bthtn.plan.failure import Failure
from bthtn.plan.merge import conflict
from bthtn.plan.nodes import (
    HORIZON,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
)
from bthtn.plan.plan import Plan, SharedTree
from bthtn.plan.projection import Projection
from bthtn.plan.traversal_record import MethodTraversalRecord
from bthtn.plan.walk import children_of, fold, footprint_over, preorder, record_of, with_children
from bthtn.planning.exclusions import NOTHING_AVOIDED, Avoided
from bthtn.planning.planner import search_for
from bthtn.planning.protocol import PlanRequest, Search, SearchStatus, Settings, raise_for_user
from bthtn.replanning.progress import Progress
from bthtn.replanning.remaining import (
    RemainingPlan,
    RemainingProjection,
    path_to,
    remaining_plan,
)
from bthtn.replanning.schedule import Budget
from bthtn.replanning.validity import validity_of
from bthtn.world.expression import Binding, Constant
from bthtn.world.footprint import Footprint
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

MOST_CHECKS: Final = 16
"""New parts with which the whole rest is checked, so that a repair takes linear time."""


@dataclass(frozen=True, slots=True, eq=False)
class RepairedPlan:
    """A plan with one new part; nodes that are ``over`` must not be run again.

    Parts that were ``entered`` have begun, whatever their steps say.
    ``part`` names the decomposition that was replaced, ``failure`` is the reason.
    """

    plan: Plan
    over: frozenset[Node]
    entered: frozenset[Node]
    part: str
    failure: Failure


class PendingRepair:
    """Keeps the rest of a goal's failed plan until it is repaired or dropped.

    ``on_error`` is called with the exception of a user's function that ends a repair.
    """

    __slots__ = ("_budget", "_on_error", "_pending", "_repairs", "_settings")

    def __init__(
        self,
        settings: Settings,
        budget: Budget,
        on_error: Callable[[BthtnError], None],
        *,
        repairs: bool,
    ) -> None:
        self._on_error = on_error
        self._settings = settings
        self._budget = budget
        self._repairs = repairs
        self._pending: tuple[Plan, RemainingPlan, Failure] | None = None

    def keep(self, plan: Plan, progress: Progress, failure: Failure) -> None:
        """Keep a plan that has failed, if the failure has a node in it."""
        self._pending = None
        if self._repairs and failure.node is not None:
            rest = remaining_plan(progress, failure.node)
            self._pending = None if rest is None else (plan, rest, failure)

    @property
    def is_pending(self) -> bool:
        """Whether a plan is kept."""
        return self._pending is not None

    def forget(self) -> None:
        """Drop the plan."""
        self._pending = None

    def repaired(self, now: FrozenState, avoided: Avoided) -> RepairedPlan | None:
        """The plan with a new part, None if none is found within the rest of the budget.

        This is tried only once: the failed plan is dropped.
        """
        if self._pending is None:
            return None
        (plan, rest, failure), self._pending = self._pending, None
        repair = Repair(plan, rest, now, self._settings, avoided)
        try:
            self._budget.advance(repair)
        except BthtnError as error:
            self._on_error(error)
            return None
        if repair.plan is None:
            return None
        return RepairedPlan(repair.plan, rest.over, repair.entered, repair.part, failure)


class Repair:
    """A search for the smallest part that makes a failed plan work; advanced like any search.

    ``plan`` is the whole plan with the new part, in which finished and running steps are kept.
    ``part`` is the decomposition that was replaced, ``entered`` are other parts that have begun.
    If the search ends without a plan, a search for the whole goal may still find one.
    """

    def __init__(
        self,
        plan: Plan,
        rest: RemainingPlan,
        now: FrozenState,
        settings: Settings,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> None:
        self._old = plan
        self._rest = rest
        self._now = now
        self._settings = settings
        self._avoiding = avoiding
        path = path_to(rest.progress(), rest.broken)
        assert path is not None, "the broken node is in the rest of the plan"
        self._path = path
        self._parts = self._starts()
        self._checks = 0
        self._scope: ScopeNode | None = None
        self._search: Search | None = None
        self.status = SearchStatus.RUNNING
        self.expansions = 0
        self.plan: Plan | None = None
        self.part = ""
        self.entered: frozenset[Node] = frozenset()

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most so many expansions. Raises PlanningError from a user's function."""
        left = expansions
        try:
            while self.status is SearchStatus.RUNNING:
                search = self._search or self._next()
                if search is None:
                    self.status = SearchStatus.EXHAUSTED
                    break
                before = search.expansions
                search.advance(left)
                self.expansions += search.expansions - before
                if left is not None:
                    left -= search.expansions - before
                if search.status is SearchStatus.RUNNING:
                    break
                self._search = None
                self._judge(search.plan)
        except Exception as error:  # noqa: BLE001 - raised again, as the error it is for users
            self.status = SearchStatus.ERROR
            raise_for_user(error)
        return self.status

    def _next(self) -> Search | None:
        """The search for the next larger part, None when there is none, or enough was tried."""
        scope, start = next(self._parts, (None, None))
        if scope is None or start is None or self._checks == MOST_CHECKS:
            return None
        call = TaskCall(scope.task, tuple(map(Constant, scope.args)))
        # A second step that does nothing: it is suspended if planning stops in the part.
        goal = SequenceNetwork((call, NULL))
        request = PlanRequest(
            self._old.domain, start, goal, (), self._settings, avoiding=self._avoiding
        )
        self._scope, self._search = scope, search_for(request)
        return self._search

    def _starts(self) -> Iterator[tuple[ScopeNode, FrozenState]]:
        """The parts that could be planned again, smallest first, each with its initial state."""
        rest = self._rest
        projection = RemainingProjection(rest.progress(), self._now)
        places: list[tuple[ScopeNode, int, int, int | None]] = []
        goal = _goal(self._path)
        for node, below in zip(self._path, (*self._path[1:], None), strict=True):
            steps = projection.path.steps
            if isinstance(node, ScopeNode) and node is not goal:
                places.append((node, projection.state.mark(), steps, projection.alternative))
            elif isinstance(node, SequenceNode):
                for child in node.children:
                    if child is below:
                        break
                    projection.project(child)
            elif isinstance(node, PriorityNode) and node not in rest.begun:
                projection.alternative = steps
        for scope, mark, steps, alternative in reversed(places):
            projection.state.undo(mark)
            projection.path.steps, projection.alternative = steps, alternative
            yield scope, self._now if scope in rest.begun else _start_of(projection)

    def _judge(self, found: Plan | None) -> None:
        """Accept the new part if the whole rest of the plan works with it."""
        scope = self._scope
        assert scope is not None, "there is a result only after a search was started"
        part, end = children_of(found.tree) if found is not None else (None, None)
        if part is None or end is None or not isinstance(part, ScopeNode):
            return
        part = replace(part, call=scope.call, binding=scope.binding)
        above = self._path[: self._path.index(scope)]
        if _stops(part, end) and _has_more(above, scope):
            return
        changed = _spliced(above, scope, part)
        tree = changed[0] if changed else part
        progress = self._rest.progress(tree, dict(zip(above, changed, strict=True)))
        if self._fits(changed, progress):
            self.plan = Plan.found(_Spliced(self._old, progress, self._now, self.expansions))
            self.part, self.entered = str(scope), progress.entered
            self.status = SearchStatus.SOLVED

    def _fits(self, changed: list[Node], progress: Progress) -> bool:
        if _disturbs(changed, self._rest.over):
            return False
        self._checks += 1
        return validity_of(progress, self._old.domain, self._now).failure is None


class _Spliced(NamedTuple):
    """A plan with a new part; what comes is to be done from this state on."""

    old: Plan
    progress: Progress
    state: FrozenState
    expansions: int

    @property
    def domain(self) -> FrozenDomain:
        return self.old.domain

    @property
    def goal(self) -> Network:
        return self.old.goal

    @property
    def binding(self) -> Binding:
        return self.old.binding

    @property
    def shared_tree(self) -> SharedTree:
        return SharedTree(self.progress.tree, self.record, {})

    @property
    def record(self) -> MethodTraversalRecord:
        return record_of(self.progress.tree)

    @property
    def predicted(self) -> FrozenState:
        projection = RemainingProjection(self.progress, self.state)
        projection.project(self.progress.tree)
        return projection.state.freeze()

    def actions(self) -> None:
        """None: the tree is there."""


def _start_of(projection: Projection) -> FrozenState:
    """The current state; volatile fluents are unknown where a plan may not rely on them."""
    state = projection.state.freeze()
    if projection.senses:
        return state
    written = projection.state.written()
    hidden = {
        fluent: UNKNOWN for fluent in state.values if fluent.volatile and fluent not in written
    }
    return state.changed(hidden) if hidden else state


def _goal(path: list[Node]) -> Node | None:
    """The decomposition that contains the whole plan, or None."""
    for node in path:
        if not (isinstance(node, SequenceNode) and len(node.children) == 1):
            return node
    return None


def _spliced(above: list[Node], old: Node, new: Node) -> list[Node]:
    """Copies of the nodes above, from the root down, with ``new`` in place of ``old``."""
    changed: list[Node] = []
    for node in reversed(above):
        children = [new if child is old else child for child in children_of(node)]
        old, new = node, with_children(node, children)
        changed.append(new)
    return changed[::-1]


def _stops(part: Node, end: Node) -> bool:
    """Whether planning stopped in a part, so that parts planned before cannot follow it."""
    nodes = (end, *(node for _, node in preorder(part)))
    return any(
        isinstance(node, SuspendedNode)
        and not node.ensures
        and not (node is end and node.cause == HORIZON)
        for node in nodes
    )


def _has_more(above: list[Node], part: Node) -> bool:
    """Whether a step after this part has been planned already."""
    for node, below in zip(above, [*above[1:], part], strict=True):
        if isinstance(node, SequenceNode):
            behind = node.children[node.children.index(below) + 1 :]
            if not all(isinstance(node, SuspendedNode) for node in behind):
                return True
    return False


def _disturbs(above: list[Node], over: frozenset[Node]) -> bool:
    """Whether the new part interferes with a parallel branch that is not over."""

    def left(node: Node, below: tuple[Footprint, ...]) -> Footprint:
        return Footprint() if node in over else footprint_over(node, below)

    return any(
        conflict([fold(child, left) for child in node.children]) is not None
        for node in above
        if isinstance(node, ParallelNode)
    )
