"""Stubs: made-up nodes and keys for a tree in XML whose own are somewhere else, as in C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import new_class
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Sequence
from py_trees.decorators import PassThrough

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock, ManualClock
from bthtn.engine.behaviours.status import FAILURE, RUNNING, SUCCESS
from bthtn.engine.domain.builder import Domain
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import BthtnError
from bthtn.kit.formats.format_three import THREE
from bthtn.kit.formats.node_kinds import CATEGORIES, PRECONDITIONS, SCRIPTS
from bthtn.kit.formats.tree_documents import Documents, Tree
from bthtn.kit.formats.tree_nodes import CPP_NODES, CPP_NODES_OF_THREE, OWN_NODES
from bthtn.kit.formats.tree_scope import POINTER, is_port
from bthtn.kit.formats.xml_document import Element

_MOST_RUNNING: Final = 2
_SUCCEEDING: Final = 0.8
_SUBTREES: Final = ("SubTree", "SubTreePlus")
_SCRIPTED: Final = frozenset({*PRECONDITIONS, *SCRIPTS})
_CODE: Final[Mapping[str, tuple[str, ...]]] = {
    "Script": ("code",),
    "ScriptCondition": ("code",),
    "Precondition": ("if",),
    "Believes": ("condition", "until"),
}
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "SetBlackboard": ("output_key",),
    "UnsetBlackboard": ("key",),
}
_WORD: Final = re.compile(r"""'[^']*'|"[^"]*"|(?P<sign>[=<>]\s*)?@?(?P<word>[^\W\d]\w*)""")
_NO_KEYS: Final = frozenset({"and", "or", "not", "true", "false"})


@dataclass(frozen=True, slots=True)
class Stubs:
    """What a tree needs and does not define itself.

    ``nodes`` are nodes by their names, for ``tree_from_xml``, and ``state`` is a State class with a
    fluent for each key.
    """

    nodes: Mapping[str, Callable[..., Behaviour]]
    state: type[State]

    def agent(self, name: str = "stub", clock: Clock | None = None) -> Agent[Any, Any]:
        """An agent that knows nothing yet, with a clock that stands still unless one is given."""
        domain = Domain(name, self.state)
        return Agent(name, domain, self.state(), body=None, clock=clock or ManualClock())


@checked
def stubs_of(source: Path | str, *, seed: int = 0) -> Stubs:
    """Stubs for the nodes and keys that a file, or a text, uses and does not define.

    Whether a node is an action, a condition, a decorator or a control node says its model in
    ``TreeNodesModel``, else its use. A leaf runs for up to two ticks and succeeds four times of
    five, by the seed; a condition ends at once. A decorator does what its child does, and a control
    node is a sequence. A tree that is nowhere is a leaf, too. The values of keys may be anything,
    and are unknown at first. Raises InputError for a file that is no XML.
    """
    documents = Documents(source)
    trees = list(_reached(documents))
    used: dict[str, list[Element]] = {}
    keys: dict[str, None] = {}
    for tree in trees:
        known = CPP_NODES_OF_THREE if tree.format == THREE else CPP_NODES
        for element in _all_in(tree.root):
            name = _name_of(element)
            is_elsewhere = element.tag in _SUBTREES and documents.tree(name) is None
            is_node = element.tag not in _SUBTREES and name not in known and name not in OWN_NODES
            if is_node or is_elsewhere:
                used.setdefault(name, []).append(element)
            keys |= dict.fromkeys(_keys_of(element, tree.format))
    random = Random(seed)  # noqa: S311 - dice
    nodes = {
        name: _stub(_category(documents.models.get(name), elements), random)
        for name, elements in used.items()
        if name
    }
    declared = {
        key: fluent(default=UNKNOWN, type=object) for key in keys if key and key not in vars(State)
    }
    state: Any = new_class("Keys", (State,), exec_body=lambda body: body.update(declared))
    return Stubs(nodes, state)


def _reached(documents: Documents) -> Iterator[Tree]:
    """The trees of documents, and those of files beside that they use."""
    waiting, seen = [*documents.trees], set(documents.trees)
    while waiting:
        with suppress(BthtnError):
            tree = documents.tree(waiting.pop())
            if tree is None:
                continue
            yield tree
            below = (part.attributes.get("ID", "") for part in _all_in(tree.root))
            for name in below:
                if name and name not in seen:
                    seen.add(name)
                    waiting.append(name)


def _all_in(root: Element) -> Iterator[Element]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(reversed(element.children))


def _name_of(element: Element) -> str:
    is_named = element.tag in CATEGORIES or element.tag in _SUBTREES
    return element.attributes.get("ID", "") if is_named else element.tag


def _keys_of(element: Element, version: int) -> Iterator[str]:
    """The keys that the attributes of an element name."""
    name = _name_of(element)
    for attribute, text in element.attributes.items():
        pointer = POINTER.fullmatch(text.strip())
        if attribute in _SCRIPTED or attribute in _CODE.get(name, ()):
            yield from _words_in(text)
        elif not is_port(attribute):
            continue
        elif pointer is not None:
            yield attribute if pointer[1] == "=" else pointer[1].removeprefix("@")
        elif attribute in _KEYS.get(name, ()) or (element.tag == "SubTree" and version == THREE):
            yield text
        if element.tag in _SUBTREES and is_port(attribute):
            yield attribute


def _words_in(script: str) -> Iterator[str]:
    """The words of a script that are keys: a constant in capitals stands behind a sign."""
    for found in _WORD.finditer(script):
        word = found["word"]
        if word and word not in _NO_KEYS and not (found["sign"] and word.isupper()):
            yield word


def _category(model: Element | None, used: list[Element]) -> str:
    """What a node is: as its model says, or how it is written, or by its children."""
    most = max(len(element.children) for element in used)
    written = [element.tag for element in used if element.tag in CATEGORIES]
    said = model.tag if model is not None and model.tag in CATEGORIES else next(iter(written), "")
    by_use = "Control" if most > 1 else "Decorator" if most else "Action"
    if said and (said == "Control" or by_use in ("Action", said)):
        return said if said in ("Action", "Condition") or most else by_use
    return by_use


def _stub(category: str, random: Random) -> Callable[..., Behaviour]:
    longest = 0 if category == "Condition" else _MOST_RUNNING

    def leaf(name: str, **ports: str | Fluent[Any]) -> Behaviour:  # noqa: ARG001 - it has any
        return StubLeaf(name, random, longest)

    def decorator(name: str, child: Behaviour, **ports: str | Fluent[Any]) -> Behaviour:  # noqa: ARG001 - likewise
        return PassThrough(name, child)

    def control(name: str, children: list[Behaviour], **ports: str | Fluent[Any]) -> Behaviour:  # noqa: ARG001 - likewise
        return Sequence(name, memory=True, children=children)

    if category == "Decorator":
        return decorator
    return control if category == "Control" else leaf


class StubLeaf(Behaviour):
    """A leaf that runs for a random number of ticks, and then succeeds or fails."""

    def __init__(self, name: str, random: Random, longest: int) -> None:
        super().__init__(name)
        self._random, self._longest, self._left = random, longest, 0

    def initialise(self) -> None:
        """Called by py_trees when it is begun."""
        self._left = self._random.randint(0, self._longest)

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        self._left -= 1
        if self._left >= 0:
            return RUNNING
        return SUCCESS if self._random.random() < _SUCCEEDING else FAILURE
