"""Preconditions of nodes in XML, and the status of a node that they skip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Success
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.control import IfThenElse, WhileDoElse
from bthtn.engine.behaviours.status import FAILURE, SUCCESS
from bthtn.errors import nearest
from bthtn.kit.formats.format_three import ATTRIBUTES
from bthtn.kit.formats.node_kinds import PRECONDITIONS, SCRIPTS, SKIPPING
from bthtn.kit.formats.tree_documents import fault, unkept
from bthtn.kit.formats.tree_scope import Scope
from bthtn.kit.formats.xml_document import Element

_WITHOUT_MEANING: Final = ("_uid", "_fullpath", "_description")
_SKIPPED_IN: Final[Mapping[str, Status]] = {
    "Sequence": SUCCESS,
    "ReactiveSequence": SUCCESS,
    "Fallback": FAILURE,
    "ReactiveFallback": FAILURE,
}
"""The status with which a parent goes on to the next child, as after a skipped one."""

Preconditions = Mapping[str, Behaviour]
"""Conditions by the attributes that they were written in."""


def preconditions_of(
    element: Element, agent: Agent[Any, Any], scope: Scope, skipped: Status | None
) -> Preconditions:
    """The preconditions of a node. Raises BthtnError for one that cannot be kept, or is unknown.

    ``skipped`` is the status that stands for skipping the node, None where none does.
    """
    found: dict[str, Behaviour] = {}
    for attribute, text in element.attributes.items():
        if attribute in SKIPPING and skipped is None:
            hint = "put the node directly into a sequence or fallback beside one that is never"
            raise unkept(element, f"{attribute} here", f"{hint} skipped, or use _successIf")
        if attribute in SCRIPTS:
            hint = "let an effect of a task, a sensor or a leaf of yours change the belief"
            raise unkept(element, f"the script in {attribute}", hint)
        if attribute in PRECONDITIONS:
            found[attribute] = Believes(text, agent, scope.condition(text))
        elif attribute.startswith("_") and not _is_known(element, attribute):
            hint = ATTRIBUTES.get(attribute) or nearest(attribute, PRECONDITIONS)
            raise fault(element, f"a node has no '{attribute}'", hint)
    return found


def _is_known(element: Element, attribute: str) -> bool:
    is_of_subtree = attribute == "_autoremap" and element.tag == "SubTree"
    return attribute in _WITHOUT_MEANING or is_of_subtree


def with_preconditions(
    made: Behaviour, conditions: Preconditions, skipped: Status | None
) -> Behaviour:
    """A behaviour below its preconditions, the first of which is asked first."""
    ends = {"_failureIf": FAILURE, "_successIf": SUCCESS, "_skipIf": skipped, "_while": skipped}
    for attribute in reversed(PRECONDITIONS):
        if attribute in conditions:
            succeeds = ends[attribute] is SUCCESS
            instead = Success("AlwaysSuccess") if succeeds else Failure("AlwaysFailure")
            asked = conditions[attribute]
            if attribute == "_while":
                made = WhileDoElse(made.name, asked, made, instead)
            else:
                made = IfThenElse(made.name, asked, instead, made)
    return made


def with_skips(tag: str, children: Sequence[Element]) -> Iterator[tuple[Element, Status | None]]:
    """The children, each with the status that stands for skipping it, None where none does.

    A composite that skips all its children is skipped itself, which no status stands for. Raises
    InputError where BehaviorTree.CPP asks a precondition only once.
    """
    skipped = None if all(map(_may_be_skipped, children)) else _SKIPPED_IN.get(tag)
    for place, child in enumerate(children):
        is_asked_again = tag != "WhileDoElse" or place > 0
        if not is_asked_again and not child.attributes.keys().isdisjoint(PRECONDITIONS):
            hint = "put the condition into a Sequence, alone"
            raise unkept(child, "a precondition of what WhileDoElse asks", hint)
        yield child, skipped


def _may_be_skipped(element: Element) -> bool:
    is_once = "RunOnce" in (element.tag, element.attributes.get("ID"))
    return not element.attributes.keys().isdisjoint(SKIPPING) or (
        is_once and element.attributes.get("then_skip") != "false"
    )
