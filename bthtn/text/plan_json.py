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

Not here: characters that run (``bthtn.saving``), events (``views.event_log``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, Final, NamedTuple

from bthtn.domain import network as networks
from bthtn.domain.builder import Domain
from bthtn.domain.chance import SEED
from bthtn.domain.decorator import decorator_text
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, ParallelPolicy, network_from, network_text
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.errors import BthtnError, InputError, exception_text
from bthtn.plan import nodes
from bthtn.plan.nodes import Node, Suspension, SuspensionKind
from bthtn.plan.plan import Plan
from bthtn.plan.traversal_record import MethodTraversalRecord
from bthtn.plan.walk import children_of, preorder
from bthtn.text.notation import network_from_text
from bthtn.text.values import LONGEST_INTEGER, guessed, json_value, shortened
from bthtn.world.expression import Binding, Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, FluentFamily
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.names import in_one_line
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN, value_text

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
    form = _Form(plan.domain, is_complete=complete)
    form.find_places(plan.goal)
    written = {
        "format": FORMAT,
        "domain": plan.domain.name,
        "task": goal_value(plan.goal, plan.binding),
        "goal": plan.goal_text,
        "network": _goal(plan),
        "cost": form.value(plan.cost),
        **({"value": form.value(plan.value)} if plan.domain.has_values else {}),
        **form.written(_PLAN, plan),
    }
    return json.dumps(written | ({"nodes": form.tree(plan.flat())} if flat else {}))


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
    if data.get("domain") != frozen.name:
        named = shortened(repr(data.get("domain")))
        raise _fault(f"it is a plan of domain {named}, not of '{frozen.name}'", "")
    form = _Form(frozen)
    try:
        given = None if goal is None else network_from(goal)
        if found == VERSION_ONE:
            data, given = _upgraded(data, frozen, given)
        return _plan(data, form, given)
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
    form = _Form(plan.domain)
    form.binding = plan.binding
    try:
        return form.network(plan.goal)
    except InputError:
        return None


def _plan(data: Mapping[str, Json], form: _Form, goal: Network | None) -> Plan:
    shown = shortened(str(data["goal"]))
    if goal is None and data["network"] is None:
        hint = "give it: decoded(text, domain, goal=…)"
        raise _fault(f"the goal {shown} cannot be read from text", hint)
    if goal is None:
        network = form.network_from(data["network"])
    else:
        form.domain, network = form.domain.with_goal(goal)
    goal_text = network_text(network, _VALUES_IN.read(form, data["binding"]))
    if goal_text != data["goal"]:
        raise _other_goal(str(data["goal"]), goal_text)
    form.find_places(network)
    plan: Plan = form.read(_PLAN, data, domain=form.domain, goal=network)
    return plan


class _Form:
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
    def enums(self) -> dict[str, type[Enum]]:
        """The Enums of the domain's fluents and parameters, by name."""
        return _enums_of(self.domain)

    def find_places(self, goal: Network) -> None:
        """Number the networks that the goal and the methods of the domain have as data."""
        bodies: dict[tuple[str, int], Any] = {("", 0): goal}
        for task, methods in self.domain.methods.items():
            bodies |= {(task.name, index): method.body for index, method in enumerate(methods)}
        for place, body in bodies.items():
            for number, part in enumerate(_parts(body) if isinstance(body, Network) else ()):
                self._place_of[id(part)] = (*place, number)
                self._network_at[*place, number] = part

    def written(self, shape: _Shape, thing: object) -> dict[str, Json]:
        """The parts of a thing of this shape."""
        found: dict[str, Json] = {}
        for key, name, kind, is_usual_left_out in shape.parts:
            part = getattr(thing, name)
            if not is_usual_left_out or part != shape.usual[name]:
                found[key] = kind.write(self, part)
        return found

    def read(self, shape: _Shape, data: Mapping[str, Json], **given: Any) -> Any:
        """The thing of this shape with these parts."""
        for key, name, kind, is_usual_left_out in shape.parts:
            if key in data or not is_usual_left_out:
                given[name] = kind.read(self, data[key])
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
        return {"node": name} | self.written(_NODES[name], node) | more

    def tree_from(self, listed: Json) -> Node:
        """The tree of nodes in pre-order, built from the last one."""
        ready: list[Node] = []
        before = self.at
        above = f"{before}, foreseen, " if before.startswith("node ") else ""
        for number in range(len(_list(listed)) - 1, -1, -1):
            self.at = f"{above}node {number}"
            below = _whole(listed[number].get("below", 0))
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
        node: Node = self.read(shape, data, **given)
        if isinstance(node, nodes.TaskNode | nodes.ScopeNode):
            task: Task = node.task
            if isinstance(task, CompoundTask) != isinstance(node, nodes.ScopeNode):
                kind = "compound" if isinstance(task, CompoundTask) else "primitive"
                raise TypeError(f"'{task.name}' is a {kind} task")
            if len(node.args) != len(task.parameters):
                raise TypeError(f"'{task.name}' takes {len(task.parameters)} arguments")
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
        """The name and the index of a fluent."""
        return [fluent.name, self.value(fluent.index)]

    def fluent_from(self, name: str, index: Json) -> Fluent[Any]:
        """The fluent of the domain with this name and index."""
        if name == SEED.name:
            return SEED
        found = self.domain.schema.named(name)
        return found.member(self.value_from(index)) if isinstance(found, FluentFamily) else found

    def value(self, value: object) -> Json:
        """A value as JSON. Raises InputError where no equal one could be made of that."""
        if value is None or type(value) in (bool, str):
            return value
        for tagged in _VALUES.values():
            if tagged.fits(value):
                return tagged.write(self, value)
        if type(value) in (int, float):
            return value
        kind = type(value).__name__
        return self._shown(value_text(value), f"a {kind} cannot be made from text again")

    def value_from(self, data: Json) -> Any:
        """The value that was written like this."""
        if not isinstance(data, dict | list):
            return data
        try:
            (name,) = _VALUES.keys() & set(data)
            return _VALUES[name].read(self, data)
        except (KeyError, TypeError, ValueError):
            raise ValueError("a value cannot be read") from None

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
    write: Callable[[_Form, Any], Json]
    read: Callable[[_Form, Json], Any]


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
        lambda form, data: form.enums[data["enum"]][data["name"]],
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
        lambda form, data: tuple(map(form.value_from, _list(data["tuple"]))),
    ),
    "set": _Tagged(
        lambda value: type(value) is frozenset,
        lambda form, value: {"set": list(map(form.value, sorted(value, key=repr)))},
        lambda form, data: frozenset(map(form.value_from, _list(data["set"]))),
    ),
}


