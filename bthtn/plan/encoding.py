"""Plans as complete JSON, ``"format": "bthtn-complete-plan/1"``, which ``decoding`` reads.

Nodes are listed in pre-order, each with the number of nodes directly below it, so that trees of
any depth can be read. A network that is left to be planned is written as its place: the task, the
method, and the position in the method's body, or in the goal if the task is "". One that a plain
function has made has no place, and is written out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final, assert_never, cast

from bthtn.domain import network as networks
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, TaskCall
from bthtn.errors import InputError
from bthtn.plan import nodes
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.plan.walk import children_of, preorder
from bthtn.world.expression import Binding, Constant, Parameter
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, Write
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN, value_text

FORMAT: Final = "bthtn-complete-plan/1"
_NO_DATA: Final = "a plain function has made it; write method(…) with conditions instead"
LONGEST_INTEGER: Final = 10_000
"""Bits of the longest integers written as decimals, since Python limits their digits."""


def complete_json(plan: Plan) -> str:
    """The plan as one line of JSON from which ``decoded`` makes an equal one.

    Raises InputError for values other than None, bool, int, float, str, members of an Enum, and
    tuples and frozen sets of those.
    """
    writer = _Writer(_places(plan.domain, plan.goal))
    return json.dumps(
        {
            "format": FORMAT,
            "domain": plan.domain.name,
            "goal": plan.goal_text,
            "network": _goal(plan.goal, plan.binding),
            "binding": writer.values(plan.binding),
            "record": list(plan.record),
            "expansions": plan.expansions,
            "predicted": writer.state(plan.predicted),
            "nodes": writer.tree(plan.tree),
        }
    )


def bodies(domain: FrozenDomain, goal: Network) -> Iterator[tuple[str, int, Network]]:
    """Every network that is written as data: of the goal, and of methods; with its place."""
    yield "", 0, goal
    for task, methods in domain.methods.items():
        for index, method in enumerate(methods):
            if isinstance(method.body, Network):
                yield task.name, index, method.body


def parts_in_order(body: Network) -> list[Network]:
    """Every network in a body, with the calls that are deferred."""
    found: list[Network] = []
    for inner in networks.networks_in(body):
        found.append(inner)
        if isinstance(inner, networks.DeferNetwork):
            found.append(inner.call)
    return found


def _places(domain: FrozenDomain, goal: Network) -> dict[int, list[Any]]:
    return {
        id(part): [task, index, number]
        for task, index, body in bodies(domain, goal)
        for number, part in enumerate(parts_in_order(body))
    }


def _goal(goal: Network, binding: Binding) -> Any:
    """The goal written out; None if it has parts that only its author can give."""
    if any(isinstance(task, CompoundTask) and task.origin for task in networks.tasks_in(goal)):
        return None
    try:
        return _Writer({}).network(goal, binding)
    except InputError:
        return None


class _Writer:
    """Writes the parts of one plan; ``places`` has those of networks, by their ids."""

    def __init__(self, places: Mapping[int, list[Any]]) -> None:
        self._places = places

    def tree(self, root: Node) -> list[dict[str, Any]]:
        """The nodes of a tree in pre-order."""
        return [
            self._node(node) | ({"below": len(below)} if (below := children_of(node)) else {})
            for _, node in preorder(root)
        ]

    def _node(self, node: Node) -> dict[str, Any]:
        match node:
            case nodes.TaskNode(task, args, touched, duration, cost):
                numbers = {"duration": self.value(duration), "cost": self.value(cost)}
                call = {"node": "task", "name": task.name, "args": self.values(args)}
                return call | numbers | self._footprint(touched)
            case nodes.ScopeNode(task, args, index, _, touched, name):
                call = {"node": "scope", "task": task.name, "args": self.values(args)}
                numbers = {"cost": self.value(node.cost), "value": self.value(node.value)}
                chosen = {"method": name, "index": index}
                return call | chosen | numbers | self._footprint(touched)
            case nodes.SequenceNode():
                return {"node": "sequence"}
            case nodes.ParallelNode(_, policy):
                return {"node": "parallel", "policy": policy.value}
            case nodes.PriorityNode(_, kept, reactive, dropped):
                gone = [[drop.alternative, drop.text, drop.reason] for drop in dropped]
                choice = {"node": "priority", "reactive": reactive, "kept": list(kept)}
                return choice | {"dropped": gone}
            case nodes.NullNode():
                return {"node": "null"}
            case nodes.SuspendedNode():
                return self._suspended(node)
            case _:
                assert_never(node)

    def _suspended(self, node: nodes.SuspendedNode) -> dict[str, Any]:
        cause = node.cause
        return {
            "node": "suspended",
            "cause": [cause.kind.value, cause.fluent, cause.now],
            "binding": self.values(node.binding),
            "rest": [self.network(part, node.binding) for part in node.rest],
            "ensures": self._writes(node.ensures),
            "reads": self._fluents(node.reads),
            "foreseen": None if node.foreseen is None else self._foreseen(node.foreseen),
        }

    def _foreseen(self, foreseen: nodes.Foreseen) -> dict[str, Any]:
        concurrent = foreseen.concurrent
        return {
            "nodes": self.tree(foreseen.tree),
            "before": self.state(foreseen.before),
            "after": self.state(foreseen.after),
            "written": self._valued(foreseen.written),
            "sensed": foreseen.sensed,
            "beside": None if concurrent is None else self._fluents(concurrent),
        }

    def network(self, network: Network, binding: Binding) -> Any:
        """The place of a network, or the network written out."""
        if id(network) in self._places:
            return {"place": self._places[id(network)]}
        match network:
            case TaskCall(task, args):
                return {"call": task.name, "args": [self._argument(arg, binding) for arg in args]}
            case networks.SequenceNetwork(parts):
                return {"sequence": [self.network(part, binding) for part in parts]}
            case networks.ParallelNetwork(parts, policy):
                inside = [self.network(part, binding) for part in parts]
                return {"parallel": inside, "policy": policy.value}
            case networks.PriorityNetwork(parts, reactive):
                inside = [self.network(part, binding) for part in parts]
                return {"priority": inside, "reactive": reactive}
            case networks.PauseNetwork(now):
                return {"pause": now}
            case networks.NullNetwork():
                return {"null": True}
            case networks.DeferNetwork(call, ensures, now) if not ensures:
                return {"defer": self.network(call, binding), "now": now}
            case networks.DeferNetwork():
                raise _unwritable(networks.network_text(network), _NO_DATA)
            case _:
                assert_never(network)

    def _argument(self, argument: Any, binding: Binding) -> Any:
        match argument:
            case Constant(value):
                return self.value(value)
            case Parameter(_, position) if position < len(binding):
                return self.value(binding[position])
            case Fluent():
                return {"fluent": self._fluent(argument)}
            case _:
                raise _unwritable(argument.text(), _NO_DATA)

    def state(self, state: FrozenState) -> list[Any]:
        """The fluents that differ from their default, with their values."""
        return self._valued(state.values)

    def _valued(self, values: Mapping[Fluent[Any], Any]) -> list[Any]:
        return [[*self._fluent(fluent), self.value(value)] for fluent, value in _in_order(values)]

    def _footprint(self, touched: Footprint) -> dict[str, Any]:
        facts = {"reads": self._fluents(touched.reads), "writes": self._writes(touched.writes)}
        return {key: fact for key, fact in facts.items() if fact} | (
            {"uses": sorted(touched.uses)} if touched.uses else {}
        )

    def _writes(self, writes: Mapping[Any, Write]) -> list[Any]:
        return [
            [*self._fluent(fluent), write.kind.value, self.value(write.value)]
            for fluent, write in _in_order(writes)
        ]

    def _fluents(self, fluents: frozenset[Any]) -> list[Any]:
        return [self._fluent(fluent) for fluent in sorted(fluents, key=str)]

    def _fluent(self, fluent: Fluent[Any]) -> list[Any]:
        return [fluent.name, self.value(fluent.index)]

    def values(self, values: tuple[Any, ...]) -> list[Any]:
        return [self.value(value) for value in values]

    def value(self, value: object) -> Any:
        """A value as JSON, from which an equal one can be made. Raises InputError."""
        if value is UNKNOWN:
            return {"unknown": True}
        if isinstance(value, Enum):
            return {"enum": type(value).__qualname__, "name": value.name}
        kind = type(value)
        if kind is int and cast("int", value).bit_length() > LONGEST_INTEGER:
            return {"hex": hex(cast("int", value))}
        if kind is float and not math.isfinite(cast("float", value)):
            return {"float": repr(value)}
        if value is None or kind in (bool, int, float, str):
            return value
        if kind is tuple:
            return {"tuple": [self.value(item) for item in cast("tuple[Any, ...]", value)]}
        if kind is frozenset:
            inside = sorted(cast("frozenset[Any]", value), key=repr)
            return {"set": [self.value(item) for item in inside]}
        raise _unwritable(value_text(value), f"a {kind.__name__} cannot be made from text again")


def _in_order(values: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(values.items(), key=lambda pair: str(pair[0]))


def _unwritable(what: str, hint: str) -> InputError:
    return InputError("BT406", f"{what} cannot be written into a complete plan", hint=hint)
