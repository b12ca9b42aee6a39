"""Text and file formats for the objects of the packages below, which know no files."""

from bthtn.formats.authored import (
    CheckState,
    Command,
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
from bthtn.formats.palette import palette_of
from bthtn.formats.tree_reader import tree_from_xml
from bthtn.formats.tree_writer import xml_of
from bthtn.plan.codec import encoded
from bthtn.plan.decoding import decoded
from bthtn.plan.notation import call_from, node_from
from bthtn.world.condition_parser import condition_from_text

__all__ = [
    "CheckState",
    "Command",
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
