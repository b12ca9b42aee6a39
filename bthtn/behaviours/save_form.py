"""SaveForm: how the parts of a save are written as JSON, and read again.

It is the form of plans (``text.plan_json``) with what belongs to one agent: its beliefs, the nodes
of running plans by their numbers, states as far as they differ from what is believed now. A
``Table`` names the attributes of a class that are saved, each with its kind; it is the one
description for both directions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.leases import Account
from bthtn.agent.operators import OperatorFailed
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours.plan_run import Inside, Path, names_of
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method
from bthtn.domain.network import Network
from bthtn.domain.task import PrimitiveTask
from bthtn.errors import InputError, exception_text
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import Node
from bthtn.plan.traversal_record import MethodTraversalRecord
from bthtn.plan.walk import children_of
from bthtn.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.text.plan_json import (
    NUMBER,
    VALUES,
    Form,
    Kind,
    or_none,
    plain,
    whole,
    whole_list,
)
from bthtn.world.beliefs import Watch
from bthtn.world.diff import Change, difference
from bthtn.world.fluent import Fluent
from bthtn.world.schema import StateSchema
from bthtn.world.state import FrozenState

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


class SaveForm(Form):
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
        self.nodes: list[Node] = []
        self.numbers: dict[Node, int] = {}
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
        """The tree that ``grown`` has written."""
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
        """The node with a number."""
        if not 0 <= whole(number) < len(self.nodes):
            raise ValueError(f"there is no node {number}")
        return self.nodes[number]

    def number_of(self, node: Node) -> int | None:
        """The number of a node, None if it is in none of the trees."""
        return self.numbers.get(node)

    def numbers_of(self, nodes: Iterable[Node]) -> list[int]:
        """The numbers of nodes, as far as they have some."""
        return sorted(self.numbers[node] for node in nodes if node in self.numbers)

    def nodes_from(self, data: Json) -> frozenset[Node]:
        """The nodes with these numbers."""
        return frozenset(map(self.node, whole_list(data)))

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
        """The fluents that were read."""
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
        """The change that was written so."""
        name, index, before, after, source, is_own = data
        (fluent,) = self.believed([[name, index, after]])
        source = self.writer if is_own else str(source)
        return Change(fluent, self.value_from(before), self.value_from(after), source)

    # what is avoided, leases, errors

    def cause(self, cause: Avoidable) -> Json:
        """A task, or a method by its task and index, with the values of its parameters."""
        what, args = cause
        place = self.methods[id(what)] if isinstance(what, Method) else [what.name, None]
        return [*place, VALUES.write(self, args)]

    def cause_from(self, data: Json) -> Avoidable:
        """The cause that was written so."""
        name, index, args = data
        values: tuple[Any, ...] = VALUES.read(self, args)
        if index is not None:
            return self.method_from([name, index]), values
        return self.primitive(name), values

    def primitive(self, name: Json) -> PrimitiveTask[...]:
        """The primitive task of a name."""
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

    def key(self, key: Any) -> Json:
        """The key of a lease."""
        return {"fluent": self.fluent(key)} if isinstance(key, Fluent) else self.value(key)

    def put_account(self, account: Account, data: Json) -> Account:
        """Let an account have the leases that were saved. Raises ValueError for those of others."""
        keys, account.shared = (tuple(map(self.argument_from, whole_list(part))) for part in data)
        leases = runtime_of(self.agent)._leases
        for key in keys:
            if key in account.keys or not leases.take(key, account.holder):
                raise ValueError(f"the lease '{key}' is taken already")
            account.keys += (key,)
        return account

    def account(self, account: Account) -> Json:
        """The leases of an account, and those that it shares."""
        return [list(map(self.key, account.keys)), list(map(self.key, account.shared))]


def _error(error: BaseException | None) -> Json:
    if isinstance(error, SavedError):
        return [False, str(error)]
    is_answer = isinstance(error, OperatorFailed)
    if error is None:
        return None
    return [is_answer, str(error) if is_answer else exception_text(error)]


def _error_from(data: Json) -> Exception | None:
    if data is None:
        return None
    is_answer, text = data
    return OperatorFailed(str(text)) if is_answer else SavedError(str(text))


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


class Table:
    """The attributes of a class that are saved, each with its kind.

    In JSON their names have no underscores in front. ``make`` is called with all of them.
    """

    def __init__(self, make: Callable[..., Any] | None = None, /, **kinds: Kind) -> None:
        self._make = make
        self.kinds = kinds

    def write(self, form: Form, thing: Any) -> dict[str, Json]:
        """The attributes of an object as JSON."""
        return {
            name.lstrip("_"): kind.write(form, getattr(thing, name))
            for name, kind in self.kinds.items()
        }

    def values(self, form: Form, data: Mapping[str, Json]) -> dict[str, Any]:
        """The attributes, by name."""
        return {name: kind.read(form, data[name.lstrip("_")]) for name, kind in self.kinds.items()}

    def read(self, form: Form, data: Json) -> Any:
        """An object with these attributes."""
        assert self._make is not None, "it says how its objects are made"
        return self._make(**self.values(form, data))

    def put(self, form: Form, thing: Any, data: Mapping[str, Json]) -> None:
        """Set the attributes of an object that was made anew."""
        for name, value in self.values(form, data).items():
            setattr(thing, name, value)

    @property
    def kind(self) -> Kind:
        """The kind of an attribute whose value is made by the table."""
        return Kind(self.write, self.read)


def part(write: str, read: str) -> Kind:
    """A kind that is written and read by these methods of SaveForm."""
    return Kind(
        lambda form, value: getattr(form, write)(value),
        lambda form, data: getattr(form, read)(data),
    )


def mapped(write: Kind, listed: Callable[[Any], Any], made: Callable[[Any], Any]) -> Kind:
    """A kind of several parts that are kept in a container of some sort."""
    return Kind(
        lambda form, parts: [write.write(form, part) for part in listed(parts)],
        lambda form, data: made(write.read(form, part) for part in whole_list(data)),
    )


TEXT: Final = plain(text)
TRUTH: Final = plain(truth)
COUNT: Final = plain(count)
NODE: Final = or_none(part("number_of", "node"))
NODES: Final = part("numbers_of", "nodes_from")
ERROR: Final = Kind(lambda _, error: _error(error), lambda _, data: _error_from(data))
PATH: Final = Kind(lambda _, path: list(names_of(path)), lambda _, data: path_from(data))
READS: Final = part("reads", "reads_from")
BELIEFS: Final = part("values", "believed")
STATE: Final = part("state", "state_from")
CHANGE: Final = part("change", "change_from")
CHANGES: Final = mapped(
    CHANGE,
    lambda changes: changes.values(),
    lambda read: {change.fluent: change for change in read},
)
CAUSE: Final = part("cause", "cause_from")
AVOIDED: Final = part("avoided", "avoided_from")
RECORD: Final = plain(lambda data: MethodTraversalRecord(map(whole, data)), list)
STATUS: Final = plain(lambda data: Status[data], lambda status: status.name)
FAILURE: Final = Table(Failure, why=TEXT, what=TEXT, node=NODE, reads=READS, error=ERROR)
TIMER: Final = Table(_begin=NUMBER, _latest=NUMBER, _ticks=COUNT)


def written_watch(form: SaveForm, watch: Watch) -> Json:
    """The fluents that are watched, None for all, and the changes that nobody has looked at yet."""
    fluents = None if watch.fluents is None else form.reads(watch.fluents)
    return [fluents, CHANGES.write(form, watch.changes)]


def put_watch(form: SaveForm, watch: Watch, data: Json) -> None:
    """Let a watch be where it was."""
    fluents, changes = data
    watch.over(None if fluents is None else form.reads_from(fluents))
    watch.forget()
    found = CHANGES.read(form, changes)
    watch.changes = found or watch.changes


def does_not_fit(
    why: str, hint: str = "load(…, plans=False) takes over its beliefs, and plans anew"
) -> InputError:
    """The error of a save that other code has written."""
    return InputError("BT497", why, hint=hint)


def damaged(what: str) -> InputError:
    """The error of a save that bthtn has not written so."""
    return InputError("BT496", f"the save is damaged: {what}", hint="load a save as it was written")
