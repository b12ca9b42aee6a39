"""The two formats of BehaviorTree.CPP that are in use, and how they tell themselves apart.

Trees of format 3 do not say so: only format 4 has the attribute ``BTCPP_format``. The formats look
alike and mean different things: a port of a SubTree without braces is an entry of the blackboard
in format 3, and a text in format 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from bthtn.errors import InputError
from bthtn.kit.formats.node_kinds import PRECONDITIONS, SCRIPTS
from bthtn.kit.formats.xml_document import Element

THREE: Final = 3
FOUR: Final = 4

NODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SubTreePlus": 'write <SubTree ID="…">, and _autoremap for __autoremap',
        "SequenceStar": "write SequenceWithMemory",
        "FallbackStar": "write Fallback",
        "RetryUntilSuccesful": "write RetryUntilSuccessful",
        **dict.fromkeys(
            (f"BlackboardCheck{kind}" for kind in ("Bool", "Int", "Double", "String")),
            'write <Precondition if="… == …">',
        ),
    }
)
"""Nodes that only format 3 has, with what to write in format 4."""

ATTRIBUTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "__shared_blackboard": 'write _autoremap="true" if it is true; else leave it out',
        "__autoremap": "write _autoremap",
    }
)
"""Attributes of SubTrees that only format 3 has, likewise."""

_ONLY_IN_FOUR: Final = frozenset(
    {"Script", "ScriptCondition", "Precondition", "Sleep", "SequenceWithMemory", "ParallelAll"}
    | {"AsyncSequence", "AsyncFallback", "RunOnce", "UnsetBlackboard", "TryCatch"}
)
_ATTRIBUTES_OF_FOUR: Final = frozenset({*PRECONDITIONS, *SCRIPTS, "_autoremap"})
_TRUTHS: Final = MappingProxyType({"true": True, "1": True, "false": False, "0": False})


def format_of(root: Element) -> int:
    """The format of a document: the one that it says, else 3, unless it uses what only 4 has.

    Raises InputError for another one.
    """
    said = root.attributes.get("BTCPP_format")
    if said in ("3", "4"):
        return int(said)
    if said is not None:
        message = f"format {said} of BehaviorTree.CPP is not read, only 3 and 4"
        raise InputError("BT414", message, root.where, 'write <root BTCPP_format="4">')
    trees = [child for child in root.children if child.tag == "BehaviorTree"]
    elements = [element for tree in trees for element in _all_in(tree)]
    if any(map(_is_of_three, elements)):
        return THREE
    models = [child for child in root.children if child.tag == "TreeNodesModel"]
    own = {model.attributes.get("ID", "") for each in models for model in each.children}
    return FOUR if any(_is_of_four(element, own) for element in elements) else THREE


def opened(element: Element, version: int) -> str:
    """The attribute with which a SubTree gets all keys of the tree around it, "" if none does.

    Raises InputError for one of them that is neither true nor false.
    """
    attributes = ("__shared_blackboard", "__autoremap") if version == THREE else ("_autoremap",)
    for name in attributes:
        text = element.attributes.get(name, "false")
        if text.casefold() not in _TRUTHS:
            message = f"{name} is {text!r}"
            raise InputError("BT414", message, element.where, "write true or false")
        if _TRUTHS[text.casefold()]:
            return name
    return ""


def _all_in(tree: Element) -> Iterator[Element]:
    waiting = [*tree.children]
    while waiting:
        element = waiting.pop()
        waiting.extend(element.children)
        yield element


def _is_of_three(element: Element) -> bool:
    names = {element.tag, element.attributes.get("ID", "")}
    return not (names.isdisjoint(NODES) and ATTRIBUTES.keys().isdisjoint(element.attributes))


def _is_of_four(element: Element, own: set[str]) -> bool:
    """Whether an element is only in format 4; one of the file's ``own`` nodes may be in any."""
    names = {element.tag, element.attributes.get("ID", "")}
    return (
        not names.isdisjoint(_ONLY_IN_FOUR - own)
        or not _ATTRIBUTES_OF_FOUR.isdisjoint(element.attributes)
        or (
            element.tag == "SubTree"
            and any(text.strip().startswith("{") for text in element.attributes.values())
        )
    )
