"""Conditions before a node in XML, and scripts behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Success

from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.assigning import Afterwards
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.control import IfThenElse, WhileDoElse
from bthtn.engine.behaviours.skipping import Skip
from bthtn.engine.world.assignment import Assignment
from bthtn.errors import nearest
from bthtn.kit.formats.format_three import ATTRIBUTES, FOUR, THREE
from bthtn.kit.formats.node_kinds import PRECONDITIONS, SCRIPTS
from bthtn.kit.formats.tree_documents import fault
from bthtn.kit.formats.tree_scope import Scope
from bthtn.kit.formats.xml_document import Element

_MOMENTS: Final[Mapping[str, str]] = {
    "_onSuccess": "success",
    "_onFailure": "failure",
    "_onHalted": "halt",
    "_post": "end",
}

_INSTEAD: Final[Mapping[str, Callable[[], Behaviour]]] = {
    "_failureIf": lambda: Failure("AlwaysFailure"),
    "_successIf": lambda: Success("AlwaysSuccess"),
    "_skipIf": lambda: Skip("Skip"),
    "_while": lambda: Skip("Skip"),
}

Around = Mapping[str, Behaviour | tuple[Assignment, ...]]
"""Conditions and scripts by the attributes that they were written in."""


def around(element: Element, agent: Agent[Any, Any], scope: Scope) -> Around:
    """The conditions and scripts of a node. Raises BthtnError.

    Other attributes that begin with ``_`` are for editors, unless they are nearly one of these.
    """
    found: dict[str, Behaviour | tuple[Assignment, ...]] = {}
    for attribute, text in element.attributes.items():
        if attribute in PRECONDITIONS:
            found[attribute] = Believes(text, agent, scope.script_condition(text))
        elif attribute in SCRIPTS:
            found[attribute] = scope.script(text)
        elif attribute.startswith("_") and attribute not in _OF_SUBTREES[scope.format]:
            hint = ATTRIBUTES.get(attribute, "")
            close = nearest(attribute, (*PRECONDITIONS, *SCRIPTS, "_autoremap"))
            hint = hint or (close if close.startswith("did you mean") else "")
            if hint:
                raise fault(element, f"a node has no '{attribute}'", hint)
    return found


_OF_SUBTREES: Final = MappingProxyType({THREE: tuple(ATTRIBUTES), FOUR: ("_autoremap",)})


def with_around(made: Behaviour, agent: Agent[Any, Any], found: Around) -> Behaviour:
    """A behaviour with what is around it. Of the conditions the first one is asked first."""
    changes: dict[str, Any] = {_MOMENTS[name]: found[name] for name in SCRIPTS if name in found}
    name = made.name
    if "halt" in changes:  # also when its _while ends it
        made = Afterwards(name, agent, made, {"halt": changes.pop("halt")})
    for attribute in reversed(PRECONDITIONS):
        asked = found.get(attribute)
        if isinstance(asked, Behaviour):
            instead = _INSTEAD[attribute]()
            if attribute == "_while":
                made = WhileDoElse(name, asked, made, instead)
            else:
                made = IfThenElse(name, asked, instead, made)
    return Afterwards(name, agent, made, changes) if changes else made
