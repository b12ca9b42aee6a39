"""StripsSearch: a search for a goal that stands alone, advanced by its caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.goal import Pursuit, pursued, steps_network
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, TaskCall, call_text
from bthtn.domain.task_effects import grounded
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    SuspensionKind,
    TaskNode,
)
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning import trace
from bthtn.planning.protocol import PlanRequest, SearchStatus, Settings, raise_for_user
from bthtn.planning.strips.simulate import Reached, carried_out
from bthtn.planning.strips.solver import Way, read_behind, way_for
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.recording import RecordingState


def is_goal_alone(domain: FrozenDomain, goal: Network, settings: Settings) -> bool:
    """Whether a condition is all that is asked for.

    Settings that cut plans are the business of the search that decomposes.
    """
    cuts = settings.horizon or settings.horizon_time or settings.check_rest
    return not cuts and _pursuit(domain, goal) is not None


def _pursuit(domain: FrozenDomain, goal: Network) -> Pursuit | None:
    if not isinstance(goal, TaskCall) or not isinstance(goal.task, CompoundTask):
        return None
    methods = domain.methods.get(goal.task, ())
    return pursued(methods[0].body) if methods else None


class StripsSearch:
    """One search for the steps to a goal. The same input gives the same steps."""

    def __init__(self, request: PlanRequest, listener: trace.SearchListener | None = None) -> None:
        self._start = RecordingState(request.state)
        self._request = replace(request, state=self._start)
        self._listener = listener
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None
        self._way: Way | None = None
        self._args: Binding = ()
        self._is_cancelled = False

    @property
    def status(self) -> SearchStatus:
        """Where the search stands."""
        return SearchStatus.CANCELLED if self._is_cancelled else self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved."""
        return None if self._is_cancelled else self._plan

    @property
    def expansions(self) -> int:
        """Sets of conditions, or states, looked at so far."""
        return 0 if self._way is None else self._way.expansions

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """What was read of the start state so far, with its values, in order."""
        return self._start.readings

    @property
    def written(self) -> Mapping[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its predicted value."""
        return self._start.changes

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions, to the end without a number.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        limit = self._request.settings.max_expansions
        stop = limit if expansions is None else min(limit, self.expansions + expansions)
        try:
            if self._way is None and self.status is SearchStatus.RUNNING:
                self._begin()
            while self.status is SearchStatus.RUNNING and self.expansions < stop:
                self._work()
            if self.status is SearchStatus.RUNNING and self.expansions >= limit:
                self._status = SearchStatus.LIMIT
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        return self.status

    def cancel(self) -> None:
        """Give the search up. Any thread may call it; a search that is over stays as it is."""
        if self._status is SearchStatus.RUNNING:
            self._is_cancelled = True

    def _begin(self) -> None:
        asked = self._request
        pursuit, call = _pursuit(asked.domain, asked.goal), asked.goal
        assert pursuit is not None, "somebody else has to decompose this"
        assert isinstance(call, TaskCall), "a goal that stands alone is one call"
        self._pursuit = pursuit
        manner = pursuit.manner
        if asked.settings.cheapest and not manner.optimal:
            manner = replace(manner, optimal=True, heuristic="")
        args = grounded(call, RecordingView(asked.state), asked.binding)
        assert args is not None, "what a goal is called with is known where it stands"
        self._args = args
        try:
            self._way = way_for(pursuit, asked.state, args, manner, self._listener)
        except UnknownRead as signal:
            self._suspend(str(signal.fluent))

    def _work(self) -> None:
        way = self._way
        assert way is not None, "a search that runs has begun"
        if way.expand():
            return
        if way.steps is not None:
            self._solve()
        elif way.unknown is not None:
            self._suspend(str(way.unknown))
        else:
            if self._listener is not None:
                for reason in way.why_not():
                    self._listener(trace.Unachievable(reason))
            self._status = SearchStatus.EXHAUSTED

    def _solve(self) -> None:
        asked, way = self._request, self._way
        assert way is not None, "a search that runs has begun"
        assert way.steps is not None, "there is a plan"
        assert isinstance(asked.goal, TaskCall), "a goal that stands alone is one call"
        assert isinstance(asked.goal.task, CompoundTask), "a goal is decomposed"
        end, nodes = carried_out(way.steps, asked.state)
        reads = Footprint(read_behind(self._pursuit, end, self._args))
        child = _node(steps_network(way.steps), nodes)
        name = asked.domain.methods[asked.goal.task][0].name
        tree = ScopeNode(asked.goal.task, self._args, 0, child, reads, name)
        if self._listener is not None:
            for node in nodes:
                self._listener(trace.TaskPlanned(call_text(node.task, node.args), 0))
        self._answer(tree, (0,), end)

    def _suspend(self, unknown: str) -> None:
        """Leave the goal open until the fluent is known."""
        asked = self._request
        cause = Suspension(SuspensionKind.UNKNOWN, unknown)
        if self._listener is not None:
            what = call_text(asked.goal.task, ()) if isinstance(asked.goal, TaskCall) else ""
            self._listener(trace.PlanningSuspended(what, str(cause), 0))
        tree = SuspendedNode((asked.goal,), asked.binding, cause)
        self._answer(tree, (), Reached(asked.state))

    def _answer(self, tree: Node, record: tuple[int, ...], end: Reached) -> None:
        asked = self._request
        predicted = asked.state.changed(end.written)
        self._plan = Plan(
            asked.domain,
            asked.goal,
            asked.binding,
            tree,
            MethodTraversalRecord(record),
            predicted,
            self.expansions,
        )
        self._status = SearchStatus.SOLVED


def _node(network: Network, nodes: list[TaskNode]) -> Node:
    """The nodes as what their network becomes."""
    if isinstance(network, NullNetwork):
        return NULL_NODE
    return SequenceNode(tuple(nodes)) if isinstance(network, SequenceNetwork) else nodes[0]
