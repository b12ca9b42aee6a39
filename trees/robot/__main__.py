"""``python -m bthtn.examples.trees.robot``: let the robot tidy up; Ctrl-C stops it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

from py_trees.blackboard import Client
from py_trees.common import Access

from bthtn.behaviours import AgentEvent
from bthtn.examples.trees.robot.robot import Hardware, end, robot_with
from bthtn.kit.recording import line_of


def show(event: AgentEvent) -> None:
    """Print what happened, as a line."""
    sys.stdout.write(f"{line_of(event)}\n")


driver = Client(name="driver")
driver.register_key("held", Access.WRITE)
driver.held = False

with ThreadPoolExecutor() as pool:
    tree, robot = robot_with(Hardware(pool, seconds=0.2), listener=show)
    try:
        tree.tick_tock(period_ms=50, stop_on_terminal_state=True)
    finally:
        end(tree, robot, wait=lambda: sleep(0.05))
