"""The keys of a tree, ``{key}``: fluents of the beliefs, and values that a SubTree gives.

Each SubTree has keys of its own, as it has a blackboard of its own in BehaviorTree.CPP: a key that
it is not given is a copy of the fluent of this name, for this SubTree alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from bthtn.engine.agent.agent import Agent
from bthtn.engine.text.conditions import condition_from_text, expression_from_text
from bthtn.engine.text.scripts import script_condition_from_text, script_from_text
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Condition, Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import StateSchema
from bthtn.errors import BthtnError, InputError, StateError, nearest
from bthtn.kit.formats.format_three import FOUR, THREE, opened
from bthtn.kit.formats.tree_documents import Documents, Tree, fault
from bthtn.kit.formats.xml_document import Element
from bthtn.records import record

T = TypeVar("T")

POINTER: Final = re.compile(r"\{([^{}]+(?:\{[^{}]*\})?)\}")
"""A key in braces; one of a SubTree of its own has its place in braces: ``{path{Dock}}``."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A text that a SubTree gives, and the key that begins with its value, if there is one."""

    text: str
    key: Fluent[Any] | None


Meaning = Fluent[Any] | Given
"""What a key stands for."""


@dataclass(slots=True, eq=False)
class Scope:
    """The keys of one tree.

    ``trees`` are the IDs of the trees that it stands in, its own at the end, and ``place`` is the
    chain of the SubTrees, "" for the main tree. ``given`` are the keys that its SubTree gives;
    all others are those of the tree ``above``, or of its own.
    """

    agent: Agent[Any, Any]
    beliefs: StateSchema
    trees: tuple[str, ...]
    format: int
    place: str = ""
    given: Mapping[str, Meaning] = field(default_factory=dict)
    above: Scope | None = None
    is_shared: bool = False
    """Whether even its private keys, ``_key``, are those of the tree above."""
    _below: Counter[str] = field(default_factory=Counter)

    def condition(self, text: str) -> Condition:
        """The condition that a text describes. Raises InputError."""
        return condition_from_text(text, self.schema)

    def number(self, text: str) -> Expression[Any]:
        """The number that a text describes, or the expression of one. Raises InputError."""
        found = expression_from_text(text, self.schema)
        if found.is_condition:
            hint = "write a number, a fluent, or what is computed of them"
            raise InputError("BT414", f"'{text}' is no number", hint=hint)
        return found

    def script(self, text: str) -> tuple[Assignment, ...]:
        """The changes that a script makes. Raises InputError."""
        return script_from_text(text, self.schema)

    def script_condition(self, text: str) -> Condition:
        """The condition that a script is. Raises InputError."""
        return script_condition_from_text(text, self.schema)

    @property
    def schema(self) -> StateSchema:
        """The fluents by the names that they have in this tree."""
        families = self.beliefs.families if self._is_main else {}
        return _Keys(self.beliefs.name, self.beliefs.fluents, families, self)

    @property
    def _is_main(self) -> bool:
        return not self.place or (self.above is not None and self.above._is_main)

    def lookup(self, key: str) -> Meaning:
        """What a key stands for. Raises BthtnError."""
        if key.startswith("@"):
            return self._declared(key[1:])
        if key in self.given:
            return self.given[key]
        if self.above is not None and (self.is_shared or not key.startswith("_")):
            return self.above.lookup(key)
        declared = self._declared(key)
        return declared.local(self.place) if self.place else declared

    def _declared(self, key: str) -> Fluent[Any]:
        """The fluent of this name. Raises StateError."""
        if not self.beliefs.fluents:  # the name of an empty class would help nobody
            hint = "declare it in the State class of the agent; --stub makes it up"
            raise StateError("BT102", f"there is no key '{key}'", hint=hint)
        return self.beliefs.variable(key)

    def variable(self, key: str) -> Fluent[Any]:
        """The fluent that a key stands for. Raises BthtnError for one that is only a text."""
        found = self.lookup(key)
        if isinstance(found, Given):
            if found.key is None:
                message = f"'{key}' is the text {found.text!r} here, and no fluent"
                raise InputError("BT414", message, hint=f"declare a fluent '{key}' for its values")
            return found.key
        return found

    def read(self, attribute: str, text: str) -> Meaning | str:
        """What ``{key}`` stands for, or the text itself. Raises BthtnError."""
        pointer = POINTER.fullmatch(text.strip())
        if pointer is None:
            return text
        return self.lookup(attribute if pointer[1] == "=" else pointer[1])

    def inside(self, element: Element, documents: Documents) -> tuple[Tree, Scope]:
        """The tree that a SubTree names, and its scope. Raises BthtnError."""
        name = element.attributes.get("ID", "")
        tree = documents.tree(name)
        if tree is None:
            raise fault(element, f"there is no tree '{name}'", nearest(name, documents.trees))
        if name in self.trees:
            chain = " → ".join([*self.trees, name])
            raise fault(element, f"the trees contain each other: {chain}", "use Repeat for a loop")
        if element.children:
            raise fault(element, "a SubTree has no nodes in it", f"put them into tree '{name}'")
        opens = opened(element, self.format)
        written = {port: text for port, text in element.attributes.items() if is_port(port)}
        ports = documents.ports.get(name, {}) if self.format == FOUR and not opens else {}
        for port, default in ports.items():
            if port not in written and default is not None:
                written[port] = default
            elif port not in written:
                raise fault(element, f"tree '{name}' has no '{port}'", f'write {port}="…"')
        self._below[name] += 1
        number = "" if self._below[name] == 1 else f"_{self._below[name]}"
        place = "/".join(filter(None, (self.place, f"{name}{number}")))
        is_shared = opens == "__shared_blackboard"
        above = self if opens else None
        trees = (*self.trees, name)
        inside = Scope(self.agent, self.beliefs, trees, tree.format, place, {}, above, is_shared)
        if not is_shared:  # then what is written does not count
            inside.given = {
                port: self._given(element, port, text, inside) for port, text in written.items()
            }
        return tree, inside

    def _given(self, element: Element, port: str, text: str, inside: Scope) -> Meaning:
        """What a SubTree gives as one of its keys. Raises BthtnError."""
        if (
            self.format == THREE
            and element.tag == "SubTree"
            and not POINTER.fullmatch(text.strip())
        ):
            return self.lookup(text)  # all texts are keys
        found = self.read(port, text)
        if not isinstance(found, str):
            return found
        try:
            key = self.beliefs.variable(port).local(inside.place)
            value = key.parse(found)
        except BthtnError:
            return Given(found, None)
        self.agent.believe(key, value)
        return Given(found, key)


@record(eq=False)
class _Keys(StateSchema):
    """The fluents that the keys of a tree stand for, by name."""

    scope: Scope

    def variable(self, text: str) -> Fluent[Any]:
        """The fluent that the key stands for, or one written as ``name[index]``."""
        if text.endswith("]") and text not in self.fluents:
            return super().variable(text)
        return self.scope.variable(text)


def is_port(attribute: str) -> bool:
    """Whether an attribute of an element is a port, and not one of those that all nodes have."""
    return attribute not in ("name", "ID") and not attribute.startswith("_")


def is_json(text: str) -> bool:
    """Whether BehaviorTree.CPP reads the text of a port as JSON."""
    return text.startswith("json:")
