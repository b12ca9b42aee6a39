"""A running plan in a newer domain: whether it works there, and the rest of it.

The tasks and fluents of a domain that was loaded again are other objects, so the plan is written
as text and read against the newer domain. It has the plan if its replay there, from the state in
which it was adopted, succeeds. The rest of the plan is left to the review.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

from bthtn.domain.task import TaskCall
from bthtn.errors import InputError
from bthtn.plan.nodes import Node, ScopeNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.replay import replay
from bthtn.plan.walk import Visit, children_of, preorder, unwound, with_children
from bthtn.planning.planner import Planner
from bthtn.replanning.progress import Progress
from bthtn.replanning.remaining import RemainingPlan, remaining_plan
from bthtn.replanning.validity import validity_of
from bthtn.text.plan_json import decoded, encoded
from bthtn.world.state import FrozenState
from bthtn.world.succession import successor_values

Origin = tuple[Plan, FrozenState]
"""A plan as it was found, and the state in which it was adopted."""


class ReloadedPlan(NamedTuple):
    """The rest of a running plan, of tasks of a newer domain, without the nodes ``over``.

    Parts that were ``entered`` have begun, whatever their steps say.
    """

    plan: Plan
    over: frozenset[Node]
    entered: frozenset[Node]
    origin: Origin | None


def reloaded_plan(
    plan: Plan,
    progress: Progress,
    origin: Origin | None,
    planner: Planner[Any],
    now: FrozenState,
) -> ReloadedPlan:
    """The rest of a running plan in the planner's domain; a plan without origin was repaired.

    Raises InputError if the domain does not have the plan, if the rest of it does not work there,
    and if the planner has another goal.
    """
    if origin is not None:
        found_as, state = origin
        origin = (_read(found_as, planner), successor_values(state, planner.domain.state_class))
        judged = replay(*origin)
        if not judged.ok:
            raise _lost(judged.where, judged.reason)
    rest = remaining_plan(progress, progress.tree)
    assert rest is not None, "the root of a plan belongs to it"
    left = Plan(plan.domain, plan.goal, plan.binding, rest.tree, plan.record, plan.predicted)
    found = _read(left, planner)
    newer = {
        old: new
        for (_, old), (_, new) in zip(preorder(rest.tree), preorder(found.tree), strict=True)
    }
    over = frozenset(newer[node] for node in rest.over if node in newer)
    running = frozenset(cast("TaskNode", newer[node]) for node in rest.running)
    entered = frozenset(newer[node] for node in rest.entered)
    here = RemainingPlan(found.tree, found.tree, over, running, entered)
    failure = validity_of(here.progress(), planner.domain, now).failure
    if failure is not None:
        raise _lost(failure.what, failure.why)
    return ReloadedPlan(found, over, entered, origin)


def _lost(where: str, reason: str) -> InputError:
    return InputError("BT406", f"{where}: {reason}" if where else reason)


def _read(plan: Plan, planner: Planner[Any]) -> Plan:
    """The same plan, of tasks of the planner's domain. Raises InputError."""
    found = decoded(encoded(plan, complete=True), planner.domain, goal=planner.goal)
    tree = unwound(_with_calls(plan.tree, found.tree))
    return Plan(found.domain, found.goal, found.binding, tree, found.record, found.predicted)


def _with_calls(old: Node, new: Node) -> Visit[Node]:
    """The new tree with the calls of the old one, which say when arguments are outdated."""
    below: list[Node] = []
    for old_child, new_child in zip(children_of(old), children_of(new), strict=True):
        child: Node = yield _with_calls(old_child, new_child)
        below.append(child)
    match old, new:
        case (TaskNode(call=TaskCall() as call), TaskNode(task=task)):
            return replace(new, call=replace(call, task=task), binding=old.binding)
        case (ScopeNode(call=TaskCall() as call), ScopeNode(task=task)):
            (child,) = below
            return replace(new, child=child, call=replace(call, task=task), binding=old.binding)
        case _:
            return with_children(new, below)
