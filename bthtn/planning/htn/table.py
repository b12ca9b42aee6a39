"""The task table of a domain, shared by all its searches."""

from __future__ import annotations

from typing import Any, assert_never
from weakref import WeakValueDictionary

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.by_arguments import MOST_REMEMBERED
from bthtn.planning.htn.exclusion import excluding_later
from bthtn.planning.htn.recursion import RecursiveTasks
from bthtn.planning.htn.rows import (
    Body,
    CallPart,
    Compiled,
    CompoundRow,
    MethodRow,
    NetworkPart,
    Part,
    PrimitiveRow,
    Row,
)
from bthtn.planning.htn.source import FunctionSource
from bthtn.world.expression import Constant
from bthtn.world.names import in_one_line


class TaskTable:
    """The rows of one domain; ``domain.derived(TaskTable)`` always returns the same table."""

    def __init__(self, domain: FrozenDomain) -> None:
        base = domain.base
        if base is not None and not _extends(domain, base):
            base = None  # the domain was made from another one by hand
        self._domain = domain
        self._rows: dict[Task, Row] = {}
        self._goals: WeakValueDictionary[int, Body] = WeakValueDictionary()
        self._computed: dict[tuple[Any, ...], Body] = {}
        self.has_volatile = domain.schema.has_volatile
        self.has_values = domain.has_values
        self.recursive = RecursiveTasks(domain.methods)
        """The recursive tasks among those that have rows, and those which they reach."""
        self._base = None if base is None else base.derived(TaskTable)

    def row(self, task: Task) -> Row:
        """Return the row of a task, created on first use."""
        row = self._rows.get(task)
        if row is None:
            row = self._rows[task] = self._made(task)
        return row

    def _made(self, task: Task) -> Row:
        if isinstance(task, CompoundTask):
            self.recursive.look_at(task)
        if self._base is not None and self._base.has(task):
            return self._base.row(task)
        if isinstance(task, PrimitiveTask):
            return PrimitiveRow(task)
        return CompoundRow(task, self.methods_of, is_recursive=task in self.recursive)

    def source(self) -> str:
        """Return the source of all expressions and effects, with a comment that names each task.

        For reading only: the source that is executed has no comments and so no names of a domain.
        """
        texts = []
        for task in self._domain.tasks.values():
            source = FunctionSource()
            if isinstance(task, PrimitiveTask):
                source.step(task, tracks=False)
            else:
                self._compiled(task, source)
            texts.append(f"# {in_one_line(task.name)}\n{source.text}\n")
        return "\n\n".join(texts)

    def has(self, task: Task) -> bool:
        """Whether the task belongs to the domain."""
        return self._domain.tasks.get(task.name) is task

    def methods_of(self, task: CompoundTask[...]) -> Compiled:
        """Return the rows of a task's methods, and the function that finds the first usable one."""
        source = FunctionSource()
        rows, parts = self._compiled(task, source)
        plain = task.choice is None and not any(row.is_evaluated for row in rows)
        first = source.first([row.method.condition for row in rows]) if plain else ""
        functions = source.made()
        for row in rows:
            row.holds = row.holds and functions[row.holds]
        for part in parts:
            part.ground = functions[part.ground]
        return rows, functions[first] if first else None

    def _compiled(
        self, task: CompoundTask[...], source: FunctionSource
    ) -> tuple[tuple[MethodRow, ...], list[CallPart]]:
        """Return the method rows of a task and the compiled calls in them.

        Their functions are still names in the source.
        """
        methods, parts = self._domain.methods[task], list[CallPart]()
        exclusive = excluding_later([method.condition for method in methods])
        rows = tuple(
            MethodRow(task, index, method, excludes_later=excludes)
            for index, (method, excludes) in enumerate(zip(methods, exclusive, strict=True))
        )
        for row in rows:
            condition, body = row.method.condition, row.method.body
            is_plain = isinstance(body, PlainBody)
            if not isinstance(body, PlainBody):
                row.body = self._body(body, source, parts)
            if is_plain or not (isinstance(condition, Constant) and condition.value is True):
                row.holds = None if is_plain else source.condition(condition)
                row.is_evaluated = row.holds is None
        return rows, parts

    def goal(self, network: Network) -> Body:
        """Return the body of a goal; cached for each network while the body is in use."""
        known = self._goals.get(id(network))
        if known is None:
            known = self._goals[id(network)] = self.body(network)
        return known  # which has the network, so that its id stays its own

    def computed(self, method: Method, network: Network) -> Body:
        """Return the body of a plain method's result; cached for the very same calls.

        Raises DomainError if it is no network of tasks of the domain.
        """
        parts = network.parts if type(network) is SequenceNetwork else (network,)
        key = (type(network), *map(id, parts))
        body = self._computed.get(key)
        if body is None:
            self._domain.check(method, network)
            body = self.body(network)
            if body.calls:  # which the body holds, so that their ids stay their own
                if len(self._computed) >= MOST_REMEMBERED:
                    self._computed = {}
                self._computed[key] = body
        return body

    def body(self, network: Network) -> Body:
        """Return the body of a network outside a method: a goal, or a plain function's result."""
        return self._body(network, None, [])

    def _body(self, network: Network, source: FunctionSource | None, parts: list[CallPart]) -> Body:
        """Return the body of a network; append to ``parts`` each call compiled in the source.

        Without a source nothing is compiled, which would not pay for a network planned once.
        """
        if isinstance(network, NullNetwork):
            return Body(network, (), 0)
        inside = network.parts if isinstance(network, SequenceNetwork) else (network,)
        made = tuple([self._part(part, source, parts) for part in inside])
        calls = len(made) if all(type(part) is CallPart for part in made) else 0
        return Body(network, made, calls)

    def _part(self, network: Network, source: FunctionSource | None, parts: list[CallPart]) -> Part:
        inside: tuple[Network, ...] = ()
        match network:
            case TaskCall():
                part = CallPart(network, self.row(network.task), source)
                if part.ground is not None:
                    parts.append(part)
                return part
            case SequenceNetwork():
                inside = (network,)
            case ParallelNetwork() | PriorityNetwork():
                inside = network.parts
            case DeferNetwork():
                inside = (network.call,)
            case PauseNetwork() | NullNetwork():
                pass
            case _:
                assert_never(network)
        return NetworkPart(network, tuple([self._body(part, source, parts) for part in inside]))


def _extends(domain: FrozenDomain, base: FrozenDomain) -> bool:
    """Whether every task of the base has the same methods in the domain."""
    return (
        base.tasks.items() <= domain.tasks.items()
        and base.methods.items() <= domain.methods.items()
    )
