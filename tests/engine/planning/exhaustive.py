"""The specification of goal-directed search: the cheapest plan, by exhaustive expansion.

Each round applies every action in every state that the previous round reached, or reached at a
lower cost, until a round adds no state. Feasible only for problems with few states.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from bthtn.engine.domain.goal import Action, Pursuit
from bthtn.engine.domain.task_effects import projected
from bthtn.engine.planning.strips.forward import SimulatedState
from bthtn.engine.planning.strips.instances import listed_values
from bthtn.engine.world.expression import Binding, StateView
from bthtn.engine.world.footprint import RecordingView

CostedPlan = tuple[float, tuple[Action, ...]]


def cheapest(pursuit: Pursuit, view: StateView, binding: Binding = ()) -> CostedPlan | None:
    """The cost of the cheapest plan and its actions; None if there is no plan."""
    objects = pursuit.values(view, binding)
    actions = [
        (task, args)
        for task in pursuit.actions
        for args in product(*(listed_values(parameter, objects) for parameter in task.parameters))
    ]
    start = SimulatedState(view)
    plans: dict[Any, CostedPlan] = {start.key(): (0, ())}
    newest = [start]
    states = [start]
    while newest:
        reached: list[SimulatedState] = []
        for state in newest:
            cost, steps = plans[state.key()]
            for action in actions:
                step = projected(*action, RecordingView(state))
                if step.possible is not True or step.writes is None:
                    continue
                successor = state.after(step.writes)
                known = plans.get(successor.key())
                if known is None or cost + step.cost < known[0]:
                    plans[successor.key()] = (cost + step.cost, (*steps, action))
                    reached.append(successor)
        newest = reached
        states += reached
    solved = [state for state in states if pursuit.holds(state, binding) is True]
    return min((plans[state.key()] for state in solved), key=lambda plan: plan[0], default=None)
