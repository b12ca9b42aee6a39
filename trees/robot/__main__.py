"""``python -m bthtn.examples.trees.robot``: let it fetch things; Ctrl-C stops it."""

from __future__ import annotations

import sys
from time import sleep

from bthtn.behaviours import AgentEvent
from bthtn.kit.recording import line_of

from .body import SECONDS_PER_TICK
from .tree import character, end


def show(events: tuple[AgentEvent, ...]) -> None:
    """Print what happened, a line for each event."""
    sys.stdout.writelines(f"{line_of(event)}\n" for event in events)


fetching = character()
try:
    while not fetching.finished:
        show(fetching.tick())
        sleep(SECONDS_PER_TICK)
except KeyboardInterrupt:
    sys.stdout.write("stopping\n")
finally:
    show(end(fetching))
