"""Reads trees in the XML of BehaviorTree.CPP, which Groot2 edits, as behaviours.

A node that cannot be kept exactly is refused, at its line and with one to use instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.compile import DEEPEST
from bthtn.engine.plan.walk import Visit, unwound
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import BthtnError, Diagnostic, InputError, exception_text, nearest
from bthtn.kit.formats.format_three import FOUR, NODES, THREE
from bthtn.kit.formats.node_kinds import CATEGORIES, NodeKind, Port, kind_of
from bthtn.kit.formats.palette import nodes_of
from bthtn.kit.formats.preconditions import Around, around, with_around
from bthtn.kit.formats.tree_documents import Documents, Tree, fault, unkept
from bthtn.kit.formats.tree_nodes import CPP_NODES, CPP_NODES_OF_THREE, OWN_NODES, REFUSED
from bthtn.kit.formats.tree_scope import POINTER, Given, Scope, is_json, is_port
from bthtn.kit.formats.xml_document import MOST_ELEMENTS, Element

NodeMakers = Mapping[str, Callable[..., Behaviour]]
"""Nodes of the user by the names that they have in XML: classes, or functions that make them."""


@checked
def tree_from_xml(
    source: Path | str,
    agent: Agent[Any, Any],
    *,
    nodes: NodeMakers = MappingProxyType({}),
    tree: str = "",
) -> Behaviour:
    """The behaviours that a file, or a text, in the XML of BehaviorTree.CPP describes.

    ``nodes`` are nodes of yours by their names in the XML: a class, or a function that makes the
    node. Their parameters called ``name``, ``agent``, ``child`` and ``children`` are given;
    the others have to be annotated, and are ports. ``tree`` is the ID of the tree to make,
    the main tree if it is empty. Times in milliseconds and seconds are those of the agent's clock.

    Raises InputError with all mistakes of the tree, each with its line.
    """
    documents = Documents(source)
    return _TreeReader(documents, agent, nodes).read(documents.chosen(tree))


_NODES: Final = MappingProxyType({THREE: CPP_NODES_OF_THREE, FOUR: CPP_NODES})
_SUBTREES: Final = MappingProxyType({THREE: ("SubTree", "SubTreePlus"), FOUR: ("SubTree",)})
"""The elements that stand for another tree, by formats."""


class _TreeReader:
    """Makes the behaviours of one tree, by recursive generators that ``unwound`` runs."""

    def __init__(self, documents: Documents, agent: Agent[Any, Any], nodes: NodeMakers) -> None:
        """Raises InputError for a node of the user's that cannot be one."""
        self._documents = documents
        self._agent = agent
        self._schema = type(agent.beliefs.now).__schema__
        given: dict[str, NodeKind] = {}
        formats = {tree.format for tree in documents.trees.values()}
        for name, make in nodes.items():
            if name in OWN_NODES or any(name in _NODES[version] for version in formats):
                message = f"there is a node '{name}' already"
                raise InputError("BT416", message, hint="choose another name for yours")
            given[name] = kind_of(make)
        self._own = given.keys()
        of_domains = nodes_of(agent.domains)
        self._kinds = {
            THREE: {**of_domains, **OWN_NODES, **given, **CPP_NODES_OF_THREE},
            FOUR: {**of_domains, **OWN_NODES, **given, **CPP_NODES},
        }
        self._faults: dict[Diagnostic, None] = {}
        self._count = 0

    def read(self, tree: str) -> Behaviour:
        """The root of the tree with this ID. Raises InputError with all mistakes."""
        found = self._documents.trees[tree]
        scope = Scope(self._agent, self._schema, (tree,), found.format)
        root = unwound(self._node(found.root, scope, 1))
        InputError.raise_for(_once_each(self._faults))
        return root

    def _node(self, element: Element, scope: Scope, depth: int) -> Visit[Behaviour]:
        """The behaviour of an element."""
        self._bound(element, depth)
        made: Behaviour = Failure("not read")
        conditions: Around = {}
        with self._noted(element):
            if element.text:
                raise fault(element, f"a node has no text, but {element.text[:40]!r}", "remove it")
        with self._noted(element):
            conditions = around(element, self._agent, scope)
        depth += 1 + len(conditions)
        if element.tag in _SUBTREES[scope.format] and not self._is_given(element):
            below: tuple[Tree, Scope] | None = None
            with self._noted(element):
                below = scope.inside(element, self._documents)
            if below is not None:
                tree, inside = below
                made = yield self._node(tree.root, inside, depth)
            return with_around(made, self._agent, conditions)
        kind: NodeKind | None = None
        with self._noted(element):
            kind = self._kind(element, scope.format)
        children: list[Behaviour] = []
        # The children of a node that is not known are read, too: for their mistakes.
        for child in element.children:
            below_it: Behaviour = yield self._node(child, scope, depth)
            children.append(below_it)
        with self._noted(element):
            if kind is not None:
                made = self._made(element, kind, scope, children)
        return with_around(made, self._agent, conditions)

    def _is_given(self, element: Element) -> bool:
        """Whether a node of the user's stands for a tree that is not there."""
        name = element.attributes.get("ID", "")
        return name in self._own and self._documents.tree(name) is None

    def _bound(self, element: Element, depth: int) -> None:
        """Raise InputError for a tree that grows without end."""
        self._count += 1
        if depth > DEEPEST:
            hint = "py_trees runs a tree by recursion; make it flatter"
            raise fault(element, f"nodes are nested deeper than {DEEPEST}", hint)
        if self._count > MOST_ELEMENTS:
            message = f"the tree has more than {MOST_ELEMENTS:,} nodes, with its subtrees"
            raise fault(element, message, "a SubTree is made anew wherever it stands: use fewer")

    @contextmanager
    def _noted(self, element: Element) -> Iterator[None]:
        """Collect the errors of an element, to go on with the others."""
        try:
            yield
        except BthtnError as error:
            for fault in error.diagnostics:
                is_placed = fault.where.startswith(f"{element.source}:")
                self._faults[fault if is_placed else fault.within(element.where)] = None

    def _kind(self, element: Element, version: int) -> NodeKind:
        """The kind of a node, in the compact or the explicit form. Raises InputError."""
        is_explicit = element.tag in CATEGORIES or element.tag in _SUBTREES[version]
        name = element.attributes.get("ID", "") if is_explicit else element.tag
        kind = self._kinds[version].get(name)
        if kind is None:
            raise self._unknown(element, name, version)
        if not is_explicit and "ID" in element.attributes:
            hint = f'write <{name}> alone, or <{kind.category} ID="{name}">'
            raise fault(element, f"<{name}> has an ID besides", hint)
        fitting = {kind.category} | ({"Action", "Condition"} if kind.most == 0 else set())
        if element.tag in CATEGORIES and element.tag not in fitting:
            hint = f'write <{kind.category} ID="{name}">'
            raise fault(element, f"'{name}' is no {element.tag}", hint)
        return kind

    def _unknown(self, element: Element, name: str, version: int) -> InputError:
        if name in REFUSED:
            return unkept(element, f"what {name} does", REFUSED[name])
        if version == THREE and name in CPP_NODES:
            hint = 'write <root BTCPP_format="4">, if that is what it is'
            return fault(element, f"{name} is a node of format 4", hint)
        if name in NODES:
            return fault(element, f"{name} is a node of format 3", NODES[name])
        if name in self._documents.trees:
            hint = f'write <SubTree ID="{name}"/>'
        elif not name:
            hint = f'write <{element.tag} ID="…">'
            return fault(element, f"<{element.tag}> does not say which node it is", hint)
        else:
            hint = nearest(name, self._kinds[version])
            if not hint.startswith("did you mean"):
                hint = f"if it is yours, give it: nodes={{'{name}': …}}; --stub makes one up"
        return fault(element, f"there is no node '{name}'", hint)

    def _made(
        self,
        element: Element,
        kind: NodeKind,
        scope: Scope,
        children: list[Behaviour],
    ) -> Behaviour:
        """The behaviour of an element with these children. Raises BthtnError."""
        name = element.attributes.get("ID", element.tag)
        if len(children) < kind.fewest or (kind.most is not None and len(children) > kind.most):
            message = f"'{name}' has {len(children)} children, and takes {kind.children_text}"
            raise fault(element, message, _how_many(kind, len(children)))
        given = {
            "name": element.attributes.get("name", name),
            "agent": self._agent,
            "children": children,
            "child": children[0] if children else None,
        }
        values = {port: given[port] for port in kind.given} | self._ports(
            element, name, kind, scope
        )
        try:
            made = kind.make(**values)
        except BthtnError:
            raise
        except Exception as error:
            message = f"'{name}' cannot be made: {exception_text(error)}"
            raise fault(element, message, "mend its constructor, or the ports") from error
        if not isinstance(made, Behaviour):
            message = f"'{name}' made {type(made).__name__}, not a behaviour of py_trees"
            raise fault(element, message, "let the function return the node")
        return made

    def _ports(self, element: Element, name: str, kind: NodeKind, scope: Scope) -> dict[str, Any]:
        """The values of the ports of a node. Raises BthtnError with the faults of all."""
        values: dict[str, Any] = {}
        faults: list[Diagnostic] = []
        for attribute, text in element.attributes.items():
            if not is_port(attribute):
                continue
            found = kind.port(attribute)
            if found is None:
                hint = nearest(attribute, kind.ports) or "it has no ports"
                wrong = fault(element, f"'{name}' has no port '{attribute}'", hint)
                faults += wrong.diagnostics
                continue
            port, number = found
            value = None
            try:
                value = self._value(element, port, attribute, text, scope)
            except BthtnError as error:
                faults += error.diagnostics
            if port.numbered:
                values.setdefault(port.parameter or port.name, {})[number] = value
            else:
                values[port.parameter or port.name] = value
        hints = " ".join(found.hint for found in faults)
        for port in kind.ports.values():
            shown = f"{port.name}_1" if port.numbered else port.name
            name_of = port.parameter or port.name
            if port.is_needed and name_of not in values and f"'{port.name}'" not in hints:
                missing = fault(element, f"'{name}' has no '{shown}'", f'write {shown}="…"')
                faults += missing.diagnostics
        InputError.raise_for(faults)
        return values

    def _value(self, element: Element, port: Port, attribute: str, text: str, scope: Scope) -> Any:
        """The value or fluent that the text of a port stands for. Raises BthtnError."""
        match port.expression:
            case "script":
                return scope.script(text)
            case "script condition":
                return scope.script_condition(text)
            case "key":
                if not text.strip():
                    raise fault(element, f"'{attribute}' names no key", f'write {attribute}="…"')
                pointer = POINTER.fullmatch(text.strip())
                return scope.variable(text if pointer is None else pointer[1])
        found = scope.read(attribute, text)
        if isinstance(found, Given):
            takes = port.fluent is not None and found.key is not None
            found = found.key if takes and found.key is not None else found.text
        if isinstance(found, Fluent):
            kind = found.value_type
            wanted = {"": port.fluent, "condition": bool, "number": (int, float)}[port.expression]
            if wanted is None or not (kind is object or issubclass(kind, wanted)):
                is_own = element.attributes.get("ID", element.tag) in self._own
                hint = _instead_of(found, port, is_own=is_own)
                raise fault(element, f"'{attribute}' cannot be the fluent '{found}'", hint)
            return found
        if port.expression == "condition":
            return scope.condition(found)
        if port.expression == "number":
            return scope.number(found)
        if port.values is None:
            hint = f'write the name of a fluent in braces: {attribute}="{{…}}"'
            raise fault(element, f"'{attribute}' is a fluent, not {found!r}", hint)
        try:
            if not is_json(found):
                return port.values.parse(found)
        except ValueError:
            pass
        hint = port.values.hint(found)
        raise fault(element, f"'{attribute}' cannot be {found!r}", hint)


def _once_each(faults: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Each mistake at its first place, and how many times it is made."""
    found: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for mistake in sorted(faults, key=lambda mistake: mistake.order):
        found.setdefault((mistake.code, mistake.message, mistake.hint), []).append(mistake)
    for same in found.values():
        times = f", {len(same)} times in all" if same[1:] else ""
        yield replace(same[0], where=f"{same[0].where}{times}")


def _how_many(kind: NodeKind, count: int) -> str:
    """A hint for a node with too few or too many children."""
    if count < kind.fewest:
        return "put what it is to run into it"
    if kind.most == 0:
        return "put them beside it"
    return "put several into one Sequence or Fallback"


def _instead_of(fluent: Fluent[Any], port: Port, *, is_own: bool) -> str:
    """A hint for a port that cannot be this fluent; only those of the user's nodes are changed."""
    kind = fluent.value_type.__name__
    if port.expression == "condition":
        return f"compare it: {fluent} == …"
    if port.expression == "number":
        return "write a number, or what is computed of fluents that are numbers"
    if is_own:
        return f"write a value, or annotate the port: Fluent[{kind}]"
    if port.fluent is not None:
        return f"write a fluent that is {port.fluent.__name__}, not {kind}"
    return "write a value; this port takes no fluent"
