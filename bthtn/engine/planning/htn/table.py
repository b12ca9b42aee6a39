"""The task table of a domain: what a search needs of each task, compiled once and shared.

The networks of a domain become instructions: each knows what follows it in its body, so that a
search takes one step after the other without a look at the networks. A row is made when a search
first reaches its task; it is immutable except for its caches of ``planned`` parts, by arguments.

Two things are hard. Tasks call each other in circles, so a row cannot wait for the rows that it
calls: bodies are made when a search first needs them. And a part may be cached by arguments only if
nothing else decides what it is: ``by_arguments`` finds out from the expressions whether the state,
or a function of the user, has a say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, assert_never
from weakref import WeakValueDictionary

from bthtn.engine.domain.construct_progress import TurnCondition
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import Computed, FunctionEffect
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.planning.htn.branch_joins import NO_JOINS, BranchJoins
from bthtn.engine.planning.htn.by_arguments import (
    ByArguments,
    has_fixed_projection,
    has_fixed_reads,
    reads_all,
)
from bthtn.engine.planning.htn.exclusion import excluding_later
from bthtn.engine.planning.htn.projected_state import unknown
from bthtn.engine.planning.htn.recursion import RecursiveTasks
from bthtn.engine.planning.htn.source import (
    EVALUATE,
    TO_DECIDE,
    Function,
    Source,
    Trusted,
    Way,
    evaluated,
)
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.at_start import conjunction
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Parameter,
    always_holds,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.names import in_one_line
from bthtn.engine.world.truth import UNKNOWN

if TYPE_CHECKING:
    from bthtn.engine.planning.htn.translation.path_results import PathResult
    from bthtn.engine.planning.htn.translation.translator import Translation

PRIMITIVE, COMPOUND, SEQUENCE, BRANCHING, DEFERRING, PAUSING, NOTHING, FAILING = range(8)
"""The kinds of instructions; a search that has to backtrack first begins with one that fails."""
MOST_REMEMBERED: Final = 1_000
"""Number of bodies of what functions returned at which they are forgotten."""


class PlannedStep(NamedTuple):
    """A primitive task in a plan, with its arguments and its footprint in the state before it."""

    task: PrimitiveTask[...]
    args: Binding
    footprint: Footprint
    duration: float
    cost: float


class PlannedMethod(NamedTuple):
    """A method in a plan, with its task's arguments and the fluents read to enter it.

    ``answer`` is the network that it returned if it is a function. ``binding`` is that of its body.
    """

    task: CompoundTask[...]
    args: Binding
    method: int
    name: str
    cost: float
    value: float
    answer: Network | None
    footprint: Footprint
    body: Body
    binding: Binding


class Instruction:
    """One part of a body: what is to be planned, and the instruction ``next`` behind it.

    A call has the ``row`` of its task. ``args`` are its arguments if all are known constants; else
    ``ground`` is the function that returns them, None if they are those of the task around. It
    ``reads`` if they depend on the state. ``bodies`` are those of the branches of a node, or that
    of a sequence or deferred call; ``joins`` knows how those of a parallel node are joined.
    ``parts`` are the networks of its sequence, ``place`` its own among them. What the loop of a
    search needs is once more in its ``code``.
    """

    __slots__ = (
        *("args", "bodies", "code", "ground", "joins", "kind", "least", "network", "next"),
        *("parts", "place", "readings", "reads", "row"),
    )

    def __init__(self, kind: int, network: Network, parts: tuple[Network, ...], place: int) -> None:
        self.kind = kind
        self.network: Any = network
        self.parts = parts
        self.place = place
        self.next: Instruction | None = None
        self.row: Any = None
        self.args: tuple[Any, ...] | None = None
        self.ground: Function | None = None
        self.reads = False
        self.readings: ByArguments[frozenset[Any]] | None = None
        self.bodies: tuple[Body, ...] = ()
        self.joins: BranchJoins = NO_JOINS
        self.least: dict[type, float] | None = None
        """Lower bounds on what it and all behind it cost, by the kind of ``LeastCosts``."""
        self.code: tuple[Any, ...] = ()

    def link(self) -> None:
        """Make the code, now that everything is known."""
        self.code = self.kind, self.row, self.args, self.ground, self.next

    def call(self, call: TaskCall, row: Row) -> None:
        """Make it the call of a task."""
        self.row = row
        if not call.args:
            self.args = ()
            return
        constants = [arg.value for arg in call.args if type(arg) is Constant]
        self.ground = partial(_arguments, call.args)
        if len(constants) == len(call.args):
            self.args = None if UNKNOWN in constants else tuple(constants)
        else:
            leaves = (leaf for arg in call.args for leaf in leaves_of(arg))
            self.reads = not all(isinstance(leaf, Constant | Parameter) for leaf in leaves)
            self.readings = ByArguments() if all(map(reads_all, call.args)) else None


def _arguments(args: tuple[Any, ...], _values: Any, a: Binding, view: Any) -> Binding:
    """Return the values of arguments that are not compiled. Raises UnknownRead."""
    return tuple([evaluated(arg, view, a) for arg in args])


def _between(place: slice, _values: Any, a: Binding, _view: Any) -> Binding:
    """Return the arguments that stand at a place of a binding."""
    return a[place]


class Body:
    """The instructions for a network: those of its parts if it is a sequence, else one.

    ``first`` is None if there is nothing to do. ``items`` are all instructions, with those of the
    sequences inside the body in their place. It ``is_flat`` if it is a sequence of calls.
    """

    __slots__ = ("__weakref__", "first", "is_flat", "items", "network")

    def __init__(self, network: Network, made: list[Instruction]) -> None:
        self.network = network
        self.items: tuple[Instruction, ...] = ()
        for before, behind in pairwise(made):
            before.next = behind
        for part in made:
            part.link()
        self.first = made[0] if made else None
        self.is_flat = isinstance(network, SequenceNetwork) and all(
            part.kind <= COMPOUND for part in made
        )
        items: list[Instruction] = []
        for part in made:
            items += part.bodies[0].items if part.kind == SEQUENCE else (part,)
        self.items = tuple(items)


class PrimitiveRow:
    """A primitive task.

    ``step`` is the function that plans it, compiled on first use; see ``Source.step``. It
    ``tracks`` the fingerprint of the state if a search might have to compare states.
    ``duration`` and ``cost`` are numbers, None if they depend on arguments or state.
    ``translation`` is the task without functions, if it has some that can be translated.
    """

    __slots__ = (
        *("_tracks", "cost", "duration", "effects"),
        *("planned", "step", "task", "translation"),
    )

    def __init__(self, task: PrimitiveTask[...], *, tracks: bool) -> None:
        self.task = task
        self.effects = (*task.effects, *task.expected)
        self.duration = _number(task.duration)
        self.cost = _number(task.cost)
        is_fixed = has_fixed_projection(task)
        self.planned: ByArguments[PlannedStep] | None = ByArguments() if is_fixed else None
        self._tracks = tracks
        self.step: Function = self._first_step
        self.translation: Translation[PrimitiveTask[...]] | None = None

    def track(self) -> None:
        """From the next use on, keep up the fingerprint."""
        self._tracks = True
        self.step = self._first_step

    def _first_step(self, *given: Any) -> Any:
        source, tracks = Source(), self._tracks
        made = self.write(source)
        step = _not_compiled if made is None else source.made()[made]
        if tracks is self._tracks:  # or another thread has changed that in the meantime
            self.step = step
        return step(*given)

    def write(self, source: Source) -> str | None:
        """Write the function that plans the task; return its name, None if it is evaluated."""
        task = self.task
        effects_called = any(isinstance(effect, FunctionEffect) for effect in self.effects)
        if not effects_called and not calls_function(task.precondition):
            return source.step(task, tracks=self._tracks)
        self.translation = translator().step(task)
        if self.translation is None:
            return source.guard(_data_of(task.precondition))
        effects = self.translation.data.effects
        if has_fixed_projection(self.translation.data) and not any(map(_grows, effects)):
            self.planned = ByArguments()
        trusted = Trusted(self, self.translation.assumed)
        return source.step(self.translation.data, tracks=self._tracks, trusted=trusted)

    def distrust(self) -> NoReturn:
        """Do without the translation from now on. Raises UnknownRead."""
        self.step = _not_compiled
        unknown()


def _grows(effect: Effect) -> bool:
    """Whether it adds something; a function that does it writes another value in every state."""
    return isinstance(effect, Assignment) and effect.grows


def _not_compiled(*_: Any) -> str:
    """The step of a task that is evaluated."""
    return EVALUATE


class MethodRow:
    """A method of a compound task.

    With ``excludes_later``, no later method is usable in a state where this one is; else a search
    ``comes_back`` to the later methods, if there are any. With ``is_turn``, the condition says
    whose turn it is in a construct. ``body`` is None if a plain function computes it; ``first`` is
    its first instruction. ``cost`` and ``value`` are numbers, None if they are computed.

    A method that is a function and can be translated has another row for each of its results:
    ``extended`` is the function that adds the values of the result to the arguments, ``result`` its
    index in the ``translation``; ``body_of`` gives the body of what the function itself returns. A
    method whose condition can be translated has a translation, too.
    """

    __slots__ = (
        *("always", "body", "body_of", "comes_back", "cost", "excludes_later", "extended"),
        *("first", "has_numbers", "index", "is_turn", "method", "planned", "result", "task"),
        *("translation", "value"),
    )

    def __init__(
        self,
        task: CompoundTask[...],
        index: int,
        method: Method,
        *,
        excludes_later: bool,
        comes_back: bool,
    ) -> None:
        self.task = task
        self.index = index
        self.method = method
        self.excludes_later = excludes_later
        self.comes_back = comes_back
        self.always = always_holds(method.condition)
        self.body: Body | None = None
        self.first: Instruction | None = None
        self.cost = _number(method.cost)
        self.value = _number(method.value)
        self.has_numbers = self.cost is None or self.value is None
        self.is_turn = isinstance(method.condition, TurnCondition)
        is_fixed = self.always or has_fixed_reads(method.condition)
        is_fixed = is_fixed and not isinstance(method.body, PlainBody)
        self.planned: ByArguments[PlannedMethod] | None = ByArguments() if is_fixed else None
        self.extended: Function | None = None
        self.body_of: Callable[[Network], Body] | None = None
        self.translation: Translation[tuple[PathResult, ...]] | None = None
        self.result = 0


class CompoundRow:
    """A compound task. Its methods are compiled when it is first called.

    ``first`` is the function that finds the first usable one of the ``ways``, see ``Source.first``:
    the methods, and in the place of one that can be translated its results. It is None if it turned
    out that the methods have to be asked one by one: since a function computes the cost of one, or
    since the task ``has_choice`` other than its methods in order.
    ``last`` is the index of the last method.
    """

    __slots__ = (
        *("_table", "_translates", "first", "has_choice", "is_compiled"),
        *("is_recursive", "last", "methods", "task", "ways"),
    )

    def __init__(self, task: CompoundTask[...], table: TaskTable, *, is_recursive: bool) -> None:
        self.task = task
        self.is_recursive = is_recursive
        self.has_choice = task.choice is not None
        self.is_compiled = False
        self.methods: tuple[MethodRow, ...] = ()
        self.ways: tuple[MethodRow, ...] = ()
        self.last = 0
        self.first: Function | None = self._first_time
        self._table = table
        self._translates = True

    def compile(self) -> None:
        """Compile the methods, if that has not been done."""
        if not self.is_compiled:
            compiling = Compiling(self, translates=self._translates)
            self.methods, self.ways, self.first = self._table.methods_of(compiling)
            self.last = len(self.methods) - 1
            self.is_compiled = True

    def _first_time(self, *given: Any) -> Any:
        """Compile the methods, and find the first usable one."""
        self.compile()
        return TO_DECIDE if self.first is None else self.first(*given)

    def distrust(self) -> NoReturn:
        """Compile the methods anew, without translations, when it is called next.

        Raises UnknownRead.
        """
        self.first, self.is_compiled, self._translates = self._first_time, False, False
        unknown()

    def of(self, method: Method) -> MethodRow:
        """Return the row of one of the task's methods."""
        return next(row for row in self.methods if row.method is method)


