"""The solver for ``achieve``: chooses a forward or backward search, and runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from bthtn.engine.domain.goal import Manner, Pursuit, Solution, given_for
from bthtn.engine.planning import trace
from bthtn.engine.planning.protocol import no_answer
from bthtn.engine.planning.question import exact
from bthtn.engine.planning.strips.a_star import AStar
from bthtn.engine.planning.strips.backward import BackwardProblem
from bthtn.engine.planning.strips.both_ways import BothWays
from bthtn.engine.planning.strips.forward import ForwardProblem, simulate_plan, stands
from bthtn.engine.planning.strips.ground import (
    calls_function,
    conjunctions,
    data_of,
    ground_actions,
    opaque,
    opaque_parts,
)
from bthtn.engine.planning.strips.instances import Instances, Statics, unbound
from bthtn.engine.planning.strips.regress import Grounding
from bthtn.engine.world.expression import NOTHING_KNOWN, Binding, Expression, StateView
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.value_type import values_of
from bthtn.errors import Diagnostic


def new_search(
    pursuit: Pursuit,
    view: StateView,
    binding: Binding,
    manner: Manner,
    listener: trace.SearchListener | None = None,
) -> AStar[Any] | BothWays:
    """A new search for this goal from this state. Raises UnknownRead and DomainError."""
    objects = pursuit.values(view, binding)
    heuristic = heuristic_of(manner)
    if manner.forward:
        statics = Statics(pursuit.actions, objects, view)
        actions = (
            (task, args)
            for task in pursuit.actions
            for args in Instances(task, objects, statics).rows
        )
        return AStar(ForwardProblem(pursuit, actions, view, binding, heuristic), listener)
    grounding = _grounding(pursuit, objects, view, binding)
    problem = BackwardProblem(grounding, view, heuristic)
    return BothWays(problem, listener) if heuristic == "hff" else AStar(problem, listener)


def is_misled(
    search: AStar[Any] | BothWays, pursuit: Pursuit, view: StateView, binding: Binding
) -> bool:
    """Whether a search back from the goal found steps that functions in conditions forbid.

    It leaves the functions beside data out. Where it finds nothing, there is nothing.
    """
    if search.steps is None or not search.problem.goes_back:
        return False
    conditions = [pursuit.condition, *(task.precondition for task, _ in search.steps)]
    if not any(map(calls_function, conditions)):
        return False
    return not stands(search.steps, pursuit, view, binding)


def from_state(manner: Manner) -> Manner:
    """How to search where a search back from the goal was misled."""
    return replace(manner, forward=True, heuristic="")


def heuristic_of(manner: Manner) -> str:
    """The heuristic that the user chose, or the default for the direction."""
    if manner.heuristic:
        return manner.heuristic
    if manner.forward:
        return "zero" if manner.optimal else "unmet"
    return "lmcut" if manner.optimal else "hff"


def _grounding(
    pursuit: Pursuit, objects: dict[Any, tuple[Any, ...]], view: StateView, binding: Binding
) -> Grounding:
    """The grounded goal. The last one is kept: what it depends on seldom changes."""
    key = (exact(binding), *((name, exact(values)) for name, values in objects.items()))
    kept = pursuit.kept.get("grounding")
    if kept is None or kept[0] != key or not kept[1].are_in(view):
        statics = Statics(pursuit.actions, objects, view)
        actions = ground_actions(pursuit.actions, objects, statics)
        grounding = Grounding(actions, conjunctions(data_of(pursuit.condition), binding))
        kept = pursuit.kept["grounding"] = (key, statics.reads, grounding)
    found: Grounding = kept[2]
    return found


def _finished(search: AStar[Any] | BothWays, limit: int) -> AStar[Any] | BothWays:
    """The search, brought to its end. Raises PlanningError at the limit."""
    while search.expand():
        if search.expansions >= limit:
            raise no_answer(search.expansions)
    return search


class GoalDirected:
    """Solves goals inside task networks, each in a single call."""

    def faults(self, pursuit: Pursuit) -> Iterator[Diagnostic]:
        """Diagnostics for parameters without values, and for what regression cannot use."""
        statics = Statics(pursuit.actions, {}, NOTHING_KNOWN)
        for task in pursuit.actions:
            bound = statics.bound(task)
            for parameter in task.parameters:
                given = given_for(parameter, pursuit.objects)
                is_listed = given is not None or values_of(parameter).values()
                if not is_listed and parameter.position not in bound:
                    yield unbound(task, parameter)
        if pursuit.manner.forward:
            return
        hint = "search from the state: achieve(..., forward=True), or --forward"
        for part in opaque(data_of(pursuit.condition)):
            message = f"a search cannot go back from this goal: {part}"
            yield Diagnostic("BT211", message, "achieve", hint)
        for task in pursuit.actions:
            for part in opaque_parts(task, statics):
                message = f"a search cannot go back through '{task.name}': {part}"
                yield Diagnostic("BT211", message, "achieve", hint)

    def solve(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Solution | None:
        """The actions from this state, None if there are none.

        Raises UnknownRead, and PlanningError at the limit of expansions.
        """
        manner, limit = pursuit.manner, pursuit.manner.limit
        search = _finished(new_search(pursuit, view, binding, manner), limit)
        if is_misled(search, pursuit, view, binding):
            limit -= search.expansions
            search = _finished(new_search(pursuit, view, binding, from_state(manner)), limit)
        if search.steps is None:
            if search.problem.unknown is not None:
                raise UnknownRead(search.problem.unknown)
            return None
        end, _ = simulate_plan(search.steps, view)
        return Solution(search.steps, goal_reads(pursuit, end, binding))

    def why_not(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Iterable[str]:
        """Reasons why the goal is unachievable from this state, one a line."""
        search = new_search(pursuit, view, binding, pursuit.manner)
        while search.expand():
            pass
        return search.problem.why_not(search.expansions)


GOAL_DIRECTED: Final = GoalDirected()


def goal_reads(pursuit: Pursuit, end: StateView, binding: Binding) -> frozenset[Expression[Any]]:
    """The fluents that the goal reads in the final state of its plan."""
    view = RecordingView(end)
    assert pursuit.holds(view, binding) is True, "a plan leads to its goal"
    return view.reads
