"""Task networks: the tasks, and their order, into which a method decomposes a task.

    network ::= task(…) | sequence(network, …) | parallel(network, …) | priority(network, …)
              | defer(task(…)) | pause() | null() | condition

A tuple is a sequence too. All networks are frozen data. Authors may also write constructs
(``construct``), which become calls of tasks when the domain is frozen (``lowering``).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Final, Literal, assert_never, cast

from bthtn.checked import checked
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.task import Task, TaskCall
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Binding, Expression
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.unfrozen import unfrozen
from bthtn.errors import DomainError
from bthtn.records import record

SHOWN: Final = 50
"""Levels of nesting that a text shows: it is written by recursion."""


class ParallelPolicy(Enum):
    """When a parallel node ends, and how.

    ``ALL`` succeeds when all branches have succeeded, and fails with the first failure. ``ANY``
    succeeds with the first success. ``PRIMARY`` ends when the first branch ends, with its result.
    The branches that still run are aborted.
    """

    ALL = "all"
    ANY = "any"
    PRIMARY = "primary"


PolicyName = Literal["all", "any", "primary"]


@record
class SequenceNetwork(Shared, Unpicklable):
    """Networks that are done one after the other."""

    parts: tuple[Network, ...]


_OpenSequence: Final = unfrozen(SequenceNetwork)
"""See ``unfrozen``: plain methods make one whenever they are called."""
_ONLY_CALLS: Final = frozenset({TaskCall})


@record
class ParallelNetwork(Shared, Unpicklable):
    """Networks that run in parallel.

    All are planned from the same state, and rejected if one branch interferes with another.
    """

    parts: tuple[Network, ...]
    policy: ParallelPolicy = ParallelPolicy.ALL


@record
class PriorityNetwork(Shared, Unpicklable):
    """Alternatives that are all planned; the first that works is chosen at run time.

    With ``reactive`` earlier alternatives are tried again at every tick.
    """

    parts: tuple[Network, ...]
    reactive: bool = False


@record
class DeferNetwork(Shared, Unpicklable):
    """A task that is planned when execution reaches it; ``now``, or after the next sensing.

    Planning goes on after it with the effects that it ``ensures``, and stops if there are none.
    """

    call: TaskCall
    ensures: tuple[Effect, ...] = ()
    now: bool = False


@record
class PauseNetwork(Shared, Unpicklable):
    """Planning stops here, and goes on when execution reaches this place, or after sensing."""

    now: bool = False


@record
class NullNetwork(Shared, Unpicklable):
    """Nothing to do; succeeds at once."""


Network = (
    TaskCall
    | SequenceNetwork
    | ParallelNetwork
    | PriorityNetwork
    | DeferNetwork
    | PauseNetwork
    | NullNetwork
)

BranchingNetwork = ParallelNetwork | PriorityNetwork
"""The networks whose parts are all planned from the same state."""


class Construct(Shared, Unpicklable):
    """A network that is replaced by a call of an anonymous task when the domain is frozen.

    ``word`` is the name of the function that made it, ``parts`` are the networks in it. Planners
    never see constructs.
    """

    __slots__ = ()

    word: str
    parts: tuple[Network, ...]

    def text(self, binding: Binding | None = None) -> str:
        return f"{self.word}({listed_text(self.parts, binding)})"


@record(eq=False)
class ConditionPart(Construct):
    """A condition that has to hold when planning gets there. Nothing is done for it."""

    condition: Expression[bool]
    word: str = "condition"
    parts: tuple[Network, ...] = ()

    def text(self, binding: Binding | None = None) -> str:
        return self.condition.text(binding)


NetworkLike = Network | Construct | Expression[bool] | tuple[Any, ...] | list[Any]
"""Everything that users may write as a network: a tuple or a list is a sequence.