Row = PrimitiveRow | CompoundRow


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
        self._calling: dict[tuple[Any, ...], Body] = {}
        self._called: dict[tuple[int, ...], tuple[Any, tuple[Body, Binding]]] = {}
        """What ``calling`` found for these very calls, which it keeps."""
        self.size = len(domain.tasks)
        self.has_volatile = domain.schema.has_volatile
        self.has_values = domain.has_values
        self.recursive = RecursiveTasks(domain.methods)
        """The recursive tasks among those that have rows, and those which they reach."""
        self._base = None if base is None else base.derived(TaskTable)
        self._tracks = False

    def row(self, task: Task) -> Row:
        """Return the row of a task, created on first use."""
        row = self._rows.get(task)
        if row is None:
            row = self._rows[task] = self._made(task)
        return row

    def _made(self, task: Task) -> Row:
        if isinstance(task, CompoundTask):
            self.recursive.look_at(task)
            if self.recursive:
                self.track()
        if self._base is not None and self._base.has(task):
            return self._base.row(task)
        if isinstance(task, PrimitiveTask):
            return PrimitiveRow(task, tracks=self._tracks)
        return CompoundRow(task, self, is_recursive=task in self.recursive)

    def track(self) -> None:
        """Let the steps keep up the fingerprint, as searches may have to compare states."""
        if not self._tracks:
            self._tracks = True
            for row in list(self._rows.values()):
                if isinstance(row, PrimitiveRow):
                    row.track()
            if self._base is not None:
                self._base.track()

    def source(self) -> str:
        """Return the source of all expressions and effects, with a comment that names each task.

        For reading only: the source that is executed has no comments and so no names of a domain.
        """
        texts = []
        for task in self._domain.tasks.values():
            if isinstance(task, PrimitiveTask):
                source = Source()
                PrimitiveRow(task, tracks=False).write(source)
            else:
                compiling = Compiling(CompoundRow(task, self, is_recursive=False))
                self._methods_of(compiling)
                source = compiling.source
            texts.append(f"# {in_one_line(task.name)}\n{source.text}\n")
        return "\n\n".join(texts)

    def has(self, task: Task) -> bool:
        """Whether the task belongs to the domain."""
        return self._domain.tasks.get(task.name) is task

    def methods_of(
        self, compiling: Compiling
    ) -> tuple[tuple[MethodRow, ...], tuple[MethodRow, ...], Function | None]:
        """Return the rows of a task's methods, its ways, and the function that finds one."""
        rows, ways, first = self._methods_of(compiling)
        functions = compiling.source.made()
        for call, name in compiling.calls:
            call.ground = functions[name]
            call.link()
        for way, name in compiling.extended:
            way.extended = functions[name]
        return rows, ways, None if first is None else functions[first]

    def _methods_of(
        self, compiling: Compiling
    ) -> tuple[tuple[MethodRow, ...], tuple[MethodRow, ...], str | None]:
        task, source = compiling.row.task, compiling.source
        methods = self._domain.methods[task]
        excluding = excluding_later([method.condition for method in methods])
        rows = tuple(
            MethodRow(
                task,
                index,
                method,
                excludes_later=excludes,
                comes_back=not excludes and index < len(methods) - 1,
            )
            for index, (method, excludes) in enumerate(zip(methods, excluding, strict=True))
        )
        for row in rows:
            if isinstance(row.method.body, PlainBody):
                row.body_of = partial(self.computed, row.method)
            else:
                row.body = self._body(row.method.body, compiling)
                row.first = row.body.first
        if task.choice is not None or any(row.has_numbers for row in rows):
            return rows, (), None
        ways = [way for row in rows for way in self._ways(row, compiling)]
        assumed = {
            assumption.key: assumption
            for row, _ in ways
            if row.translation is not None
            for assumption in row.translation.assumed
        }
        trusted = Trusted(compiling.row, [*assumed.values()]) if assumed else None
        return rows, tuple(row for row, _ in ways), source.first([way for _, way in ways], trusted)

    def _ways(self, row: MethodRow, compiling: Compiling) -> Iterator[tuple[MethodRow, Way]]:
        """Yield the ways of a method, each with its row."""
        task, method, index = row.task, row.method, row.index
        if row.body is not None and (row.always or not calls_function(method.condition)):
            yield row, Way(index, method.condition)
            return
        found = None
        if compiling.translates:
            found = translator().method(self._domain, task, method)
        if found is None or not found.data:
            yield row, Way(index, _data_of(method.condition), is_asked=True)
            return
        arity = len(task.parameters)
        for number, result in enumerate(found.data):
            made = row
            if row.body is None:
                made = MethodRow(
                    task,
                    index,
                    method,
                    excludes_later=row.excludes_later,
                    comes_back=row.comes_back,
                )
                made.body_of = row.body_of
                compiling.arity = arity + len(result.values)
                made.body = self._body(SequenceNetwork(result.calls), compiling)
                made.first = made.body.first
            made.translation, made.result = found, number
            if _has_fixed_path(found.data[: number + 1]):
                made.planned = ByArguments()
            own = [pair for pair in result.typed if pair[0].position < arity]
            others = [pair for pair in result.typed if pair[0].position >= arity]
            way = Way(index, result.condition, result.values, own, others)
            if result.values:
                compiling.extended.append((made, compiling.source.extended(way)))
            yield made, way

    def goal(self, network: Network) -> Body:
        """Return the body of a goal; cached for each network while the body is in use."""
        known = self._goals.get(id(network))
        if known is None:
            known = self._goals[id(network)] = self._body(network)
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
            body = self._body(network)
            if all(item.kind <= COMPOUND for item in body.items):
                # The body holds the calls, so that their ids stay their own.
                if len(self._computed) >= MOST_REMEMBERED:
                    self._computed = {}
                self._computed[key] = body
        return body

    def calling(self, method: Method, network: Network) -> tuple[Body, Binding] | None:
        """Return a body for all results of plain methods that call the same tasks, and its binding.

        That has the arguments of all calls of this network. Returns None if there is more to the
        network than calls with values. Raises DomainError as ``computed``.
        """
        parts: Any = network.parts if type(network) is SequenceNetwork else (network,)
        same = tuple(map(id, parts))  # calls with plain values are the same whenever they are made
        known = self._called.get(same)
        if known is not None:
            return known[1]
        tasks: list[Task] = []
        binding: list[Any] = []
        for part in parts:
            if type(part) is not TaskCall:
                return None
            tasks.append(part.task)
            for arg in part.args:
                if type(arg) is not Constant or arg.value is UNKNOWN:
                    return None
                binding.append(arg.value)
        key = tuple(tasks)
        body = self._calling.get(key)
        if body is None:
            self._domain.check(method, network)
            if len(self._calling) >= MOST_REMEMBERED:
                self._calling = {}
            body = self._calling[key] = self._body_calling(tasks)
        if len(self._called) >= MOST_REMEMBERED:
            self._called = {}
        found = body, tuple(binding)
        self._called[same] = parts, found
        return found

    def _body_calling(self, tasks: list[Task]) -> Body:
        """Return the body of calls whose arguments stand one behind the other in the binding."""
        calls, ends = list[TaskCall](), [0]
        for task in tasks:
            begin = ends[-1]
            given: list[Any] = [
                Parameter(own.name, begin + own.position, own.type) for own in task.parameters
            ]
            calls.append(TaskCall(task, tuple(given)))
            ends.append(begin + len(task.parameters))
        body = self._body(SequenceNetwork(tuple(calls)))
        for item, between in zip(body.items, pairwise(ends), strict=True):
            if item.args is None:
                item.ground = partial(_between, slice(*between))
                item.link()
        return body

    def _body(self, network: Network, compiling: Compiling | None = None) -> Body:
        """Return the body of a network; nothing in one is compiled that is planned once."""
        if isinstance(network, NullNetwork):
            return Body(network, [])
        parts = network.parts if isinstance(network, SequenceNetwork) else (network,)
        made = [
            self._instruction(part, parts, place, compiling) for place, part in enumerate(parts)
        ]
        return Body(network, made)

    def _instruction(
        self,
        network: Network,
        parts: tuple[Network, ...],
        place: int,
        compiling: Compiling | None,
    ) -> Instruction:
        inside: tuple[Network, ...] = ()
        match network:
            case TaskCall():
                row = self.row(network.task)
                kind = PRIMITIVE if type(row) is PrimitiveRow else COMPOUND
                made = Instruction(kind, network, parts, place)
                made.call(network, row)
                if compiling is not None and made.args is None:
                    compiling.call(made, network)
                return made
            case NullNetwork():
                return Instruction(NOTHING, network, parts, place)
            case SequenceNetwork():
                kind, inside = SEQUENCE, (network,)
            case ParallelNetwork() | PriorityNetwork():
                kind, inside = BRANCHING, network.parts
            case DeferNetwork():
                kind, inside = DEFERRING, (network.call,)
            case PauseNetwork():
                kind = PAUSING
            case _:
                assert_never(network)
        made = Instruction(kind, network, parts, place)
        if isinstance(network, ParallelNetwork):
            made.joins = BranchJoins(network.policy)
        made.bodies = tuple([self._body(part, compiling) for part in inside])
        return made


