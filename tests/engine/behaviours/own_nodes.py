"""OwnNodes: a listener that no agent may hand a suspended part nodes that it has already."""

from bthtn.engine.agent.events import PlanAdopted, PlanResumed
from bthtn.engine.plan.nodes import NULL_NODE
from bthtn.engine.plan.walk import preorder
from bthtn.studio.testing.doubles import RecordingListener


class OwnNodes(RecordingListener):
    """Remembers what happens; raises where a suspended part gets nodes of a plan of the agent.

    A plan that has a part of itself inside of itself has no end, and looking for it does not come
    back: this says so before. A whole plan is in no other, and may be one of before.
    """

    def __init__(self):
        super().__init__()
        self.nodes = set()

    def __call__(self, event):
        super().__call__(event)
        if isinstance(event, PlanAdopted | PlanResumed):
            nodes = {node for _, node in preorder(event.plan.tree)} - {NULL_NODE}
            is_new = self.nodes.isdisjoint(nodes) or isinstance(event, PlanAdopted)
            assert is_new, "the agent has nodes of this plan already"
            self.nodes |= nodes
