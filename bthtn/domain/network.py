"""Task networks: what a method puts in a task's place.

    network ::= task(…) | sequence(network, …) | parallel(network, …) | priority(network, …)
              | defer(task(…)) | pause() | null()

A tuple is a sequence too. All networks are frozen data. What authors may write beside these
(``construct``) becomes calls of tasks when the domain is frozen: ``lifting``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, cast

from bthtn.domain.effect import Effect
from bthtn.domain.task import Task, TaskCall
from bthtn.errors import Diagnostic, DomainError
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Binding


class ParallelPolicy(Enum):
    """When a parallel node is done.

    ``ALL``: when all branches succeeded; fails with the first failure. ``ANY``: with the
    first success, the others are aborted. ``PRIMARY``: when the first branch is done, and
    as that one ended; the others are aborted.
    """

    ALL = "all"
    ANY = "any"
    PRIMARY = "primary"


PolicyName = Literal["all", "any", "primary"]


@dataclass(frozen=True, slots=True)
class SequenceNetwork:
    """One after the other."""

    parts: tuple[Network, ...]


@dataclass(frozen=True, slots=True)
class ParallelNetwork:
    """Side by side. Planned from one state, admitted only if no branch disturbs another."""

    parts: tuple[Network, ...]
    policy: ParallelPolicy = ParallelPolicy.ALL


@dataclass(frozen=True, slots=True)
class PriorityNetwork:
    """The first that works, chosen when execution gets there; every alternative is planned.

    ``reactive``: earlier alternatives are asked again at every tick.
    """

    parts: tuple[Network, ...]
    reactive: bool = False


@dataclass(frozen=True, slots=True)
class DeferNetwork:
    """A task that is planned when execution gets there; what it ensures may be relied on."""

    call: TaskCall
    ensures: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class PauseNetwork:
    """Planning stops here and goes on when execution gets there."""


@dataclass(frozen=True, slots=True)
class NullNetwork:
    """Nothing to do, done at once."""


Network = (
    TaskCall
    | SequenceNetwork
    | ParallelNetwork
    | PriorityNetwork
    | DeferNetwork
    | PauseNetwork
    | NullNetwork
)


class Construct(ABC):
    """A network as it is written only: a call of an anonymous task takes its place.

    ``word`` is the function that it is written with, ``parts`` are the networks in it. Until
    the domain is frozen it stands where a network stands, and nothing plans with it.
    """

    __slots__ = ()

    word: str
    parts: tuple[Network, ...]

    @abstractmethod
    def text(self, binding: Binding | None = None) -> str:
        """The construct as it was written."""


NetworkLike = Network | Construct | tuple[Any, ...]
"""What users may write as a network: a tuple is a sequence."""

NULL = NullNetwork()
PAUSE = PauseNetwork()


def sequence(*parts: NetworkLike) -> Network:
    """Networks one after the other; nested sequences are one, none is nothing to do."""
    if len(parts) > 1 and all(type(part) is TaskCall for part in parts):
        return SequenceNetwork(parts)  # type: ignore[arg-type]  # as most often
    flat: list[Network] = []
    for part in map(network_from, parts):
        flat.extend(part.parts if isinstance(part, SequenceNetwork) else (part,))
    if not flat:
        return NULL
    return flat[0] if len(flat) == 1 else SequenceNetwork(tuple(flat))


def parallel(
    *parts: NetworkLike, policy: ParallelPolicy | PolicyName = ParallelPolicy.ALL
) -> Network:
    """Networks side by side; ``policy`` is ``"all"``, ``"any"`` or ``"primary"``."""
    try:
        chosen = ParallelPolicy(policy)
    except ValueError:
        known = ", ".join(one.value for one in ParallelPolicy)
        raise DomainError(
            Diagnostic("BT111", f"no parallel policy is called {policy!r}", hint=f"one of: {known}")
        ) from None
    return ParallelNetwork(some_parts("parallel", parts), chosen)


def priority(*parts: NetworkLike, reactive: bool = False) -> Network:
    """Alternatives, most wanted first, one of which is chosen at run time."""
    return PriorityNetwork(some_parts("priority", parts), reactive)


def defer(call: TaskCall, *, ensures: Assignment | tuple[Assignment, ...] = ()) -> Network:
    """A task to be planned on arrival. With ``ensures``, planning goes on behind it."""
    if not isinstance(call, TaskCall):
        raise _not_a_network(call, "defer takes one task call: defer(fight())")
    effects = (ensures,) if isinstance(ensures, Assignment) else tuple(ensures)
    for effect in effects:
        if not isinstance(effect, Assignment):
            hint = "ensures takes effects: Soldier.in_cover.becomes(True)"
            raise DomainError(Diagnostic("BT110", f"{effect!r} is not an effect", hint=hint))
    return DeferNetwork(call, effects)


def pause() -> Network:
    """Stop planning here until execution gets here."""
    return PAUSE


def null() -> Network:
    """Nothing to do."""
    return NULL


def network_from(written: object) -> Network:
    """The network as data. Raises DomainError for something that is none."""
    if type(written) is TaskCall:
        return written
    if isinstance(written, Network | Construct):
        return cast("Network", written)  # a construct is replaced before anybody plans with it
    if isinstance(written, tuple):
        return sequence(*written)
    hint = "call the task: add brackets, and its arguments" if callable(written) else ""
    raise _not_a_network(written, hint)


def parts_of(network: Network | Construct) -> tuple[Network, ...]:
    """The networks directly inside this one; a sequence of one for anything that is a leaf."""
    match network:
        case SequenceNetwork(parts) | ParallelNetwork(parts) | PriorityNetwork(parts):
            return parts
        case Construct():
            return network.parts
        case _:
            return ()


def networks_in(network: Network) -> Iterator[Network]:
    """The network and every network inside it, left to right."""
    pending = [network]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(reversed(parts_of(one)))


def calls_in(network: Network) -> Iterator[TaskCall]:
    """Every task call in the network, left to right."""
    for one in networks_in(network):
        if isinstance(one, TaskCall):
            yield one
        elif isinstance(one, DeferNetwork):
            yield one.call


def with_tasks(network: Network, tasks: Mapping[Task, Task]) -> Network:
    """The same network with some tasks in place of others."""

    def each(parts: tuple[Network, ...]) -> tuple[Network, ...]:
        return tuple(with_tasks(part, tasks) for part in parts)

    match network:
        case TaskCall():
            return network.with_tasks(tasks)
        case DeferNetwork(call, ensures):
            return DeferNetwork(call.with_tasks(tasks), ensures)
        case SequenceNetwork(parts):
            return SequenceNetwork(each(parts))
        case ParallelNetwork(parts, policy):
            return ParallelNetwork(each(parts), policy)
        case PriorityNetwork(parts, reactive):
            return PriorityNetwork(each(parts), reactive)
        case _:
            return network


def network_text(network: Network | Construct, binding: Binding | None = None) -> str:
    """The network as it would be written."""

    def listed(parts: tuple[Network, ...]) -> str:
        return ", ".join(network_text(part, binding) for part in parts)

    if isinstance(network, Construct):
        return network.text(binding)
    match network:
        case TaskCall():
            return network.text(binding)
        case SequenceNetwork(parts):
            return f"({listed(parts)})"
        case ParallelNetwork(parts, policy):
            extra = "" if policy is ParallelPolicy.ALL else f", policy={policy.value}"
            return f"parallel({listed(parts)}{extra})"
        case PriorityNetwork(parts, reactive):
            return f"priority({listed(parts)}{', reactive' if reactive else ''})"
        case DeferNetwork(call, _):
            return f"defer({call.text(binding)})"
        case PauseNetwork():
            return "pause"
        case NullNetwork():
            return "null"


def some_parts(name: str, parts: tuple[NetworkLike, ...]) -> tuple[Network, ...]:
    """The parts of a composite as data. Raises DomainError when there is none."""
    if not parts:
        raise DomainError(
            Diagnostic("BT105", f"{name}() has nothing in it", hint="write null() for nothing")
        )
    return tuple(map(network_from, parts))


def _not_a_network(written: object, hint: str) -> DomainError:
    return DomainError(Diagnostic("BT110", f"{written!r} is not a task network", hint=hint))
