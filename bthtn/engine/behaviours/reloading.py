"""Reloading: a tree gets a newer root, in which goals go on with the steps of their plans.

    old root   selector ── [fight], patrol         fight runs a plan
    new root   selector ── heal, fight, patrol     not ticked yet
    then       selector ── heal, [fight], patrol   the new goal has the plan, and plans anew

Its steps run on if the next plan begins with them, and the first tick of the new root reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.trees import BehaviourTree

from bthtn.checked import checked
from bthtn.engine.agent.reentrance import refuse_at_work
from bthtn.engine.behaviours.plan_goal import REPLACED, PlanGoal
from bthtn.engine.behaviours.status import INVALID, RUNNING


@checked
def replace_root(tree: BehaviourTree, root: Behaviour) -> None:
    """Let a tree go on with another root, between two ticks.

    A goal of the new root that has the name and the agent of a running one takes over its plan if
    the next tick reaches it, and plans anew: the steps run on with which the next plan begins. Of
    several such goals, the first one does. Everything else that
    runs is stopped, and the behaviours of the old root are shut down. The new root has to be set up
    already, as far as it needs that. Raises ExecutionError in the middle of a tick.
    """
    old = tree.root
    for goal in (*_goals_of(old), *_goals_of(root)):
        refuse_at_work(goal.agent, "gets another tree")
    running_last = sorted(_goals_of(old), key=lambda goal: goal.status is RUNNING)
    former = {(id(goal.agent), goal.name): goal for goal in running_last}
    newer = list(_goals_of(root))
    for goal in newer:
        before = former.pop((id(goal.agent), goal.name), None)
        if before is not None:
            goal._take_over(before)
    for before in former.values():
        before.ends_for = REPLACED
    _take_down(old)
    tree.root = root
    handlers = tree.post_tick_handlers

    def drop(_: BehaviourTree) -> None:
        tree.post_tick_handlers = [
            handler for handler in tree.post_tick_handlers if handler is not drop
        ]
        for goal in newer:
            goal._drop()

    tree.post_tick_handlers = [*handlers, drop]


def _goals_of(root: Behaviour) -> Iterator[PlanGoal]:
    """The goals of a tree, without those inside of the steps of others."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, PlanGoal):
            yield node
        else:
            pending.extend(reversed(node.children))


def _take_down(root: Behaviour) -> None:
    """Stop and shut down the tree; aborts that take time go on in their agents."""
    nodes = list(root.iterate())
    if any(node.status is RUNNING for node in nodes):
        root.stop(INVALID)
    for node in nodes:
        if isinstance(node, PlanGoal):
            node._retire()
        else:
            node.shutdown()
