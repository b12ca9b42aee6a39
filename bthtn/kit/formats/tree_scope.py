"""The keys of a tree, ``{key}``: a fluent of the beliefs, or a value that a SubTree gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from bthtn.engine.text.conditions import condition_from_text, expression_from_text
from bthtn.engine.world.expression import Condition, Expression
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.schema import StateSchema
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.formats.tree_documents import Documents, fault
from bthtn.kit.formats.xml_document import Element

T = TypeVar("T")

POINTER: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Scope:
    """The keys of one tree: names of fluents, and of texts that its SubTree gives.

    ``trees`` are the IDs of the trees that it stands in, its own at the end. ``schema`` has the
    fluents by the names that they have here, ``beliefs`` all by their own names.
    """

    trees: tuple[str, ...]
    beliefs: StateSchema
    schema: StateSchema
    texts: Mapping[str, str] = field(default_factory=dict)

    def condition(self, text: str) -> Condition:
        """The condition that a text describes. Raises InputError."""
        return self._parsed(text, condition_from_text)

    def number(self, text: str) -> Expression[Any]:
        """The number that a text describes, or the expression of one. Raises InputError."""
        found = self._parsed(text, expression_from_text)
        if found.is_condition:
            hint = "write a number, a fluent, or what is computed of them"
            raise InputError("BT414", f"'{text}' is no number", hint=hint)
        return found

    def _parsed(
        self, text: str, parse: Callable[[str, StateSchema], Expression[T]]
    ) -> Expression[T]:
        for key, given in self.texts.items():
            if re.search(rf"\b{re.escape(key)}\b", text):
                message = f"'{key}' is the text {given!r} here, and no fluent"
                hint = f"give tree '{self.trees[-1]}' a fluent: {key}=\"{{…}}\""
                raise InputError("BT414", message, hint=hint)
        return self._hinted(parse, text, self.schema)

    def lookup(self, key: str) -> Fluent[Any] | str:
        """The fluent or the text that a key stands for. Raises BthtnError."""
        if key.startswith("@"):
            return self.beliefs.variable(key[1:])
        if key in self.texts:
            return self.texts[key]
        return self._hinted(self.schema.variable, key)

    def _hinted(self, read: Callable[..., T], *args: Any) -> T:
        """The result of a call; below a SubTree, a missing fluent is one that it does not give."""
        try:
            return read(*args)
        except BthtnError as error:
            if error.code == "BT102" and self.schema is not self.beliefs:
                hint = 'write …="{=}" or _autoremap="true" at the SubTree, or {@…} here'
                raise InputError.of(replace(error.diagnostics[0], hint=hint)) from None
            raise

    def read(self, attribute: str, text: str) -> Fluent[Any] | str:
        """The fluent or text that ``{key}`` stands for, or the text itself. Raises BthtnError."""
        pointer = POINTER.fullmatch(text.strip())
        if pointer is None:
            return text
        return self.lookup(attribute if pointer[1] == "=" else pointer[1])

    def inside(self, element: Element, documents: Documents) -> Scope:
        """The scope of the tree that a SubTree names. Raises BthtnError."""
        name = element.attributes.get("ID", "")
        if name not in documents.trees:
            raise fault(element, f"there is no tree '{name}'", nearest(name, documents.trees))
        if name in self.trees:
            chain = " → ".join([*self.trees, name])
            raise fault(element, f"the trees contain each other: {chain}", "use Repeat for a loop")
        if element.children:
            raise fault(element, "a SubTree has no nodes in it", f"put them into tree '{name}'")
        autoremap = element.attributes.get("_autoremap", "false")
        if autoremap not in ("true", "false", "1", "0"):
            raise fault(element, f"_autoremap is {autoremap!r}", "write true or false")
        is_open = autoremap in ("true", "1")
        written = {port: text for port, text in element.attributes.items() if is_port(port)}
        for port, default in documents.ports.get(name, {}).items():
            if port not in written and default is not None:
                written[port] = default
            elif port not in written and not is_open:
                raise fault(element, f"tree '{name}' has no '{port}'", f'write {port}="…"')
        keys = {port: self.read(port, text) for port, text in written.items()}
        texts = {key: given for key, given in keys.items() if isinstance(given, str)}
        fluents = {key: given for key, given in keys.items() if isinstance(given, Fluent)}
        families: Mapping[str, FluentFamily[Any, Any]] = {}
        if is_open:
            texts = _others(self.texts, keys) | texts
            fluents = _others(self.schema.fluents, keys) | fluents
            families = self.schema.families
        schema = StateSchema(f"tree '{name}'", fluents, families)
        return Scope((*self.trees, name), self.beliefs, schema, texts)


def _others(above: Mapping[str, T], keys: Mapping[str, object]) -> dict[str, T]:
    """The keys that a tree has of the one above it: none private, none given to it."""
    return {
        key: value for key, value in above.items() if key not in keys and not key.startswith("_")
    }


def is_port(attribute: str) -> bool:
    """Whether an attribute of an element is a port, and not one of those that all nodes have."""
    return attribute not in ("name", "ID") and not attribute.startswith("_")


def is_json(text: str) -> bool:
    """Whether BehaviorTree.CPP reads the text of a port as JSON."""
    return text.startswith("json:")
