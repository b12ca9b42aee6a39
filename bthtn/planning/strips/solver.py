"""From a goal, its actions and a state to the search that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

from bthtn.domain.goal import Action, Manner, Pursuit, Solution
from bthtn.errors import Diagnostic
from bthtn.planning import trace
from bthtn.planning.protocol import no_answer
from bthtn.planning.strips.backward import Backward
from bthtn.planning.strips.forward import Forward
from bthtn.planning.strips.ground import calls, conjunctions, grounded, opaque, opaque_parts
from bthtn.planning.strips.regress import Problem
from bthtn.planning.strips.simulate import carried_out
from bthtn.world.expression import Binding, Expression, StateView
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import RecordingView


class Way(Protocol):
    """**Protocol:** a search for steps, forward or backward."""

    @property
    def expansions(self) -> int:
        """Sets of conditions, or states, looked at so far."""
        ...

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The steps of the plan, None while there is none."""
        ...

    @property
    def unknown(self) -> Expression[Any] | None:
        """The first fluent that was asked for and is unknown."""
        ...

    def expand(self) -> bool:
        """Do a little; whether there is any reason to go on."""
        ...

    def why_not(self) -> Iterator[str]:
        """Why there is no plan, once everything was tried."""
        ...


def way_for(
    pursuit: Pursuit,
    view: StateView,
    binding: Binding,
    manner: Manner,
    listener: trace.SearchListener | None = None,
) -> Way:
    """The search for this goal from this state. Raises UnknownRead and DomainError."""
    objects = pursuit.values(view, binding)
    heuristic = heuristic_of(manner)
    if manner.forward:
        actions = list(calls(pursuit.actions, objects))
        return Forward(pursuit, actions, view, binding, heuristic, listener)
    return Backward(_problem(pursuit, objects, binding), view, heuristic, listener)


def heuristic_of(manner: Manner) -> str:
    """The heuristic that is asked for, or the one that fits."""
    if manner.heuristic:
        return manner.heuristic
    admissible = "zero" if manner.forward else "hmax"
    return admissible if manner.optimal else "unmet"


def _problem(pursuit: Pursuit, objects: dict[str, tuple[Any, ...]], binding: Binding) -> Problem:
    """The numbered problem; the last one is kept, for it seldom changes."""
    key = (_exact(binding), *((name, _exact(values)) for name, values in objects.items()))
    kept = pursuit.kept.get("problem")
    if kept is None or kept[0] != key:
        actions = grounded(pursuit.actions, objects)
        problem = Problem(actions, conjunctions(pursuit.condition, binding))
        kept = pursuit.kept["problem"] = (key, problem)
    found: Problem = kept[1]
    return found


def _exact(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Equal only for values of the same types: ``True`` is 1 to Python."""
    return tuple((type(value), value) for value in values)


class GoalDirected:
    """Solves the goals inside of task networks, each in one go."""

    def faults(self, pursuit: Pursuit) -> Iterator[Diagnostic]:
        """What only a state can tell, where the search goes back from the goal."""
        if pursuit.manner.forward:
            return
        hint = "search from the state: achieve(..., forward=True)"
        for part in opaque(pursuit.condition):
            message = f"a search cannot go back from this goal: {part}"
            yield Diagnostic("BT211", message, "achieve", hint)
        for task in pursuit.actions:
            for part in opaque_parts(task):
                message = f"a search cannot go back through '{task.name}': {part}"
                yield Diagnostic("BT211", message, "achieve", hint)

    def solve(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Solution | None:
        """The steps from this state. Raises UnknownRead, and PlanningError at the limit."""
        way = way_for(pursuit, view, binding, pursuit.manner)
        while way.expand():
            if way.expansions >= pursuit.manner.limit:
                raise no_answer(way.expansions)
        if way.steps is None:
            if way.unknown is not None:
                raise UnknownRead(way.unknown)
            return None
        end, _ = carried_out(way.steps, view)
        return Solution(way.steps, read_behind(pursuit, end, binding))

    def why_not(self, pursuit: Pursuit, view: StateView, binding: Binding) -> Iterable[str]:
        """Why there are no steps from this state, line by line."""
        way = way_for(pursuit, view, binding, pursuit.manner)
        while way.expand():
            pass
        return way.why_not()


GOAL_DIRECTED: Final = GoalDirected()


def read_behind(pursuit: Pursuit, end: StateView, binding: Binding) -> frozenset[Expression[Any]]:
    """What the goal reads in the state that its steps lead to."""
    view = RecordingView(end)
    assert pursuit.holds(view, binding) is True, "a plan leads to its goal"
    return view.reads
