"""Reads trees in the XML of BehaviorTree.CPP v4, which Groot2 edits, as behaviours.

A node that cannot be kept exactly is refused, at its line and with one to use instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure
from py_trees.common import Status

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.compile import DEEPEST
from bthtn.engine.plan.walk import Visit, unwound
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import BthtnError, Diagnostic, InputError, exception_text, nearest
from bthtn.kit.formats.format_three import NODES
from bthtn.kit.formats.node_kinds import CATEGORIES, NodeKind, Port, kind_of
from bthtn.kit.formats.palette import nodes_of
from bthtn.kit.formats.preconditions import (
    Preconditions,
    preconditions_of,
    with_preconditions,
    with_skips,
)
from bthtn.kit.formats.tree_documents import Documents, fault, unkept
from bthtn.kit.formats.tree_nodes import CPP_NODES, OWN_NODES, REFUSED
from bthtn.kit.formats.tree_scope import Scope, is_json, is_port
from bthtn.kit.formats.xml_document import MOST_ELEMENTS, Element

Placed = tuple[Element, Status | None]
"""A child, and the status that stands for skipping it at its place."""

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
    """The behaviours that a file, or a text, in the XML of BehaviorTree.CPP v4 describes.

    ``nodes`` are nodes of yours by their names in the XML: a class, or a function that makes the
    node. Their parameters called ``name``, ``agent``, ``child`` and ``children`` are given;
    the others have to be annotated, and are ports. ``tree`` is the ID of the tree to make,
    the main tree if it is empty. Times in milliseconds and seconds are those of the agent's clock.

    Raises InputError with all mistakes of the tree, each with its line.
    """
    documents = Documents(source)
    return _TreeReader(documents, agent, nodes).read(documents.chosen(tree))


class _TreeReader:
    """Makes the behaviours of one tree, by recursive generators that ``unwound`` runs."""

    def __init__(self, documents: Documents, agent: Agent[Any, Any], nodes: NodeMakers) -> None:
        """Raises InputError for a node of the user's that cannot be one."""
        self._documents = documents
        self._agent = agent
        self._schema = type(agent.beliefs.now).__schema__
        self._kinds = {**nodes_of(agent.domains), **CPP_NODES, **OWN_NODES}
        self._own = nodes.keys()
        for name, make in nodes.items():
            if name in CPP_NODES or name in OWN_NODES or name in REFUSED:
                message = f"there is a node '{name}' already"
                raise InputError("BT416", message, hint="choose another name for yours")
            self._kinds[name] = kind_of(make)
        self._faults: dict[Diagnostic, None] = {}
        self._count = 0

    def read(self, tree: str) -> Behaviour:
        """The root of the tree with this ID. Raises InputError with all mistakes."""
        scope = Scope((tree,), self._schema, self._schema)
        root = unwound(self._node(self._documents.trees[tree], scope, None, 1))
        InputError.raise_for(self._faults)
        return root

    def _node(
        self, element: Element, scope: Scope, skipped: Status | None, depth: int
    ) -> Visit[Behaviour]:
        """The behaviour of an element; ``skipped`` is as in ``tree_nodes``."""
        self._bound(element, depth)
        made: Behaviour = Failure("not read")
        conditions: Preconditions = {}
        with self._noted(element):
            if element.text:
                raise fault(element, f"a node has no text, but {element.text[:40]!r}", "remove it")
        with self._noted(element):
            conditions = preconditions_of(element, self._agent, scope, skipped)
        depth += 1 + len(conditions)
        if element.tag == "SubTree":
            with self._noted(element):
                inside = scope.inside(element, self._documents)
                below = self._documents.trees[inside.trees[-1]]
                made = yield self._node(below, inside, None, depth)
            return with_preconditions(made, conditions, skipped)
        kind: NodeKind | None = None
        # The children of a node that is not known are read, too: for their mistakes.
        placed: list[Placed] = [(child, Status.FAILURE) for child in element.children]
        with self._noted(element):
            tag, kind = self._kind(element)
            placed = list(with_skips(tag, element.children))
        children: list[Behaviour] = []
        for child, if_skipped in placed:
            children.append((yield self._node(child, scope, if_skipped, depth)))
        with self._noted(element):
            if kind is not None:
                made = self._made(element, kind, scope, skipped, children)
        return with_preconditions(made, conditions, skipped)

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

    def _kind(self, element: Element) -> tuple[str, NodeKind]:
        """The name and the kind of a node, in the compact or the explicit form.

        Raises InputError.
        """
        is_explicit = element.tag in CATEGORIES
        name = element.attributes.get("ID", "") if is_explicit else element.tag
        kind = self._kinds.get(name)
        if kind is None:
            raise self._unknown(element, name)
        if not is_explicit and "ID" in element.attributes:
            hint = f'write <{name}> alone, or <{kind.category} ID="{name}">'
            raise fault(element, f"<{name}> has an ID besides", hint)
        fitting = {kind.category} | ({"Action", "Condition"} if kind.most == 0 else set())
        if is_explicit and element.tag not in fitting:
            hint = f'write <{kind.category} ID="{name}">'
            raise fault(element, f"'{name}' is no {element.tag}", hint)
        return name, kind

    def _unknown(self, element: Element, name: str) -> InputError:
        if name in REFUSED:
            return unkept(element, f"what {name} does", REFUSED[name])
        if name in NODES:
            return fault(element, f"{name} is a node of format 3", NODES[name])
        if name in self._documents.trees:
            hint = f'write <SubTree ID="{name}"/>'
        elif not name:
            hint = f'write <{element.tag} ID="…">'
            return fault(element, f"<{element.tag}> does not say which node it is", hint)
        else:
            hint = nearest(name, self._kinds)
            if not hint.startswith("did you mean"):
                hint = f"if it is yours, give it: nodes={{'{name}': …}}"
        return fault(element, f"there is no node '{name}'", hint)

    def _made(
        self,
        element: Element,
        kind: NodeKind,
        scope: Scope,
        skipped: Status | None,
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
            "skipped": skipped,
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
                values.setdefault(port.name, {})[number] = value
            else:
                values[port.name] = value
        hints = " ".join(found.hint for found in faults)
        for port in kind.ports.values():
            shown = f"{port.name}_1" if port.numbered else port.name
            if port.is_needed and port.name not in values and f"'{port.name}'" not in hints:
                missing = fault(element, f"'{name}' has no '{shown}'", f'write {shown}="…"')
                faults += missing.diagnostics
        InputError.raise_for(faults)
        return values

    def _value(self, element: Element, port: Port, attribute: str, text: str, scope: Scope) -> Any:
        """The value or fluent that the text of a port stands for. Raises BthtnError."""
        found = scope.read(attribute, text)
        if isinstance(found, Fluent):
            kind = found.value_type
            wanted = {"": port.fluent, "condition": bool, "number": (int, float)}[port.expression]
            if wanted is None or not issubclass(kind, wanted):
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
