"""FrozenDomain: all tasks and methods, shared by every agent and search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, assert_never

from bthtn.engine.domain.choice import RandomOrder, TurnChoice, ValueChoice
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.method import Method, PlainBody, numbered
from bthtn.engine.domain.method_reader import read_goal
from bthtn.engine.domain.network import (
    Construct,
    DeferNetwork,
    Network,
    SequenceNetwork,
    network_text,
    networks_in,
    parts_of,
    tasks_in,
    with_tasks,
)
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall, call_text, strangers
from bthtn.engine.domain.task_effects import grounded
from bthtn.engine.domain.turns import Pending, Place, Turn, TurnBody, is_decomposed
from bthtn.engine.world.expression import Binding, Constant
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import ReadRecorder, RecordingView
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import State
from bthtn.errors import DomainError, nearest
from bthtn.notebooks import repr_mimebundle

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FrozenDomain(Shared, Unpicklable):
    """Tasks by name in order of definition, and the methods of the compound ones.

    Each compound task is followed by the anonymous tasks that were made from its constructs.
    ``base`` is the domain that a goal's anonymous tasks were added to, if there was one. In one
    that was merged others stand for some tasks of the parts: ``former`` has those.
    """

    name: str
    state_class: type[State]
    tasks: Mapping[str, Task]
    methods: Mapping[CompoundTask[...], tuple[Method, ...]]
    base: FrozenDomain | None = None
    former: Mapping[Task, Task] = field(default_factory=dict)
    _derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", MappingProxyType(self.tasks))
        object.__setattr__(self, "methods", MappingProxyType(self.methods))

    @property
    def schema(self) -> StateSchema:
        return self.state_class.__schema__

    @property
    def has_values(self) -> bool:
        """Whether some method has an evaluation value (semantics 2.10)."""
        return self.derived(_has_values)

    def derived(self, work_out: Callable[[FrozenDomain], T]) -> T:
        """The result of calling the function with this domain, computed once and kept.

        Threads that call this at the same time may compute it twice, with equal results.
        """
        if work_out not in self._derived:
            self._derived[work_out] = work_out(self)
        result: T = self._derived[work_out]
        return result

    def task(self, name: str) -> Task:
        """The task of this name. Raises DomainError with the nearest right name."""
        if name not in self.tasks:
            longer = [known for known in self.authored if known.endswith(f".{name}")]
            is_several = len(longer) > 1
            hint = f"write {' or '.join(longer)}" if is_several else nearest(name, self.authored)
            message = f"no task is called '{name}'{' alone' if is_several else ''}"
            raise DomainError("BT101", message, hint=hint)
        return self.tasks[name]

    def has(self, task: Task) -> bool:
        """Whether this is a task of the domain, or of one that it was merged from."""
        return self.tasks.get(task.name) is task or task in self.former

    @property
    def authored(self) -> tuple[str, ...]:
        """Names of the tasks that the author defined: anonymous tasks are left out."""
        return tuple(
            name
            for name, task in self.tasks.items()
            if not (isinstance(task, CompoundTask) and task.origin)
        )

    def with_goal(self, goal: Network) -> tuple[FrozenDomain, Network]:
        """The domain with tasks added for the goal's constructs, and the goal without constructs.

        Raises DomainError for tasks of another domain, and for variables.
        """
        own = with_tasks(goal, self.former) if self.former else goal
        methods, network = read_goal(own, self.tasks, self.state_class)
        if not methods:
            return self, network
        tasks = {**self.tasks, **{task.name: task for task in methods}}
        return replace(self, tasks=tasks, methods={**self.methods, **methods}, base=self), network

    def decompositions(
        self, task: CompoundTask[...], args: Binding, recorder: ReadRecorder
    ) -> Decompositions:
        """The decompositions of a call of the task that this state allows.

        Raises UnknownRead when they depend on an unknown fluent, PlanningError when a user's
        function fails, and DomainError when a variable's values are not a collection.
        """
        methods = self.methods[task]
        match task.choice:
            case RandomOrder():
                order = task.choice.order(recorder, args)
                return Decompositions(tuple([methods[index] for index in order]), args)
            case ValueChoice():
                values = task.choice.candidates(recorder, args)
                return Decompositions(methods, args, task.choice, values)
            case TurnChoice():
                turns = tuple(self._turns(task, args, recorder))
                return Decompositions(methods[-1:], args, task.choice, turns)
            case None:
                return Decompositions(methods, args)
            case _:
                assert_never(task.choice)

    def _turns(
        self, task: CompoundTask[...], args: Binding, recorder: ReadRecorder
    ) -> Iterator[Turn]:
        """The turns that come next in a call of the anonymous task of ``unordered``."""
        pending = args[-1] or Pending.of(self._members(task), args[:-1])
        turn = Turn(task, args, pending.opened(partial(self._opened, recorder)))
        if not turn.pending.members:
            yield turn
        for place in turn.pending.places():
            yield from self._turns_of(turn, place, recorder)

    def _members(self, task: CompoundTask[...]) -> list[Network]:
        """The members of the ``unordered`` that an anonymous task stands for."""
        bodies = (method.body for method in self.methods[task])
        return [body for body in bodies if not isinstance(body, PlainBody)]

    def _opened(self, recorder: ReadRecorder, part: Network, binding: Binding) -> Pending | None:
        """The members of another ``unordered``, None for all other parts."""
        if not isinstance(part, TaskCall) or not isinstance(part.task, CompoundTask):
            return None
        if part.task.origin != "unordered":
            return None
        args = grounded(part, recorder, binding)
        assert args is not None, "the arguments of a construct's task are parameters"
        in_turns = self.methods[part.task][-1].body
        assert isinstance(in_turns, TaskCall), "it is lowered so"
        turns = in_turns.task
        assert isinstance(turns, CompoundTask), "so is this"
        return Pending.of(self._members(turns), args)

    def _turns_of(self, turn: Turn, place: Place, recorder: ReadRecorder) -> Iterator[Turn]:
        head, binding = turn.pending.head(place)
        shown = ".".join(map(str, place))
        inner = replace(turn, place=place, name=f"{shown}: {network_text(head, binding)}")
        if not (isinstance(head, TaskCall) and is_decomposed(head.task)):
            yield inner
            return
        seen = RecordingView(recorder)
        try:
            decompositions = self._decompositions_of(head.task, grounded(head, seen, binding), seen)
        except UnknownRead as signal:  # the turn, if it is ever tried, depends on that
            yield replace(inner, unknown=signal.fluent)
            return
        for index in range(len(decompositions)):
            method, how = decompositions.method(index), decompositions.name(index)
            if not decompositions.variable:
                how = numbered(self.methods[head.task].index(method), how)
            yield replace(
                inner,
                name=f"{shown}: {call_text(head.task, decompositions.args)}, {how}",
                method=method,
                binding=decompositions.binding(index),
                domain=self,
            )

    def _decompositions_of(
        self, task: CompoundTask[...], args: Binding | None, recorder: ReadRecorder
    ) -> Decompositions:
        if args is None:
            raise UnknownRead(recorder.unknown)
        return self.decompositions(task, args, recorder)

    def method_name(self, task: CompoundTask[...], index: int) -> str:
        """The name of the method with this index, "" where the name depends on the state."""
        methods = self.methods.get(task, ())
        return methods[index].name if task.choice is None and index < len(methods) else ""

    def network(self, method: Method, recorder: ReadRecorder, binding: Binding) -> Network | None:
        """The network that replaces the task in this state; None if the method is not applicable.

        Raises UnknownRead when this depends on an unknown fluent, PlanningError when a user's
        function fails, and DomainError when a plain method returns something else than a network
        of tasks of this domain.
        """
        network = method.network(recorder, binding)
        if network is not None and isinstance(method.body, PlainBody):
            self.check(method, network)
        return network

    def check(self, method: Method, network: Network) -> None:
        """Raise DomainError unless a plain method's result is a network of tasks of this domain."""
        if self._has_all(network):
            return
        for inner in networks_in(network):
            if isinstance(inner, Construct):
                raise _computed(method, inner)
        raise DomainError.of(strangers(tasks_in(network), self.tasks, f"method {method.body}"))

    def _has_all(self, network: Network) -> bool:
        """Whether the network consists of calls of tasks of this domain, and of no constructs."""
        pending: list[Any] = [network]
        for part in pending:
            kind = type(part)
            if kind is TaskCall:
                if self.tasks.get(part.task.name) is not part.task:
                    return False
            elif kind is SequenceNetwork:
                pending += part.parts
            elif kind is DeferNetwork:
                pending.append(part.call)
            elif isinstance(part, Construct):
                return False
            else:
                pending.extend(parts_of(part))
        return True

    _repr_mimebundle_ = repr_mimebundle

    def __repr__(self) -> str:
        return f"<domain {self.name}: {len(self.authored)} tasks>"


def _has_values(domain: FrozenDomain) -> bool:
    return any(
        not (isinstance(method.value, Constant) and method.value.value == 0)
        for methods in domain.methods.values()
        for method in methods
        if not isinstance(method.body, TurnBody)  # whose value is that of another method
    )


def _computed(method: Method, construct: Construct) -> DomainError:
    body, word = method.body, construct.word
    message = f"{body} answers with {word}(…), which is read before planning begins"
    hint = f"put it into a compound task: yield method({word}(…)), and call that task"
    return DomainError("BT116", message, f"method {body}", hint)
