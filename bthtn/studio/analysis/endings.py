"""Finds tasks that can never be planned to an end, as the least fixpoint over all methods.

Planning of a network can end, or be suspended. A task has the endings of all its methods. A task
without any ending always leads back to itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from bthtn.engine.domain.construct_progress import Due, MarkDone, OneLess, TurnCondition
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import FunctionEffect
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    ParallelPolicy,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    networks_in,
)
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.world.expression import Constant, Parameter
from bthtn.engine.world.truth import UNKNOWN


class Ending(Enum):
    """How planning a network can come to a stop."""

    END = "end"
    SUSPENSION = "suspension"


Endings = frozenset[Ending]

NOTHING: Endings = frozenset()
ENDS: Endings = frozenset({Ending.END})
SUSPENDS: Endings = frozenset({Ending.SUSPENSION})
BOTH: Endings = ENDS | SUSPENDS

_ORDERS: Final = ("any_order", "partial_order")
_KNOWN: Final = (Constant, Parameter, MarkDone, OneLess)
"""Kinds of arguments that are always known: the arguments of the calling task are values, too."""


def endless(domain: FrozenDomain) -> list[CompoundTask[...]]:
    """The compound tasks whose planning neither ends nor is suspended, in order of definition."""
    known = _Known(dict.fromkeys(domain.methods, NOTHING), is_certain(domain))
    grown = True
    while grown:
        grown = False
        for task, methods in domain.methods.items():
            together = _of_task(task, methods, known)
            grown = grown or together != known.endings[task]
            known.endings[task] = together
    return [task for task, endings in known.endings.items() if not endings]


def is_certain(domain: FrozenDomain) -> bool:
    """Whether all fluents stay known during planning, if all are known at the start."""
    schema = domain.schema
    declared = [
        *schema.fluents.values(),
        *(family.prototype for family in schema.families.values()),
    ]
    if schema.has_volatile or any(fluent.default is UNKNOWN for fluent in declared):
        return False
    bodies = [method.body for methods in domain.methods.values() for method in methods]
    networks = [body for body in bodies if not isinstance(body, PlainBody)]
    inside = [inner for network in networks for inner in networks_in(network)]
    effects = [
        effect
        for network in inside
        if isinstance(network, DeferNetwork)
        for effect in network.ensures
    ]
    for task in domain.tasks.values():
        if isinstance(task, PrimitiveTask):
            effects += [*task.effects, *task.expected]
    return (
        len(networks) == len(bodies)
        and not any(map(_disagrees, inside))
        and not any(map(_makes_unknown, effects))
    )


def _disagrees(network: Network) -> bool:
    """Whether fluents may be unknown after it, because its branches may end differently."""
    if isinstance(network, PriorityNetwork):
        return len(network.parts) > 1
    return isinstance(network, ParallelNetwork) and network.policy is not ParallelPolicy.ALL


def _makes_unknown(effect: Effect) -> bool:
    if isinstance(effect, FunctionEffect):
        return True
    return isinstance(effect.value, Constant) and effect.value.value is UNKNOWN


@dataclass(frozen=True, slots=True)
class _Known:
    """The endings of tasks as far as they were found, and whether all fluents stay known."""

    endings: dict[CompoundTask[...], Endings]
    certain: bool


def _of_task(task: CompoundTask[...], methods: tuple[Method, ...], known: _Known) -> Endings:
    if task.origin in _ORDERS:
        return _of_order(methods, known)
    waits = task.choice is not None and not known.certain
    endings = NOTHING.union(*(_of_method(method, known) for method in methods))
    return endings | (SUSPENDS if waits else NOTHING)


def _of_order(methods: tuple[Method, ...], known: _Known) -> Endings:
    """The endings of ``any_order`` and ``partial_order``.

    Planning ends if all blocks can end. It can be suspended in each block that can be reached,
    which are those that come only after blocks that can end.
    """
    blocks: dict[int, Endings] = {}
    behind: dict[int, tuple[int, ...]] = {}
    for method in methods:
        if isinstance(method.condition, Due):
            assert isinstance(method.body, SequenceNetwork), "a block, then the other blocks"
            parts = [_of(part, known) for part in method.body.parts[:-1]]
            blocks[method.condition.place] = _in_sequence(parts)
            behind[method.condition.place] = method.condition.behind
    reached: set[int] = set()
    done: set[int] = set()
    grown = True
    while grown:
        done = {place for place in reached if Ending.END in blocks[place]}
        more = {place for place in blocks if done.issuperset(behind[place])}
        grown, reached = more != reached, more
    suspended = NOTHING.union(*(blocks[place] & SUSPENDS for place in reached))
    return suspended | (ENDS if len(done) == len(blocks) else NOTHING)


def _of_method(method: Method, known: _Known) -> Endings:
    if isinstance(method.body, PlainBody):
        return BOTH
    may_wait = not known.certain and not isinstance(method.condition, Constant | TurnCondition)
    return _of(method.body, known) | (SUSPENDS if may_wait else NOTHING)


def _of(network: Network, known: _Known) -> Endings:
    match network:
        case TaskCall(task, args):
            plain = isinstance(task, CompoundTask) or isinstance(task.precondition, Constant)
            waits = not (known.certain or (plain and all(isinstance(arg, _KNOWN) for arg in args)))
            endings = known.endings[task] if isinstance(task, CompoundTask) else ENDS
            return endings | (SUSPENDS if waits else NOTHING)
        case NullNetwork():
            return ENDS
        case PauseNetwork():
            return SUSPENDS
        case DeferNetwork():
            return BOTH if network.ensures else SUSPENDS
        case SequenceNetwork(parts):
            return _in_sequence([_of(part, known) for part in parts])
        case PriorityNetwork(parts):
            return NOTHING.union(*(_of(part, known) for part in parts))
        case ParallelNetwork(parts):
            branches = [_of(part, known) for part in parts]
            if not all(branches):
                return NOTHING
            every = ENDS.intersection(*branches)
            return every | (NOTHING.union(*branches) & SUSPENDS)
        case _:
            assert_never(network)


def _in_sequence(parts: list[Endings]) -> Endings:
    """A sequence ends when all of it ends, and is suspended with the first part that is."""
    suspended = NOTHING
    for part in parts:
        suspended |= part & SUSPENDS
        if Ending.END not in part:
            return suspended
    return suspended | ENDS
