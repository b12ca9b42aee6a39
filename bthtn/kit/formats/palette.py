"""The palette of a domain for Groot2: models of tasks, conditions and bthtn's nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import Task
from bthtn.engine.text.values import finite_from
from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType, values_of
from bthtn.kit.formats.drawn_models import task_models
from bthtn.kit.formats.node_kinds import GIVEN, NodeKind, Port, kind_of
from bthtn.kit.formats.tree_nodes import CPP_NODES, OWN_NODES, REFUSED
from bthtn.kit.formats.xml_document import Element, xml_text

TEXT: Final = ValueType((str,))
_ILLEGAL: Final = re.compile(r"""[\s\x00-\x1f\x7f<>&"'/\\:*?|.]""")
_RESERVED: Final = frozenset(
    {*CPP_NODES, *OWN_NODES, *REFUSED, "SubTree", "BehaviorTree", "TreeNodesModel", "include"}
    | {"Action", "Condition", "Control", "Decorator", "Root", "root", "Suspended", "PlanParallel"}
)
_MOST_NUMBERED: Final = 6
"""As many as BehaviorTree.CPP's Switch has at most."""


class LegalNames:
    """Gives each thing a name that BehaviorTree.CPP and Groot2 accept, and no other has."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)

    def of(self, name: str) -> str:
        """The name with ``_`` for each letter that is not allowed, and a number if it is taken."""
        legal = stem = _ILLEGAL.sub("_", name)
        number = 2
        while legal in self._taken:
            legal, number = f"{stem}_{number}", number + 1
        self._taken.add(legal)
        return legal


def tasks_by_name(domains: Iterable[FrozenDomain]) -> dict[str, Task]:
    """The tasks that authors have defined, by their names in XML."""
    names = LegalNames()
    return {names.of(name): domain.tasks[name] for domain in domains for name in domain.authored}


def nodes_of(domains: Iterable[FrozenDomain]) -> dict[str, NodeKind]:
    """The nodes that domains add to the palette.

    A task is a goal to be planned for, its parameters are ports. A fluent that is true or false is
    a condition.
    """
    known = tuple(domains)
    found = {name: _goal_kind(task) for name, task in tasks_by_name(known).items()}
    for fluent in known[0].state_class.__schema__.fluents.values():
        name = _ILLEGAL.sub("_", fluent.name)
        if fluent.value_type is bool and name not in found and name not in _RESERVED:
            found[name] = _condition_kind(fluent)
    return found


def _goal_kind(task: Task) -> NodeKind:
    parameters = parameters_by_port(task)

    def make(name: str, agent: Agent[Any, Any], **ports: Any) -> Behaviour:
        values = {
            parameters[port].name: value
            if parameters[port].type
            else finite_from(value, parameters[port])
            for port, value in ports.items()
        }
        return PlanGoal(name, agent, task(**values))

    ports = {port: _port(port, parameter) for port, parameter in parameters.items()}
    given = frozenset({"name", "agent"})
    return NodeKind("Action", make, MappingProxyType(ports), given, 0, 0)


def parameters_by_port(task: Task) -> dict[str, Parameter[Any]]:
    """The parameters of a task that calls may give, by the names of their ports."""
    free = [parameter for parameter in task.parameters if not parameter.is_fixed]
    reserved = (*GIVEN, "ID")
    return {
        f"{parameter.name}_" if parameter.name in reserved else parameter.name: parameter
        for parameter in free
    }


def _port(name: str, parameter: Parameter[Any]) -> Port:
    values = TEXT if parameter.type is None else values_of(parameter)
    return Port(name, values, default=parameter.default)


def _condition_kind(fluent: Fluent[Any]) -> NodeKind:
    """The node that succeeds while a fluent is true."""

    def make(name: str, agent: Agent[Any, Any]) -> Behaviour:
        return Believes(name, agent, fluent)

    given = frozenset({"name", "agent"})
    return NodeKind("Condition", make, MappingProxyType({}), given, 0, 0)


def models(
    kinds: Mapping[str, NodeKind], more: Mapping[str, Element] = MappingProxyType({})
) -> Element:
    """The models that Groot2 needs of nodes that are not its own, beside ``more`` of them."""
    made = {**more, **{name: _model(name, kind) for name, kind in kinds.items()}}
    return Element("TreeNodesModel", {}, tuple(made[name] for name in sorted(made)))


def _model(name: str, kind: NodeKind) -> Element:
    ports = []
    for port in kind.ports.values():
        stems = range(1, _MOST_NUMBERED + 1) if port.numbered else ("",)
        for number in stems:
            shown = {"name": f"{port.name}_{number}" if port.numbered else port.name}
            if port.type_text:
                shown["type"] = port.type_text
            if not (port.is_needed or port.numbered or port.default is None):
                shown["default"] = port_text(port.default)
            ports.append(Element("input_port", shown, ()))
    return Element(kind.category, {"ID": name}, tuple(ports))


def port_text(value: object) -> str:
    """A value as the text of a port: as in a plan, but texts without quotes."""
    if isinstance(value, Fluent):
        return f"{{{value}}}"
    return value if isinstance(value, str) and not isinstance(value, Enum) else value_text(value)


@checked
def palette_of(
    domain: Domain[Any] | FrozenDomain,
    *,
    nodes: Mapping[str, Callable[..., Behaviour]] = MappingProxyType({}),
) -> str:
    """The models of a domain's tasks and conditions and of bthtn's nodes, as XML for Groot2.

    A task is an action with its parameters as ports, which is read as a goal to be planned for; a
    fluent that is true or false is a condition. ``nodes`` are those of yours, as for
    ``tree_from_xml``. The elements that tasks are drawn with are there, too. Raises DomainError for
    a domain that is not well made, and InputError for a node that cannot be one.
    """
    own = {name: kind_of(make) for name, make in nodes.items()}
    kinds = {**OWN_NODES, **own, **nodes_of([frozen(domain)])}
    return xml_text(Element("root", {"BTCPP_format": "4"}, (models(kinds, task_models()),)))
