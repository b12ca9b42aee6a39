"""py_trees' statuses as constants, and messages for ends that they do not distinguish.

The constants are for code that runs at every tick: in Python 3.11, looking up ``Status.RUNNING``
takes longer than the rest of a tick.
"""

from __future__ import annotations

from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

INVALID: Final = Status.INVALID
RUNNING: Final = Status.RUNNING
SUCCESS: Final = Status.SUCCESS
FAILURE: Final = Status.FAILURE

ABORTED: Final = "aborted"
DONE: Final = "done"
FAILED: Final = "failed"
"""Messages of nodes that were stopped, while they ran or after their end.

py_trees gives all of these the status INVALID, as it does to nodes that never ran, whose message
is empty.
"""


def mark_stopped(node: Behaviour, new_status: Status) -> None:
    """Set the message of a node that ends; ``node`` still has the status before the end."""
    if new_status is not INVALID:
        if node.feedback_message:
            node.feedback_message = ""
    elif node.status is RUNNING:
        node.feedback_message = ABORTED
    elif node.status is SUCCESS:
        node.feedback_message = DONE
    elif node.status is FAILURE:
        node.feedback_message = node.feedback_message or FAILED
