"""Reachable: the tasks and methods below a goal, if all of them suit the fast path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.by_arguments import has_fixed_projection, has_fixed_reads, reads_all
from bthtn.planning.htn.exclusion import excluding_later
from bthtn.planning.htn.expressions import is_computable, is_volatile, mentioned, prototype
from bthtn.planning.htn.recursion import recurring
from bthtn.planning.htn.translation.meaning import Assumption
from bthtn.planning.htn.translation.path_results import PathResult
from bthtn.planning.htn.translation.translator import Translator
from bthtn.planning.htn.translation.written import NotTranslatable
from bthtn.world.assignment import Assignment
from bthtn.world.expression import (
    Condition,
    Constant,
    Expression,
    Parameter,
    always_holds,
)
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN

MOST_CALLS: Final = 200
"""Calls in one body; the functions for longer bodies take too long to generate."""
MOST_CALLED: Final = 50
"""Calls of compound tasks in one body; each needs a function for the calls after it."""
DEEPEST_NODES: Final = 10
"""Parallel and priority nodes inside one another."""
MOST_EFFECTS: Final = 50
"""Effects of one task; each is compared with all others."""

Compound = CompoundTask[...]


class NotWritable(Exception):  # noqa: N818 - not an error: the search does without functions
    """A task, method or expression below the goal cannot be written as source."""


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """A parallel or priority node in a body, with the items of each branch in order."""

    network: BranchingNetwork
    branches: tuple[tuple[Item, ...], ...]

    @property
    def is_choice(self) -> bool:
        """Whether one branch is chosen at run time."""
        return isinstance(self.network, PriorityNetwork)


Item = TaskCall | Branches | PauseNetwork | DeferNetwork
"""What a body is a sequence of; a pause or a deferred task is the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainMethod:
    """A method with the items of its body in order; ``index`` is its place in the task.

    ``calls`` are all its calls, those inside branches included. A method that is a function has one
    for each of its outcomes: ``values`` and ``typed`` are those of the outcome. ``later`` is the
    place, among all of the task, behind the last one of the method. It ``is_fixed`` if the reads
    to enter it depend on the arguments and values alone.
    """

    task: Compound
    index: int
    method: Method
    condition: Condition
    items: tuple[Item, ...]
    calls: tuple[TaskCall, ...]
    excludes_later: bool
    later: int
    values: tuple[Expression[Any], ...] = ()
    typed: tuple[tuple[Parameter[Any], Parameter[Any]], ...] = ()
    is_fixed: bool = False

    @property
    def called(self) -> list[Compound]:
        """The compound tasks among its calls."""
        return [call.task for call in self.calls if isinstance(call.task, CompoundTask)]


@dataclass(frozen=True, slots=True, eq=False)
class BodyCall:
    """A call in the body of a method, with its place among all calls there."""

    method: PlainMethod
    place: int
    call: TaskCall

    @property
    def before(self) -> tuple[TaskCall, ...]:
        """The calls in the body that precede this one."""
        return self.method.calls[: self.place]


