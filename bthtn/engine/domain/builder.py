"""Domain: the class with which authors define tasks and methods.

    combat = Domain("combat", Soldier)

    reload = combat.primitive("reload", effects=Soldier.ammo.becomes(6), uses=[ARMS])

    @combat.primitive
    def move_to(spot: str) -> Primitive:
        return primitive(effects=Soldier.at.becomes(spot))

    @combat.compound
    def fight() -> Methods:
        yield method(shoot(), when=Soldier.ammo > 0)
        yield method(reload(), fight())

The functions run once, when the domain is frozen. Then every task that they mention exists, and
every mistake that can be found without a state is reported, all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Generic, ParamSpec, TypeVar, overload

from bthtn.checked import argument_error, checked
from bthtn.engine.domain.condition import ConditionLike, condition_from, precondition_from
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import EffectLike, effects_from
from bthtn.engine.domain.function import is_function, raised_in_description
from bthtn.engine.domain.method import Method, Methods
from bthtn.engine.domain.method_reader import read_methods, refuse_variables
from bthtn.engine.domain.number import Duration, NumberLike, Seconds, cost_from, duration_from
from bthtn.engine.domain.parameter import Parameters, parameters_of
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Resource, Task, mixed_units
from bthtn.engine.world.names import name_faults
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import State
from bthtn.errors import BthtnError, Diagnostic, DomainError
from bthtn.notebooks import repr_mimebundle

S = TypeVar("S", bound=State)
P = ParamSpec("P")

EffectsLike = EffectLike | Iterable[EffectLike]
UsesLike = Resource | str | Iterable[Resource | str]


@checked
@dataclass(frozen=True, slots=True, eq=False)
class Primitive(Shared, Unpicklable):
    """The description of a primitive task, returned by its function: ``primitive(effects=…)``.

    ``precondition`` is checked while planning and when the task starts, and watched while it runs,
    but for ``at_start`` parts and what the task itself writes; ``exec_only`` is checked only when
    it starts, ``during`` at every tick after that. ``effects`` are applied while planning and on
    success, ``expected`` only while planning, ``actual`` only on success; ``on_start``,
    ``on_failure`` and ``on_abort`` at these moments, not while planning. ``uses`` are the resources
    that it occupies. ``duration`` is in ticks, or in ``seconds(…)``; ``cost`` counts for the
    cheapest plan. An ``uninterruptible`` task is not aborted for a better plan.
    """

    precondition: ConditionLike | None = None
    exec_only: ConditionLike | None = None
    during: ConditionLike | None = None
    effects: EffectsLike = ()
    expected: EffectsLike = ()
    actual: EffectsLike = ()
    on_start: EffectsLike = ()
    on_failure: EffectsLike = ()
    on_abort: EffectsLike = ()
    uses: UsesLike = ()
    duration: Duration = 0
    cost: NumberLike = 1
    uninterruptible: bool = False


primitive = Primitive
"""Describe a primitive task with parameters: ``return primitive(effects=...)``."""


class Domain(Unpicklable, Generic[S]):
    """A domain while it is being written. It is frozen when it is first used."""

    @checked
    def __init__(self, name: str, state: type[S]) -> None:
        """Raises DomainError for an invalid name."""
        DomainError.raise_for(name_faults("a domain", name))
        self.name = name
        self.state_class = state
        self._tasks: dict[str, Task] = {}
        self._given: dict[str, Task] = {}
        """The tasks of the domain that this is a copy of; each may be defined again here."""
        self._instead: dict[Task, Task] = {}
        self._frozen: FrozenDomain | None = None

    @overload
    def primitive(
        self,
        name: str,
        *,
        precondition: ConditionLike | None = None,
        exec_only: ConditionLike | None = None,
        during: ConditionLike | None = None,
        effects: EffectsLike = (),
        expected: EffectsLike = (),
        actual: EffectsLike = (),
        on_start: EffectsLike = (),
        on_failure: EffectsLike = (),
        on_abort: EffectsLike = (),
        uses: UsesLike = (),
        duration: Duration = 0,
        cost: NumberLike = 1,
        uninterruptible: bool = False,
    ) -> PrimitiveTask[[]]: ...
    @overload
    def primitive(self, name: Callable[P, Primitive]) -> PrimitiveTask[P]: ...
    @checked
    def primitive(
        self, name: str | Callable[..., Primitive] | None = None, **described: Any
    ) -> Any:
        """Define a primitive task: by name without parameters, or as a decorator with them.

        ``Primitive`` says what the other arguments are. Raises DomainError for a duplicate name,
        and for invalid conditions, effects or numbers.
        """
        if name is None:
            hint = (
                "write primitive('reload', ...), or @domain.primitive without brackets over a "
                "function that ends with: return primitive(...)"
            )
            raise argument_error("Domain.primitive(…) has neither a name nor a function", hint)
        if isinstance(name, str):
            return self._add(self._primitive(name, (), Primitive(**described), ""))
        _check_named(name, "write primitive('reload', ...), or @domain.primitive over a function")
        parameters = parameters_of(name)
        where = f"primitive '{name.__name__}'"
        try:
            description = name(*parameters)
        except BthtnError as error:
            raise error.placed(where) from None
        except Exception as error:
            raise DomainError.of(raised_in_description(error, where)) from error
        if not isinstance(description, Primitive):
            hint = "end the function with: return primitive(effects=...)"
            raise DomainError("BT110", f"'{name.__name__}' returned {description!r}", where, hint)
        made = self._primitive(name.__name__, parameters, description, name.__doc__ or "")
        return self._add(made)

    @checked
    def compound(self, function: Callable[P, Methods]) -> CompoundTask[P]:
        """Define a compound task by a function that yields its methods, the preferred one first."""
        return self._compound(function, is_open=False)

    @checked
    def task(self, name: str) -> Task:
        """The task of this name, if it is defined by now.

        Raises DomainError, with the most similar name as a hint.
        """
        DomainError.require(name, self._tasks, "BT101", f"no task is called '{name}'")
        return self._tasks[name]

    @checked
    def extension_point(self, function: Callable[P, Methods]) -> CompoundTask[P]:
        """Define a compound task to which domains that are merged with this one add methods.

        Their methods come after its own; it may have none. Each of those domains has an extension
        point of the same name, with the same parameters.
        """
        return self._compound(function, is_open=True)

    def copy(self) -> Domain[S]:
        """A domain with the same tasks that is not frozen, to be changed in a notebook.

        A task that is defined again there, with the same parameters, takes the place of the one
        before in all methods. Plans and agents of this domain are unaffected.
        """
        twin = Domain(self.name, self.state_class)
        twin._tasks, twin._given = {**self._tasks}, {**self._tasks}
        twin._instead = self._instead
        return twin

    def __copy__(self) -> Domain[S]:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Domain[S]:
        return self.copy()

    def freeze(self) -> FrozenDomain:
        """The finished domain, the same one at every call.

        Raises DomainError with all diagnostics when something is wrong.
        """
        if self._frozen is None:
            tasks: dict[str, Task] = {}
            methods: dict[CompoundTask[...], tuple[Method, ...]] = {}
            found: list[Diagnostic] = []
            for task in self._tasks.values():
                tasks[task.name] = task
                if isinstance(task, CompoundTask):
                    result = read_methods(task, self._tasks, self.state_class, self._instead)
                    found.extend(result.found)
                    methods.update(result.methods)
                    tasks.update({method.name: method for method in result.methods})
            found.extend(mixed_units(tasks.values(), f"domain '{self.name}'"))
            DomainError.raise_for(found)
            self._frozen = FrozenDomain(self.name, self.state_class, tasks, methods)
        return self._frozen

    _repr_mimebundle_ = repr_mimebundle

    def __repr__(self) -> str:
        state = "frozen" if self._frozen is not None else "being written"
        return f"<domain {self.name}: {len(self._tasks)} tasks, {state}>"

    def _compound(self, function: Callable[P, Methods], *, is_open: bool) -> CompoundTask[P]:
        _check_named(function, "write @domain.compound over a function that yields methods")
        name, doc = function.__name__, function.__doc__ or ""
        DomainError.raise_for(name_faults("a task", name, f"domain '{self.name}'"))
        task: CompoundTask[P] = CompoundTask(
            name, parameters_of(function), function, doc, is_open=is_open
        )
        self._add(task)
        return task

    def _primitive(
        self, name: str, parameters: Parameters, described: Primitive, doc: str
    ) -> PrimitiveTask[...]:
        DomainError.raise_for(name_faults("a task", name, f"domain '{self.name}'"))
        where = f"primitive '{name}'"
        duration = described.duration
        if in_seconds := isinstance(duration, Seconds):
            described = replace(described, duration=duration.length)
        refuse_variables(where, *(getattr(described, part.name) for part in fields(described)))
        made: dict[str, Any] = {}
        for part, read in _READ.items():
            try:
                made[part] = read(getattr(described, part), self.state_class)
            except BthtnError as error:
                raise error.placed(f"{where}, {part}") from None
        made["precondition"], made["watched"] = made["precondition"]
        return PrimitiveTask(
            name,
            parameters,
            uses=_resources(described.uses, where),
            uninterruptible=described.uninterruptible,
            in_seconds=in_seconds,
            doc=doc,
            **made,
        )

    def _add(self, task: Task) -> Task:
        where = f"domain '{self.name}'"
        if self._frozen is not None:
            message = f"'{task.name}' comes too late: the domain is frozen"
            hint = "define it before the first plan, or in a copy: domain = domain.copy()"
            raise DomainError("BT108", message, where, hint)
        before = self._given.pop(task.name, None)
        if before is not None:
            self._replace(before, task, where)
        elif task.name in self._tasks:
            raise DomainError("BT104", f"two tasks are called '{task.name}'", where)
        self._tasks[task.name] = task
        return task

    def _replace(self, before: Task, task: Task, where: str) -> None:
        """Let calls of the task before mean this one. Raises DomainError for other parameters."""
        names, others = (
            [parameter.name for parameter in each.parameters] for each in (before, task)
        )
        if names != others:
            message = f"'{task.name}' has the parameters ({', '.join(names)}) where it is called"
            hint = "define it again with the same parameters, or under another name"
            raise DomainError("BT104", message, where, hint)
        self._instead = {
            **{old: task if new is before else new for old, new in self._instead.items()},
            before: task,
        }


_READ: Final[Mapping[str, Callable[[Any, type[State]], Any]]] = {
    "precondition": precondition_from,
    **dict.fromkeys(("exec_only", "during"), condition_from),
    **dict.fromkeys(("effects", "expected", "actual"), effects_from),
    **dict.fromkeys(("on_start", "on_failure", "on_abort"), effects_from),
    "duration": duration_from,
    "cost": cost_from,
}
"""The parts of a primitive task that are read, each with its reader."""


def _check_named(function: object, hint: str) -> None:
    """Raise DomainError for what is no function with a name, which is that of its task."""
    if not is_function(function) or not hasattr(function, "__name__"):
        message = f"{function!r} is no function with a name for the task"
        raise DomainError("BT110", message, hint=hint)


def _resources(written: UsesLike, where: str) -> frozenset[str]:
    """The names of the resources. Raises DomainError."""
    resources: tuple[object, ...] = (written,)
    if isinstance(written, Iterable) and not isinstance(written, str):
        resources = tuple(written)
    for resource in resources:
        if not isinstance(resource, Resource | str):
            hint = "write uses=ARMS with ARMS = Resource('arms'), or a name"
            message = f"{resource!r} is no resource, but {type(resource).__name__}"
            raise DomainError("BT110", message, where, hint)
        DomainError.raise_for(name_faults("a resource", str(resource), where))
    return frozenset(map(str, resources))


def frozen(domain: Domain[Any] | FrozenDomain) -> FrozenDomain:
    """The domain itself if it is frozen, else its frozen form. Raises DomainError."""
    if isinstance(domain, Domain):
        return domain.freeze()
    if not isinstance(domain, FrozenDomain):
        hint = "give it a domain: Domain('yard', Guard)"
        raise DomainError("BT110", f"{domain!r} is no domain", hint=hint)
    return domain
