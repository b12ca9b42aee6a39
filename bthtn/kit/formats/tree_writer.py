"""Writes trees in the XML of BehaviorTree.CPP 4, as ``tree_from_xml`` reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from py_trees import composites, decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Success
from py_trees.common import OneShotPolicy

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.assigning import Afterwards, Assign
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.control import Parallel, ParallelAll, Switch
from bthtn.engine.behaviours.decorators import (
    Cooldown,
    Delay,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
)
from bthtn.engine.behaviours.goals import PriorityGoals, StateMachineGoals, UtilityGoals
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.skipping import (
    KeepsRunning,
    Precondition,
    SequenceWithMemory,
    Skip,
    SkippingSelector,
    SkippingSequence,
)
from bthtn.engine.behaviours.status import FAILURE, SUCCESS
from bthtn.engine.domain.network import network_text
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import Visit, unwound
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.replanning.policy import DEFAULT_REPLANNING
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.engine.text.conditions import expression_from_text
from bthtn.engine.text.scripts import script_from_text, script_text
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import ALWAYS, Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import BthtnError, InputError
from bthtn.kit.formats.node_kinds import Category, NodeKind, ports_kept
from bthtn.kit.formats.palette import LegalNames, models, port_text
from bthtn.kit.formats.plan_writer import PlanWriter
from bthtn.kit.formats.tree_nodes import (
    CPP_NODES,
    MILLISECONDS,
    OWN_NODES,
    TAGS,
    Believed,
    goal_from_text,
)
from bthtn.kit.formats.tree_scope import POINTER, is_json
from bthtn.kit.formats.xml_document import Element, without_controls, xml_text

Written = tuple[str, dict[str, object]] | None
"""The tag and the ports of a node; None for one that holds code, or more than its ports say."""


@checked
def xml_of(what: Behaviour | Plan, *, name: str = "Main") -> str:
    """A tree, or a plan, in the XML of BehaviorTree.CPP v4 with the models that Groot2 needs.

    ``name`` is the ID of the tree. ``tree_from_xml`` makes an equal tree of that of a tree. A node
    of a class of yours has the class's name, and as ports those of the class's parameters that
    the node has as attributes. One of bthtn's nodes that holds code has a name of its own. Plans
    mounted below a PlanGoal are left out. Raises InputError for a text that XML cannot hold.
    """
    writer = PlanWriter(what) if isinstance(what, Plan) else _TreeWriter(what)
    tree = Element("BehaviorTree", {"ID": LegalNames().of(name)}, (writer.element(),))
    head = {"BTCPP_format": "4", "main_tree_to_execute": tree.attributes["ID"]}
    return xml_text(Element("root", head, (tree, models(writer.kinds))))


class _TreeWriter:
    """Makes the elements of one tree, and collects the kinds of nodes that need a model."""

    def __init__(self, root: Behaviour) -> None:
        self._root = root
        self.kinds: dict[str, NodeKind] = {}
        self._names = LegalNames()
        self._classes: dict[type, str] = {}

    def element(self) -> Element:
        """The outermost element. Raises InputError for a value that XML cannot hold."""
        return unwound(self._element(self._root))

    def _element(self, node: Behaviour) -> Visit[Element]:
        tag, ports = _written(node) or (self._own_name(node), _kept_ports(node))
        attributes = {} if node.name == tag else {"name": without_controls(node.name)}
        for port, value in ports.items():
            attributes[port] = _port_text(node, port, value)
        if tag in OWN_NODES:
            self.kinds[tag] = OWN_NODES[tag]
        if tag in self.kinds:
            attributes = {"ID": tag, **attributes}
        children: list[Element] = []
        for child in _children_of(node):
            below: Element = yield self._element(child)
            children.append(below)
        kind = self.kinds.get(tag)
        return Element(tag if kind is None else kind.category, attributes, tuple(children))

    def _own_name(self, node: Behaviour) -> str:
        """The name of a class that is no node of BehaviorTree.CPP or bthtn."""
        made = type(node)
        if made not in self._classes:
            self._classes[made] = name = self._names.of(made.__name__)
            self.kinds[name] = _kind(node)
        return self._classes[made]


def _kind(node: Behaviour) -> NodeKind:
    """The kind of a node of the user's: its ports are the parameters of its class, if known."""
    has_children = bool(node.children)
    leaf: Category = "Condition" if isinstance(node, Believes) else "Action"
    is_decorator = isinstance(node, decorators.Decorator)
    category: Category = "Decorator" if is_decorator else "Control" if has_children else leaf
    return NodeKind(category, type(node), ports_kept(type(node)), frozenset(), 0, None)


