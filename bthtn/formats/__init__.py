"""HOW IS IT WRITTEN DOWN? Files that people keep beside their code.

Readers make what the packages below define; nothing below knows that there are files.
"""

from bthtn.formats.authored import (
    CheckState,
    Command,
    Later,
    ModifyState,
    Null,
    SubTask,
    task_from,
)
from bthtn.plan.codec import encoded
from bthtn.plan.notation import call_from, node_from
from bthtn.world.notation import condition_from_text

__all__ = [
    "CheckState",
    "Command",
    "Later",
    "ModifyState",
    "Null",
    "SubTask",
    "call_from",
    "condition_from_text",
    "encoded",
    "node_from",
    "task_from",
]
