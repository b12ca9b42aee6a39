"""Text and file formats for the objects of the packages below, which know no files."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from bthtn.formats.authored import (
    CheckState,
    Command,
    Decorated,
    ExtensionPoint,
    Later,
    ModifyState,
    Null,
    SubTask,
    Value,
    task_from,
)
from bthtn.formats.drawn_tasks import read_tasks
from bthtn.formats.modules import reimported
from bthtn.plan.codec import encoded
from bthtn.plan.decoding import decoded
from bthtn.plan.notation import call_from, node_from
from bthtn.world.condition_parser import condition_from_text

if TYPE_CHECKING:
    from bthtn.formats.palette import palette_of
    from bthtn.formats.tree_reader import tree_from_xml
    from bthtn.formats.tree_writer import xml_of

__all__ = [
    "CheckState",
    "Command",
    "Decorated",
    "ExtensionPoint",
    "Later",
    "ModifyState",
    "Null",
    "SubTask",
    "Value",
    "call_from",
    "condition_from_text",
    "decoded",
    "encoded",
    "node_from",
    "palette_of",
    "read_tasks",
    "reimported",
    "task_from",
    "tree_from_xml",
    "xml_of",
]

_MODULE_OF: Final[Mapping[str, str]] = {
    "palette_of": "palette",
    "tree_from_xml": "tree_reader",
    "xml_of": "tree_writer",
}


def __getattr__(name: str) -> Any:
    """Import the names about XML on first access: they need all behaviours, which take a while."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