A condition has to hold when planning gets there.
"""

NULL = NullNetwork()
PAUSE = PauseNetwork()
PAUSE_NOW = PauseNetwork(now=True)


def sequence(*parts: NetworkLike) -> Network:
    """Networks one after the other; nested sequences are merged, an empty one is ``null``."""
    if len(parts) > 1 and _ONLY_CALLS.issuperset(map(type, parts)):  # as most often
        made: Any = _OpenSequence()
        made.parts = parts
        made.__class__ = SequenceNetwork
        whole: SequenceNetwork = made
        return whole
    flat: list[Network] = []
    for part in map(network_from, parts):
        flat.extend(part.parts if isinstance(part, SequenceNetwork) else (part,))
    if not flat:
        return NULL
    return flat[0] if len(flat) == 1 else SequenceNetwork(tuple(flat))


@checked
def parallel(
    *parts: NetworkLike, policy: ParallelPolicy | PolicyName = ParallelPolicy.ALL
) -> Network:
    """Networks side by side, as the branches of a plan.

    With the ``policy`` ``"all"`` they succeed when all have, and fail with the first that fails;
    with ``"any"`` they succeed with the first that does, and fail when all have; with ``"primary"``
    they end as the first one ends. Branches that still run then are aborted. Raises DomainError
    for any other policy, and without networks.
    """
    try:
        chosen = ParallelPolicy(policy)
    except ValueError:
        hint = f"one of: {', '.join(policy.value for policy in ParallelPolicy)}"
        raise DomainError("BT111", f"no parallel policy is called {policy!r}", hint=hint) from None
    return ParallelNetwork(some_parts("parallel", parts), chosen)


@checked
def priority(*parts: NetworkLike, reactive: bool = False) -> Network:
    """Alternatives, the preferred one first, one of which is chosen at run time.

    They are tried in order; when one fails, the next follows. With ``reactive`` the earlier ones
    are asked again at every tick, and the running one is aborted when one of them does not fail.
    Raises DomainError without networks.
    """
    return PriorityNetwork(some_parts("priority", parts), reactive)


@checked
def defer(
    call: TaskCall, *, ensures: Assignment | tuple[Assignment, ...] = (), now: bool = False
) -> Network:
    """A task that is planned on arrival. With ``ensures`` planning continues after it.

    Behind a step it is planned in the tick after its end, when the agent has sensed its
    results; with ``now`` in the same tick, without looking. Raises DomainError if ``ensures`` has
    something else than effects.
    """
    effects = (ensures,) if isinstance(ensures, Assignment) else tuple(ensures)
    for effect in effects:
        if not isinstance(effect, Assignment):
            hint = "ensures takes effects: Soldier.in_cover.becomes(True)"
            raise DomainError("BT110", f"{effect!r} is not an effect", hint=hint)
    return DeferNetwork(call, effects, now)


def pause(*, now: bool = False) -> Network:
    """Stop planning here until execution gets here.

    Behind a step, planning goes on in the tick after its end, when the agent has sensed its
    results; with ``now`` in the same tick, without looking.
    """
    return PAUSE_NOW if now else PAUSE


def null() -> Network:
    """Nothing to do."""
    return NULL


def network_from(written: object) -> Network:
    """The network as data. Raises DomainError for something that is not a network."""
    if type(written) is TaskCall:
        return written
    if isinstance(written, Network | Construct):
        return cast("Network", written)  # constructs are replaced before planning
    if isinstance(written, tuple | list):
        return sequence(*written)
    if isinstance(written, Expression):
        return cast("Network", ConditionPart(written))
    hint = "write calls of tasks: method(reload(), shoot()), and null() for nothing"
    if callable(written):
        hint = "call the task: add brackets, and its arguments"
    raise DomainError("BT110", f"{written!r} is not a task network", hint=hint)


def parts_of(network: Network | Construct) -> tuple[Network, ...]:
    """The networks directly inside this one; empty for leaves."""
    match network:
        case SequenceNetwork(parts) | ParallelNetwork(parts) | PriorityNetwork(parts):
            return parts
        case Construct():
            return network.parts
        case TaskCall() | DeferNetwork() | PauseNetwork() | NullNetwork():
            return ()
        case _:
            assert_never(network)


def networks_in(network: Network) -> Iterator[Network]:
    """The network and every network inside it, left to right."""
    pending = [network]
    while pending:
        inner = pending.pop()
        yield inner
        if type(inner) is not TaskCall:  # as most are
            pending.extend(reversed(parts_of(inner)))


def has_construct(network: Network) -> bool:
    return any(isinstance(inner, Construct) for inner in networks_in(network))


def calls_in(network: Network) -> Iterator[TaskCall]:
    """Every task call in the network, left to right."""
    for inner in networks_in(network):
        if isinstance(inner, TaskCall):
            yield inner
        elif isinstance(inner, DeferNetwork):
            yield inner.call


def tasks_in(network: Network) -> Iterator[Task]:
    """The task of every call in the network, left to right."""
    return (call.task for call in calls_in(network))


def with_tasks(network: Network | Construct, tasks: Mapping[Task, Task]) -> Network:
    """The same network with some tasks in place of others."""
    if isinstance(network, Construct):
        # A mistake in a plain method: FrozenDomain.network reports it.
        return cast("Network", network)
    match network:
        case TaskCall():
            return network.with_tasks(tasks)
        case DeferNetwork(call, ensures, now):
            return DeferNetwork(call.with_tasks(tasks), ensures, now)
        case SequenceNetwork(parts) | ParallelNetwork(parts) | PriorityNetwork(parts):
            return replace(network, parts=tuple(with_tasks(part, tasks) for part in parts))
        case PauseNetwork() | NullNetwork():
            return network
        case _:
            assert_never(network)


def network_text(
    network: Network | Construct, binding: Binding | None = None, levels: int = SHOWN
) -> str:
    """The network as it would be written, without parts nested deeper than so many levels."""

    def listed(parts: tuple[Network, ...]) -> str:
        shown = (network_text(part, binding, levels - 1) for part in parts)
        return ", ".join(shown) if levels else "…"

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
        case DeferNetwork(call, _, now):
            return f"defer({call.text(binding)}{', now' if now else ''})"
        case PauseNetwork(now):
            return "pause(now)" if now else "pause"
        case NullNetwork():
            return "null"
        case _:
            assert_never(network)


def listed_text(parts: tuple[Network, ...], binding: Binding | None) -> str:
    """Networks as they would be written, with commas between them."""
    return ", ".join(network_text(part, binding) for part in parts)


def equal_parts(some: tuple[Network, ...], others: tuple[Network, ...], binding: Binding) -> bool:
    """Whether these are the same networks, where a parameter is equal to its value."""

    def texts(parts: tuple[Network, ...]) -> list[str]:
        return [network_text(part, binding, sys.maxsize) for part in parts]

    return some == others or texts(some) == texts(others)


def some_parts(name: str, parts: tuple[NetworkLike, ...]) -> tuple[Network, ...]:
    """The parts of a composite as data. Raises DomainError when it has no parts."""
    if not parts:
        raise DomainError("BT105", f"{name}() has nothing in it", hint="write null() for nothing")
    return tuple(map(network_from, parts))
