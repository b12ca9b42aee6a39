"""StripsSearch: a search for a goal outside any task network, advanced by its caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.task import CompoundTask, TaskCall, call_text
from bthtn.engine.domain.task_effects import grounded
from bthtn.engine.plan.nodes import Node, ScopeNode, SuspendedNode, Suspension, SuspensionKind
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import one_node
from bthtn.engine.planning import trace
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus, pursuit_alone, raise_for_user
from bthtn.engine.planning.strips.a_star import AStar
from bthtn.engine.planning.strips.both_ways import BothWays
from bthtn.engine.planning.strips.forward import SimulatedState, simulate_plan
from bthtn.engine.planning.strips.solver import (
    from_state,
    goal_reads,
    is_misled,
    new_search,
)
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, RecordingView
from bthtn.engine.world.sharing import Unpicklable


class StripsSearch(Unpicklable):
    """A deterministic search for the actions that achieve a goal."""

    def __init__(self, request: PlanRequest, listener: trace.SearchListener | None = None) -> None:
        pursuit, call = pursuit_alone(request.domain, request.goal), request.goal
        assert pursuit is not None, "is_goal_alone is checked first"
        assert isinstance(call, TaskCall), "achieve becomes one call"
        assert isinstance(call.task, CompoundTask), "of a compound task"
        self._pursuit, self._call, self._task = pursuit, call, call.task
        self._asked = request
        self._start = RecordingView(request.state)
        self._listener = listener
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None
        self._search: AStar[Any] | BothWays | None = None
        self._spent = 0
        """Expansions of a search before this one, which was misled."""
        self._args: Binding = ()
        self._is_cancelled = False

    @property
    def status(self) -> SearchStatus:
        return SearchStatus.CANCELLED if self._is_cancelled else self._status

    @property
    def plan(self) -> Plan | None:
        return None if self._is_cancelled else self._plan

    @property
    def expansions(self) -> int:
        """The number of search nodes expanded so far."""
        return self._spent + (0 if self._search is None else self._search.expansions)

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents read of the start state so far, with their values, in order."""
        return self._start.readings

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Expand at most so many nodes; without a number, run to the end.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        limit = min(self._asked.settings.max_expansions, self._pursuit.manner.limit)
        stop = limit if expansions is None else min(limit, self.expansions + expansions)
        try:
            if self._search is None and self.status is SearchStatus.RUNNING:
                self._begin()
            while self.status is SearchStatus.RUNNING and self.expansions < stop:
                assert self._search is not None, "it has begun"
                self._work(self._search)
            if self.status is SearchStatus.RUNNING and self.expansions >= limit:
                self._status = SearchStatus.LIMIT
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        except BaseException:  # Ctrl-C: it cannot go on from the middle of an expansion
            self._status = SearchStatus.ERROR
            raise
        return self.status

    def cancel(self) -> None:
        """Cancel the search. Thread-safe; has no effect on a search that is over."""
        if self._status is SearchStatus.RUNNING:
            self._is_cancelled = True

    def _begin(self, *, is_misled: bool = False) -> None:
        request, manner = self._asked, self._pursuit.manner
        if is_misled:
            manner = from_state(manner)
        if request.settings.cheapest and not manner.optimal:
            manner = replace(manner, optimal=True, heuristic="")
        args = grounded(self._call, RecordingView(self._start), request.binding)
        assert args is not None, "arguments of a goal read no unknown fluent"
        self._args = args
        try:
            self._search = new_search(self._pursuit, self._start, args, manner, self._listener)
        except UnknownRead as signal:
            self._suspend(str(signal.fluent))

    def _work(self, search: AStar[Any] | BothWays) -> None:
        if search.expand():
            return
        if is_misled(search, self._pursuit, self._start, self._args):
            self._spent += search.expansions
            self._begin(is_misled=True)
        elif search.steps is not None:
            self._solve(search.steps)
        elif search.problem.unknown is not None:
            self._suspend(str(search.problem.unknown))
        else:
            if self._listener is not None:
                for reason in search.problem.why_not(search.expansions):
                    self._listener(trace.Unachievable(reason))
            self._status = SearchStatus.EXHAUSTED

    def _solve(self, steps: tuple[Action, ...]) -> None:
        request, task = self._asked, self._task
        end, nodes = simulate_plan(steps, self._start)
        reads = Footprint(goal_reads(self._pursuit, end, self._args))
        child = one_node([*nodes])
        name = request.domain.methods[task][0].name
        tree = ScopeNode(task, self._args, 0, child, reads, name)
        if self._listener is not None:
            for node in nodes:
                self._listener(trace.TaskPlanned(call_text(node.task, node.args), 0))
        self._answer(tree, (0,), end)

    def _suspend(self, unknown: str) -> None:
        """Answer with a plan that suspends the goal until the fluent is known."""
        request = self._asked
        cause = Suspension(SuspensionKind.UNKNOWN, unknown)
        if self._listener is not None:
            self._listener(trace.PlanningSuspended(call_text(self._task, ()), str(cause), 0))
        tree = SuspendedNode((request.goal,), request.binding, cause)
        self._answer(tree, (), SimulatedState(self._start))

    def _answer(self, tree: Node, record: tuple[int, ...], end: SimulatedState) -> None:
        request = self._asked
        asked = (request.domain, request.goal, request.binding)
        predicted = request.state.changed(end.written)
        entries = MethodTraversalRecord(record)
        self._plan = Plan(*asked, tree, entries, predicted, self.expansions)
        self._status = SearchStatus.SOLVED
