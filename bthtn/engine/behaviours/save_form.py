"""SaveForm: how the parts of a save are written as JSON, and read again.

It is the form of plans (``text.plan_json``) with what belongs to one agent: its beliefs, the nodes
of running plans by their numbers, states as far as they differ from what is believed now. A
``SavedAttributes`` names the attributes of a class that are saved, each with its codec; it is the
one description for both directions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Timer
from bthtn.engine.agent.leases import Account
from bthtn.engine.agent.operators import OperatorFailed
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.plan_run import Inside, Path, PlanRun, names_of
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.network import Network
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import children_of
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.engine.text.plan_json import (
    NUMBER,
    VALUES,
    Codec,
    JsonForm,
    plain,
    whole,
    whole_list,
)
from bthtn.engine.world.beliefs import Watch
from bthtn.engine.world.diff import Change, difference
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.state import FrozenState
from bthtn.errors import InputError, exception_text

Json = Any


class SavedError(Exception):
    """An exception that was saved: its class and its text."""


@dataclass(slots=True)
class Calls:
    """Calls that all forms of a save have in common.

    When everything is loaded, ``later`` are called: they run code of users, which may look at
    anything; then ``last``. The others write and put the trees that are the operators of steps.
    """

    write_tree: Callable[[Behaviour, Calls], Json]
    put_tree: Callable[[Behaviour, Json, Calls], None]
    later: list[Callable[[], None]] = field(default_factory=list)
    last: list[Callable[[], None]] = field(default_factory=list)


class SaveForm(JsonForm):
    """Writes and reads what belongs to one agent, and to one goal of it.

    ``writer`` is the name of the goal, which its own changes have.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        calls: Calls,
        domain: FrozenDomain,
        goal: Network | None = None,
        writer: str = "",
    ) -> None:
        super().__init__(domain)
        if goal is not None:
            self.find_places(goal)
        self.agent = agent
        self.writer = writer
        self.calls = calls
        self.run: PlanRun
        """The run of the plan that is written or read."""
        self.nodes: list[Node] = []
        self.numbers: dict[Node, int] = {}
        self._path_numbers: dict[Inside, int] = {}
        self._paths: list[Inside] = []
        self._states: dict[str, FrozenState] = {}

    def like(self, domain: FrozenDomain, goal: Network) -> SaveForm:
        """The form of another plan of the agent."""
        return SaveForm(self.agent, self.calls, domain, goal, self.writer)

    @cached_property
    def schema(self) -> StateSchema:
        """The fluents that the agent believes in, which may be more than the domain has."""
        schema: StateSchema = type(self.agent.beliefs.now).__schema__
        return schema

    # the nodes of plans

    def grown(self, root: Node) -> list[Json]:
        """A tree in pre-order; nodes that have a number already are named by it."""
        known, listed = len(self.nodes), []
        for node in self._numbered(root):
            number = self.numbers[node]
            listed.append({"same": number} if number < known else self._node(node))
        return listed

    def grown_from(self, listed: Json) -> Node:
        root = self.tree_from(listed)
        self.number(root)
        return root

    def number(self, root: Node) -> None:
        """Number the nodes of a tree, in pre-order, as far as they have none."""
        for _ in self._numbered(root):
            pass

    def _numbered(self, root: Node) -> Iterator[Node]:
        known, pending = len(self.nodes), [root]
        while pending:
            node = pending.pop()
            if node not in self.numbers:
                self.numbers[node] = len(self.nodes)
                self.nodes.append(node)
            yield node
            if self.numbers[node] >= known:
                pending.extend(reversed(children_of(node)))

    def _node_from(self, data: Mapping[str, Json], children: tuple[Node, ...]) -> Node:
        return self.node(data["same"]) if "same" in data else super()._node_from(data, children)

    def node(self, number: Json) -> Node:
        if not 0 <= whole(number) < len(self.nodes):
            raise ValueError(f"there is no node {number}")
        return self.nodes[number]

    def number_of(self, node: Node) -> int | None:
        return self.numbers.get(node)

    # the decompositions above them

    def path_number(self, path: Path) -> int | None:
        """The number of a path; it gets one, and so do those around it."""
        missing, above = [], path
        while above is not None and above not in self._path_numbers:
            missing.append(above)
            above = above.around
        for inside in reversed(missing):
            self._path_numbers[inside] = len(self._path_numbers)
        return None if path is None else self._path_numbers[path]

    def paths(self) -> list[Json]:
        """The paths that have a number: the number or the name of a node, and the path around."""
        numbers: Mapping[Any, int] = self.numbers  # of others than nodes, there are only names
        return [
            [numbers.get(path.node, str(path.node)), self.path_number(path.around)]
            for path in self._path_numbers
        ]

    def number_paths(self, data: Json) -> None:
        """Make the paths that ``paths`` has written."""
        for node, around in data:
            inside = text(node) if isinstance(node, str) else self.node(node)
            self._paths.append(Inside(inside, self.path(around)))

    def path(self, number: Json) -> Path:
        return None if number is None else self._paths[count(number)]

    # states, and what is believed

    def values(self, values: Mapping[Any, Any]) -> Json:
        """Values by fluent; those of other expressions are left out."""
        pairs = sorted(values.items(), key=lambda pair: str(pair[0]))
        return [[*self.fluent(f), self.value(v)] for f, v in pairs if isinstance(f, Fluent)]

    def reads(self, reads: Iterable[object]) -> Json:
        """The fluents among expressions that were read."""
        fluents = sorted((read for read in reads if isinstance(read, Fluent)), key=str)
        return [self.fluent(fluent) for fluent in fluents]

    def reads_from(self, data: Json) -> frozenset[Fluent[Any]]:
        return frozenset(self.fluent_from(*entry) for entry in data)

    def believed(self, data: Json) -> dict[Fluent[Any], Any]:
        """Values by fluent, each of which the fluent may have. Raises StateError for others."""
        found: dict[Fluent[Any], Any] = {}
        for *named, value in data:
            fluent = self.fluent_from(*named)
            found[fluent] = self.value_from(value)
            fluent.check(found[fluent])
        return found

    def state(self, state: FrozenState) -> Json:
        """The values in a state that differ from what is believed now."""
        changes = difference(state, self.agent.beliefs.frozen(), "")
        return [[*self.fluent(change.fluent), self.value(change.before)] for change in changes]

    def state_from(self, data: Json) -> FrozenState:
        """The state that was written so; equal ones are the same object."""
        known = json.dumps(data)
        if known not in self._states:
            now, values = self.agent.beliefs.frozen(), self.believed(data)
            self._states[known] = now.changed(values) if values else now
        return self._states[known]

    def change(self, change: Change) -> Json:
        """A change, with its source, and whether that is the goal itself."""
        before, after = self.value(change.before), self.value(change.after)
        is_own = change.source is self.writer
        return [*self.fluent(change.fluent), before, after, str(change.source), is_own]

    def change_from(self, data: Json) -> Change:
        name, index, before, after, source, is_own = data
        (fluent,) = self.believed([[name, index, after]])
        source = self.writer if is_own else str(source)
        return Change(fluent, self.value_from(before), self.value_from(after), source)

    def changes(self, changes: Mapping[Any, Change]) -> Json:
        return [self.change(change) for change in changes.values()]

    def changes_from(self, data: Json) -> dict[Fluent[Any], Change]:
        return {change.fluent: change for change in map(self.change_from, whole_list(data))}

    # what is avoided, leases, errors

    def cause(self, cause: Avoidable) -> Json:
        """A task, or a method by its task and index, with the values of its parameters."""
        what, args = cause
        place = self.methods[id(what)] if isinstance(what, Method) else [what.name, None]
        return [*place, VALUES.write(self, args)]

    def cause_from(self, data: Json) -> Avoidable:
        name, index, args = data
        values: tuple[Any, ...] = VALUES.read(self, args)
        if index is not None:
            return self.method_from([name, index]), values
        return self.primitive(name), values

    def primitive(self, name: Json) -> PrimitiveTask[...]:
        task = self.domain.task(str(name))
        if not isinstance(task, PrimitiveTask):
            raise TypeError(f"'{name}' is no primitive task")
        return task

    def avoided(self, avoided: Avoided) -> Json:
        """The tasks and methods, each with the reason."""
        return [[self.cause(cause), why] for cause, why in avoided.items()]

    def avoided_from(self, data: Json) -> Avoided:
        """The tasks and methods, each with the reason."""
        return {self.cause_from(cause): str(why) for cause, why in data} or NOTHING_AVOIDED

    def timer(self, timer: Timer) -> Json:
        """A timer: its length, whether that is in seconds, and where it stands."""
        times = [timer._length, timer._begin, timer._latest]
        return [timer._clock is not None, *map(self.value, times), timer._ticks]

    def timer_from(self, data: Json) -> Timer:
        in_seconds, *times, ticks = data
        length, begin, latest = map(self.number_from, times)
        timer = Timer(length, (self.agent.clock or self.agent.time) if in_seconds else None)
        timer._begin, timer._latest, timer._ticks = begin, latest, count(ticks)
        return timer

    def cooling(self, left: Mapping[Any, Timer]) -> Json:
        return [[t.name, VALUES.write(self, args), self.timer(left[t, args])] for t, args in left]

    def cooling_from(self, data: Json) -> dict[Any, Timer]:
        """The parts that were written so."""
        return {
            (self.domain.task(text(name)), VALUES.read(self, args)): self.timer_from(timer)
            for name, args, timer in data
        }

    def key(self, key: Any) -> Json:
        return {"fluent": self.fluent(key)} if isinstance(key, Fluent) else self.value(key)


