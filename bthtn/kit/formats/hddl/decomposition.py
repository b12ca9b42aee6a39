"""What became of each task of a plan: a step, or the tasks of a method.

    unordered(deliver(a), deliver(b))  ──planned in turns──►  load(a)  load(b)  unload(a)  unload(b)

A plan tree has a node for each task that was decomposed at one go. Of those that were planned in
turns each turn has a node, with the parts that were pending before it. What is new behind it are
the parts of the method that it chose, and what is left of the body that it began with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import NullNetwork
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall
from bthtn.engine.domain.turns import Pending, PendingBody, Place, Turn, is_decomposed
from bthtn.engine.plan.nodes import Node, ScopeNode, SequenceNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import fold
from bthtn.engine.world.expression import NOTHING_KNOWN

ROOT: Final = "htn"
"""The name of the task whose only method is an initial network with variables."""


class Done:
    """A task that is done, with its arguments. A step has no method.

    ``tasks`` are those of its method, in the order in which they were planned.
    """

    __slots__ = ("args", "method", "name", "tasks")

    def __init__(
        self, name: str, args: tuple[Any, ...], method: str = "", tasks: Iterable[Done] = ()
    ) -> None:
        self.name, self.args, self.method = name, args, method
        self.tasks = list(tasks)


class _Turned(NamedTuple):
    """A turn, and the tasks of the block that it planned."""

    turn: Turn
    done: list[Done]


_Found = tuple["Done | _Turned", ...]


def decomposition(plan: Plan) -> tuple[list[Done], list[Done]]:
    """The steps of the plan in order, and the tasks of its goal."""
    steps: list[Done] = []

    def found(node: Node, below: tuple[_Found, ...]) -> _Found:
        inside = tuple(each for part in below for each in part)
        if isinstance(node, TaskNode):
            steps.append(Done(node.task.name, node.args))
            return (steps[-1],)
        if not isinstance(node, ScopeNode):
            return inside
        done = [each for each in inside if isinstance(each, Done)]
        turns = [each for each in inside if isinstance(each, _Turned)]
        if node.task.origin == "turns":
            return (_Turned(_turn_of(node, plan.domain), done), *turns)
        if turns:
            return tuple(_together(turns))
        if is_anonymous(node.task) or node.task.name == ROOT:
            return inside
        return (Done(node.task.name, node.args, node.name, done),)

    roots = fold(plan.tree, found)
    return steps, [each for each in roots if isinstance(each, Done)]


def is_anonymous(task: Task) -> bool:
    """Whether a construct has become this task."""
    return isinstance(task, CompoundTask) and bool(task.origin)


def _turn_of(node: ScopeNode, domain: FrozenDomain) -> Turn:
    """The turn that a node is for. The nodes in it know, unless it is the last and has none."""
    last = node.child.children[-1] if isinstance(node.child, SequenceNode) else node.child
    if isinstance(last, TaskNode | ScopeNode) and last.binding:
        turn: Turn = last.binding[-1]
        return turn
    turn = Turn(node.task, node.args, node.args[-1])
    (place,) = turn.pending.places()
    head, binding = turn.pending.head(place)
    if not (isinstance(head, TaskCall) and is_decomposed(head.task)) or head.task.choice:
        return replace(turn, place=place)
    args = tuple(arg.evaluate(NOTHING_KNOWN, binding) for arg in head.args)
    return replace(turn, place=place, method=domain.methods[head.task][node.method], binding=args)


def _together(turns: Sequence[_Turned]) -> list[Done]:
    """The tasks that were planned in these turns."""
    roots: list[Done] = []
    tasks_of = dict.fromkeys(map(id, _bodies(turns[0].turn.pending)), roots)
    """Where the tasks of a pending body belong, by its id: turns pass on what they leave."""
    behind = [*(each.turn.pending for each in turns[1:]), Pending(())]
    for (turn, done), left in zip(turns, behind, strict=True):
        assert turn.place is not None, "a turn has something to plan: tasks, not nothing"
        first, *others = _stack(turn.pending, turn.place)
        own = inside = tasks_of[id(first)]
        head, _ = turn.pending.head(turn.place)
        if turn.method is None:
            own += done
        elif isinstance(head, TaskCall) and not is_anonymous(head.task):
            args = turn.binding[: len(head.task.parameters)]
            own.append(Done(head.task.name, args, turn.method.name))
            inside = own[-1].tasks
        new = [body for body in _bodies(left) if id(body) not in tasks_of]
        is_left = len(first.parts) > 1
        if turn.method is None or isinstance(turn.method.body, NullNetwork):
            inside = own if is_left or not others else tasks_of[id(others[0])]
        elif is_left:
            tasks_of[id(new.pop())] = own
        tasks_of |= dict.fromkeys(map(id, new), inside)
    return roots


def _bodies(pending: Pending) -> Iterator[PendingBody]:
    """The pending bodies, those of a member from the innermost on."""
    for member in pending.members:
        for each in member:
            yield from _bodies(each) if isinstance(each, Pending) else (each,)


def _stack(pending: Pending, place: Place) -> list[PendingBody]:
    """The body that the part at a place is in, and those that go on when it is finished."""
    first, *others = pending.members[place[0]]
    inside = _stack(first, place[1:]) if isinstance(first, Pending) else [first]
    return [*inside, *(each for each in others if isinstance(each, PendingBody))]