class Compiling:
    """The source for the methods of one task, and where its functions belong.

    ``calls`` are calls in the methods with the names of their functions, and so are the rows that
    are ``extended``. ``arity`` is the number of values in the binding of the body being compiled.
    """

    def __init__(self, row: CompoundRow, *, translates: bool = True) -> None:
        self.row = row
        self.translates = translates
        self.source = Source()
        self.calls: list[tuple[Instruction, str]] = []
        self.extended: list[tuple[MethodRow, str]] = []
        self.arity = None if row.has_choice else len(row.task.parameters)

    def call(self, made: Instruction, call: TaskCall) -> None:
        """Compile the arguments of a call, unless they are those of the task itself."""
        places = [arg.position if isinstance(arg, Parameter) else -1 for arg in call.args]
        if self.arity is not None and places == list(range(self.arity)):
            made.ground = None
        else:
            self.calls.append((made, self.source.arguments(call)))


def calls_function(condition: Condition) -> bool:
    return any(isinstance(leaf, Computed) for leaf in leaves_of(condition))


def _data_of(condition: Condition) -> Condition:
    """The parts of a condition that are data: where they are false, no function is called."""
    return conjunction([part for part in conjuncts(condition) if not calls_function(part)])


def translator() -> Any:
    """The module that translates functions; domains without any do without it."""
    from bthtn.engine.planning.htn.translation import translator as module  # noqa: PLC0415 - see there

    return module


def _has_fixed_path(results: Sequence[PathResult]) -> bool:
    """Whether a function reads the same in every state where it returns the last of its results."""
    *earlier, last = results
    return (
        all(has_fixed_reads(result.condition, unless=True) for result in earlier)
        and has_fixed_reads(last.condition)
        and all(map(reads_all, last.values))
    )


def _number(expression: Expression[Any]) -> float | None:
    """Return the constant, 0 if it is UNKNOWN; None if it depends on arguments or state."""
    if not isinstance(expression, Constant):
        return None
    number: float = 0 if expression.value is UNKNOWN else expression.value
    return number


def _extends(domain: FrozenDomain, base: FrozenDomain) -> bool:
    """Whether every task of the base has the same methods in the domain."""
    return (
        base.tasks.items() <= domain.tasks.items()
        and base.methods.items() <= domain.methods.items()
    )