def _error(error: BaseException) -> Json:
    is_answer = isinstance(error, OperatorFailed)
    is_text = is_answer or isinstance(error, SavedError)
    return [is_answer, str(error) if is_text else exception_text(error)]


def _error_from(data: Json) -> Exception:
    is_answer, shown = data
    return OperatorFailed(text(shown)) if truth(is_answer) else SavedError(text(shown))


def path_from(names: Json) -> Path:
    """The path with these names, innermost first."""
    path: Path = None
    for name in reversed(whole_list(names)):
        path = Inside(str(name), path)
    return path


def text(data: Json) -> str:
    """A text, and nothing else."""
    if not isinstance(data, str):
        raise TypeError(f"{type(data).__name__} is no text")
    return data


def truth(data: Json) -> bool:
    """True or False, and nothing else."""
    if not isinstance(data, bool):
        raise TypeError(f"{type(data).__name__} is no truth")
    return data


def count(data: Json) -> int:
    """A whole number that is not negative."""
    if whole(data) < 0:
        raise ValueError(f"{data} is less than nothing")
    return int(data)


class SavedAttributes:
    """The attributes of a class that are saved, as words ``name:codec``, or ``name:codec?``.

    The codecs are in ``CODECS``, or given by their names; with ``?``, the value may be None.
    Without ``make`` an object stays, and has its attributes set; others are made of all of them. In
    JSON names have no underscores in front.
    """

    def __init__(
        self, words: str, make: Callable[..., Any] | None = None, **codecs: Codec | SavedAttributes
    ) -> None:
        self.make = make
        self._codecs = codecs
        self._words = [word.partition(":")[::2] for word in words.split()]

    def _parts(self, data: Any) -> Iterator[tuple[str, str, Codec | SavedAttributes | None]]:
        """The name, the key, and the codec of each attribute; None for one that is None."""
        for name, word in self._words:
            key, codec = name.lstrip("_"), word.removesuffix("?")
            value = data[key] if isinstance(data, dict) else getattr(data, name)
            is_none = value is None and word != codec
            yield name, key, None if is_none else self._codecs.get(codec) or CODECS[codec]

    def write(self, form: Any, thing: Any) -> Any:
        """The attributes of an object as JSON."""
        return {
            key: None if codec is None else codec.write(form, getattr(thing, name))
            for name, key, codec in self._parts(thing)
        }

    def values(self, form: Any, data: Json, of: object = None) -> dict[str, Any]:
        """The attributes by name; those that stay are set in an object."""
        found: dict[str, Any] = {}
        for name, key, codec in self._parts(dict(data)):
            if isinstance(codec, SavedAttributes) and codec.make is None:
                codec.put(form, getattr(of, name), data[key])
            else:
                found[name] = None if codec is None else codec.read(form, data[key])
        return found

    def read(self, form: Any, data: Json) -> Any:
        """An object with these attributes."""
        assert self.make is not None, "it says how its objects are made"
        return self.make(**self.values(form, data))

    def put(self, form: Any, thing: Any, data: Json) -> None:
        """Set the attributes of an object that was made anew."""
        for name, value in self.values(form, data, thing).items():
            setattr(thing, name, value)


