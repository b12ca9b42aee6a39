"""RosClock: the time of a node as the clock of an agent."""

from __future__ import annotations

from bthtn.checked import checked
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.ros.protocols import Node, demand


class RosClock(Unpicklable):
    """The clock of a node, in seconds: ``Agent(…, clock=RosClock(node))``.

    They count from the first time that is not zero, which is what a node with ``use_sim_time`` has
    until a simulation tells the time; else all that lasts seconds would be over in that moment.
    When simulated time goes back, so does this clock: the agent reports it, and what lasts seconds
    goes on from there.
    """

    @checked
    def __init__(self, node: Node) -> None:
        """Raises ExecutionError for what is no node."""
        demand(node, Node, "give it the node: RosClock(node)")
        self._clock = node.get_clock()
        self._began = 0

    def __call__(self) -> float:
        """The seconds since it first ran."""
        now = self._clock.now().nanoseconds
        self._began = self._began or now
        return (now - self._began) / 1e9
