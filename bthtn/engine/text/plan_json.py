"""Plans as JSON, ``"format": "bthtn-plan/2"``, and plans from it.

    {"format", "domain", "task", "goal", "network", "cost", "value", "binding", "record",
     "expansions", "predicted", "nodes"}

The nodes of the tree are listed in pre-order, each with the number of nodes directly ``below`` it,
so that trees of any depth can be read. What a kind of node, network or value consists of stands
once, in ``_NODES``, ``_NETWORKS`` and ``_VALUES``; both directions go by these tables. What is as
usual is left out.

A network that is left to be planned is written as its place: the task, the method, and the position
in the method's body, or in the goal if the task is "". One that a plain function has made has no
place, and is written out. ``tasks`` says the same in the notation. That, ``task``, ``cost`` and
``value`` are for people and other programs; ``decoded`` does not read them.

Not here: characters that run (``behaviours.saves``), events (``views.event_log``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, Final, NamedTuple

from bthtn.engine.domain import network as networks
from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.decorator import decorator_text
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.network import (
    Network,
    NetworkLike,
    ParallelPolicy,
    network_from,
    network_text,
)
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall
from bthtn.engine.domain.turns import Pending, PendingBody, Turn
from bthtn.engine.plan import nodes
from bthtn.engine.plan.nodes import Node, Suspension, SuspensionKind
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import children_of, preorder
from bthtn.engine.text.notation import network_from_text
from bthtn.engine.text.values import LONGEST_INTEGER, guessed, json_value, shortened
from bthtn.engine.world.expression import Binding, Constant, Expression, Parameter
from bthtn.engine.world.fluent import Fluent, FluentFamily, LocalFluent
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.names import in_one_line
from bthtn.engine.world.relation import Tuples
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.errors import BthtnError, InputError, exception_text

Json = Any
FORMAT: Final = "bthtn-plan/2"
VERSION_ONE: Final = "bthtn-plan/1"
_READABLE: Final = (FORMAT, VERSION_ONE, "bthtn-complete-plan/1")
_NO_DATA: Final = "a plain function has made it; write method(…) with conditions instead"


def encoded(plan: Plan, *, flat: bool = False, complete: bool = False) -> str:
    """The plan as one line of JSON; ``flat`` leaves out what makes no difference when it is run.

    ``decoded`` makes an equal plan of it, if its values are None, bool, int, float, str, members of
    an Enum, or tuples and frozen sets of those. Others are written as they are shown; with
    ``complete`` they raise InputError.
    """
    form = JsonForm(plan.domain, is_complete=complete)
    return json.dumps(form.plan(plan) | ({"nodes": form.tree(plan.flat())} if flat else {}))


def decoded(
    text: str, domain: Domain[Any] | FrozenDomain, *, goal: NetworkLike | None = None
) -> Plan:
    """The plan that ``encoded`` has written, for the same domain.

    ``goal`` is needed for a goal with constructs, or with expressions other than fluents. A plan of
    version one says neither footprints, durations and costs of steps nor the predicted state.
    Raises InputError for a text that is no such plan, and for a domain that has other tasks.
    """
    frozen = domain.freeze() if isinstance(domain, Domain) else domain
    data = _loaded(text)
    found = data.get("format")
    if found not in _READABLE:
        is_other = str(found).startswith(("bthtn-plan/", "bthtn-complete-plan/"))
        hint = "it was written by another version of bthtn" if is_other else "encoded(plan) is one"
        raise _fault(f"the format is {shortened(repr(found))} instead of '{FORMAT}'", hint)
    form = JsonForm(frozen)
    try:
        given = None if goal is None else network_from(goal)
        if found == VERSION_ONE:
            data, given = _upgraded(data, frozen, given)
        return form.plan_from(data, given)
    except BthtnError as error:
        first = error.diagnostics[0]
        told = in_one_line(shortened(first.message, 200))  # which may quote the text
        raise InputError.of(replace(first, message=told, where=first.where or form.at)) from None
    except RecursionError:
        raise _fault("a value or a network is nested too deep", "", form.at) from None
    except Exception as error:
        shown = shortened(exception_text(error), 200)
        message = f"the plan is damaged, or the domain has changed: {shown}"
        raise _fault(message, "plan again, or use the domain as it was", form.at) from error


def goal_value(goal: Network, binding: Binding = ()) -> dict[str, Json]:
    """A goal as ``{"name", "args"}``; for a network, ``name`` is its text and ``args`` is empty."""
    if not isinstance(goal, TaskCall):
        return {"name": network_text(goal, binding), "args": []}
    if isinstance(goal.task, CompoundTask) and goal.task.origin:
        return {"name": goal.task.doc, "args": []}
    args = [_with_value(argument, binding) for argument in goal.args]
    return {
        "name": goal.task.name,
        "args": [json_value(a.value) if isinstance(a, Constant) else a.text() for a in args],
    }


def _loaded(text: str) -> dict[str, Json]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError, TypeError) as error:
        raise _fault(f"it is no JSON: {str(error)[:200]}", "") from None
    if not isinstance(data, dict):
        raise _fault(f"a plan is an object of JSON, not {type(data).__name__}", "")
    return data


def _goal(plan: Plan) -> Json:
    """The goal written out; None if it has parts that only its author can give."""
    if any(isinstance(task, CompoundTask) and task.origin for task in networks.tasks_in(plan.goal)):
        return None
    form = JsonForm(plan.domain)
    form.binding = plan.binding
    try:
        return form.network(plan.goal)
    except InputError:
        return None


class JsonForm:
    """Writes and reads the parts of plans of one domain; ``at`` is the part that is being read.

    ``binding`` has the values of the parameters in networks that are written.
    """

    def __init__(self, domain: FrozenDomain, *, is_complete: bool = True) -> None:
        self.at = "the goal"
        self.binding: Binding = ()
        self.domain = domain
        self._is_complete = is_complete
        self._place_of: dict[int, tuple[Any, ...]] = {}
        self._network_at: dict[tuple[Any, ...], Network] = {}

    @cached_property
    def schema(self) -> StateSchema:
        """The fluents that may be written."""
        return self.domain.schema

    @cached_property
    def classes(self) -> dict[str, type]:
        """The classes of the values of fluents and parameters, by name."""
        return _classes_of(self.schema, self.domain)

    @cached_property
    def methods(self) -> dict[int, list[Json]]:
        """The task and the index of each method, by its id."""
        return {
            id(method): [task.name, index]
            for task, methods in self.domain.methods.items()
            for index, method in enumerate(methods)
        }

    def method_from(self, place: Json) -> Method:
        name, index = place
        task = self.domain.task(str(name))
        if not isinstance(task, CompoundTask):
            raise TypeError(f"'{name}' has no methods")
        return self.domain.methods[task][whole(index)]

    def find_places(self, goal: Network) -> None:
        """Number the networks that the goal and the methods of the domain have as data."""
        bodies: dict[tuple[str, int], Any] = {("", 0): goal}
        for task, methods in self.domain.methods.items():
            bodies |= {(task.name, index): method.body for index, method in enumerate(methods)}
        for place, body in bodies.items():
            for number, part in enumerate(_parts(body) if isinstance(body, Network) else ()):
                self._place_of[id(part)] = (*place, number)
                self._network_at[*place, number] = part

    def plan(self, plan: Plan) -> dict[str, Json]:
        self.find_places(plan.goal)
        return {
            "format": FORMAT,
            "domain": plan.domain.name,
            "task": goal_value(plan.goal, plan.binding),
            "goal": plan.goal_text,
            "network": _goal(plan),
            "cost": self.value(plan.cost),
            **({"value": self.value(plan.value)} if plan.domain.has_values else {}),
            **self.written(PLAN, plan),
        }

    def plan_from(self, data: Mapping[str, Json], goal: Network | None) -> Plan:
        """The plan that was written like this, for a goal if it is given. Raises InputError."""
        if data.get("domain") != self.domain.name:
            named = shortened(repr(data.get("domain")))
            raise _fault(f"it is a plan of domain {named}, not of '{self.domain.name}'", "")
        shown = shortened(str(data["goal"]))
        if goal is None and data["network"] is None:
            hint = "give it: decoded(text, domain, goal=…)"
            raise _fault(f"the goal {shown} cannot be read from text", hint)
        if goal is None:
            network = self.network_from(data["network"])
        else:
            self.domain, network = self.domain.with_goal(goal)
        goal_text = network_text(network, VALUES.read(self, data["binding"]))
        if goal_text != data["goal"]:
            raise _other_goal(str(data["goal"]), goal_text)
        self.find_places(network)
        plan: Plan = self.read(PLAN, data, domain=self.domain, goal=network)
        return plan

    def written(self, shape: Shape, thing: object) -> dict[str, Json]:
        """The parts of a thing of this shape."""
        found: dict[str, Json] = {}
        for key, name, codec, is_usual_left_out in shape.parts:
            part = getattr(thing, name)
            if not is_usual_left_out or part != shape.usual[name]:
                found[key] = codec.write(self, part)
        return found

    def read(self, shape: Shape, data: Mapping[str, Json], **given: Any) -> Any:
        """The thing of this shape with these parts."""
        for key, name, codec, is_usual_left_out in shape.parts:
            if key in data or not is_usual_left_out:
                given[name] = codec.read(self, data[key])
        return shape.make(**given)

    def tree(self, root: Node) -> list[Json]:
        """The nodes of a tree in pre-order."""
        return [self._node(node) for _, node in preorder(root)]

    def _node(self, node: Node) -> dict[str, Json]:
        more: dict[str, Json] = {}
        if isinstance(node, nodes.TaskNode | nodes.ScopeNode):
            more = self.written(_FOOTPRINT, node.footprint)
        if isinstance(node, nodes.ScopeNode) and node.task.decorator is not None:
            more["decorator"] = decorator_text(node.task.decorator)
        if isinstance(node, nodes.SuspendedNode):
            self.binding = node.binding
            more["tasks"] = [network_text(part, node.binding) for part in node.rest]
        if children := children_of(node):
            more["below"] = len(children)
        name = _NAMES[type(node)]
        return {"node": name} | self.written(_NODES[name], node) | more | self._called(node)

    def _called(self, node: Node) -> dict[str, Json]:
        """The call that made a node, so that a complete plan says which arguments are outdated."""
        if not self._is_complete or not isinstance(node, nodes.TaskNode | nodes.ScopeNode):
            return {}
        found: dict[str, Json] = {}
        for key, network in (("call", node.call), ("body", getattr(node, "body", None))):
            self.binding = node.binding
            with suppress(InputError):  # a plain function has made it; then it stays as it is
                found |= {} if network is None else {key: self.network(network)}
        return found | ({"values": VALUES.write(self, node.binding)} if node.binding else {})

    def tree_from(self, listed: Json) -> Node:
        """The tree of nodes in pre-order, built from the last one."""
        ready: list[Node] = []
        before = self.at
        above = f"{before}, foreseen, " if before.startswith("node ") else ""
        for number in range(len(whole_list(listed)) - 1, -1, -1):
            self.at = f"{above}node {number}"
            below = whole(listed[number].get("below", 0))
            if not 0 <= below <= len(ready):
                raise ValueError(f"there are no {below} nodes below it")
            children = tuple(reversed(ready[len(ready) - below :]))
            del ready[len(ready) - below :]
            ready.append(self._node_from(listed[number], children))
        (root,) = ready
        self.at = before
        return root

    def _node_from(self, data: Mapping[str, Json], children: tuple[Node, ...]) -> Node:
        shape, given = _NODES[data["node"]], dict[str, Any]()
        if "footprint" in shape.usual:
            given["footprint"] = self.read(_FOOTPRINT, data)
        if "child" in shape.usual:
            (given["child"],) = children
        elif "children" in shape.usual:
            given["children"] = children
        elif children:
            raise ValueError("there are nodes below a leaf")
        if "footprint" in shape.usual:
            given["call"] = self.network_from(data["call"]) if "call" in data else None
            given["binding"] = VALUES.read(self, data.get("values", []))
            if "body" in data:
                given["body"] = self.network_from(data["body"])
        node: Node = self.read(shape, data, **given)
        if isinstance(node, nodes.TaskNode | nodes.ScopeNode):
            task: Task = node.task
            if not isinstance(node.call, TaskCall | None):
                raise TypeError("a node is of a call")
            if isinstance(task, CompoundTask) != isinstance(node, nodes.ScopeNode):
                kind = "compound" if isinstance(task, CompoundTask) else "primitive"
                raise TypeError(f"'{task.name}' is a {kind} task")
            if len(node.args) != len(task.parameters):
                raise TypeError(f"'{task.name}' takes {len(task.parameters)} arguments")
            if isinstance(node, nodes.ScopeNode):
                most = len(self.domain.methods[node.task]) if node.task.choice is None else math.inf
                if not 0 <= node.method < most:
                    raise ValueError(f"'{task.name}' has no method {node.method}")
        if isinstance(node, nodes.PriorityNode) and len(node.kept) != len(children):
            number = len(node.kept)
            raise ValueError(f"{number} alternatives are kept, and there are {len(children)}")
        return node

    def network(self, network: Network) -> Json:
        """The place of a network, or the network written out. Raises InputError."""
        if id(network) in self._place_of:
            return {"place": list(self._place_of[id(network)])}
        if isinstance(network, networks.DeferNetwork) and network.ensures:
            return self._shown(network_text(network), _NO_DATA)
        name = _NAMES[type(network)]
        return self.written(_NETWORKS[name], network) or {name: True}

    def network_from(self, data: Json) -> Network:
        """The network at a place, or one that was written out."""
        if isinstance(data, Network):  # of version one
            return data
        if "place" in data:
            return self._network_at[tuple(data["place"])]
        for name, shape in _NETWORKS.items():
            if name in data:
                found: Network = self.read(shape, data)
                return found
        raise ValueError("a network cannot be read")

    def argument(self, argument: Expression[Any]) -> Json:
        """An argument of a call: a value, or a fluent. Raises InputError for other expressions."""
        match _with_value(argument, self.binding):
            case Constant(value):
                return self.value(value)
            case Fluent() as fluent:
                return {"fluent": self.fluent(fluent)}
            case other:
                return self._shown(other.text(), _NO_DATA)

    def argument_from(self, data: Json) -> Any:
        """The value, or the fluent, that an argument is."""
        match data:
            case {"fluent": [str(name), index]}:
                return self.fluent_from(name, index)
            case _:
                return self.value_from(data)

    def fluent(self, fluent: Fluent[Any]) -> list[Json]:
        name = fluent.text() if isinstance(fluent, LocalFluent) else fluent.name
        return [name, self.value(fluent.index)]

    def fluent_from(self, name: str, index: Json) -> Fluent[Any]:
        if name == SEED.name:
            return SEED
        if name.endswith("}"):
            return self.schema.variable(name)
        found = self.schema.named(name)
        return found.member(self.value_from(index)) if isinstance(found, FluentFamily) else found

    def value(self, value: object) -> Json:
        """A value as JSON. Raises InputError where no equal one could be made of that."""
        if value is None or type(value) in (bool, str):
            return value
        for tagged in _VALUES.values():
            if tagged.fits(value):
                return tagged.write(self, value)
        if self._is_complete and (made := self._object(value)) is not None:
            return made
        if type(value) in (int, float):
            return value
        kind = type(value).__name__
        return self._shown(value_text(value), f"a {kind} cannot be made from text again")

    def _object(self, value: Any) -> Json:
        """A value of a class of the domain, or of ``unordered``, as JSON; None for others."""
        kind = type(value)
        if kind in _TURNS:
            return {kind.__name__: self.written(_TURNS[kind], value)}
        if self.classes.get(kind.__qualname__) is not kind:
            return None
        if isinstance(value, str | int | float):
            parts = [next(base for base in (str, int, float) if isinstance(value, base))(value)]
        elif isinstance(value, tuple):
            parts = list(value)
        elif is_dataclass(value):
            parts = [getattr(value, part.name) for part in fields(value)]
        else:
            return None
        return {"made": kind.__qualname__, "of": list(map(self.value, parts))}

    def value_from(self, data: Json) -> Any:
        if not isinstance(data, dict | list):
            return data
        if isinstance(data, dict) and "made" in data:  # by its class, which may refuse it
            return self.classes[data["made"]](*map(self.value_from, data["of"]))
        for kind, shape in _TURNS.items():
            if isinstance(data, dict) and kind.__name__ in data:
                return self.read(shape, data[kind.__name__])
        try:
            (name,) = _VALUES.keys() & set(data)
            return _VALUES[name].read(self, data)
        except (KeyError, TypeError, ValueError):
            raise ValueError("a value cannot be read") from None

    def member_of(self, enum: str, name: str) -> Enum:
        kind = self.classes[enum]
        if not issubclass(kind, Enum):
            raise TypeError(f"'{enum}' is no Enum")
        return kind[name]

    def number_from(self, data: Json) -> float:
        """A number that can be compared with others."""
        number: float = self.value_from(data)
        if type(number) not in (int, float):
            raise TypeError(f"{type(number).__name__} is no number")
        if number != number:  # noqa: PLR0124 - NaN
            raise ValueError("NaN is no number")
        return number

    def duration_from(self, data: Json) -> float:
        """A number that is not negative."""
        number = self.number_from(data)
        if number < 0:
            raise ValueError("a duration is less than nothing")
        return number

    def _shown(self, text: str, why: str) -> Json:
        """What stands in the place of a thing that cannot be made of text again."""
        if self._is_complete:
            raise InputError("BT406", f"{text} cannot be written into a complete plan", hint=why)
        return {"text": text}


# what is written, and read again


class _Tagged(NamedTuple):
    """Values that JSON does not have: an object with the key of their row stands for them."""

    fits: Callable[[Any], bool]
    write: Callable[[JsonForm, Any], Json]
    read: Callable[[JsonForm, Json], Any]


_INFINITE: Final = {text: float(text) for text in ("inf", "-inf", "nan")}
_VALUES: Final[Mapping[str, _Tagged]] = {
    "unknown": _Tagged(
        lambda value: value is UNKNOWN,
        lambda _, __: {"unknown": True},
        lambda _, __: UNKNOWN,
    ),
    "enum": _Tagged(
        lambda value: isinstance(value, Enum),
        lambda _, value: {"enum": type(value).__qualname__, "name": value.name},
        lambda form, data: form.member_of(data["enum"], data["name"]),
    ),
    "hex": _Tagged(
        lambda value: type(value) is int and value.bit_length() > LONGEST_INTEGER,
        lambda _, value: {"hex": hex(value)},
        lambda _, data: int(data["hex"], 16),
    ),
    "float": _Tagged(
        lambda value: type(value) is float and not math.isfinite(value),
        lambda _, value: {"float": repr(value)},
        lambda _, data: _INFINITE[data["float"]],
    ),
    "tuple": _Tagged(
        lambda value: type(value) is tuple,
        lambda form, value: {"tuple": list(map(form.value, value))},
        lambda form, data: tuple(map(form.value_from, whole_list(data["tuple"]))),
    ),
    "tuples": _Tagged(
        lambda value: type(value) is Tuples,
        lambda form, value: {"tuples": list(map(form.value, value)), "width": value.width},
        lambda form, data: Tuples(
            map(form.value_from, whole_list(data["tuples"])), whole(data["width"])
        ),
    ),
    "set": _Tagged(
        lambda value: type(value) is frozenset,
        lambda form, value: {"set": list(map(form.value, sorted(value, key=repr)))},
        lambda form, data: frozenset(map(form.value_from, whole_list(data["set"]))),
    ),
}


class Codec(NamedTuple):
    """How a form writes a part, and how it reads it."""

    write: Callable[[JsonForm, Any], Json]
    read: Callable[[JsonForm, Json], Any]


def plain(read: Callable[[Json], Any], write: Callable[[Any], Json] = lambda part: part) -> Codec:
    """A codec that knows nothing of domains."""
    return Codec(lambda _, part: write(part), lambda _, data: read(data))


def each(write: Callable[[JsonForm, Any], Json], read: Callable[[JsonForm, Json], Any]) -> Codec:
    """A codec of several parts, which are read as a tuple."""
    return Codec(
        lambda form, parts: [write(form, part) for part in parts],
        lambda form, data: tuple(read(form, part) for part in whole_list(data)),
    )


def or_none(codec: Codec) -> Codec:
    """The same codec, for what may be None."""
    return Codec(
        lambda form, part: None if part is None else codec.write(form, part),
        lambda form, data: None if data is None else codec.read(form, data),
    )


def whole(value: Json) -> int:
    """A whole number. Raises TypeError for anything else."""
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} is no whole number")
    return value


def whole_list(data: Json) -> list[Json]:
    """A list. Raises TypeError for anything else."""
    if not isinstance(data, list):
        raise TypeError(f"{type(data).__name__} is no list")
    return data


def _in_order(values: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(values.items(), key=lambda pair: str(pair[0]))


TRUTH, TEXT, WHOLE = plain(bool), plain(str), plain(whole)
_NETWORKS_IN: Final = each(JsonForm.network, JsonForm.network_from)
VALUES: Final = each(JsonForm.value, JsonForm.value_from)
NUMBER: Final = Codec(JsonForm.value, JsonForm.number_from)
FLUENTS: Final = Codec(
    lambda form, fluents: [form.fluent(fluent) for fluent in sorted(fluents, key=str)],
    lambda form, data: frozenset(form.fluent_from(*entry) for entry in data),
)
VALUED: Final = Codec(
    lambda form, values: [
        [*form.fluent(fluent), form.value(value)] for fluent, value in _in_order(values)
    ],
    lambda form, data: {
        form.fluent_from(*fluent): form.value_from(value) for *fluent, value in data
    },
)
STATE: Final = Codec(
    lambda form, state: VALUED.write(form, state.values),
    lambda form, data: FrozenState(VALUED.read(form, data)),
)
_WRITES: Final = Codec(
    lambda form, writes: [
        [*form.fluent(fluent), write.kind.value, form.value(write.value)]
        for fluent, write in _in_order(writes)
    ],
    lambda form, data: {
        form.fluent_from(*fluent): Write(WriteKind(kind), form.value_from(value))
        for *fluent, kind, value in data
    },
)
_CODECS: Final[Mapping[str, Codec]] = {
    "task": Codec(lambda _, task: task.name, lambda form, name: form.domain.task(name)),
    "args": VALUES,
    "arguments": each(JsonForm.argument, JsonForm.argument_from),
    "binding": VALUES,
    "duration": Codec(JsonForm.value, JsonForm.duration_from),
    "cost": NUMBER,
    "value": NUMBER,
    "name": TEXT,
    "method": WHOLE,
    "kept": plain(lambda data: tuple(map(whole, whole_list(data))), list),
    "reactive": TRUTH,
    "policy": plain(ParallelPolicy, lambda policy: policy.value),
    "dropped": each(
        lambda _, drop: [drop.alternative, drop.text, drop.reason],
        lambda _, data: nodes.Dropped(whole(data[0]), *map(str, data[1:])),
    ),
    "cause": plain(
        lambda data: Suspension(SuspensionKind(data[0]), str(data[1]), bool(data[2])),
        lambda cause: [cause.kind.value, cause.fluent, cause.now],
    ),
    "call": Codec(JsonForm.network, JsonForm.network_from),
    "parts": _NETWORKS_IN,
    "rest": _NETWORKS_IN,
    "now": TRUTH,
    "reads": FLUENTS,
    "writes": _WRITES,
    "ensures": _WRITES,
    "uses": plain(lambda data: frozenset(map(str, data)), sorted),
    "foreseen": or_none(
        Codec(
            lambda form, ahead: form.written(_FORESEEN, ahead),
            lambda form, data: form.read(_FORESEEN, data),
        )
    ),
    "tree": Codec(JsonForm.tree, JsonForm.tree_from),
    "before": STATE,
    "after": STATE,
    "written": VALUED,
    "sensed": TRUTH,
    "concurrent": or_none(FLUENTS),
    "record": plain(lambda data: MethodTraversalRecord(map(whole, data)), list),
    "expansions": WHOLE,
    "networks": _NETWORKS_IN,
    "values": VALUES,
    "turns": Codec(JsonForm.value, JsonForm.value_from),
    "place": or_none(plain(lambda data: tuple(map(whole, whole_list(data))), list)),
    "methods": or_none(
        Codec(lambda form, method: form.methods[id(method)], JsonForm.method_from),
    ),
    "unknown": or_none(
        Codec(JsonForm.fluent, lambda form, data: form.fluent_from(*data)),
    ),
    "domain": or_none(Codec(lambda _, __: True, lambda form, _: form.domain)),
    "predicted": STATE,
}
"""How the attributes of nodes, networks and plans are written and read, by their names."""


class Shape:
    """Objects of one class, and what is written of them: words such as ``key=attribute:codec``.

    The key is that of the attribute, and so is the codec in ``_CODECS``, if there is no other. What
    is ``unusual`` is left out where it is as the class has it.
    """

    def __init__(
        self,
        kind: type,
        always: str = "",
        unusual: str = "",
        make: Callable[..., Any] | None = None,
    ) -> None:
        self.kind, self.make = kind, make or kind
        self.parts: list[tuple[str, str, Codec, bool]] = []
        for word in (*always.split(), *unusual.split()):
            key, _, about = word.partition("=")
            name, _, of = (about or key).partition(":")
            self.parts.append((key, name, _CODECS[of or name], word in unusual.split()))
        self.usual = {
            part.name: part.default if part.default_factory is MISSING else part.default_factory()
            for part in fields(kind)
        }


_NODES: Final[Mapping[str, Shape]] = {
    "task": Shape(nodes.TaskNode, "name=task args", "duration cost"),
    "scope": Shape(nodes.ScopeNode, "task args method=name index=method", "cost value"),
    "sequence": Shape(nodes.SequenceNode),
    "parallel": Shape(nodes.ParallelNode, "policy"),
    "priority": Shape(nodes.PriorityNode, "kept", "reactive dropped"),
    "suspended": Shape(nodes.SuspendedNode, "cause binding rest", "ensures reads foreseen"),
    "null": Shape(nodes.NullNode, make=lambda: nodes.NULL_NODE),
}
_NETWORKS: Final[Mapping[str, Shape]] = {
    "call": Shape(TaskCall, "call=task args=args:arguments", make=lambda task, args: task(*args)),
    "sequence": Shape(networks.SequenceNetwork, "sequence=parts"),
    "parallel": Shape(networks.ParallelNetwork, "parallel=parts", "policy"),
    "priority": Shape(networks.PriorityNetwork, "priority=parts", "reactive"),
    "defer": Shape(networks.DeferNetwork, "defer=call", "now"),
    "pause": Shape(networks.PauseNetwork, "pause=now", make=networks.pause),
    "null": Shape(networks.NullNetwork, make=networks.null),
}
_TURNS: Final[Mapping[type, Shape]] = {
    PendingBody: Shape(PendingBody, "parts=parts:networks binding"),
    Pending: Shape(Pending, "members=members:values"),
    Turn: Shape(
        Turn,
        "task args pending=pending:turns",
        "place=place:place name method=method:methods "
        "binding unknown=unknown:unknown domain=domain:domain",
    ),
}
"""The values of ``unordered``, which only complete plans have."""
_FOOTPRINT: Final = Shape(Footprint, "", "reads writes uses")
_FORESEEN: Final[Shape] = Shape(
    nodes.Foreseen, "nodes=tree before after", "written sensed beside=concurrent"
)
PLAN: Final = Shape(Plan, "binding record expansions predicted nodes=tree")
_NAMES: Final[Mapping[type, str]] = {
    shape.kind: name for table in (_NODES, _NETWORKS) for name, shape in table.items()
}


def _with_value(argument: Expression[Any], binding: Binding) -> Expression[Any]:
    """The argument, with the value of a parameter in its place."""
    if isinstance(argument, Parameter) and argument.position < len(binding):
        return Constant(binding[argument.position])
    return argument


def _parts(body: Network) -> Iterator[Network]:
    """Every network in a body, with the calls that are deferred."""
    for inner in networks.networks_in(body):
        yield inner
        if isinstance(inner, networks.DeferNetwork):
            yield inner.call


def _upgraded(
    data: Mapping[str, Json], domain: FrozenDomain, goal: Network | None
) -> tuple[dict[str, Json], Network]:
    """A plan of version one as one of today, with its goal; what it does not say is as usual.

    Its nodes are inside of each other. Networks and some values are texts, here read already.
    """
    name, args = data["task"]["name"], data["task"]["args"]
    if goal is None and name in {task.name for task in domain.tasks.values()}:
        goal = domain.task(name)(*_upgraded_values(args, domain.task(name)))
    elif goal is None:
        goal = network_from_text(name, domain)
    _, network = domain.with_goal(goal)
    if goal_value(network) != data["task"]:
        raise _other_goal(str(name), network_text(network))
    listed, pending = [], [data["tree"]]
    while pending:
        node = pending.pop()
        below = node.get("children", [node["child"]] if "child" in node else [])
        pending.extend(reversed(below))
        listed.append(node | _upgraded_parts(node, len(below), domain) | {"below": len(below)})
    head: Json = {"goal": network_text(network), "network": None, "binding": [], "predicted": []}
    return {**data, **head, "nodes": listed}, goal


def _upgraded_parts(node: Mapping[str, Json], below: int, domain: FrozenDomain) -> dict[str, Json]:
    match node:
        case {"node": "task", "name": name, "args": args} | {"task": name, "args": args}:
            return {"args": _upgraded_values(args, domain.task(name))}
        case {"node": "priority"}:
            gone = {drop["alternative"]: drop for drop in node.get("dropped", ())}
            kept = [place for place in range(below + len(gone)) if place not in gone]
            dropped = [[place, drop["task"], drop["reason"]] for place, drop in gone.items()]
            return {"kept": kept, "dropped": dropped}
        case {"node": "suspended", "cause": cause, "tasks": tasks}:
            kind, _, fluent = cause.partition(" ")
            rest = [network_from_text(text, domain) for text in tasks]
            return {"cause": [kind, fluent, False], "binding": [], "rest": rest}
        case _:
            return {}


def _upgraded_values(args: list[Json], task: Task) -> list[Any]:
    """The values of a task's parameters: those that JSON does not have were texts."""
    values = []
    for value, parameter in zip(args, task.parameters, strict=True):
        kind: Any = parameter.type or object
        is_text = isinstance(value, str) and kind not in (str, object)
        is_member = is_text and issubclass(kind, Enum)
        values.append(kind[value] if is_member else guessed(value) if is_text else value)
    return values


