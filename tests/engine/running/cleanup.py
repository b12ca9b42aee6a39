"""A cleanup that its plan did not reach: planned when its turn comes, and run as an abort is."""

from dataclasses import replace

from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.nodes import SequenceNode
from bthtn.engine.planning.planner import Planner
from bthtn.engine.world.expression import Constant
from tests.engine.running.mind import FAILURE, RUNNING, SUCCESS
from tests.engine.running.parts import made

MOST_EXPANSIONS = 1_000
"""Of the search for its plan, as it is planned in one tick."""


class Cleanup:
    """Runs a plan of its own, in the place of the goal, which hears nothing of what is in it.

    ``of`` is that goal. Its writes are those of others.
    """

    cooldowns = ()

    def __init__(self, of, part):
        self.of, self.mind, node = of, of.mind, part.node
        most = min(of.settings.max_expansions, MOST_EXPANSIONS)
        self.settings = replace(of.settings, horizon=None, check_rest=False, max_expansions=most)
        domain = of.planner.domain
        last = domain.methods[node.task][node.method].body.parts[-1]
        call = TaskCall(last.task, tuple(map(Constant, node.args)))
        self.planner = Planner(domain, call, self.settings)
        self.tree, self.ticks, self.moves, self.ended_at = None, 0, 0, -1

    @property
    def goal(self):
        """Whose abort it is."""
        return self.of

    @property
    def run(self):
        """What is ticked until it is done, as with an aborted step."""
        return self

    def tick(self):
        """Wait for its turn, plan, or tick the plan."""
        if self.tree is None:
            if self.must_wait():
                return RUNNING
            plan = self.planner.plan(self.mind.state)
            if plan is None:
                return FAILURE
            self.tree = made(self, SequenceNode((plan.tree,)))
            self.mind.tell("clean up", self.of.name)
        self.ticks += 1
        self.tree.tick()
        return self.tree.status

    def must_wait(self):
        """Whether an aborted step of the goal, or an earlier cleanup, is not done."""
        aborts = [abort for abort in self.mind.aborts if abort.goal is self.of]
        before = aborts[: aborts.index(self)]
        return bool(before) or not all(isinstance(abort, Cleanup) for abort in aborts)

    def finish(self):
        is_done = self.tree is not None and self.tree.status is SUCCESS
        self.mind.tell("cleaned up" if is_done else "did not clean up", self.of.name)

    # What it does not do.

    def is_aborting(self):
        return False

    def avoided(self):
        return {}

    def started(self, step):
        pass

    def finished(self, step, written):
        pass

    def resumed(self, part, plan):
        pass
