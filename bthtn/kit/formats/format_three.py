"""The signs of format 3 of BehaviorTree.CPP, and what format 4 has instead.

The formats look alike and mean different things: a port of a SubTree without braces is an entry
of the blackboard in format 3, and a text in format 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from bthtn.errors import Diagnostic
from bthtn.kit.formats.xml_document import Element

NODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SubTreePlus": 'write <SubTree ID="…">, and _autoremap for __autoremap',
        "SequenceStar": "write Sequence, which begins anew after a failure",
        "FallbackStar": "write Fallback",
        "RetryUntilSuccesful": "write RetryUntilSuccessful",
        **dict.fromkeys(
            ("BlackboardCheckBool", "BlackboardCheckInt", "BlackboardCheckDouble"),
            'write Believes condition="…" before it, or the attribute _failureIf',
        ),
        "BlackboardCheckString": 'write Believes condition="…" before it, or _failureIf',
    }
)
"""Nodes that format 4 does not have, with what to write there."""

ATTRIBUTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "__shared_blackboard": 'write _autoremap="true" if it is true; else leave it out',
        "__autoremap": "write _autoremap",
    }
)
"""Attributes of SubTrees that format 4 does not have."""

SAY_THE_FORMAT: Final = 'if it is format 4, write <root BTCPP_format="4">'
_CONVERT: Final = "if it is format 3, convert it with BehaviorTree.CPP's convert_v3_to_v4.py"


def unsaid_format(root: Element) -> Iterator[Diagnostic]:
    """The faults of a document that does not say its format: this one, and signs of format 3."""
    message = "<root> does not say the format of BehaviorTree.CPP"
    yield Diagnostic("BT414", message, root.where, f"{SAY_THE_FORMAT}; {_CONVERT}")
    waiting = [root]
    while waiting:
        element = waiting.pop()
        waiting.extend(reversed(element.children))
        yield from _signs_in(element)


def _signs_in(element: Element) -> Iterator[Diagnostic]:
    where = element.where
    for name in (element.tag, element.attributes.get("ID", "")):
        if name in NODES:
            yield Diagnostic("BT414", f"{name} is a node of format 3", where, NODES[name])
            break
    if element.tag not in ("SubTree", "SubTreePlus"):
        return
    for port, text in element.attributes.items():
        if port in ATTRIBUTES:
            yield Diagnostic("BT414", f"{port} is of format 3", where, ATTRIBUTES[port])
        elif element.tag == "SubTree" and _is_without_braces(port, text):
            message = f"'{port}' would be the entry '{text}' in format 3, and a text in format 4"
            hint = f'for the entry, write {port}="{{{text}}}"'
            yield Diagnostic("BT414", message, where, hint)


def _is_without_braces(port: str, text: str) -> bool:
    return port not in ("ID", "name") and port[0] != "_" and not text.strip().startswith("{")
