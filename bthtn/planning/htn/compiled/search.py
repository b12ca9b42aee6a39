"""CompiledSearch: HTN planning by functions generated for the domain.

It makes the choices of ``reference`` in the same order and counts the same expansions, so
one implementation can take the place of another in the middle of a game. What it found is
kept as a log; the plan tree is made when somebody looks at it.
"""

from __future__ import annotations

from bthtn.errors import BthtnError
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.compiled.facts import Features, has_branches, may_forget
from bthtn.planning.htn.compiled.kinds import Entry, Past, Values, record, tree
from bthtn.planning.htn.compiled.machine import DONE, Machine, expand
from bthtn.planning.htn.compiled.program import Program, programs
from bthtn.planning.htn.search import user_error
from bthtn.planning.protocol import PlanRequest, SearchStatus
from bthtn.world.state import FrozenState


def program_for(request: PlanRequest) -> Program:
    """The generated functions that answer a request."""
    all_programs = programs(request.domain)
    facts, settings, goal = all_programs.facts, request.settings, request.goal
    features = Features(
        unknowns=facts.forgets or may_forget(goal) or request.state.has_unknown,
        horizon=settings.horizon is not None or settings.horizon_time is not None,
        guarded=settings.strict_recursion,
        shallow=bool(facts.recursive) or len(request.domain.methods) >= settings.max_depth,
        branches=facts.branches or has_branches(goal),
    )
    return all_programs.program(request.domain, features, expand)


class CompiledSearch:
    """One search for a plan, advanced by its caller. The same input gives the same steps."""

    def __init__(self, request: PlanRequest) -> None:
        self._request = request
        self._machine = Machine(request, program_for(request))
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None

    @property
    def status(self) -> SearchStatus:
        """Where the search stands."""
        return self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved."""
        return self._plan

    @property
    def expansions(self) -> int:
        """Primitive tasks examined and methods entered so far."""
        return self._machine.calls - self._machine.free

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions, to the end without a number.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        if self._status is not SearchStatus.RUNNING:
            return self._status
        limit = self._request.settings.max_expansions
        stop = limit if expansions is None else min(limit, self.expansions + expansions)
        try:
            more = self._machine.run(stop)
        except Exception as error:
            self._status = SearchStatus.ERROR
            if isinstance(error, BthtnError | AssertionError):
                raise
            raise user_error(error) from error
        if self._machine.cell is DONE:
            self._solve()
        elif not more:
            self._status = SearchStatus.EXHAUSTED
        elif self.expansions >= limit:
            self._status = SearchStatus.LIMIT
        return self._status

    def reject(self) -> None:
        """Give up the plan that was found and make ready to look for the next one."""
        assert self._status is SearchStatus.SOLVED, "there is no plan to reject"
        self._plan = None
        self._machine.cell = None
        self._status = SearchStatus.RUNNING

    def _solve(self) -> None:
        request, machine = self._request, self._machine
        self._status = SearchStatus.SOLVED
        found = Solution(request, machine.root, machine.L.copy(), machine.S.copy())
        self._plan = Plan(
            request.domain,
            request.goal,
            request.binding,
            found.tree,
            found.record,
            found.predicted,
            self.expansions,
        )


class Solution:
    """What a search has come to, from which the parts of a plan are made when asked for."""

    __slots__ = ("_log", "_request", "_root", "_values")

    def __init__(
        self, request: PlanRequest, root: Entry, log: list[Entry], values: Values
    ) -> None:
        self._request = request
        self._root = root
        self._log = log
        self._values = values

    def tree(self) -> Node:
        """The plan tree."""
        past = Past(self._request.domain, self._request.state, self._values.copy())
        node = tree(reversed(self._log), self._root, past).node
        assert node is not None, "a plan has a tree"
        return node

    def record(self) -> MethodTraversalRecord:
        """The method traversal record."""
        return MethodTraversalRecord(record(self._log))

    def predicted(self) -> FrozenState:
        """The state after the plan."""
        written: Values = {}
        for entry in self._log:
            undone = entry[3]
            for number in range(0, len(undone), 2):
                fluent = undone[number]
                if fluent in self._values:
                    written[fluent] = self._values[fluent]
        return self._request.state.changed(written)
