"""Repair: plan anew only the smallest part of a running plan in which something is wrong.

    part        the innermost decomposition with the broken step in it, then the one around it, …
    its state   of a part that has not begun, the one that the rest of the plan leads to there;
                of one that has, the state of now
    search      for the part's task, from that state
    fits?       carried out from now, the whole rest with the new part in place still works
    otherwise   the part around it; the goal itself is left to whoever plans from the root

What lies beside the part is kept as it is, node by node, so that what runs there can go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bthtn.domain.network import NULL, SequenceNetwork
from bthtn.domain.task import TaskCall
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
from bthtn.plan.plan import Plan
from bthtn.plan.walk import children_of, fold, footprint_over, preorder, record_of
from bthtn.planning.avoided import NOTHING_AVOIDED, Avoided
from bthtn.planning.planner import search_for
from bthtn.planning.protocol import PlanRequest, Search, SearchStatus, Settings, raise_for_user
from bthtn.replanning.monitor import outlook
from bthtn.replanning.rest import Rest
from bthtn.replanning.way import Way
from bthtn.world.expression import Constant
from bthtn.world.footprint import Footprint
from bthtn.world.state import FrozenState


@dataclass(frozen=True, slots=True, eq=False)
class Breach:
    """Where a running plan breaks: what is left of it, and the state of now."""

    plan: Plan
    rest: Rest
    now: FrozenState


class Repair:
    """A search for a plan that differs in the smallest part only; advanced like any other.

    ``plan`` is the whole plan with the new part in its place: those of its steps that are over,
    or running, still are. ``part`` is the decomposition that was replaced. Without a plan nothing
    is said about whether there is one from the root.
    """

    def __init__(
        self,
        breach: Breach,
        settings: Settings,
        avoiding: Avoided = NOTHING_AVOIDED,
    ) -> None:
        self._breach = breach
        self._settings = settings
        self._avoiding = avoiding
        self._chain = _chain(breach.rest.tree, breach.rest.broken)
        self._parts = self._starts()
        self._scope: ScopeNode | None = None
        self._search: Search | None = None
        self.status = SearchStatus.RUNNING
        self.expansions = 0
        self.plan: Plan | None = None
        self.part = ""

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions. Raises PlanningError from a user's function."""
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
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self.status = SearchStatus.ERROR
            raise_for_user(error)
        return self.status

    def _next(self) -> Search | None:
        """The search for the next larger part, None when there is none."""
        scope, start = next(self._parts, (None, None))
        if scope is None or start is None:
            return None
        call = TaskCall(scope.task, tuple(map(Constant, scope.args)))
        goal = SequenceNetwork((call, NULL))  # what becomes of the second tells whether it stops
        domain = self._breach.plan.domain
        asked = PlanRequest(domain, start, goal, (), self._settings, avoiding=self._avoiding)
        self._scope, self._search = scope, search_for(asked)
        return self._search

    def _starts(self) -> Iterator[tuple[ScopeNode, FrozenState]]:
        """The parts that could be planned anew, smallest first, each with the state to start in."""
        rest = self._breach.rest
        way = Way(self._breach.now, rest.over)
        places: list[tuple[ScopeNode, int, int, bool]] = []
        goal = _goal(self._chain)
        for node, below in zip(self._chain, (*self._chain[1:], None), strict=True):
            if isinstance(node, ScopeNode) and node is not goal:
                places.append((node, way.state.mark(), way.steps, way.choosing))
            elif isinstance(node, SequenceNode):
                for child in node.children:
                    if child is below:
                        break
                    way.go(child)
            elif isinstance(node, PriorityNode) and node not in rest.begun:
                way.choosing = True
        for scope, mark, steps, choosing in reversed(places):
            way.state.undo(mark)
            way.steps, way.choosing = steps, choosing
            yield scope, self._breach.now if scope in rest.begun else way.snapshot()

    def _judge(self, found: Plan | None) -> None:
        """Take what was planned for the part when the whole rest works with it."""
        scope = self._scope
        assert scope is not None, "what was found was looked for"
        part, end = children_of(found.tree) if found is not None else (None, None)
        if part is None or end is None or not isinstance(part, ScopeNode):
            return
        above = self._chain[: self._chain.index(scope)]
        if _stops(part, end) and _has_more(above, scope):
            return
        changed = _spliced(above, scope, part)
        tree = changed[0] if changed else part
        if self._fits(changed, tree):
            self.plan = self._whole(tree)
            self.part = str(scope)
            self.status = SearchStatus.SOLVED

    def _fits(self, changed: list[Node], tree: Node) -> bool:
        breach = self._breach
        if _disturbs(changed, breach.rest.over):
            return False
        return outlook(breach.rest.progress(tree), breach.plan.domain, breach.now).broken is None

    def _whole(self, tree: Node) -> Plan:
        plan, breach = self._breach.plan, self._breach

        def predicted() -> FrozenState:
            way = Way(breach.now, breach.rest.over)
            way.go(tree)
            return way.state.freeze()

        record = record_of(tree)
        return Plan(plan.domain, plan.goal, plan.binding, tree, record, predicted, self.expansions)


def _chain(root: Node, wanted: Node) -> list[Node]:
    """The nodes from the root down to the one wanted."""
    above: dict[Node, Node] = {}
    for _, node in preorder(root):
        for child in children_of(node):
            above[child] = node
    chain = [wanted]
    while chain[-1] is not root:
        assert chain[-1] in above, "a breach is in what is left of the plan"
        chain.append(above[chain[-1]])
    return chain[::-1]


def _goal(chain: list[Node]) -> Node | None:
    """The decomposition that is all of the plan, if there is one."""
    for node in chain:
        if not (isinstance(node, SequenceNode) and len(node.children) == 1):
            return node
    return None


def _spliced(above: list[Node], old: Node, new: Node) -> list[Node]:
    """The nodes above with the new node in the place of the old one, from the root down."""
    changed: list[Node] = []
    for node in reversed(above):
        old, new = node, _with(node, old, new)
        changed.append(new)
    return changed[::-1]


def _with(node: Node, old: Node, new: Node) -> Node:
    match node:
        case ScopeNode():
            return replace(node, child=new)
        case SequenceNode(children) | ParallelNode(children) | PriorityNode(children):
            return replace(node, children=tuple(new if one is old else one for one in children))
        case _:
            raise AssertionError(f"nothing is below {node}")


def _stops(part: Node, end: Node) -> bool:
    """Whether planning stopped in a part, so that nothing may be done behind it as it is."""
    nodes = (end, *(node for _, node in preorder(part)))
    return any(
        isinstance(node, SuspendedNode)
        and not node.ensures
        and not (node is end and node.cause == HORIZON)
        for node in nodes
    )


def _has_more(above: list[Node], part: Node) -> bool:
    """Whether something behind a part was planned already."""
    for node, below in zip(above, [*above[1:], part], strict=True):
        if isinstance(node, SequenceNode):
            behind = node.children[node.children.index(below) + 1 :]
            if not all(isinstance(one, SuspendedNode) for one in behind):
                return True
    return False


def _disturbs(above: list[Node], over: frozenset[Node]) -> bool:
    """Whether branches beside each other, one of which is new, would get into each other's way."""

    def left(node: Node, below: tuple[Footprint, ...]) -> Footprint:
        return Footprint() if node in over else footprint_over(node, below)

    return any(
        conflict([fold(child, left) for child in node.children]) is not None
        for node in above
        if isinstance(node, ParallelNode)
    )
