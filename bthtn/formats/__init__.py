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

__all__ = [
    "CheckState",
    "Command",
    "Later",
    "ModifyState",
    "Null",
    "SubTask",
    "task_from",
]
