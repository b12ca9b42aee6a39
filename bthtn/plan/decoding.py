"""Plans from the complete JSON that ``encoding`` writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, cast

from bthtn.domain import network as networks
from bthtn.domain.builder import Domain
from bthtn.domain.chance import SEED
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, ParallelPolicy, network_from, network_text
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.errors import BthtnError, InputError, exception_text
from bthtn.plan.codec import shortened
from bthtn.plan.encoding import FORMAT, bodies, parts_in_order
from bthtn.plan.nodes import (
    NULL_NODE,
    Dropped,
    Foreseen,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    SuspensionKind,
    TaskNode,
)
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent, FluentFamily
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.names import in_one_line
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN


def decoded(
    text: str, domain: Domain[Any] | FrozenDomain, *, goal: NetworkLike | None = None
) -> Plan:
    """The plan that ``encoded(plan, complete=True)`` has written, for the same domain.

    ``goal`` is needed for a goal with constructs, or with expressions other than fluents. Raises
    InputError for a text that is no such plan, and for a domain that has other tasks.
    """
    frozen = domain.freeze() if isinstance(domain, Domain) else domain
    data = _loaded(text)
    found = data.get("format")
    if found != FORMAT:
        hint = "write it with encoded(plan, complete=True)"
        if str(found).startswith(FORMAT.partition("/")[0]):
            hint = "it was written by another version of bthtn"
        raise _fault(f"the format is {shortened(repr(found))} instead of '{FORMAT}'", hint)
    if data.get("domain") != frozen.name:
        named = shortened(repr(data.get("domain")))
        raise _fault(f"it is a plan of domain {named}, not of '{frozen.name}'", "")
    reader = _Reader(frozen)
    try:
        return reader.plan(data, None if goal is None else network_from(goal))
    except BthtnError as error:
        first = error.diagnostics[0]
        told = in_one_line(shortened(first.message, 200))  # which may quote the text
        raise InputError.of(replace(first, message=told, where=first.where or reader.at)) from None
    except RecursionError:
        raise _fault("a value or a network is nested too deep", "", reader.at) from None
    except Exception as error:
        shown = shortened(exception_text(error), 200)
        message = f"the plan is damaged, or the domain has changed: {shown}"
        raise _fault(message, "plan again, or use the domain as it was", reader.at) from error


def _loaded(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError, TypeError) as error:
        raise _fault(f"it is no JSON: {str(error)[:200]}", "") from None
    if not isinstance(data, dict):
        raise _fault(f"a plan is an object of JSON, not {type(data).__name__}", "")
    return data


def _fault(message: str, hint: str, where: str = "") -> InputError:
    return InputError("BT406", message, where, hint)


class _Reader:
    """Reads the parts of one plan; ``at`` is the part that is being read."""

    def __init__(self, domain: FrozenDomain) -> None:
        self.at = "the goal"
        self._domain = domain
        self._bodies: dict[tuple[str, int], list[Network]] = {}
        self._enums = _enums_of(domain)

    def plan(self, data: Mapping[str, Any], goal: Network | None) -> Plan:
        shown = shortened(str(data["goal"]))
        if goal is None and data["network"] is None:
            hint = "give it: decoded(text, domain, goal=…)"
            raise _fault(f"the goal {shown} cannot be read from text", hint)
        if goal is None:
            network = self._network(data["network"])
        else:
            self._domain, network = self._domain.with_goal(goal)
        binding = self._values(data["binding"])
        if network_text(network, binding) != data["goal"]:
            other = shortened(network_text(network, binding))
            raise _fault(f"the plan is for {shown}, not for {other}", "give the goal of the plan")
        for task, index, body in bodies(self._domain, network):
            self._bodies[task, index] = parts_in_order(body)
        record = MethodTraversalRecord(_whole(entry) for entry in data["record"])
        predicted, tree = self._state(data["predicted"]), self._tree(data["nodes"])
        expansions = _whole(data["expansions"])
        return Plan(self._domain, network, binding, tree, record, predicted, expansions)

    def _tree(self, listed: list[Any], above: str = "") -> Node:
        """The tree of nodes in pre-order, built from the last one."""
        ready: list[Node] = []
        for number in range(len(listed) - 1, -1, -1):
            self.at = f"{above}node {number}"
            data = listed[number]
            below = _whole(data.get("below", 0))
            if not 0 <= below <= len(ready):
                raise ValueError(f"there are no {below} nodes below it")
            children = tuple(reversed(ready[len(ready) - below :]))
            del ready[len(ready) - below :]
            ready.append(self._node(data, children))
        (root,) = ready
        return root

    def _node(self, data: Mapping[str, Any], children: tuple[Node, ...]) -> Node:
        make: dict[str, Callable[[Mapping[str, Any], tuple[Node, ...]], Node]] = {
            "task": self._task,
            "scope": self._scope,
            "sequence": lambda _, below: SequenceNode(below),
            "parallel": lambda data, below: ParallelNode(below, ParallelPolicy(data["policy"])),
            "priority": self._priority,
            "suspended": self._suspended,
            "null": lambda _, below: _leaf(NULL_NODE, below),
        }
        return make[data["node"]](data, children)

    def _task(self, data: Mapping[str, Any], children: tuple[Node, ...]) -> Node:
        task = self._domain.task(data["name"])
        if not isinstance(task, PrimitiveTask):
            raise TypeError(f"'{task.name}' is a compound task")
        args, numbers = self._args(task, data), (data["duration"], data["cost"])
        duration, cost = map(_number, map(self._value, numbers))
        if duration < 0:
            raise ValueError("a duration is less than nothing")
        return _leaf(TaskNode(task, args, self._footprint(data), duration, cost), children)

    def _scope(self, data: Mapping[str, Any], children: tuple[Node, ...]) -> Node:
        task = self._domain.task(data["task"])
        if not isinstance(task, CompoundTask):
            raise TypeError(f"'{task.name}' is a primitive task")
        (child,) = children
        cost, value = (_number(self._value(data[key])) for key in ("cost", "value"))
        args, touched, name = self._args(task, data), self._footprint(data), str(data["method"])
        return ScopeNode(task, args, _whole(data["index"]), child, touched, name, cost, value)

    def _args(self, task: Task, data: Mapping[str, Any]) -> Binding:
        args = self._values(data["args"])
        if len(args) != len(task.parameters):
            raise TypeError(f"'{task.name}' takes {len(task.parameters)} arguments")
        return args

    def _priority(self, data: Mapping[str, Any], children: tuple[Node, ...]) -> Node:
        kept = tuple(map(_whole, data["kept"]))
        if len(kept) != len(children):
            raise ValueError(f"{len(kept)} alternatives are kept, and there are {len(children)}")
        gone = (Dropped(_whole(place), str(text), str(why)) for place, text, why in data["dropped"])
        return PriorityNode(children, kept, bool(data["reactive"]), tuple(gone))

    def _suspended(self, data: Mapping[str, Any], children: tuple[Node, ...]) -> Node:
        kind, fluent, now = data["cause"]
        cause = Suspension(SuspensionKind(kind), str(fluent), bool(now))
        rest = tuple(map(self._network, data["rest"]))
        foreseen = None if data["foreseen"] is None else self._foreseen(data["foreseen"])
        given = self._writes(data["ensures"]), self._fluents(data["reads"]), foreseen
        return _leaf(SuspendedNode(rest, self._values(data["binding"]), cause, *given), children)

    def _foreseen(self, data: Mapping[str, Any]) -> Foreseen:
        at, concurrent = self.at, data["beside"]
        tree = self._tree(data["nodes"], f"{at}, foreseen, ")
        self.at = at
        return Foreseen(
            tree,
            self._state(data["before"]),
            self._state(data["after"]),
            self._valued(data["written"]),
            bool(data["sensed"]),
            None if concurrent is None else self._fluents(concurrent),
        )

    def _network(self, data: Mapping[str, Any]) -> Network:
        match data:
            case {"place": [str(task), int(index), int(number)]} if number >= 0:
                return self._bodies[task, index][number]
            case {"call": str(name), "args": list(args)}:
                return self._domain.task(name)(*map(self._argument, args))
            case {"sequence": list(parts)}:
                return networks.SequenceNetwork(tuple(map(self._network, parts)))
            case {"parallel": list(parts), "policy": policy}:
                return networks.ParallelNetwork(
                    tuple(map(self._network, parts)), ParallelPolicy(policy)
                )
            case {"priority": list(parts), "reactive": reactive}:
                return networks.PriorityNetwork(tuple(map(self._network, parts)), bool(reactive))
            case {"defer": call, "now": now}:
                return networks.DeferNetwork(cast("TaskCall", self._network(call)), (), bool(now))
            case {"pause": now}:
                return networks.PAUSE_NOW if now else networks.PAUSE
            case {"null": _}:
                return networks.NULL
            case _:
                raise ValueError("a network cannot be read")

    def _argument(self, data: Any) -> Any:
        match data:
            case {"fluent": [str(name), index]}:
                return self._fluent(name, index)
            case _:
                return self._value(data)

    def _state(self, data: list[Any]) -> FrozenState:
        return FrozenState(self._valued(data))

    def _valued(self, data: list[Any]) -> dict[Fluent[Any], Any]:
        return {self._fluent(*fluent): self._value(value) for *fluent, value in data}

    def _footprint(self, data: Mapping[str, Any]) -> Footprint:
        uses = frozenset(map(str, data.get("uses", ())))
        reads, writes = data.get("reads", []), data.get("writes", [])
        return Footprint(self._fluents(reads), self._writes(writes), uses)

    def _writes(self, data: list[Any]) -> dict[Any, Write]:
        return {
            self._fluent(*fluent): Write(WriteKind(kind), self._value(value))
            for *fluent, kind, value in data
        }

    def _fluents(self, data: list[Any]) -> frozenset[Any]:
        return frozenset(self._fluent(*entry) for entry in data)

    def _fluent(self, name: str, index: Any) -> Fluent[Any]:
        if name == SEED.name:
            return SEED
        found = self._domain.schema.named(name)
        return found.member(self._value(index)) if isinstance(found, FluentFamily) else found

    def _values(self, data: list[Any]) -> tuple[Any, ...]:
        return tuple(map(self._value, data))

    def _value(self, data: Any) -> Any:
        match data:
            case {"unknown": _}:
                return UNKNOWN
            case {"enum": str(kind), "name": str(name)}:
                return self._enums[kind][name]
            case {"hex": str(text)}:
                return int(text, 16)
            case {"float": ("inf" | "-inf" | "nan") as text}:
                return float(text)
            case {"tuple": list(inside)}:
                return self._values(inside)
            case {"set": list(inside)}:
                return frozenset(self._values(inside))
            case None | bool() | int() | float() | str():
                return data
            case _:
                raise ValueError("a value cannot be read")


def _leaf(node: Node, children: tuple[Node, ...]) -> Node:
    if children:
        raise ValueError("there are nodes below a leaf")
    return node


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} is no whole number")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError(f"{type(value).__name__} is no number")
    if value != value:  # noqa: PLR0124 - NaN, with which nothing can be compared
        raise ValueError("NaN is no number")
    number: float = value
    return number


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
