"""Stubs: made-up nodes and keys for a tree in XML whose own are somewhere else, as in C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
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
from bthtn.errors import BthtnError, Diagnostic, Severity, nearest
from bthtn.kit.formats.format_three import THREE
from bthtn.kit.formats.node_kinds import CATEGORIES, PRECONDITIONS, SCRIPTS
from bthtn.kit.formats.tree_documents import Documents, Tree
from bthtn.kit.formats.tree_nodes import CPP_NODES, CPP_NODES_OF_THREE, OWN_NODES
from bthtn.kit.formats.tree_scope import POINTER, is_port
from bthtn.kit.formats.xml_document import Element

_MOST_RUNNING: Final = 2
_SUCCEEDING: Final = 0.8
_NEAR: Final = 0.8
"""How alike a misspelt word and the right one are: ``TimeOut``, but not ``Retreat`` and Repeat."""
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
    fluent for each key. ``trees`` are the names of those nodes that stand for a tree that is
    nowhere. ``warnings`` tell of these, and of names that may be misspelt.
    """

    nodes: Mapping[str, Callable[..., Behaviour]]
    state: type[State]
    trees: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

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
    used: dict[str, list[Element]] = {}
    trees: dict[str, Element] = {}
    keys: dict[str, None] = {}
    known = {*OWN_NODES}
    for tree in _reached(documents):
        of_format = CPP_NODES_OF_THREE if tree.format == THREE else CPP_NODES
        known |= of_format.keys()
        for element in _all_in(tree.root):
            name = _name_of(element)
            if element.tag in _SUBTREES:
                is_there = documents.tree(name) is not None
            else:
                is_there = name in of_format or name in OWN_NODES
            if name and not is_there:
                used.setdefault(name, []).append(element)
                if element.tag in _SUBTREES:
                    trees.setdefault(name, element)
            keys |= dict.fromkeys(_keys_of(element, tree.format))
    random = Random(seed)  # noqa: S311 - dice
    nodes = {
        name: _stub(_category(documents.models.get(name), elements), random)
        for name, elements in used.items()
    }
    own = {name: elements for name, elements in used.items() if name not in trees}
    warnings = [
        *(_nowhere(name, element, documents.trees) for name, element in trees.items()),
        *_misspelt(own, documents.models, known),
    ]
    declared = {
        key: fluent(default=UNKNOWN, type=object) for key in keys if key and key not in vars(State)
    }
    state: Any = new_class("Keys", (State,), exec_body=lambda body: body.update(declared))
    in_order = sorted(warnings, key=lambda warning: warning.order)
    return Stubs(nodes, state, tuple(trees), tuple(in_order))


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


def _nowhere(name: str, element: Element, trees: Iterable[str]) -> Diagnostic:
    """The warning of a tree that is nowhere."""
    hint = nearest(name, trees)
    hint = hint if hint.startswith("did you mean") else "include its file, if that is elsewhere"
    return _warning(element, f"tree '{name}' is nowhere, and a leaf stands for it", hint)


def _misspelt(
    used: Mapping[str, list[Element]], models: Mapping[str, Element], known: set[str]
) -> Iterator[Diagnostic]:
    """The warnings of nodes that are made up, and of their ports, that may be misspelt."""
    often: dict[str, str] = {}
    for name in sorted(used, key=lambda name: -len(used[name])):
        same = often.setdefault(name.casefold(), name)  # but for capitals
        hint = _meant(name, known | models.keys()) if same == name else f"did you mean '{same}'?"
        if hint and name not in models:
            yield _warning(used[name][0], f"there is no node '{name}', and it is made up", hint)
    for name in used.keys() & models.keys():
        ports = {port.attributes.get("name", "") for port in models[name].children}
        for element in used[name]:
            for port in filter(is_port, element.attributes.keys() - ports):
                if hint := _meant(port, ports):
                    message = f"'{name}' has no port '{port}', and it is made up"
                    yield _warning(element, message, hint)


def _meant(word: str, known: Iterable[str]) -> str:
    """A hint with the known word that is nearly this one; empty if none is."""
    folded = {other.casefold(): other for other in known}
    found = get_close_matches(word.casefold(), folded, n=1, cutoff=_NEAR)
    return f"did you mean '{folded[found[0]]}'?" if found else ""


def _warning(element: Element, message: str, hint: str) -> Diagnostic:
    return Diagnostic("BT414", message, element.where, hint, Severity.WARNING)


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
