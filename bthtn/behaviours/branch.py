"""Queries on the behaviours of a running plan: progress, failures, running steps.

None of these functions changes a behaviour.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel

from bthtn.behaviours.decorated import PlanDecorated
from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.plan_behaviour import below, postorder, taking_part_below
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.sequence import Placeholder, PlanSequence
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain.decorator import RetryDecorator
from bthtn.domain.network import ParallelPolicy
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import Node, PriorityNode, SuspendedNode, TaskNode
from bthtn.replanning.progress import AHEAD, Progress, Stage
from bthtn.world.footprint import Footprint

COMPOSITES: Final = (PlanSequence, PlanParallel, PlanPriority)
"""The inner nodes of a running plan."""

_STAGES: Final = MappingProxyType(
    {
        INVALID: Stage.AHEAD,
        RUNNING: Stage.RUNNING,
        SUCCESS: Stage.FINISHED,
        FAILURE: Stage.FAILED,
    }
)

_ENDED: Final = (SUCCESS, FAILURE)

_STOPS: Final = ("stop", "_stop", "_stop_soon", "terminate")
"""The methods by which a node is stopped from above."""

_WHOLE: Final = (PlanPriority, PlanParallel, PlanDecorated)
"""The nodes of a plan that may end while steps in them have not been run."""


def progress_of(
    subtree: Behaviour, tree: Node, planned: Mapping[SuspendedNode, Node] = MappingProxyType({})
) -> Progress:
    """The progress of a plan tree that is run by ``subtree``."""
    found = _Progress()
    groups: list[_Group] = [((subtree,), False)]
    for nodes, again in groups:
        for node in nodes:
            if isinstance(node, TaskLeaf):
                is_ahead = again or node.status is INVALID  # as most are: enums take long to hash
                found.stages[node.node] = AHEAD if is_ahead else _STAGES[node.status]
            else:  # behaviours below a leaf belong to its operator, not to the plan
                groups += found.below(node, again=again)
    over, entered = frozenset(found.over), frozenset(found.retried)
    left = {node: plan for node, plan in planned.items() if node not in found.unplanned}
    return Progress(tree, found.stages, left, found.passed, over, entered)


_Group = tuple[Iterable[Behaviour], bool]
"""Nodes, and whether they are tried again whatever their status."""


def next_steps(subtree: Behaviour) -> Iterator[TaskNode]:
    """The first unfinished steps of a plan, in order, up to an alternative or an open part."""
    pending = [subtree]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskLeaf):
            if node.status not in _ENDED:
                yield node.node
        elif node.status in _ENDED and isinstance(node, _WHOLE):
            pass  # it is over
        elif isinstance(node, PlanSequence | PlanParallel):
            pending += reversed(node.children)
        else:
            return


class _Progress:
    """The progress of a plan, as far as it was found."""

    def __init__(self) -> None:
        self.stages: dict[TaskNode, Stage] = {}
        self.passed: dict[PriorityNode, int] = {}
        self.over: set[Node] = set()
        self.retried: set[Node] = set()
        self.unplanned: set[SuspendedNode] = set()
        """Some were planned in an earlier run of their sequence."""

    def below(self, node: Behaviour, *, again: bool) -> Iterator[_Group]:
        """Note how far a node has come that is no step; yield those below it."""
        if not again and node.status in _ENDED and isinstance(node, _WHOLE):
            self.over.add(node.node)
        children = below(node)
        if isinstance(node, PlanSequence):
            if again or node.status is INVALID:
                self.unplanned.update(node.replaced)
            if isinstance(node, PlanDecorated) and node.is_retried:
                self.retried.add(node.node)
        elif isinstance(node, Placeholder):
            self.unplanned.add(node.node)
        elif isinstance(node, PlanPriority) and node.status is RUNNING:
            chosen = node.current_child
            if any(child.status is FAILURE for child in children):
                self.retried.add(node.node)
            if node.memory:
                self.passed[node.node] = 0 if chosen is None else children.index(chosen)
            elif chosen is not None:  # the others are asked again, from their beginning
                goes_on = [chosen] if chosen.status is not FAILURE else []
                yield [child for child in children if child not in goes_on], True
                children = goes_on
        yield children, again


def active_path(subtree: Behaviour) -> Iterator[object]:
    """The active nodes of a plan and their statuses, as keys.

    While no step has started or ended, and these are the same, so is the progress: of what is not
    active, nothing is ticked.
    """
    pending = [subtree]
    while pending:
        node = pending.pop()
        yield id(node)
        yield node.status
        if isinstance(node, TaskLeaf) or node.status is not RUNNING:
            continue
        if isinstance(node, PlanDecorated):
            yield node.is_retried
        if isinstance(node, PlanSequence):
            pending += [] if node.current_child is None else [node.current_child]
        else:
            pending += node.children


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

    py_trees gives no reason to ``stop``, and statuses do not show where it began: a Timeout and a
    Selector above it look alike. So the calls are followed up, from ``stop`` to ``stop``.
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
    """Whether the node stands in the branch."""
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
    # A reactive priority may ask again alternatives that have ended: for those, ``again`` is set.
    pending = [(branch, False)]
    while pending:
        node, again = pending.pop()
        if node.status in _ENDED and not again:
            continue
        yield node
        match node:
            case PlanPriority(status=Status.RUNNING, memory=False):
                pending.extend((child, True) for child in node.children)
            case PlanPriority(status=Status.RUNNING, current_child=Behaviour() as chosen):
                behind = node.children[node.children.index(chosen) :]
                pending.extend((child, False) for child in behind)
            case PlanDecorated(status=Status.RUNNING, decorator=RetryDecorator()):
                pending.extend((child, True) for child in node.children)
            case PlanSequence(status=Status.RUNNING):
                pending.extend((child, False) for child in node.ahead)
            case PlanSequence():  # it begins anew, without what has replaced suspended parts
                pending.extend((child, True) for child in node.planned)
            case PlanParallel() | PlanPriority():
                pending.extend((child, again) for child in node.children)
