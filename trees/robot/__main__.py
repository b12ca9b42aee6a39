"""``python -m bthtn.examples.trees.robot``: let it fetch things; Ctrl-C stops it."""

from __future__ import annotations

import sys
from time import sleep

from bthtn.kit.recording import line_of

from .body import SECONDS_PER_TICK
from .tree import character, end

fetching = character()
try:
    while not fetching.finished:
        sys.stdout.writelines(f"{line_of(event)}\n" for event in fetching.tick())
        sleep(SECONDS_PER_TICK)
except KeyboardInterrupt:
    sys.stdout.write("stopping\n")
finally:
    end(fetching)
    sys.stdout.write(f"goals that go on: {len(fetching.agent.body.running)}\n")
