"""The statuses of py_trees by themselves, for what is run at every tick.

In Python 3.11, ``Status.RUNNING`` takes longer than all that a tick then does with it.
"""

from __future__ import annotations

from typing import Final

from py_trees.common import Status

INVALID: Final = Status.INVALID
RUNNING: Final = Status.RUNNING
SUCCESS: Final = Status.SUCCESS
FAILURE: Final = Status.FAILURE
