"""Queries on the behaviours of a running plan: its rest, failures, running steps.

None of these functions changes a behaviour.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.composites import Parallel

from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_behaviour import below, postorder, taking_part_below
from bthtn.engine.behaviours.plan_run import PlanRun
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import Placeholder, PlanSequence
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.decorator import RetryDecorator
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node, SuspendedNode, TaskNode
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.world.footprint import Footprint

COMPOSITES: Final = (PlanSequence, PlanParallel, PlanPriority)
"""The inner nodes of a running plan."""

_OWN_STATUS: Final = (TaskLeaf, PlanParallel, PlanPriority, PlanDecorated)
"""The behaviours of nodes whose status cannot be told from those below them."""

_NONE: Final[frozenset[Node]] = frozenset()

_ENDED: Final = (SUCCESS, FAILURE)

_STOPS: Final = ("stop", "_stop", "_stop_soon", "terminate")
"""The methods by which a node is stopped from above."""


def rest_of(run: PlanRun, subtree: Behaviour) -> Rest:
    if run.behaviours is None:
        run.behaviours = _with_own_status(subtree)
    may_begin_anew = run.has_reactive_choices or run.instead
    return Rest(run.tree, run.behaviours, run.instead, _anew(subtree) if may_begin_anew else _NONE)


def _with_own_status(subtree: Behaviour) -> dict[Node, Behaviour]:
    found: dict[Node, Behaviour] = {}
    behaviours = [subtree]
    for behaviour in behaviours:
        if isinstance(behaviour, TaskLeaf):  # as most are
            found[behaviour.node] = behaviour
            continue
        if isinstance(behaviour, _OWN_STATUS):
            found[behaviour.node] = behaviour
        behaviours += below(behaviour)
    return found


def settle(run: PlanRun, subtree: Behaviour) -> None:
    """Forget the trees of which nothing is left but one part that was planned on arrival.

    Its plan stands for them from now on: a task that goes on by suspending itself again and again
    does not grow without limit. So it is for the whole plan, and for each part planned on arrival.
    """
    run.has_grown = False
    rest = rest_of(run, subtree)
    for owner in [None, *run.instead][::-1]:  # inner parts first
        if owner is not None and not isinstance(owner, SuspendedNode):
            continue
        tree = run.tree if owner is None else run.instead.get(owner)
        left = None if tree is None else _only_part(rest, tree)
        if left is None:
            continue
        plan = run.instead.pop(left)
        if owner is None:
            run.tree = plan
        else:
            run.instead[owner] = plan
    run.forget_unreached()


def _only_part(rest: Rest, tree: Node) -> SuspendedNode | None:
    """The part, planned on arrival, that is all that is left of a tree; None if there is more."""
    found: SuspendedNode | None = None
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, SuspendedNode) and (plan := rest.plan_of(node)) is not None:
            if any(map(rest.is_left, rest.nodes(plan))):
                if found is not None:
                    return None
                found = node
        elif rest.is_left(node):
            return None
        else:
            pending += rest.below(node)
    return found


def of_plan(subtree: Behaviour) -> Iterator[Behaviour]:
    """The behaviours of a plan, parents before children; those below a step are its operator's."""
    pending = [subtree]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, TaskLeaf):
            pending += reversed(below(node))


def _anew(subtree: Behaviour) -> frozenset[Node]:
    """The nodes that will be run from their beginning, whatever their behaviours say.

    They are those of alternatives that are asked again, and suspended parts that are planned again
    with them, or with a sequence that begins anew.
    """
    found: set[Node] = set()
    pending = [(subtree, False)]
    while pending:
        node, again = pending.pop()
        if (again and isinstance(node, _OWN_STATUS)) or isinstance(node, Placeholder):
            found.add(node.node)
        if isinstance(node, TaskLeaf):
            continue
        if isinstance(node, PlanSequence) and (again or node.status is INVALID):
            found.update(node.replaced)
        chosen = None
        if isinstance(node, PlanPriority) and not node.memory and node.status is RUNNING:
            chosen = node.current_child
        for child in below(node):
            goes_on = child is chosen and child.status is not FAILURE
            pending.append((child, again or (chosen is not None and not goes_on)))
    return frozenset(found)


def next_steps(subtree: Behaviour) -> Iterator[TaskNode]:
    """The first unfinished steps of a plan, in order, up to an alternative or an open part."""
    pending = [subtree]
    while pending:
        node = pending.pop()
        if node.status in _ENDED:
            continue
        if isinstance(node, TaskLeaf):
            yield node.node
        elif isinstance(node, PlanSequence):  # one that begins anew is as it was planned
            pending += reversed(node.ahead if node.status is RUNNING else node.planned)
        elif isinstance(node, PlanParallel):
            pending += reversed(node.children)
        else:
            return


