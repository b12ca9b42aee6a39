"""The models of the elements that tasks are drawn with, for Groot2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bthtn.kit.formats.xml_document import Element

_MODELS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "CheckState": (
        "Condition",
        {"condition": "near and ammo > 2; a step does not ask at_start(near) while it runs"},
    ),
    "ModifyState": (
        "Action",
        {
            "set": "ammo decreases by 1; near := true",
            "kind": "effects, or expected: only what the planner counts on",
        },
    ),
    "Value": ("Action", {"number": "of two methods, that of the smaller number is preferred"}),
    "Command": (
        "Action",
        {"uses": "arms, legs", "duration": "a number of ticks, or seconds(1.5)"},
    ),
    "SubTask": ("Action", {"task": "the name of a task"}),
    "Null": ("Action", {}),
    "Later": ("Control", {}),
    "ExtensionPoint": ("Control", {}),
}
"""The category of each element that Groot2 does not have, and what its ports take."""
_DEFAULTS: Final[Mapping[str, str]] = {"kind": "effects", "uses": "", "duration": "0"}


def task_models() -> dict[str, Element]:
    """The models by the names of the elements; ``name`` is an attribute of every node."""
    models = {}
    for tag, (category, ports) in _MODELS.items():
        inside = tuple(_port(name, described) for name, described in ports.items())
        models[tag] = Element(category, {"ID": tag}, inside)
    return models


def _port(name: str, described: str) -> Element:
    default = {"default": _DEFAULTS[name]} if name in _DEFAULTS else {}
    attributes = {"name": name, "type": "std::string", **default}
    return Element("input_port", attributes, (), text=described)
