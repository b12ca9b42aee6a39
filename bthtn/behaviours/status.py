"""The statuses of py_trees as constants, for code that runs at every tick.

In Python 3.11, looking up ``Status.RUNNING`` takes longer than the rest of a tick.
"""

from __future__ import annotations

from typing import Final

from py_trees.common import Status

INVALID: Final = Status.INVALID
RUNNING: Final = Status.RUNNING
SUCCESS: Final = Status.SUCCESS
FAILURE: Final = Status.FAILURE