def active_path(subtree: Behaviour) -> list[object]:
    """The active nodes of a plan and their statuses, as keys.

    While no step has started or ended, and these are the same, so is the progress: of what is not
    active, nothing is ticked.
    """
    keys: list[object] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        status = node.status
        keys += (id(node), status)
        if isinstance(node, TaskLeaf) or status is not RUNNING:
            continue
        if isinstance(node, PlanDecorated):
            keys.append(node.is_tried_again)
        if not isinstance(node, PlanSequence):
            pending += node.children
        elif node.current_child is not None:
            pending.append(node.current_child)
    return keys


def failure_of(branch: Behaviour) -> Failure:
    """Why a branch failed: the failure of the step, or the suspended part, that decided it."""
    step = _failed_step(branch)
    failure = getattr(step, "failure", None)
    if isinstance(failure, Failure):
        return failure
    return Failure(step.feedback_message or "it failed")


def _failed_step(branch: Behaviour) -> Behaviour:
    while True:
        match branch:
            case PlanDecorated(failure=Failure()):
                return branch
            case PlanSequence(current_child=Behaviour() as child):
                branch = child
            case PlanPriority(children=[*_, last]):
                branch = last
            case PlanParallel():
                branch = _decisive(branch)
            case _:  # a leaf
                return branch


def _decisive(node: PlanParallel) -> Behaviour:
    if node.node.policy is ParallelPolicy.PRIMARY:
        return node.children[0]
    failed = (child for child in node.children if child.status is FAILURE)
    return next(failed, node.children[-1])


def interruption_of(node: Behaviour) -> str:
    """Why a node is being stopped from above, for its ``terminate``, as a text.

    py_trees gives no reason to ``stop``, and the tree does not always show it (docs/design.md). So
    the calls are followed up, from ``stop`` to ``stop``.
    """
    stopped = node
    frame = inspect.currentframe()
    while frame is not None and (frame := frame.f_back) is not None:
        caller = frame.f_locals.get("self")
        if not isinstance(caller, Behaviour):
            break
        if frame.f_code.co_name not in _STOPS:
            return "the tree was stopped" if caller is node else _decision_of(caller, stopped)
        stopped = caller
    return "the tree was stopped"


def _decision_of(above: Behaviour, stopped: Behaviour) -> str:
    """Why a behaviour has stopped something below it while it was ticked."""
    decisive = getattr(above, "current_child", None)
    if not isinstance(decisive, Behaviour) or decisive is stopped:
        return f"'{above.name}' stopped it"
    if decisive.status is FAILURE:
        return f"'{decisive.name}' failed"
    return f"'{decisive.name}' {'succeeded' if isinstance(above, Parallel) else 'took over'}"


def running_leaves(subtree: Behaviour) -> list[TaskLeaf]:
    """The steps of a plan that are running, left to right."""
    found: list[TaskLeaf] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        if not isinstance(node, TaskLeaf):
            pending += reversed(taking_part_below(node))
        elif node.status is RUNNING:
            found.append(node)
    return found


def active(branch: Behaviour) -> list[Behaviour]:
    """The running leaves of a branch: steps, suspended parts, and leaves below a step."""
    return [
        node
        for node in postorder(branch)
        if node.status is RUNNING and not isinstance(node, COMPOSITES)
    ]


def contains(branch: Behaviour, node: Behaviour) -> bool:
    above: Behaviour | None = node
    while above is not None and above is not branch:
        above = above.parent
    return above is branch


def remaining(branch: Behaviour) -> Footprint:
    """The combined reads, writes and resources of the steps that may still run."""
    parts: list[Footprint] = []
    for node in _still_to_run(branch):
        if isinstance(node, TaskLeaf):
            parts.append(node.node.footprint)
        elif isinstance(node, Placeholder):
            parts.append(node.foreseen)
    return Footprint.in_turn(parts)


def only_runs_on(branch: Behaviour) -> bool:
    """Whether nothing of the branch is left to be started."""
    left = (node for node in _still_to_run(branch) if isinstance(node, TaskLeaf | Placeholder))
    return all(isinstance(node, TaskLeaf) and node.is_at_work for node in left)


def _still_to_run(branch: Behaviour) -> Iterator[Behaviour]:
    """Yield the nodes that may still be ticked."""
    # What may be run again, in a reactive choice or another try, counts as a whole.
    pending = [(branch, False)]
    while pending:
        node, again = pending.pop()
        if node.status in _ENDED and not again:
            continue
        yield node
        runs = node.status is RUNNING
        match node:
            case PlanSequence():
                # It begins anew without what has replaced suspended parts.
                anew = set(node.planned if again or not runs or _is_retry(node) else ())
                ahead = node.ahead if runs else ()
                pending.extend((child, True) for child in anew)
                pending.extend((child, False) for child in ahead if child not in anew)
            case PlanPriority(memory=False) if runs:
                pending.extend((child, True) for child in node.children)
            case PlanPriority(current_child=Behaviour() as chosen) if runs and not again:
                behind = node.children[node.children.index(chosen) :]
                pending.extend((child, False) for child in behind)
            case PlanParallel() | PlanPriority():
                pending.extend((child, again) for child in node.children)


def _is_retry(node: PlanSequence) -> bool:
    return isinstance(node, PlanDecorated) and isinstance(node.decorator, RetryDecorator)
