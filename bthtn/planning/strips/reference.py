"""What the cheapest way to a goal is: every state, round by round, without any cleverness.

A round takes one more step from every state that the round before has reached, or reached
cheaper. When a round reaches nothing new, all is known. Only for problems with few states.
"""

from __future__ import annotations

from typing import Any

from bthtn.domain.goal import Action, Pursuit
from bthtn.planning.strips.ground import calls
from bthtn.planning.strips.simulate import Reached, attempted
from bthtn.world.expression import Binding, StateView

Way = tuple[float, tuple[Action, ...]]


def cheapest(pursuit: Pursuit, view: StateView, binding: Binding = ()) -> Way | None:
    """What the cheapest plan costs, and its steps; None when there is no plan."""
    actions = list(calls(pursuit.actions, pursuit.values(view, binding)))
    start = Reached(view)
    ways: dict[Any, Way] = {start.key(): (0, ())}
    newest = [start]
    states = [start]
    while newest:
        reached: list[Reached] = []
        for state in newest:
            cost, steps = ways[state.key()]
            for action in actions:
                step, _ = attempted(action, state)
                if step.possible is not True or step.writes is None:
                    continue
                behind = state.after(step.writes)
                known = ways.get(behind.key())
                if known is None or cost + step.cost < known[0]:
                    ways[behind.key()] = (cost + step.cost, (*steps, action))
                    reached.append(behind)
        newest = reached
        states += reached
    solved = [state for state in states if pursuit.holds(state, binding) is True]
    return min((ways[state.key()] for state in solved), key=lambda way: way[0], default=None)
