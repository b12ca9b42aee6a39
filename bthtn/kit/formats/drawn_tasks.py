"""Drawn tasks in files: the trees of a BehaviorTree.CPP document become tasks of a domain.

    <root BTCPP_format="4">
      <BehaviorTree ID="strike">
        <Sequence>
          <CheckState condition="distance &lt;= reach"/>
          <Command name="swing" uses="arms"/>
        </Sequence>
      </BehaviorTree>
      <BehaviorTree ID="slash">
        <SubTask task="strike" reach="2.5" animation="slash"/>
      </BehaviorTree>
      <TreeNodesModel>
        <SubTree ID="strike">
          <input_port name="reach" type="double" default="2.0"/>
          <input_port name="animation" type="string"/>
        </SubTree>
      </TreeNodesModel>
    </root>

The ports of a tree are the parameters of its task. An element makes the node of its name in
``authored``, where its meaning is explained; ``Fallback`` is a Selector, and ``SubTree`` or the
name of a task a SubTask. An argument is a constant, or in curly brackets a value that is computed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from keyword import iskeyword
from pathlib import Path
from typing import Any, Final, cast, get_args

from py_trees import composites
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy

from bthtn.engine.agent.operators import Operators
from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.network import NetworkLike
from bthtn.engine.domain.number import Duration, Seconds
from bthtn.engine.domain.parameter import Parameters
from bthtn.engine.domain.task import Task, TaskCall
from bthtn.engine.text.conditions import (
    changes_from_text,
    condition_from_text,
    expression_from_text,
)
from bthtn.engine.text.values import finite_from
from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.schema import StateSchema
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.kit.formats import authored
from bthtn.kit.formats.drawn_decorators import DECORATORS, decorate_from
from bthtn.kit.formats.node_kinds import CATEGORIES, PRECONDITIONS, SCRIPTS
from bthtn.kit.formats.xml_document import Element, element_in

Symbols = tuple[StateSchema, Parameters]
"""The meanings of words in texts: fluents, and the parameters of a task."""

_TYPES: Final[Mapping[str, type]] = {
    "bool": bool,
    **dict.fromkeys(("int", "unsigned"), int),
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("str", "string", "std::string"), str),
}
_ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "CheckState": ("condition", "name"),
    "ModifyState": ("set", "kind", "name"),
    "Value": ("number", "name"),
    "Command": ("name", "uses", "duration"),
    "Parallel": ("name", "policy"),
    "Null": ("name",),
    **dict.fromkeys(("Sequence", "Selector", "Fallback", "Later", "ExtensionPoint"), ("name",)),
    **DECORATORS,
}
"""The attributes of the elements, to each of which Groot2 gives a name; all others are calls."""
_LEAVES: Final = ("CheckState", "ModifyState", "Value", "Command", "Null")
_CALLS: Final[Mapping[str, str]] = {"SubTask": "task", "SubTree": "ID"}
_TAKEN: Final = ("name", "task", "ID")
"""The attributes of calls that are no arguments."""


def read_tasks(
    path: Path | str, domain: Domain[Any], operators: Operators[Any] | None = None
) -> tuple[Task, ...]:
    """Define in the domain the tasks that are drawn in a file, as ``task_from`` does.

    Raises InputError with all faults of the file and their places. Calls are looked at when the
    domain is frozen; faults in them have the place in the file, too.
    """
    file = _TaskFile(element_in(Path(path)), domain)
    made: list[Task] = []
    for tree in file.trees:
        with file.collecting(tree):
            name = tree.attributes["ID"]
            made.append(authored.task_from(domain, name, file.function_of(tree), operators))
    InputError.raise_for(file.faults)
    return tuple(made)


def outline_tasks(path: Path, domain: Domain[Any]) -> set[str]:
    """Define the tasks that are drawn in a file with their parameters, and without what they do.

    Files that only name them can be read by that, while there are mistakes in this one. Returns
    the names of which nothing is known then: of tasks of which a misspelt element hides whether
    they are primitive, and of methods. Raises InputError for a file that cannot be read.
    """
    file = _TaskFile(element_in(path), domain)
    for tree in file.trees:
        with file.collecting(tree):
            authored.task_from(domain, tree.attributes["ID"], file.outline_of(tree))
    tasks = {tree.attributes["ID"] for tree in file.trees if not file.is_known(tree)}
    return tasks.union(*map(_method_names, file.trees))


def _method_names(tree: Element) -> set[str]:
    """The names of the nodes that can be methods of a drawn task."""
    (root, *_) = (*tree.children, tree)
    return {part.attributes["name"] for part in root.children if part.attributes.get("name")}


class _TaskFile:
    """Reader of one document; collects faults, each with its line."""

    def __init__(self, root: Element, domain: Domain[Any]) -> None:
        self.faults: list[Diagnostic] = []
        self.trees: list[Element] = []
        self._domain = domain
        self._schema = domain.state_class.__schema__
        self._models: dict[str, Element] = {}
        with self.collecting(root):
            if root.tag != "root" or root.attributes.get("BTCPP_format") != "4":
                raise _fault("this is no document of trees", 'write <root BTCPP_format="4">')
        for element in root.children:
            with self.collecting(element):
                self._add(element)
        self._names = {tree.attributes["ID"] for tree in self.trees}
        for name, model in self._models.items():
            with self.collecting(model):
                if name not in self._names:
                    raise _fault(f"there is no tree '{name}'", nearest(name, self._names))

    @contextmanager
    def collecting(self, element: Element) -> Iterator[None]:
        """Collect the diagnostics of errors raised inside, placed at an element."""
        try:
            yield
        except BthtnError as error:
            self.faults += error.within(element.where)

    def function_of(self, tree: Element) -> Callable[..., Behaviour]:
        """The function whose parameters are the ports of the tree, and which makes its nodes."""
        model = self._models.get(tree.attributes["ID"])
        ports = [] if model is None else list(filter(None, map(self._port, model.children)))
        names = [port.name for port in ports]
        if len(set(names)) < len(names):
            raise _fault("two ports have one name", "remove one of them")

        def drawn(*parameters: Parameter[Any]) -> Behaviour:
            if len(tree.children) == 1:
                return self._node(tree.children[0], parameters)
            raise _fault("a tree has one node", "put its nodes into a <Sequence>")

        ports.sort(key=lambda port: port.default is not port.empty)
        typed = (port for port in ports if port.annotation is not port.empty)
        drawn.__annotations__ = {port.name: port.annotation for port in typed}
        drawn.__signature__ = inspect.Signature(ports)  # type: ignore[attr-defined]  # PEP 362
        return drawn

    def outline_of(self, tree: Element) -> Callable[..., Behaviour]:
        """The function for a task with the same parameters that is primitive or open as this is."""
        (root, *_) = (*tree.children, tree)
        tags = _tags_of(root)
        made: Behaviour = authored.Null()
        if tags.count("Command") == 1 and {*tags} <= {"CheckState", "ModifyState", "Command"}:
            made = authored.Command("command")
        elif root.tag == "ExtensionPoint":
            made = authored.ExtensionPoint("")

        def outline(*_: Parameter[Any]) -> Behaviour:
            return made

        drawn = self.function_of(tree)
        outline.__annotations__ = drawn.__annotations__
        outline.__signature__ = inspect.signature(drawn)  # type: ignore[attr-defined]  # PEP 362
        return outline

    def is_known(self, tree: Element) -> bool:
        """Whether the elements that say of what kind the task is are ones that there are."""
        try:
            for root in tree.children:
                for tag in _tags_of(root):
                    self._check_kind(tag)
        except BthtnError:
            return False
        return True

    def _add(self, element: Element) -> None:
        match element.tag:
            case "BehaviorTree" if element.attributes.get("ID"):
                self.trees.append(element)
            case "BehaviorTree":
                raise _fault("the tree has no ID", "give it the name of the task")
            case "TreeNodesModel":
                models = (child for child in element.children if child.tag == "SubTree")
                self._models |= {subtree.attributes.get("ID", ""): subtree for subtree in models}
            case tag:
                hint = nearest(tag, ("BehaviorTree", "TreeNodesModel"))
                raise _fault(f"<{tag}> cannot stand here", hint)

    def _port(self, port: Element) -> inspect.Parameter | None:
        """The parameter of a port, of any type if that is wrong; None for a port without a name."""
        name, kind = port.attributes.get("name", ""), port.attributes.get("type", "")
        where = inspect.Parameter.POSITIONAL_OR_KEYWORD
        made = None
        with self.collecting(port):
            if port.tag != "input_port":
                raise _fault(f"<{port.tag}> is no parameter", "a parameter is an <input_port>")
            if not name.isidentifier() or iskeyword(name) or name in _TAKEN:
                hint = f"write letters, digits and _, and none of {', '.join(_TAKEN)}"
                raise _fault(f"a parameter cannot be called '{name}'", hint)
            made = inspect.Parameter(name, where)
            if kind and kind not in _TYPES:
                raise _fault(f"there is no type '{kind}'", nearest(kind, _TYPES))
            default: Any = inspect.Parameter.empty
            if "default" in port.attributes:
                as_parameter: Parameter[Any] = Parameter(name, 0, _TYPES.get(kind))
                default = finite_from(port.attributes["default"], as_parameter)
            annotation = _TYPES.get(kind, inspect.Parameter.empty)
            return inspect.Parameter(name, where, default=default, annotation=annotation)
        return made

    def _node(self, element: Element, parameters: Parameters) -> Behaviour:
        """The node of an element, an empty one if there is something wrong with it."""
        kind, given = element.tag, {**element.attributes}
        if kind in CATEGORIES and "ID" in given:
            kind = given.pop("ID")
        children = [self._node(child, parameters) for child in element.children]
        with self.collecting(element):
            self._check_kind(kind)
            _check(kind, given, children)
            symbols = (self._schema, parameters)
            if kind in _LEAVES:
                return _leaf(kind, given, symbols)
            if kind in DECORATORS:
                return _decorated(kind, given, children, element)
            if kind in _ATTRIBUTES:
                return _composite(kind, given, children)
            return self._call(kind, given, element, symbols)
        return authored.Null()

    def _check_kind(self, kind: str) -> None:
        known = {*_ATTRIBUTES, *_CALLS, *self._names}
        if kind not in known and not _is_task(self._domain, kind):
            raise _fault(f"there is no node and no task '{kind}'", nearest(kind, known))

    def _call(
        self, kind: str, given: Mapping[str, str], element: Element, symbols: Symbols
    ) -> Behaviour:
        name = _required(given, _CALLS[kind]) if kind in _CALLS else kind
        not_given = ("name", _CALLS.get(kind, ""))
        texts = {key: text for key, text in given.items() if key not in not_given and key[0] != "_"}
        return _DrawnCall(name, texts, element, symbols)


def _tags_of(root: Element) -> list[str]:
    """The kinds of a node, or of those of the sequence that it is."""
    parts = root.children if root.tag == "Sequence" else (root,)
    return [part.attributes.get("ID", part.tag) for part in parts]


class _DrawnCall(authored.SubTask):
    """A call whose arguments are texts until the task is known, which says of which type."""

    def __init__(
        self, task: str, texts: Mapping[str, str], element: Element, symbols: Symbols
    ) -> None:
        super().__init__(task)
        self._texts = texts
        self._element = element
        self._symbols = symbols

    def call(self, domain: Domain[Any]) -> TaskCall:
        try:
            task = domain.task(self.task)
            known = {parameter.name: parameter for parameter in task.parameters}
            return task(**{name: self._argument(name, known) for name in self._texts})
        except BthtnError as error:
            raise InputError.of(error.within(self._element.where)) from None

    def _argument(self, name: str, known: Mapping[str, Parameter[Any]]) -> Any:
        InputError.require(name, known, "BT103", f"'{self.task}' has no parameter '{name}'")
        text = self._texts[name]
        if text.startswith("{") and text.endswith("}"):
            return expression_from_text(text[1:-1], *self._symbols)
        return finite_from(text, known[name])


def _composite(kind: str, given: Mapping[str, str], children: list[Behaviour]) -> Behaviour:
    name = given.get("name", "")
    match kind:
        case "Sequence":
            return composites.Sequence(name, memory=True, children=children)
        case "Later":
            return authored.Later(name, children)
        case "ExtensionPoint":
            return authored.ExtensionPoint(name, children)
        case "Parallel":
            return composites.Parallel(name, _policy(given, children), children)
        case _:
            return composites.Selector(name, memory=True, children=children)


def _decorated(
    kind: str, given: Mapping[str, str], children: list[Behaviour], element: Element
) -> Behaviour:
    """A decorated part. Mistakes in the part are found when the domain is frozen."""
    if len(children) != 1:
        raise _fault(f"<{kind}> has one node in it", "put its nodes into a <Sequence>")
    leaves = [node for node in children[0].iterate() if not node.children]
    if kind == "Inverter" and all(isinstance(leaf, authored.CheckState) for leaf in leaves):
        raise _fault("a plan has no inverted check", 'write condition="not (…)"')
    made = decorate_from(kind, given)

    def decorate(part: NetworkLike) -> NetworkLike:
        try:
            return made(part)
        except BthtnError as error:
            raise InputError.of(error.within(element.where)) from None

    return authored.Decorated(given.get("name", kind), children[0], decorate)


def _leaf(kind: str, given: Mapping[str, str], symbols: Symbols) -> Behaviour:
    match kind:
        case "CheckState":
            text = _required(given, "condition")
            condition = condition_from_text(text, *symbols, mark=True)
            return authored.CheckState(condition)
        case "ModifyState":
            changes = changes_from_text(_required(given, "set"), *symbols)
            return authored.ModifyState(*changes, kind=_kind(given))
        case "Value":
            return authored.Value(expression_from_text(_required(given, "number"), *symbols))
        case "Command":
            uses = re.findall(r"[^\s,]+", given.get("uses", ""))
            duration = _duration(given.get("duration", "0"), symbols)
            return authored.Command(_required(given, "name"), uses=uses, duration=duration)
        case _:
            return authored.Null()


def _duration(text: str, symbols: Symbols) -> Duration:
    """The time in ticks, or in seconds as in ``seconds(1.5)``. Raises InputError."""
    in_seconds = re.fullmatch(r"\s*seconds\((.*)\)\s*", text)
    value = expression_from_text(in_seconds[1] if in_seconds else text, *symbols)
    return Seconds(value) if in_seconds else value


def _check(kind: str, given: Mapping[str, str], children: Sequence[Behaviour]) -> None:
    """Raise InputError for attributes and children that a node of this kind does not have."""
    faults: list[Diagnostic] = []
    for name in given:
        known = _ATTRIBUTES.get(kind, (name,))
        if name in PRECONDITIONS or name in SCRIPTS:
            faults += _fault(
                f"a task has no {name}", "write <CheckState> or <ModifyState>"
            ).diagnostics
        elif name not in known and name[0] != "_":
            faults += _fault(f"<{kind}> has no '{name}'", nearest(name, known)).diagnostics
    if children and (kind in _LEAVES or kind not in _ATTRIBUTES):
        hint = "put what follows it behind it"
        faults += _fault(f"<{kind}> has nothing in it", hint).diagnostics
    InputError.raise_for(faults)


def _required(given: Mapping[str, str], name: str) -> str:
    if not given.get(name):
        raise _fault(f"'{name}' is missing", f'write {name}="…"')
    return given[name]


def _policy(given: Mapping[str, str], children: Sequence[Behaviour]) -> Any:
    match given.get("policy", "all"):
        case "all":
            return ParallelPolicy.SuccessOnAll()
        case "any":
            return ParallelPolicy.SuccessOnOne()
        case "primary":
            return ParallelPolicy.SuccessOnSelected(list(children[:1]))
        case other:
            hint = nearest(other, ("all", "any", "primary"))
            raise _fault(f"a plan has no policy '{other}'", hint)


def _kind(given: Mapping[str, str]) -> authored.Kind:
    kind = given.get("kind", "effects")
    if kind not in get_args(authored.Kind):
        raise _fault(f"changes are not '{kind}'", nearest(kind, get_args(authored.Kind)))
    return cast("authored.Kind", kind)


def _is_task(domain: Domain[Any], name: str) -> bool:
    try:
        domain.task(name)
    except BthtnError:
        return False
    return True


def _fault(message: str, hint: str) -> InputError:
    return InputError("BT420", message, hint=hint)
