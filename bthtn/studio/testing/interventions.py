"""Interventions of a scenario: beliefs, a changed world, scripts, interrupts."""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from types import BuiltinMethodType, MethodType
from typing import Any, get_args, get_type_hints

from py_trees.common import Status

from bthtn.behaviours import Agent, Character
from bthtn.engine.agent.operators import Operators
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import StateSchema
from bthtn.errors import InputError, StateError, nearest
from bthtn.studio.testing.doubles import ScriptedOperator, ScriptedRun


@dataclass(frozen=True, slots=True)
class Intervention:
    """Changes that a scenario makes before a tick.

    ``beliefs`` are the values that sensors report from then on, by fluents: for so many
    ``ticks``, or to the end. ``operators`` are scripts as of ``ScriptedOperator``, by the names of
    tasks: the next start of the task follows it instead of its code, ``RF S`` the next two
    starts. ``interrupt`` names goals, or
    other behaviours of the tree, which are interrupted as by a branch of higher priority.
    ``world`` are attributes of the character's world by their paths, and ``do`` are calls of its
    methods. It is done at a ``tick``, or after the first tick in which ``event`` is heard; without
    either, at the beginning.
    """

    tick: int | None = None
    event: str = ""
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    ticks: int | None = None
    operators: Mapping[str, str] = field(default_factory=dict)
    interrupt: tuple[str, ...] = ()
    world: Mapping[str, Any] = field(default_factory=dict)
    do: tuple[str, ...] = ()
    where: str = ""


class Interventions:
    """Makes interventions in a character, which is to be ticked by the caller."""

    def __init__(self, character: Character) -> None:
        self._character = character
        self._agents = list(character.agents.values())
        self._reported: dict[Fluent[Any], tuple[Any, int | None]] = {}
        self._scripts: dict[str, deque[str]] = {}
        self._interrupted: set[str] = set()
        character.tree.add_pre_tick_handler(lambda _: self._interrupt())
        for agent in self._agents:
            self._report_to(agent)
            agent.operators = _Scripted(agent.operators, self._scripts)

    def make(self, intervention: Intervention, tick: int) -> None:
        """Bring it about in this tick, which is about to run. Raises InputError."""
        for name, given in intervention.beliefs.items():
            until = None if intervention.ticks is None else tick + intervention.ticks
            for agent in having(name, self._agents):
                fluent, value = belief(agent, name, given)
                self._reported[fluent] = value, until
                agent.believe_soon(fluent, value, "scenario")
        self._scripts.update(
            {task: deque(script.split()) for task, script in intervention.operators.items()}
        )
        self._interrupted.update(intervention.interrupt)
        for path, value in intervention.world.items():
            whole, name, old = _attribute(self._character.world, path, intervention.where)
            setattr(whole, name, _as(old, value, _enum_of(whole, name, old), intervention.where))
        for call in intervention.do:
            _call(self._character.world, call, intervention.where)

    def before(self, tick: int) -> None:
        """Let sensors report themselves again the values that were given until this tick."""
        over = [fluent for fluent, (_, until) in self._reported.items() if until == tick]
        for fluent in over:
            del self._reported[fluent]

    def _interrupt(self) -> None:
        """Stop the interrupted goals in the tick, so that their events are of this tick."""
        if not self._interrupted:
            return
        named = [node for node in self._character.root.iterate() if node.name in self._interrupted]
        for behaviour in named:
            if behaviour.status is Status.RUNNING:
                behaviour.stop(Status.INVALID)
        self._interrupted.clear()

    def _report_to(self, agent: Agent[Any, Any]) -> None:
        """Let an agent's sensors report the given values; writes of plans stay as they are."""
        write = agent.beliefs.write

        def reported(fluent: Any, value: Any, source: str | None = None) -> None:
            is_plan = isinstance(source, WriterName) or agent.beliefs.writer is not None
            given, _ = self._reported.get(fluent, (value, None))
            write(fluent, value if is_plan else given, source)

        agent.beliefs.write = reported  # type: ignore[method-assign]  # of this agent alone
        agent.believe = reported