class _Kind(NamedTuple):
    """How a form writes a part, and how it reads it."""

    write: Callable[[_Form, Any], Json]
    read: Callable[[_Form, Json], Any]


def _plain(read: Callable[[Json], Any], write: Callable[[Any], Json] = lambda part: part) -> _Kind:
    """A kind that knows nothing of domains."""
    return _Kind(lambda _, part: write(part), lambda _, data: read(data))


def _each(write: Callable[[_Form, Any], Json], read: Callable[[_Form, Json], Any]) -> _Kind:
    return _Kind(
        lambda form, parts: [write(form, part) for part in parts],
        lambda form, data: tuple(read(form, part) for part in _list(data)),
    )


def _or_none(kind: _Kind) -> _Kind:
    return _Kind(
        lambda form, part: None if part is None else kind.write(form, part),
        lambda form, data: None if data is None else kind.read(form, data),
    )


def _whole(value: Json) -> int:
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} is no whole number")
    return value


def _list(data: Json) -> list[Json]:
    if not isinstance(data, list):
        raise TypeError(f"{type(data).__name__} is no list")
    return data


def _in_order(values: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(values.items(), key=lambda pair: str(pair[0]))


_TRUTH, _TEXT, _WHOLE = _plain(bool), _plain(str), _plain(_whole)
_NETWORKS_IN: Final = _each(_Form.network, _Form.network_from)
_VALUES_IN: Final = _each(_Form.value, _Form.value_from)
_NUMBER: Final = _Kind(_Form.value, _Form.number_from)
_FLUENTS: Final = _Kind(
    lambda form, fluents: [form.fluent(fluent) for fluent in sorted(fluents, key=str)],
    lambda form, data: frozenset(form.fluent_from(*entry) for entry in data),
)
_VALUED: Final = _Kind(
    lambda form, values: [
        [*form.fluent(fluent), form.value(value)] for fluent, value in _in_order(values)
    ],
    lambda form, data: {
        form.fluent_from(*fluent): form.value_from(value) for *fluent, value in data
    },
)
_STATE: Final = _Kind(
    lambda form, state: _VALUED.write(form, state.values),
    lambda form, data: FrozenState(_VALUED.read(form, data)),
)
_WRITES: Final = _Kind(
    lambda form, writes: [
        [*form.fluent(fluent), write.kind.value, form.value(write.value)]
        for fluent, write in _in_order(writes)
    ],
    lambda form, data: {
        form.fluent_from(*fluent): Write(WriteKind(kind), form.value_from(value))
        for *fluent, kind, value in data
    },
)
_KINDS: Final[Mapping[str, _Kind]] = {
    "task": _Kind(lambda _, task: task.name, lambda form, name: form.domain.task(name)),
    "args": _VALUES_IN,
    "arguments": _each(_Form.argument, _Form.argument_from),
    "binding": _VALUES_IN,
    "duration": _Kind(_Form.value, _Form.duration_from),
    "cost": _NUMBER,
    "value": _NUMBER,
    "name": _TEXT,
    "method": _WHOLE,
    "kept": _plain(lambda data: tuple(map(_whole, _list(data))), list),
    "reactive": _TRUTH,
    "policy": _plain(ParallelPolicy, lambda policy: policy.value),
    "dropped": _each(
        lambda _, drop: [drop.alternative, drop.text, drop.reason],
        lambda _, data: nodes.Dropped(_whole(data[0]), *map(str, data[1:])),
    ),
    "cause": _plain(
        lambda data: Suspension(SuspensionKind(data[0]), str(data[1]), bool(data[2])),
        lambda cause: [cause.kind.value, cause.fluent, cause.now],
    ),
    "call": _Kind(_Form.network, _Form.network_from),
    "parts": _NETWORKS_IN,
    "rest": _NETWORKS_IN,
    "now": _TRUTH,
    "reads": _FLUENTS,
    "writes": _WRITES,
    "ensures": _WRITES,
    "uses": _plain(lambda data: frozenset(map(str, data)), sorted),
    "foreseen": _or_none(
        _Kind(
            lambda form, ahead: form.written(_FORESEEN, ahead),
            lambda form, data: form.read(_FORESEEN, data),
        )
    ),
    "tree": _Kind(_Form.tree, _Form.tree_from),
    "before": _STATE,
    "after": _STATE,
    "written": _VALUED,
    "sensed": _TRUTH,
    "concurrent": _or_none(_FLUENTS),
    "record": _plain(lambda data: MethodTraversalRecord(map(_whole, data)), list),
    "expansions": _WHOLE,
    "predicted": _STATE,
}
"""How the attributes of nodes, networks and plans are written and read, by their names."""


class _Shape:
    """Objects of one class, and what is written of them: words such as ``key=attribute:kind``.

    The key is that of the attribute, and so is the kind in ``_KINDS``, if there is no other. What
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
        self.parts: list[tuple[str, str, _Kind, bool]] = []
        for word in (*always.split(), *unusual.split()):
            key, _, about = word.partition("=")
            name, _, of = (about or key).partition(":")
            self.parts.append((key, name, _KINDS[of or name], word in unusual.split()))
        self.usual = {
            part.name: part.default if part.default_factory is MISSING else part.default_factory()
            for part in fields(kind)
        }


_NODES: Final[Mapping[str, _Shape]] = {
    "task": _Shape(nodes.TaskNode, "name=task args", "duration cost"),
    "scope": _Shape(nodes.ScopeNode, "task args method=name index=method", "cost value"),
    "sequence": _Shape(nodes.SequenceNode),
    "parallel": _Shape(nodes.ParallelNode, "policy"),
    "priority": _Shape(nodes.PriorityNode, "kept", "reactive dropped"),
    "suspended": _Shape(nodes.SuspendedNode, "cause binding rest", "ensures reads foreseen"),
    "null": _Shape(nodes.NullNode, make=lambda: nodes.NULL_NODE),
}
_NETWORKS: Final[Mapping[str, _Shape]] = {
    "call": _Shape(TaskCall, "call=task args=args:arguments", make=lambda task, args: task(*args)),
    "sequence": _Shape(networks.SequenceNetwork, "sequence=parts"),
    "parallel": _Shape(networks.ParallelNetwork, "parallel=parts", "policy"),
    "priority": _Shape(networks.PriorityNetwork, "priority=parts", "reactive"),
    "defer": _Shape(networks.DeferNetwork, "defer=call", "now"),
    "pause": _Shape(networks.PauseNetwork, "pause=now", make=networks.pause),
    "null": _Shape(networks.NullNetwork, make=networks.null),
}
_FOOTPRINT: Final = _Shape(Footprint, "", "reads writes uses")
_FORESEEN: Final[_Shape] = _Shape(
    nodes.Foreseen, "nodes=tree before after", "written sensed beside=concurrent"
)
_PLAN: Final = _Shape(Plan, "binding record expansions predicted nodes=tree")
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


def _enums_of(domain: FrozenDomain) -> dict[str, type[Enum]]:
    """The Enums of the domain's fluents and parameters, by name."""
    schema = domain.schema
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
        kind.__qualname__: kind
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, Enum)
    }


def _other_goal(right: str, given: str) -> InputError:
    message = f"the plan is for {shortened(right)}, not for {shortened(given)}"
    return _fault(message, "give the goal of the plan")


def _fault(message: str, hint: str, where: str = "") -> InputError:
    return InputError("BT406", message, where, hint)