class _Watched(SavedAttributes):
    """The fluents that a watch is over, None for all, and changes not looked at yet."""

    def write(self, form: Any, thing: Watch) -> Json:
        fluents = None if thing.fluents is None else form.reads(thing.fluents)
        return [fluents, form.changes(thing.changes)]

    def put(self, form: Any, thing: Watch, data: Json) -> None:
        fluents, changes = data
        thing.over(None if fluents is None else form.reads_from(fluents))
        thing.changes = form.changes_from(changes) or thing.changes


class _Leases(SavedAttributes):
    """The leases of an account, and those that it shares. Raises ValueError for those of others."""

    def write(self, form: Any, thing: Account) -> Json:
        return [list(map(form.key, thing.keys)), list(map(form.key, thing.shared))]

    def put(self, form: Any, thing: Account, data: Json) -> None:
        keys, thing.shared = (tuple(map(form.argument_from, whole_list(part))) for part in data)
        leases = runtime_of(form.agent)._leases
        for key in keys:
            if key in thing.keys or not leases.take(key, thing.holder):
                raise ValueError(f"the lease '{key}' is taken already")
            thing.keys += (key,)


def _of(write: str, read: str) -> Codec:
    """The codec that writes and reads by these methods of SaveForm."""
    return Codec(
        lambda form, value: getattr(form, write)(value),
        lambda form, data: getattr(form, read)(data),
    )


