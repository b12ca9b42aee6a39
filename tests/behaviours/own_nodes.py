"""OwnNodes: a listener that no agent may hand one node to in two plans."""

from bthtn.agent.events import PlanAdopted, PlanResumed
from bthtn.plan.nodes import NULL_NODE
from bthtn.plan.walk import preorder
from bthtn.testing.doubles import RecordingListener


class OwnNodes(RecordingListener):
    """Remembers what happens; raises where a new plan has nodes of an earlier one of the agent.

    A plan that has a part of itself inside of itself has no end, and looking for it does not come
    back: this says so before.
    """

    def __init__(self):
        super().__init__()
        self.nodes = set()

    def __call__(self, event):
        super().__call__(event)
        if isinstance(event, PlanAdopted | PlanResumed):
            nodes = {node for _, node in preorder(event.plan.tree)} - {NULL_NODE}
            assert self.nodes.isdisjoint(nodes), "the agent has nodes of this plan already"
            self.nodes |= nodes