def _classes_of(schema: StateSchema, domain: FrozenDomain) -> dict[str, type]:
    """The classes of the values of fluents and parameters that are not Python's, by name."""
    described = [fluent.values for fluent in schema.fluents.values()]
    described += [
        values for f in schema.families.values() for values in (f.indices, f.prototype.values)
    ]
    kinds: list[Any] = []
    for values in described:
        kinds.extend(values.kinds)
        kinds.extend(map(type, values.listed))
        described.extend(values.parts)
    kinds.extend(parameter.type for task in domain.tasks.values() for parameter in task.parameters)
    return {
        kind.__qualname__: kind for kind in kinds if isinstance(kind, type) and _is_of_values(kind)
    }


def _is_of_values(kind: type) -> bool:
    """Whether a class is an Enum, a named tuple, a data class, or one of texts or numbers."""
    if kind in (str, int, float, bool, tuple):
        return False
    is_plain = issubclass(kind, str | int | float)
    return issubclass(kind, Enum) or is_plain or hasattr(kind, "_fields") or is_dataclass(kind)


def _other_goal(right: str, given: str) -> InputError:
    message = f"the plan is for {shortened(right)}, not for {shortened(given)}"
    return _fault(message, "give the goal of the plan")


def _fault(message: str, hint: str, where: str = "") -> InputError:
    return InputError("BT406", message, where, hint)
