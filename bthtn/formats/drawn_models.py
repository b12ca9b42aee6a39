"""The models of the elements that tasks are drawn with, for Groot2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bthtn.formats.xml_document import Element

_TEXT: Final = {"type": "std::string"}
_MODELS: Final[Mapping[str, tuple[str, Mapping[str, Mapping[str, str]]]]] = {
    "CheckState": ("Condition", {"condition": _TEXT}),
    "ModifyState": ("Action", {"set": _TEXT, "kind": {**_TEXT, "default": "effects"}}),
    "Value": ("Action", {"number": _TEXT}),
    "Command": (
        "Action",
        {"uses": {**_TEXT, "default": ""}, "duration": {**_TEXT, "default": "0"}},
    ),
    "SubTask": ("Action", {"task": _TEXT}),
    "Null": ("Action", {}),
    "Later": ("Control", {}),
    "ExtensionPoint": ("Control", {}),
}
"""The category and the ports of each element that Groot2 does not have."""


def task_models() -> dict[str, Element]:
    """The models by the names of the elements; ``name`` is an attribute of every node."""
    models = {}
    for tag, (category, ports) in _MODELS.items():
        inside = (Element("input_port", {"name": name, **port}, ()) for name, port in ports.items())
        models[tag] = Element(category, {"ID": tag}, tuple(inside))
    return models
