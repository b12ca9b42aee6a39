"""Turns: the decompositions of ``unordered`` where its members are planned in turns.

The argument of its anonymous task holds the pending rest of each member. A turn takes the first
part of a member: it plans that part, or replaces a compound task by the body of one of its methods.
The members of another ``unordered`` that a member begins with take turns with all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any, Final, Literal, Protocol, Self, TypeGuard

from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import (
    NULL,
    Network,
    NullNetwork,
    SequenceNetwork,
    network_text,
    sequence,
    with_tasks,
)
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall
from bthtn.engine.world.expression import Binding, Constant, Expression, StateView
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.truth import Unknown
from bthtn.records import record

_DECOMPOSED: Final = ("", "one_of")
"""Origins of the compound tasks whose parts take turns; other constructs are planned as blocks."""


@record
class PendingBody:
    """The rest of one body: its parts, and the values of the parameters in them."""

    parts: tuple[Network, ...]
    binding: Binding


Member = tuple["PendingBody | Pending", ...]
"""The pending parts of a member, those of the innermost body first.

A ``Pending`` in it stands for another ``unordered``, whose members take turns with all others.
"""

Place = tuple[int, ...]
"""Where a turn is: the index of the member, and of those in the members of this one."""


@record(repr=False)
class Pending:
    """The rest of each member that is not finished."""

    members: tuple[Member, ...]

    @classmethod
    def of(cls, bodies: Iterable[Network], binding: Binding) -> Self:
        """All of these members, with nothing of them planned yet."""
        return cls(tuple(filter(None, (_before(body, binding, ()) for body in bodies))))

    def places(self) -> Iterator[Place]:
        """Where the next turn may be."""
        for index, (first, *_) in enumerate(self.members):
            inside = first.places() if isinstance(first, Pending) else ((),)
            yield from ((index, *place) for place in inside)

    def head(self, place: Place) -> tuple[Network, Binding]:
        """The part that a member begins with, and the values of the parameters in it."""
        first = self.members[place[0]][0]
        if isinstance(first, Pending):
            return first.head(place[1:])
        return first.parts[0], first.binding

    def without_head(self, place: Place, body: Network = NULL, binding: Binding = ()) -> Pending:
        """The pending rests when the first part of a member is replaced by a body."""
        first, *others = self.members[place[0]]
        if isinstance(first, Pending):
            inside = first.without_head(place[1:], body, binding)
            return self._with(place[0], (inside, *others) if inside.members else tuple(others))
        left = _before(sequence(*first.parts[1:]), first.binding, others)
        return self._with(place[0], _before(body, binding, left))

    def opened(self, members_of: Callable[[Network, Binding], Pending | None]) -> Pending:
        """The same with the members of each ``unordered`` that a member begins with."""
        opened = self
        for index in reversed(range(len(self.members))):
            left = self.members[index]
            while left:
                first, *others = left
                if isinstance(first, Pending):
                    group: Pending | None = first
                else:
                    group = members_of(first.parts[0], first.binding)
                    others = list(_before(sequence(*first.parts[1:]), first.binding, others))
                if group is None:
                    break
                group = group.opened(members_of)
                left = (group, *others) if group.members else tuple(others)
                if group.members:
                    break
            opened = opened._with(index, left)
        return opened

    def _with(self, index: int, member: Member) -> Pending:
        """The same with another rest of a member, which vanishes if that is empty."""
        new = (member,) if member else ()
        return Pending((*self.members[:index], *new, *self.members[index + 1 :]))

    def __repr__(self) -> str:
        return "; ".join(
            ", ".join(text for rest in member for text in _texts(rest)) for member in self.members
        )


def _texts(rest: PendingBody | Pending) -> list[str]:
    if isinstance(rest, Pending):
        return [f"({rest!r})"]
    return [network_text(part, rest.binding) for part in rest.parts]


def _before(body: Network, binding: Binding, others: Iterable[PendingBody | Pending]) -> Member:
    inside = body.parts if isinstance(body, SequenceNetwork) else (body,)
    parts = tuple(part for part in inside if not isinstance(part, NullNetwork))
    return (PendingBody(parts, binding), *others) if parts else tuple(others)


class Decomposing(Protocol):
    """**Protocol:** a domain, which gives the bodies of its methods."""

    def network(self, method: Method, recorder: Any, binding: Binding) -> Network | None:
        """The body of a method in a state; None if it is not applicable there."""


@record(repr=False)
class Turn:
    """One turn of the member at ``place``: its first part, decomposed by ``method`` if that is one.

    ``args`` are the arguments of ``task``, the anonymous task of the construct, and ``binding``
    has the parameters' values in the method, whose body in a state ``domain`` gives. The
    decomposition depends on the fluent ``unknown`` if that is not None. ``place`` is None if
    there is nothing in any member.
    """

    task: CompoundTask[...]
    args: Binding
    pending: Pending
    place: Place | None = None
    name: str = "nothing"
    method: Method | None = None
    binding: Binding = ()
    unknown: Any = None
    domain: Decomposing | None = field(default=None, compare=False)

    @property
    def head_binding(self) -> Binding:
        """The values of the parameters in the part that is planned."""
        return () if self.place is None else self.pending.head(self.place)[1]

    def network(self, view: StateView) -> Network | None:
        """The part that is planned now, then the next turn; None if the method is not applicable.

        Raises UnknownRead, and as the method's own function.
        """
        if self.unknown is not None:
            raise UnknownRead(self.unknown)
        if self.place is None:
            return NULL
        if self.domain is None or self.method is None:
            left = self.pending.without_head(self.place)
            return sequence(self.pending.head(self.place)[0], *self._on(left))
        body = self.domain.network(self.method, view, self.binding)
        if body is None:
            return None
        return sequence(*self._on(self.pending.without_head(self.place, body, self.binding)))

    def _on(self, left: Pending) -> tuple[TaskCall, ...]:
        args = (*self.args[:-1], left)
        return (TaskCall(self.task, tuple(map(Constant, args))),) if left.members else ()

    def __repr__(self) -> str:
        return self.name


def is_decomposed(task: Task) -> TypeGuard[CompoundTask[...]]:
    """Whether the parts of the task take turns; any other task is a block."""
    return isinstance(task, CompoundTask) and task.origin in _DECOMPOSED


@record(eq=False)
class TurnBody(PlainBody):
    """The body of the method for a turn, which is the last value of the binding."""

    def network(self, view: StateView, binding: Binding) -> Network | None:
        turn: Turn = binding[-1]
        network = turn.network(view)
        return with_tasks(network, self.tasks) if self.tasks and network is not None else network

    def why_not(self, view: StateView, binding: Binding) -> str:
        turn: Turn = binding[-1]
        body = None if turn.method is None else turn.method.body
        return body.why_not(view, turn.binding) if isinstance(body, PlainBody) else turn.name

    def __str__(self) -> str:
        return "the next turn"


@record(eq=False, repr=False)
class OfTurn(Expression[Any]):
    """The condition, cost or value of the method of a turn; ``otherwise`` if it has no method."""

    which: Literal["condition", "cost", "value"]
    otherwise: Expression[Any]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Any | Unknown:
        of, inside = self._of(binding)
        return of.evaluate(view, inside)

    def text(self, binding: Binding | None = None) -> str:
        if binding is None:
            return f"the {self.which} of the turn"
        of, inside = self._of(binding)
        return of.text(inside)

    def _of(self, binding: Binding) -> tuple[Expression[Any], Binding]:
        turn: Turn = binding[-1]
        of = self.otherwise if turn.method is None else getattr(turn.method, self.which)
        return of, turn.binding
