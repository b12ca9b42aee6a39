"""Splice: another part in a plan that runs, while all else stays where it stands.

plan          walk, attack m1 (reload, shoot), report      the rest does not work: no magazine
new part            attack m2 (stab)
behaviours    walk, reload, shoot, report                  walk is running
then          walk, stab, report                           and runs on

The place is hard to find, as the behaviours do not have the shape of the tree: steps of sequences
within sequences stand in one, ended ones may be gone, and a part of which no step is left has none
at all. Then its place is beside the behaviours of its neighbours. What is around the new part may
have failed along with the old one: it is set to running again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from py_trees.behaviour import Behaviour

from bthtn.engine.behaviours.branch import of_plan, rest_of, running_leaves
from bthtn.engine.behaviours.compile import NothingToDo, compiled_steps, in_turn
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.handover import hand_over
from bthtn.engine.behaviours.plan_behaviour import PlanComposite
from bthtn.engine.behaviours.plan_run import Inside, Path, PlanRun
from bthtn.engine.behaviours.sequence import PlanSequence
from bthtn.engine.behaviours.status import FAILURE, RUNNING, SUCCESS
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import BranchingNode, Node, ParallelNode, ScopeNode, SequenceNode
from bthtn.engine.replanning.rest import Rest


@dataclass(frozen=True, slots=True)
class Place:
    """The behaviours that run a part of a plan: those from ``start`` to ``stop`` below a parent.

    A part without behaviours may stand ``beside`` one that is not in a sequence yet: before it, at
    0, or behind it, at 1.
    """

    parent: Any
    start: int
    stop: int
    beside: int | None = None

    @classmethod
    def between(cls, place: Place, index: int) -> Place:
        """The place before another one, with index 0, or behind it, with index 1."""
        if not isinstance(place.parent, PlanSequence):
            return replace(place, beside=index)
        at = place.stop if index else place.start
        return cls(place.parent, at, at)

    def in_sequence(self) -> Place:
        """The same place in a sequence, which is made."""
        parent, beside = self.parent, self.beside
        assert beside is not None, "there is a behaviour beside it"
        child = parent.children[self.start]
        made = PlanSequence([child])
        made.status, made.current_child, made.parent = child.status, child, parent
        parent.children[self.start] = made
        if isinstance(parent, PlanComposite) and parent.current_child is child:
            parent.current_child = made
        return Place(made, beside, beside)


def place_of(path: Sequence[Node], run: PlanRun, subtree: Behaviour) -> Place | None:
    """Where the last node of a path from the root is run; one without steps, where it would be.

    None where there is no such place: a parallel node is left out where only one branch has steps.
    """
    rest = rest_of(run, subtree)
    found = _place_of(path[-1], rest, subtree)
    for above, node in zip(path[-2::-1], path[:0:-1], strict=True):
        if found is not None:
            break
        below = rest.all_below(above)
        index = below.index(node)
        if isinstance(above, SequenceNode):
            found = _beside(below, index, rest, subtree)
        elif isinstance(above, ScopeNode):
            found = _emptied(above, subtree)
        elif isinstance(above, BranchingNode):
            with_steps = [n for n, child in enumerate(below) if _place_of(child, rest, subtree)]
            behaviour = (run.behaviours or {}).get(above)
            if behaviour is None and not with_steps:
                continue
            if behaviour is None:
                return None
            if isinstance(above, ParallelNode) and above.policy is ParallelPolicy.ALL:
                at = sum(n < index for n in with_steps)
                return Place(behaviour, at, at)
            return Place(behaviour, index, index + 1)
    if found is None and isinstance(subtree, NothingToDo):
        return Place(subtree.parent, 0, 1)
    return found or _emptied(None, subtree)


def _emptied(scope: ScopeNode | None, subtree: Behaviour) -> Place | None:
    """The place in the sequence of a scope, or in that of a whole plan, that has no steps left."""
    for behaviour in of_plan(subtree):
        if isinstance(behaviour, PlanSequence) and behaviour.node is scope:
            return None if behaviour.children else Place(behaviour, 0, 0)
    return None


def _beside(nodes: Sequence[Node], index: int, rest: Rest, subtree: Behaviour) -> Place | None:
    """The place of a node without steps, between those that follow and precede it in a sequence."""
    for sibling in nodes[index + 1 :]:
        if (behind := _place_of(sibling, rest, subtree)) is not None:
            return Place.between(behind, 0)
    for sibling in reversed(nodes[:index]):
        if (before := _place_of(sibling, rest, subtree)) is not None:
            return Place.between(before, 1)
    return None


def _place_of(node: Node, rest: Rest, subtree: Behaviour) -> Place | None:
    """The behaviours of a node and of those below it, None if there are none."""
    inside = {node}
    pending = [node]
    while pending:
        below = rest.all_below(pending.pop())
        inside.update(below)
        pending += below
    first = next((b for b in of_plan(subtree) if getattr(b, "node", None) in inside), None)
    if first is None or first.parent is None:
        return None
    beside = first.parent.children
    start = stop = beside.index(first)
    while stop < len(beside) and getattr(beside[stop], "node", None) in inside:
        stop += 1
    return Place(first.parent, start, stop)


def steps_at(place: Place, path: Sequence[Node], part: ScopeNode, run: PlanRun) -> list[Behaviour]:
    """The behaviours of a new part for a place. Raises ExecutionError as ``refuse_too_deep``."""
    return compiled_steps(part, run, place.parent, _above(place, path))


def splice(place: Place, steps: list[Behaviour], run: PlanRun) -> None:
    """Put other behaviours into a place; running steps with which they begin run on.

    What is around the place goes on there, even if it had failed.
    """
    place = place if place.beside is None else place.in_sequence()
    parent, old = place.parent, place.parent.children[place.start : place.stop]
    leaves = [leaf for part in old for leaf in running_leaves(part)]
    taken_out = PlanSequence([*old])
    if isinstance(parent, PlanSequence):
        new = PlanSequence(steps)
        hand_over(old, new, run, leaves, repairs=True)
        parent.splice(place.start, old, new)
    else:
        child = hand_over(old, in_turn(steps), run, leaves, repairs=True)
        parent.children[place.start : place.stop] = [child]
        child.parent = parent
        if isinstance(parent, PlanComposite) and parent.current_child in old:
            parent.current_child = child
    taken_out.children = []
    _go_on(parent)


def _go_on(node: Behaviour) -> None:
    """Let a part that has ended go on, and all around it: it had nothing to do, or has failed."""
    above: Behaviour | None = node
    while isinstance(above, PlanComposite):
        if above.status is FAILURE or above.status is SUCCESS:
            above.status, above.feedback_message = RUNNING, ""
            if isinstance(above, PlanDecorated):
                above.failure = None
        above = above.parent


def _above(place: Place, path: Sequence[Node]) -> Path:
    """The decompositions above the last node of a path, as its steps or those beside it have them.

    Some may be forgotten in the path: those of a plan of which nothing else was left.
    """
    around = place.parent if isinstance(place.parent, PlanComposite) else place.parent.children[0]
    own = _entry(path[-1], around)
    if own is not None:
        return own.around
    scopes = [node for node in path[:-1] if isinstance(node, ScopeNode)]
    made: Path = _entry(scopes[-1], around) if scopes else None
    if made is None:
        for scope in scopes:
            made = Inside(scope, made)
    return made


def _entry(scope: Node, around: Behaviour) -> Path:
    """A decomposition as it stands in the path of a step below some behaviour."""
    for leaf in of_plan(around):
        above = leaf.path if isinstance(leaf, TaskLeaf) else None
        while above is not None:
            if above.node is scope:
                return above
            above = above.around
    return None