def _kept_ports(node: Behaviour) -> dict[str, object]:
    """The values of the parameters of its class that a node keeps under their names."""
    found: dict[str, object] = {}
    for port in _kind(node).ports.values():
        value = getattr(node, port.name, None)
        is_fluent = isinstance(value, Fluent) and port.fluent is not None
        if is_fluent or (port.values is not None and port.values.accepts(value)):
            found[port.name] = value
    return found


def _port_text(node: Behaviour, port: str, value: object) -> str:
    """The text of a value. Raises InputError if it would be read as something else."""
    text = port_text(value)
    is_literal = isinstance(value, Fluent) or not (POINTER.fullmatch(text) or is_json(text))
    if is_literal and without_controls(text) == text:
        return text
    message = f"'{port}' of '{node.name}' is {text!r}, which XML cannot hold"
    raise InputError("BT417", message, hint="leave out control characters and braces")


def _written(node: Behaviour) -> Written:
    """The tag and the ports of a node of py_trees or bthtn, if they say all that it is."""
    if isinstance(node, composites.Composite) and not node.children:
        ends = {composites.Sequence: "AlwaysSuccess", composites.Selector: "AlwaysFailure"}
        return (ends[type(node)], {}) if type(node) in ends else None
    if type(node) is RunOnce and node.then in (SUCCESS, FAILURE):
        return "RunOnceThen", {"then": node.then.name.lower()}
    if type(node) in TAGS:
        return TAGS[type(node)], {}
    write = _PORTS.get(type(node))
    return None if write is None else write(node)


def _composite(node: composites.Sequence | composites.Selector) -> Written:
    tag = "Sequence" if isinstance(node, composites.Sequence) else "Fallback"
    return (tag if node.memory else f"Reactive{tag}"), {}


def _parallel(node: Parallel) -> Written:
    # Relative to the number of children, it counts those that are skipped, too.
    counts = node.success_count - (len(node.children) + 1 if node.counts_skipped else 0)
    return "Parallel", {"success_count": counts, "failure_count": node.failure_count}


def _switch(node: Switch) -> Written:
    tag = f"Switch{len(node.cases)}"
    cases = _cases(node.variable, node.cases)
    in_order = [*node.cases.values(), node.default] == node.children
    if tag not in CPP_NODES or cases is None or not in_order:
        return None
    return tag, {"variable": node.variable, **cases}


def _cases(variable: Expression[Any], cases: Mapping[Any, Behaviour]) -> dict[str, object] | None:
    """The ports for cases, if their texts stand for the same values."""
    if not isinstance(variable, Fluent):
        return None
    texts = [port_text(value) for value in cases]
    try:
        if [variable.parse(text) for text in texts] != [*cases]:
            return None
    except BthtnError:
        return None
    return {f"case_{number}": text for number, text in enumerate(texts, 1)}


def _precondition(node: Precondition) -> Written:
    asked, _, instead = node.children
    ends = {Success: "SUCCESS", Failure: "FAILURE", Skip: "SKIPPED"}
    if not isinstance(asked, Believes) or type(instead) not in ends:
        return None
    if not _is_read_again(str(asked.condition), asked.agent):
        return None
    return "Precondition", {"if": str(asked.condition), "else": ends[type(instead)]}


def _children_of(node: Behaviour) -> Sequence[Behaviour]:
    """The children that are written: not what the ports say."""
    if isinstance(node, PlanGoal):
        return ()
    return node.children[1:2] if isinstance(node, Precondition) else node.children


def _loop(tag: str, port: str) -> Callable[[Any], Written]:
    def write(node: Repeat | RetryUntilSuccessful) -> Written:
        cycles = node.cycles.fluent if isinstance(node.cycles, Believed) else node.cycles
        return None if callable(cycles) else (tag, {port: cycles})

    return write


def _assign(node: Assign) -> Written:
    code = _script(node.changes, node.agent)
    return ("Script", {"code": code}) if code else None


def _afterwards(node: Afterwards) -> Written:
    codes = {
        moment: _script(changes, node.agent) for moment, changes in node.changes.items() if changes
    }
    return ("Afterwards", {**codes}) if all(codes.values()) else None


def _script(changes: Sequence[Assignment], agent: Agent[Any, Any]) -> str:
    """The script that makes these changes, "" if they hold code."""
    code = "; ".join(map(script_text, changes))
    try:
        found = script_from_text(code, type(agent.beliefs.now).__schema__)
    except BthtnError:
        return ""
    return code if [*map(str, found)] == [*map(str, changes)] else ""