class _Scripted(Operators):
    """Operators of which some are replaced by a script, each for one start of its task."""

    def __init__(self, operators: Operators[Any], scripts: dict[str, deque[str]]) -> None:
        super().__init__()
        vars(self).update(vars(operators))
        self._scripts = scripts

    def find(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        """The operator of the task, or one that follows its next script."""
        scripts = self._scripts.get(task.name)
        if not scripts:
            return super().find(task)

        def scripted(agent: Agent[Any, Any], *args: Any) -> ScriptedRun:
            return ScriptedOperator(scripts.popleft())(agent, *args)

        return scripted


def having(name: str, agents: list[Agent[Any, Any]]) -> list[Agent[Any, Any]]:
    """The agents with a fluent of this name. Raises the first one's StateError if none has it."""
    faults, found = [], []
    for agent in agents:
        try:
            type(agent.beliefs.now).__schema__.variable(name)
        except StateError as error:
            faults.append(error)
        else:
            found.append(agent)
    if not found:
        raise faults[0]
    return found


def belief(agent: Agent[Any, Any], name: str, given: Any) -> tuple[Fluent[Any], Any]:
    """A fluent of an agent, and its value for one of TOML. Raises StateError and ValueError."""
    schema: StateSchema = type(agent.beliefs.now).__schema__
    return schema.entry(name, given)


def _attribute(world: object, path: str, where: str) -> tuple[Any, str, Any]:
    """The object that has an attribute of the world, its name, and its value. Raises InputError."""
    owner: Any = None
    found: Any = world
    for part in path.split("."):
        owner = found
        if part.startswith("_") or not hasattr(owner, part):  # "__init__.__globals__" leads out
            known = [attribute for attribute in dir(owner) if not attribute.startswith("_")]
            message = f"the world's {type(owner).__name__} has no '{part}'"
            raise InputError("BT405", message, where, nearest(part, known))
        found = getattr(owner, part)
    return owner, path.rpartition(".")[2], found


def _enum_of(owner: object, name: str, old: object) -> type[Enum] | None:
    """The enum that an attribute, or each item of it, is of: by its value or its annotation."""
    if isinstance(old, Enum):
        return type(old)
    with suppress(NameError, TypeError):  # annotations are users' code
        pending = [get_type_hints(type(owner)).get(name)]
        for hint in pending:
            if isinstance(hint, type) and issubclass(hint, Enum):
                return hint
            pending += get_args(hint)
    return None


def _as(old: object, value: Any, enum: type[Enum] | None, where: str) -> Any:
    """A value of TOML as that of an attribute: an enum by its name, a tuple or a set.

    Raises InputError for a name that the enum has not.
    """
    if enum is not None and isinstance(value, str):
        InputError.require(
            value, enum.__members__, "BT405", f"{enum.__name__} has no '{value}'", where
        )
        return enum[value]
    if isinstance(value, list):
        items = (_as(None, item, enum, where) for item in value)
        return type(old)(items) if isinstance(old, list | set | frozenset) else tuple(items)
    return value


def _call(world: object, call: str, where: str) -> None:
    """Call a method of the world: ``ground.destroy((4, 2))``. Raises InputError."""
    path, given = "", list[Any]()
    with suppress(ValueError, SyntaxError):
        match ast.parse(call, mode="eval").body:
            case ast.Call(func=func, args=args, keywords=[]):
                given = [ast.literal_eval(arg) for arg in args]
                path = ast.unparse(func)
    if not path:
        hint = "write a path with numbers, texts and tuples: world.destroy((4, 2))"
        raise InputError("BT405", f"'{call}' cannot be called", where, hint)
    owner, name, method = _attribute(world, path, where)
    if not _may_be_called(world, owner, method):
        message = f"'{name}' is no method of the world, of an object of its package, or a container"
        hint = "give the world a method that does it"
        raise InputError("BT405", message, where, hint)
    method(*given)


def _may_be_called(world: object, owner: object, method: object) -> bool:
    """Whether a scenario may call a method: of the world's own package, or of a container.

    Methods of other libraries' objects might do anything, such as writing files.
    """
    if isinstance(method, BuiltinMethodType):
        return type(owner) in (list, dict, set, deque)
    if not isinstance(method, MethodType):
        return False
    return f"{method.__func__.__module__}.".startswith(f"{package_of(world)}.")


def package_of(part: object) -> str:
    """The package of an object's class; empty for those of Python itself."""
    module = type(part).__module__
    return "" if module in sys.stdlib_module_names else module.rpartition(".")[0] or module
