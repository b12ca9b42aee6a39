"""How a behaviour looks in every picture of a tree: its kind, texts, status and edges."""

from __future__ import annotations

import re
from typing import Final

from py_trees import composites
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.decorators import Decorator

from bthtn.engine.behaviours.control import IfThenElse, Parallel, Switch, WhileDoElse
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.decorators import Timed
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import PlanScope, PlanSequence
from bthtn.engine.behaviours.status import ABORTED, DONE, FAILED
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import network_text
from bthtn.engine.text.labels import node_appearance, task_tooltip

CONDITION_WORDS: Final = frozenset({"Check", "Compare", "Is", "Has", "Believes", "Condition"})
_WORDS: Final = re.compile(r"[A-Z][a-z]*")


def appearance(node: Behaviour) -> tuple[str, str, str]:
    """Kind, name and second line of a node; the most specific classes come first."""
    match node:
        case PlanGoal():
            goal = network_text(node.goal)
            return "goal", node.name, "" if goal == node.name else goal
        case (
            TaskLeaf()
            | Suspended()
            | PlanScope()
            | PlanDecorated()
            | PlanPriority()
            | PlanParallel()
        ):
            return node_appearance(node.node, _domain_of(node))[:3]
        case PlanSequence():
            return "sequence", node.name, ""
        case _:
            return _authored_appearance(node)


def goal_of(node: Behaviour) -> PlanGoal | None:
    """The goal that a node of a plan is mounted below."""
    above: Behaviour | None = node
    while above is not None and not isinstance(above, PlanGoal):
        above = above.parent
    return above


def _domain_of(node: Behaviour) -> FrozenDomain | None:
    goal = goal_of(node)
    return None if goal is None or goal.plan is None else goal.plan.domain


def _authored_appearance(node: Behaviour) -> tuple[str, str, str]:
    """Kind, name and second line of a node that the user has written."""
    match node:
        case composites.Sequence():
            return "sequence", node.name, _memory(node.memory)
        case composites.Selector():
            return "selector", node.name, _memory(node.memory)
        case Parallel():
            ends = f"until {node.success_count} succeed or {node.failure_count} fail"
            return "parallel", node.name, ends
        case composites.Parallel():
            return "parallel", node.name, _until(node.policy)
        case IfThenElse() | WhileDoElse() | Switch():
            return "selector", node.name, _class_name(node)
        case Timed():
            about = filter(None, (_class_name(node), _time(node)))
            return "decorator", node.name, ", ".join(about)
        case Decorator():
            return "decorator", node.name, _class_name(node)
        case _:
            words = _WORDS.findall(type(node).__name__)
            is_check = bool(CONDITION_WORDS.intersection((*words[:1], *words[-1:])))
            return ("check" if is_check else "task"), node.name, ""


def _memory(memory: object) -> str:
    return "" if memory else "from the start at every tick"


def _until(policy: ParallelPolicy.Base) -> str:
    match policy:
        case ParallelPolicy.SuccessOnAll():
            return "until all succeed"
        case ParallelPolicy.SuccessOnOne():
            return "until one succeeds"
        case ParallelPolicy.SuccessOnSelected(children=chosen):
            return f"until these succeed: {', '.join(child.name for child in chosen)}"
        case _:
            return type(policy).__name__


def _time(node: Timed) -> str:
    """How long a decorator waits; empty where a function says it at the start."""
    if node.ticks is not None:
        return f"{node.ticks} tick{'s' if node.ticks > 1 else ''}"
    return "" if callable(node.seconds) else f"{node.seconds:g} s"


def _class_name(node: Behaviour) -> str:
    name = type(node).__name__
    return "" if name == node.name else name


def edge_kind(node: Behaviour) -> str:
    """The kind of the edges to the children: mounted at run time, alternatives, or plain."""
    if isinstance(node, PlanGoal | Suspended | TaskLeaf):
        return "mounted"
    return "choice" if isinstance(node, PlanPriority) else ""


def status_of(node: Behaviour) -> str:
    """The status; of a node that was stopped, how it had ended until then."""
    if node.status is not Status.INVALID or not node.feedback_message:
        return node.status.name
    if isinstance(node, TaskLeaf | Suspended) and node.feedback_message not in (ABORTED, DONE):
        return Status.FAILURE.name
    ends = {ABORTED: "ABORTED", DONE: Status.SUCCESS.name, FAILED: Status.FAILURE.name}
    return ends.get(node.feedback_message, node.status.name)


def tooltip_of(node: Behaviour) -> str:
    """The class of a node, or the conditions and effects of its task."""
    if isinstance(node, TaskLeaf):
        return task_tooltip(node.node.task, node.node.args)
    return f"{type(node).__name__} '{node.name}'"