@dataclass(frozen=True, slots=True, eq=False)
class Reachable:
    """The tasks below a goal in the order of the domain, with the methods of compound ones.

    ``steps`` has the primitive ones as planning sees them: ``effects`` are all that it applies,
    and functions are data. Of those that are ``fixed``, reads and writes depend on the arguments
    alone where they are planned. ``roots`` are the tasks that the goal itself calls. Translations
    mean the same as long as all that is ``assumed`` is as it was. ``mentioned`` are the parts that
    the expressions depend on, each once.
    """

    tasks: tuple[Task, ...]
    methods: Mapping[Compound, tuple[PlainMethod, ...]]
    steps: Mapping[PrimitiveTask[...], PrimitiveTask[...]]
    fixed: frozenset[Task]
    roots: frozenset[Task]
    assumed: tuple[Assumption, ...]
    relies_on_ints: bool
    mentioned: tuple[Expression[Any], ...] = field(init=False)

    def __post_init__(self) -> None:
        """Look through the expressions, once for all questions about them."""
        parts = {id(part): part for asked in self.expressions for part in mentioned(asked)}
        object.__setattr__(self, "mentioned", tuple(parts.values()))

    @property
    def calls(self) -> Iterator[BodyCall]:
        """All calls in bodies."""
        for methods in self.methods.values():
            for method in methods:
                for place, call in enumerate(method.calls):
                    yield BodyCall(method, place, call)

    @property
    def called(self) -> dict[Compound, list[Compound]]:
        """The compound tasks that each one calls."""
        return {
            task: [called for method in methods for called in method.called]
            for task, methods in self.methods.items()
        }

    @property
    def effects(self) -> Iterator[Assignment]:
        """All planned effects of the primitive tasks that are assignments."""
        effects = (effect for step in self.steps.values() for effect in step.effects)
        return (effect for effect in effects if isinstance(effect, Assignment))

    @property
    def expressions(self) -> Iterator[Expression[Any]]:
        """All conditions, arguments, assigned and other values, and indices of assigned members."""
        for methods in self.methods.values():
            for method in methods:
                authored = method.method
                yield from (method.condition, authored.cost, authored.value, *method.values)
        yield from (step.precondition for step in self.steps.values())
        for effect in self.effects:
            yield effect.value
            if isinstance(effect.target, MemberOf):
                yield effect.target.index
        for called in self.calls:
            yield from called.call.args

    @property
    def fluents(self) -> Iterator[Fluent[Any] | MemberOf[Any]]:
        """All fluents and members of families that are read or written."""
        for part in (*self.mentioned, *(effect.target for effect in self.effects)):
            if isinstance(part, Fluent | MemberOf):
                yield part

    @property
    def senses(self) -> bool:
        """Whether a volatile fluent is read."""
        return any(map(is_volatile, self.fluents))

    @property
    def branches(self) -> Iterator[Branches]:
        """All parallel and priority nodes, the inner ones behind those around them."""
        pending: list[Item] = [
            item for methods in self.methods.values() for method in methods for item in method.items
        ]
        while pending:
            item = pending.pop()
            if isinstance(item, Branches):
                yield item
                pending += [inner for branch in item.branches for inner in branch]

    @property
    def in_branches(self) -> frozenset[Task]:
        """The tasks that may be planned inside a branch."""
        found: set[Task] = set()
        pending = [call.task for branch in self.branches for call in calls_in(branch)]
        while pending:
            task = pending.pop()
            if task not in found:
                found.add(task)
                if isinstance(task, CompoundTask):
                    methods = self.methods[task]
                    pending += [call.task for method in methods for call in method.calls]
        return frozenset(found)

    @property
    def is_plain(self) -> bool:
        """Whether all is data, all fluents are known by default, and none written is volatile.

        The rest is seen when the functions of a task are written.
        """
        return (
            all(isinstance(part, Parameter | Fluent | MemberOf) for part in self.mentioned)
            and not any(prototype(fluent).default is UNKNOWN for fluent in self.fluents)
            and not any(is_volatile(effect.target) for effect in self.effects)
            and all(
                isinstance(effect, Assignment)
                for step in self.steps.values()
                for effect in step.effects
            )
        )


def reachable(domain: FrozenDomain, roots: frozenset[Task]) -> Reachable:
    """The tasks and methods below a goal that calls these tasks.

    Raises NotWritable if the fast path does not cover one of them: a deferred task that ensures
    something, a cost that may not be computable, a choice, a fluent that is unknown by default, or
    too many calls;
    and, beside parallel and priority nodes, recursion, and effects or reads that depend on the
    state.
    """
    methods: dict[Task, tuple[PlainMethod, ...]] = {}
    pending, translator = [*roots], Translator(domain)
    try:
        while pending:
            task = pending.pop()
            if task not in methods:
                own: tuple[PlainMethod, ...] = ()
                if isinstance(task, CompoundTask):
                    own = _methods(domain, task, translator)
                methods[task] = own
                pending += [call.task for method in own for call in method.calls]
        tasks = tuple(task for task in domain.tasks.values() if task in methods)
        compound = {task: methods[task] for task in tasks if isinstance(task, CompoundTask)}
        primitive = [task for task in tasks if isinstance(task, PrimitiveTask)]
        translated = {task: translator.step(task) for task in primitive}
    except NotTranslatable:
        raise NotWritable from None
    steps = {task: step for task, (step, _) in translated.items()}
    fixed = frozenset(task for task, (_, is_fixed) in translated.items() if is_fixed)
    kept = translator.assumed, translator.relies_on_ints
    found = Reachable(tasks, compound, steps, fixed, roots, *kept)
    if not found.is_plain or any(len(step.effects) > MOST_EFFECTS for step in steps.values()):
        raise NotWritable
    if any(found.branches) and not _is_fixed(found):
        raise NotWritable
    return found


