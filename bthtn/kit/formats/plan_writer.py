"""Writes plans in the XML of BehaviorTree.CPP v4: their order, their steps, arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from bthtn.engine.behaviours.compile import DEEPEST, MOST_SCOPES
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.engine.domain.decorator import (
    CooldownDecorator,
    Decorator,
    InvertDecorator,
    RetryDecorator,
    TimeoutDecorator,
)
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.domain.number import Seconds
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan import nodes
from bthtn.engine.plan.nodes import Node
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import Visit, joined, unwound
from bthtn.engine.text.values import guessed
from bthtn.engine.world.truth import value_text
from bthtn.errors import InputError
from bthtn.kit.formats.node_kinds import NodeKind
from bthtn.kit.formats.palette import nodes_of, parameters_by_port, port_text, tasks_by_name
from bthtn.kit.formats.tree_nodes import MILLISECONDS, OWN_NODES
from bthtn.kit.formats.xml_document import Element, without_controls

Steps = list[Element]

_COUNTS: Final[Mapping[ParallelPolicy, Mapping[str, str]]] = {
    ParallelPolicy.ALL: {"success_count": "-1", "failure_count": "1"},
    ParallelPolicy.ANY: {"success_count": "1", "failure_count": "-1"},
}


class PlanWriter:
    """Makes the elements of one plan; ``kinds`` are the nodes of it that need a model."""

    def __init__(self, plan: Plan) -> None:
        self.kinds: dict[str, NodeKind] = {}
        self._plan = plan
        self._known = nodes_of([plan.domain])
        self._names = {task.name: name for name, task in tasks_by_name([plan.domain]).items()}

    def element(self) -> Element:
        """The outermost element. Raises InputError for a plan that is nested too deep."""
        return _one(unwound(self._steps(self._plan.tree, 0, 0)))

    def _steps(self, node: Node, depth: int, scopes: int) -> Visit[Steps]:
        """The elements for a node, to be put into a sequence."""
        if depth > DEEPEST:
            message = f"branches and alternatives are nested more than {DEEPEST} deep"
            raise InputError("BT417", message, hint="write a part of the plan")
        match node:
            case nodes.TaskNode():
                return [self._action(node)]
            case nodes.SuspendedNode():
                self.kinds["Suspended"] = _SUSPENDED
                name = without_controls(f"{node.left} ({node.cause})")
                return [Element("Action", {"ID": "Suspended", "name": name}, ())]
            case nodes.NullNode():
                return []
            case nodes.ScopeNode():
                scope: Steps = yield self._scope(node, depth, scopes)
                return scope
            case nodes.SequenceNode():
                steps: Steps = []
                for child in node.children:
                    steps = joined(steps, (yield self._steps(child, depth, scopes)))
                return steps
            case nodes.ParallelNode() | nodes.PriorityNode():
                branches: Steps = []
                for child in node.children:
                    branches.append(_one((yield self._steps(child, depth + 1, scopes))))
                return [self._branching(node, tuple(branches))]
            case _:
                assert_never(node)

    def _scope(self, node: nodes.ScopeNode, depth: int, scopes: int) -> Visit[Steps]:
        decorator, origin = node.task.decorator, node.task.origin
        is_shown = not origin and scopes < MOST_SCOPES
        deeper = depth + (decorator is not None)
        inside: Steps = yield self._steps(node.child, deeper, scopes + is_shown)
        if inside and decorator is not None:
            return [self._decorated(decorator, _one(inside))]
        if inside and is_shown:
            name = without_controls(call_text(node.task, node.args))
            return [Element("Sequence", {"name": name}, tuple(inside))]
        return inside

    def _decorated(self, decorator: Decorator, part: Element) -> Element:
        match decorator:
            case TimeoutDecorator(Seconds(length)):
                assert isinstance(length, int | float), "a decorator's time is a number"
                return Element("Timeout", {"msec": f"{length * MILLISECONDS:.16g}"}, (part,))
            case TimeoutDecorator(ticks):
                return self._own("TimeoutTicks", {"ticks": str(ticks)}, part)
            case RetryDecorator(tries):
                return Element("RetryUntilSuccessful", {"num_attempts": str(tries)}, (part,))
            case CooldownDecorator(Seconds(length)):
                return self._own("Cooldown", {"seconds": str(length)}, part)
            case CooldownDecorator(ticks):
                return self._own("Cooldown", {"ticks": str(ticks)}, part)
            case InvertDecorator():
                return Element("Inverter", {}, (part,))
            case _:
                assert_never(decorator)

    def _own(self, name: str, ports: Mapping[str, str], part: Element) -> Element:
        """One of bthtn's own decorators around a part."""
        self.kinds[name] = OWN_NODES[name]
        return Element("Decorator", {"ID": name, **ports}, (part,))

    def _action(self, node: nodes.TaskNode) -> Element:
        name = self._names[node.task.name]
        self.kinds[name] = self._known[name]
        attributes = {"ID": name, "name": without_controls(call_text(node.task, node.args))}
        for port, parameter in parameters_by_port(node.task).items():
            value = node.args[parameter.position]
            text = port_text(value)
            is_ambiguous = parameter.type is None and isinstance(value, str)
            quoted = is_ambiguous and guessed(text) != value
            attributes[port] = without_controls(value_text(value) if quoted else text)
        return Element("Action", attributes, ())

    def _branching(self, node: nodes.BranchingNode, branches: tuple[Element, ...]) -> Element:
        if isinstance(node, nodes.PriorityNode):
            return Element("ReactiveFallback" if node.reactive else "Fallback", {}, branches)
        if node.policy is ParallelPolicy.PRIMARY:
            self.kinds["PlanParallel"] = _PRIMARY
            return Element("Control", {"ID": "PlanParallel"}, branches)
        return Element("Parallel", _COUNTS[node.policy], branches)


def _one(steps: Steps) -> Element:
    if len(steps) == 1:
        return steps[0]
    return Element("Sequence" if steps else "AlwaysSuccess", {}, tuple(steps))


_SUSPENDED: Final = NodeKind("Action", Suspended, {}, frozenset(), 0, 0)
_PRIMARY: Final = NodeKind("Control", PlanParallel, {}, frozenset(), 1, None)
"""Nodes that only a running plan has: Groot2 shows them, and nothing reads them again."""
