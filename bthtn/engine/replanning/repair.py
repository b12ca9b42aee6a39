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

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from bthtn.engine.domain.network import NULL, SequenceNetwork
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.merge import conflict
from bthtn.engine.plan.nodes import (
    HORIZON,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.projection import Projection
from bthtn.engine.plan.walk import children_of, preorder, record_of
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import (
    PlanRequest,
    Search,
    SearchStatus,
    Settings,
    raise_for_user,
)
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.remaining import RemainingProjection
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.validity import validity_of
from bthtn.engine.world.expression import Constant, Expression
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN

MOST_CHECKS: Final = 16
"""New parts with which the whole rest is checked, so that a repair takes linear time."""


class Repair:
    """A search for the smallest part that makes a failed plan work.

    A goal advances it in the tick in which the plan has failed, and drops it if that is not enough.
    When it is solved, ``path`` leads from the root to the decomposition that ``part`` replaces,
    and ``plan`` is the whole plan with the new part, in which all other steps are the same nodes.
    Running steps go on, unless others have ``changed`` what their preconditions read.
    If it ends without a plan, a search for the whole goal may still find one.
    """

    def __init__(
        self,
        plan: Plan,
        rest: Rest,
        broken: Node,
        start: Start,
        settings: Settings,
        changed: Collection[Expression[Any]] = (),
    ) -> None:
        self._old = plan
        self._path = rest.path_to(broken) or []
        self._rest = rest.mended(self._path)
        self._now, self._avoiding = start
        self._settings = settings
        self._changed = changed
        self._parts = self._starts()
        self._checks = 0
        self._scope: ScopeNode | None = None
        self._search: Search | None = None
        self.status = SearchStatus.RUNNING
        self.expansions = 0
        self.plan: Plan | None = None
        self.path: Sequence[Node] = ()
        self.part: ScopeNode | None = None

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
        rest, path = self._rest, self._path
        projection = RemainingProjection(rest, WorkingState(self._now))
        places: list[tuple[ScopeNode, int, int, int | None]] = []
        goal = next((node for node in path if not _is_wrapper(rest, node)), None)
        for node, below in zip(path, (*path[1:], None), strict=True):
            steps = projection.path.steps
            if isinstance(node, ScopeNode) and node is not goal:
                places.append((node, projection.state.mark(), steps, projection.alternative))
            elif isinstance(node, SequenceNode):
                for child in rest.below(node):
                    if child is below:
                        break
                    projection.project(child)
            elif isinstance(node, PriorityNode) and not rest.has_begun(node):
                projection.alternative = steps
        for scope, mark, steps, alternative in reversed(places):
            projection.state.undo(mark)
            projection.path.steps, projection.alternative = steps, alternative
            yield scope, self._now if rest.has_begun(scope) else _start_of(projection)

    def _judge(self, found: Plan | None) -> None:
        """Accept the new part if the whole rest of the plan works with it."""
        scope = self._scope
        assert scope is not None, "there is a result only after a search was started"
        part, end = children_of(found.tree) if found is not None else (None, None)
        if part is None or end is None or not isinstance(part, ScopeNode):
            return
        part = replace(part, call=scope.call, binding=scope.binding)
        path = self._path[: self._path.index(scope) + 1]
        if _stops(part, end) and _has_more(self._rest, path):
            return
        rest = self._rest.with_part(scope, part)
        if _disturbs(rest, path):
            return
        self._checks += 1
        if validity_of(rest, self._old.domain, self._now, self._changed).failure is not None:
            return
        self.path, self.part, self.plan = path, part, self._plan_of(rest)
        self.status = SearchStatus.SOLVED

    def _plan_of(self, rest: Rest) -> Plan:
        """The plan that is left; its prediction is made from the current state."""
        old, tree = self._old, rest.as_tree()
        end = RemainingProjection(rest, WorkingState(self._now))
        end.project(rest.tree)
        predicted = end.state.freeze()
        record, expansions = record_of(tree), self.expansions
        return Plan(old.domain, old.goal, old.binding, tree, record, predicted, expansions)


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


def _is_wrapper(rest: Rest, node: Node) -> bool:
    """Whether there is nothing to a node but one part below it."""
    wraps = isinstance(node, SequenceNode | SuspendedNode)
    return wraps and len(rest.all_below(node)) == 1


def _stops(part: Node, end: Node) -> bool:
    """Whether planning stopped in a part, so that parts planned before cannot follow it."""
    nodes = (end, *(node for _, node in preorder(part)))
    return any(
        isinstance(node, SuspendedNode)
        and not node.ensures
        and not (node is end and node.cause == HORIZON)
        for node in nodes
    )


def _has_more(rest: Rest, path: Sequence[Node]) -> bool:
    """Whether something behind the last node of a path has been planned already."""
    for node, below in pairwise(path):
        if isinstance(node, SequenceNode):
            children = rest.all_below(node)
            behind = children[children.index(below) + 1 :]
            if not all(isinstance(n, SuspendedNode) and rest.plan_of(n) is None for n in behind):
                return True
    return False


def _disturbs(rest: Rest, path: Sequence[Node]) -> bool:
    """Whether something on a path interferes with a parallel branch beside it."""
    return any(
        conflict(list(map(rest.footprint, rest.below(node)))) is not None
        for node in path
        if isinstance(node, ParallelNode)
    )