FAILURE: Final = SavedAttributes("why:text what:text node:node? reads:reads error:error?", Failure)
LEASES: Final = _Leases("")
PATH: Final = Codec(lambda _, path: list(names_of(path)), lambda _, data: path_from(data))
CODECS: Final[Mapping[str, Codec | SavedAttributes]] = MappingProxyType(
    {
        "account": LEASES,
        "args": VALUES,
        "avoided": _of("avoided", "avoided_from"),
        "beliefs": _of("values", "believed"),
        "change": _of("change", "change_from"),
        "changes": _of("changes", "changes_from"),
        "cooling": _of("cooling", "cooling_from"),
        "count": plain(count),
        "error": Codec(lambda _, error: _error(error), lambda _, data: _error_from(data)),
        "failure": FAILURE,
        "node": _of("number_of", "node"),
        "number": NUMBER,
        "reads": _of("reads", "reads_from"),
        "record": plain(lambda data: MethodTraversalRecord(map(whole, data)), list),
        "state": _of("state", "state_from"),
        "status": plain(lambda data: Status[data], lambda status: status.name),
        "text": plain(text),
        "timer": _of("timer", "timer_from"),
        "truth": plain(truth),
        "watch": _Watched(""),
        "whole": plain(whole),
    }
)
"""How attributes are written and read, by the words for them."""


def does_not_fit(
    why: str, hint: str = "load(…, plans=False) takes over its beliefs, and plans anew"
) -> InputError:
    """The error of a save that other code has written."""
    return InputError("BT497", why, hint=hint)


def damaged(what: str) -> InputError:
    """The error of a save that bthtn has not written so."""
    return InputError("BT496", f"the save is damaged: {what}", hint="load a save as it was written")