def _is_fixed(found: Reachable) -> bool:
    """Whether nothing recurs, and footprints of steps and choices depend on arguments alone."""
    return (
        not recurring(found.called)
        and all(map(has_fixed_projection, found.steps))
        and all(
            has_fixed_reads(method.method.condition)
            and not isinstance(method.method.body, PlainBody)
            and isinstance(method.method.cost, Constant)
            and isinstance(method.method.value, Constant)
            for methods in found.methods.values()
            for method in methods
        )
        and all(reads_all(given) for called in found.calls for given in called.call.args)
    )


def _methods(
    domain: FrozenDomain, task: Compound, translator: Translator
) -> tuple[PlainMethod, ...]:
    methods, made = domain.methods[task], list[PlainMethod]()
    if task.choice is not None:
        raise NotWritable
    exclusive = excluding_later([method.condition for method in methods])
    for index, (method, excludes) in enumerate(zip(methods, exclusive, strict=True)):
        numbers = (method.cost, method.value)
        if not all(map(is_computable, numbers)):
            raise NotWritable
        is_priced = all(isinstance(number, Constant) for number in numbers)
        outcomes = _outcomes(task, method, translator)
        later = len(made) + len(outcomes)
        for outcome, items in outcomes:
            calls = tuple(call for item in items for call in calls_in(item))
            what = (outcome.condition, items, calls, excludes, later)
            found = (outcome.values, outcome.typed, outcome.is_fixed and is_priced)
            plain = PlainMethod(task, index, method, *what, *found)
            if len(calls) > MOST_CALLS or len(plain.called) > MOST_CALLED:
                raise NotWritable
            made.append(plain)
    return tuple(made)


def _outcomes(
    task: Compound, method: Method, translator: Translator
) -> list[tuple[PathResult, tuple[Item, ...]]]:
    """The outcomes of a method, each with the items of its body."""
    if isinstance(method.body, PlainBody):
        return [(result, result.calls) for result in translator.path_results(task, method)]
    items = items_of(method.body)
    if items is None:
        raise NotWritable
    arity = len(task.parameters)
    condition = translator.condition(method.condition, arity)
    is_fixed = translator.has_fixed_reads(method.condition, arity)
    return [(PathResult(condition, (), (), (), is_fixed), items)]


def items_of(network: Network | PlainBody, depth: int = 0) -> tuple[Item, ...] | None:
    """The items of a network in order; None if it has parts of another kind.

    Behind a pause or a deferred task nothing is planned, so it is the last item. ``depth`` is the
    number of nodes around it; those nested too deep are of another kind, too.
    """
    found: list[Item] = []
    pending: list[Network | PlainBody] = [network]
    while pending:
        match pending.pop():
            case TaskCall() as call:
                found.append(call)
            case SequenceNetwork(parts):
                pending.extend(reversed(parts))
            case NullNetwork():
                pass
            case PauseNetwork() | DeferNetwork(ensures=()) as last:
                return (*found, last)
            case ParallelNetwork() | PriorityNetwork() as node if depth < DEEPEST_NODES:
                branches = [items_of(part, depth + 1) for part in node.parts]
                whole = [branch for branch in branches if branch is not None]
                if len(whole) < len(branches):
                    return None
                found.append(Branches(node, tuple(whole)))
            case ParallelNetwork() | PriorityNetwork() | DeferNetwork() | PauseNetwork():
                return None
            case PlainBody():
                return None
            case other:
                assert_never(other)
    return tuple(found)


def goal_items(
    network: Network,
) -> tuple[TaskCall | PauseNetwork | DeferNetwork, ...] | None:
    """The items of a goal in order, up to where it pauses; None if it has parts of another kind."""
    if type(network) is TaskCall:  # as most are
        return (network,)
    items = items_of(network) or ()
    plain = tuple(item for item in items if not isinstance(item, Branches))
    return plain if plain and len(plain) == len(items) else None


def calls_in(item: Item) -> Iterator[TaskCall]:
    """The calls of an item that are planned, those inside branches included."""
    if isinstance(item, TaskCall):
        yield item
    elif isinstance(item, Branches):
        for branch in item.branches:
            for inner in branch:
                yield from calls_in(inner)


def is_single(methods: tuple[PlainMethod, ...]) -> bool:
    """Whether there is only one method, and its condition is always true."""
    return len(methods) == 1 and always_holds(methods[0].condition)


def scalar(reference: Expression[Any]) -> Fluent[Any] | None:
    """The referenced fluent, or None for a member of a family or another expression."""
    if isinstance(reference, Fluent) and reference.index is None:
        return reference
    return None
