"""``due_in``: in how many seconds a tree needs a tick, if nothing changes until then.

    tick, in which something happened       due at once: what has happened may lead to more
    tick, in which nothing did              each node that was ticked says what it waits for
        a time                              due when the first of these times has passed
        nothing but a change                it need not be ticked until something changes
        nobody can tell                     due at once

What a node waits for, it says itself, in a method ``waits`` beside its ``tick``. The nodes of
py_trees that only depend on their children stand in a table here. All others are due at once, for
nobody can tell what the code of users does; so are subclasses whose ticks are such code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from math import inf
from types import MappingProxyType
from typing import Any, Final

from py_trees import behaviours, decorators
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.trees import BehaviourTree

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock
from bthtn.engine.behaviours.attach import attached_to
from bthtn.engine.behaviours.decorators import RunOnce
from bthtn.engine.behaviours.plan_behaviour import PlanBehaviour
from bthtn.engine.behaviours.skipping import Skip
from bthtn.engine.behaviours.wait import AT_ONCE, Wait, in_order


def due_in(tree: BehaviourTree, agent: Agent[Any, Any]) -> float | None:
    """In how many seconds of the agent's clock after the latest tick the next one is needed.

    0 if the next tick may do something as it is, and None if nothing but a change can make it.
    """
    agents = attached_to(tree)
    if agents is None or not all(attached.is_waiting for attached in agents):
        return 0.0
    clocks, soonest, pending = _clocks_of(agent), inf, [tree.root]
    while pending:
        node = pending.pop()
        seconds, below, clock = _wait_of(node)
        if seconds <= 0 or _is_of_another(node, agents):
            return 0.0
        if seconds < soonest:
            if clock is None or clock not in clocks:
                return 0.0
            soonest = seconds
        pending += below
    return None if soonest == inf else soonest


def _clocks_of(agent: Agent[Any, Any]) -> list[Clock]:
    """The functions that tell the agent's time."""
    clock = agent.clock
    return [] if clock is None else [clock, clock.source, agent.time, agent.time_in_tree]


def _is_of_another(node: Behaviour, agents: list[Agent[Any, Any]]) -> bool:
    """Whether a node asks an agent that begins its ticks elsewhere."""
    agent = getattr(node, "agent", None)
    return isinstance(agent, Agent) and agent not in agents


def _wait_of(node: Any) -> Wait:
    """What a node waits for that the next tick ticks."""
    kind = type(node)
    if node.status is Status.INVALID and kind not in (Skip, RunOnce):
        return AT_ONCE  # it would begin
    of_py_trees = _OF_PY_TREES.get(kind)
    if of_py_trees is not None:
        return of_py_trees(node)
    if isinstance(node, PlanBehaviour):
        return node.waits() if node.status is Status.RUNNING else AT_ONCE
    wait: Wait = node.waits() if _says_so(kind) else AT_ONCE
    return wait


_HOOKS: Final = frozenset({"tick", "update", "initialise", "terminate", "stop"})


def _says_so(kind: type) -> bool:
    """Whether nodes of a kind say what they wait for; not if a subclass of users changes ticks."""
    ticked = next(base for base in kind.__mro__ if not _HOOKS.isdisjoint(vars(base)))
    return ticked.__module__.startswith("bthtn.") and hasattr(kind, "waits")


def _child(node: Behaviour) -> Wait:
    return Wait(below=node.children)


def _nothing(_: Behaviour) -> Wait:
    return Wait()


def _sequence(node: Sequence) -> Wait:
    return in_order(node, memory=node.memory)


def _selector(node: Selector) -> Wait:
    if node.memory and node.status is Status.RUNNING:
        before = takewhile(lambda child: child is not node.current_child, node.children)
        if any(child.status is not Status.INVALID for child in before):
            return AT_ONCE  # it stops them
    return in_order(node, memory=node.memory)


def _parallel(node: Parallel) -> Wait:
    if node.status is not Status.RUNNING or not node.policy.synchronise:
        return Wait(below=node.children)
    return Wait(below=[child for child in node.children if child.status is not Status.SUCCESS])


_OF_PY_TREES: Final[Mapping[type, Callable[[Any], Wait]]] = MappingProxyType(
    {
        Sequence: _sequence,
        Selector: _selector,
        Parallel: _parallel,
        **dict.fromkeys(
            (
                *(decorators.Inverter, decorators.PassThrough, decorators.Condition),
                *(decorators.RunningIsFailure, decorators.RunningIsSuccess),
                *(decorators.FailureIsSuccess, decorators.FailureIsRunning),
                *(decorators.SuccessIsFailure, decorators.SuccessIsRunning),
            ),
            _child,
        ),
        **dict.fromkeys((behaviours.Success, behaviours.Failure, behaviours.Running), _nothing),
    }
)
"""The nodes of py_trees whose status is that of their children, or always the same."""
