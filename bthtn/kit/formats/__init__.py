"""Text and file formats for the objects of the packages below, which know no files.

Each public name is imported on first access: tasks drawn as trees need py_trees and XML all
behaviours, which take a while, and most commands need neither.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.text.conditions import condition_from_text
    from bthtn.engine.text.notation import call_from, node_from
    from bthtn.engine.text.plan_json import decoded, encoded
    from bthtn.kit.formats.authored import (
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
    from bthtn.kit.formats.drawn_tasks import read_tasks
    from bthtn.kit.formats.modules import reimported
    from bthtn.kit.formats.palette import palette_of
    from bthtn.kit.formats.stubs import Stubs, stubs_of
    from bthtn.kit.formats.tree_reader import tree_from_xml
    from bthtn.kit.formats.tree_writer import xml_of

__all__ = [
    "CheckState",
    "Command",
    "Decorated",
    "ExtensionPoint",
    "Later",
    "ModifyState",
    "Null",
    "Stubs",
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
    "stubs_of",
    "task_from",
    "tree_from_xml",
    "xml_of",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.kit.formats.authored": (
            "CheckState Command Decorated ExtensionPoint Later"
            " ModifyState Null SubTask Value task_from"
        ),
        "bthtn.kit.formats.drawn_tasks": "read_tasks",
        "bthtn.kit.formats.modules": "reimported",
        "bthtn.kit.formats.palette": "palette_of",
        "bthtn.kit.formats.stubs": "Stubs stubs_of",
        "bthtn.kit.formats.tree_reader": "tree_from_xml",
        "bthtn.kit.formats.tree_writer": "xml_of",
        "bthtn.engine.text.conditions": "condition_from_text",
        "bthtn.engine.text.notation": "call_from node_from",
        "bthtn.engine.text.plan_json": "decoded encoded",
    },
)