def _timed(tag: str, port: str) -> Callable[[Any], Written]:
    def write(node: Timeout | Delay) -> Written:
        if node.seconds is None:
            return f"{tag}Ticks", {"ticks": node.ticks}
        if isinstance(node.seconds, Believed):
            return tag, {port: node.seconds.fluent}
        if callable(node.seconds):
            return None
        milliseconds = round(node.seconds * MILLISECONDS)
        is_exact = milliseconds / MILLISECONDS == node.seconds
        return (tag, {port: milliseconds}) if is_exact else None

    return write


def _one_shot(node: decorators.OneShot) -> Written:
    is_same = node.policy is OneShotPolicy.ON_COMPLETION
    return ("RunOnce", {"then_skip": False}) if is_same else None


def _plan_goal(node: PlanGoal) -> Written:
    goal = network_text(node.goal)
    try:
        is_call = network_text(goal_from_text(goal, node.agent)) == goal
    except BthtnError:
        return None
    settings = {port: getattr(node.settings, port) for port in _OF_SETTINGS}
    is_kept = is_call and Settings(**settings) == node.settings
    if (
        not is_kept
        or node.replanning != DEFAULT_REPLANNING
        or isinstance(node.budget, PlanningSchedule)
    ):
        return None
    known = OWN_NODES["PlanGoal"].ports
    ports = {"budget": node.budget, "max_replans": node.max_replans, **settings}
    others = {port: value for port, value in ports.items() if value != known[port].default}
    return "PlanGoal", {"goal": goal, **others}


_OF_SETTINGS: Final = ("horizon", "horizon_time", "check_rest", "cheapest", "anytime", "seed")


def _by_ports(tag: str, **kept_as: str) -> Callable[[Any], Written]:
    """Writes nodes of bthtn that keep what their ports say, under the same names or ``kept_as``."""

    def write(node: Any) -> Written:
        texts: dict[str, str] = {}
        values: dict[str, object] = {}
        for port in OWN_NODES[tag].ports.values():
            value = getattr(node, kept_as.get(port.name, port.name))
            if port.numbered:
                texts |= {
                    f"{port.name}_{n}": str(part)
                    for n, part in enumerate(value, 1)
                    if part is not ALWAYS
                }
            elif port.expression and value is not None:
                texts[port.name] = str(value)
            elif not port.expression and value != port.default:
                values[port.name] = value
        is_data = all(_is_read_again(text, node.agent) for text in texts.values())
        return (tag, {**texts, **values}) if is_data else None

    return write


def _is_read_again(text: str, agent: Agent[Any, Any]) -> bool:
    """Whether the text of an expression is read as one with the same text."""
    try:
        found = expression_from_text(text, type(agent.beliefs.now).__schema__)
    except BthtnError:
        return False
    return str(found) == text


def _state_machine_goals(node: StateMachineGoals) -> Written:
    cases = _cases(node.variable, node.goals)
    if cases is None or [*node.goals.values()] != node.children:
        return None
    return "StateMachineGoals", {"state": node.variable, **cases}


_PORTS: Final[Mapping[type, Callable[[Any], Written]]] = {
    composites.Sequence: _composite,
    composites.Selector: _composite,
    SkippingSequence: _composite,
    SkippingSelector: _composite,
    SequenceWithMemory: lambda _: ("SequenceWithMemory", {}),
    Parallel: _parallel,
    ParallelAll: lambda node: ("ParallelAll", {"max_failures": node.max_failures}),
    Assign: _assign,
    Afterwards: _afterwards,
    Skip: lambda _: ("Skip", {}),
    KeepsRunning: lambda _: ("KeepRunningUntilFailure", {}),
    Precondition: _precondition,
    Switch: _switch,
    Repeat: _loop("Repeat", "num_cycles"),
    RetryUntilSuccessful: _loop("RetryUntilSuccessful", "num_attempts"),
    Timeout: _timed("Timeout", "msec"),
    Delay: _timed("Delay", "delay_msec"),
    Cooldown: _by_ports("Cooldown"),
    RunOnce: lambda node: ("RunOnce", {"then_skip": node.then is not None}),
    decorators.OneShot: _one_shot,
    Believes: _by_ports("Believes"),
    PlanGoal: _plan_goal,
    PriorityGoals: _by_ports("PriorityGoals", when="conditions"),
    UtilityGoals: _by_ports("UtilityGoals", when="conditions", utility="utilities"),
    StateMachineGoals: _state_machine_goals,
}
"""The function that writes the tag and the ports of a node, by its class."""
