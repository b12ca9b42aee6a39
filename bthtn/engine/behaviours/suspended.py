"""Suspended: a part of a plan that is planned when execution gets there.

Its plan is made of what is believed on arrival, so it was not checked against the branches that
run beside it: it is compared with what is left of them, and waits where they conflict. Branches
that wait for each other would wait forever, which is found by following who waits for whom. And a
task may suspend itself again: that is a loop without end if nothing has changed since, and fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.behaviours.branch import COMPOSITES, active, contains, remaining
from bthtn.engine.behaviours.interference import BranchFootprints
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_run import (
    Path,
    Planned,
    PlanRun,
    ResumeFailed,
    Resumption,
    failed_at,
)
from bthtn.engine.behaviours.sequence import Placeholder
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS, mark_stopped
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import footprint, node_text
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.truth import same_value
from bthtn.errors import BthtnError


class Suspended(Placeholder):
    """Is planned when the tick reaches it, and replaced by the behaviours of its plan.

    It is planned from the actual state, over several ticks if needed; reached in a tick in which
    a step of the plan has ended, it waits for the next one, in which the sensors have seen what
    the step did, unless its cause says ``now``. A plan that conflicts with
    a parallel branch waits until that branch is done, and is made again if the world has changed
    meanwhile. A part that a resumption has suspended again is not planned in the same tick, so
    that a task that only ever suspends itself cannot hang the agent.
    """

    def __init__(
        self,
        node: SuspendedNode,
        path: Path,
        run: PlanRun,
    ) -> None:
        super().__init__()
        self.node = node
        self.path = path
        self.inside: tuple[Resumption, ...] = ()
        self.failure: Failure | None = None
        self.waits_for: Behaviour | None = None
        self._run = run
        self._not_before = run.next_resumption
        self._ask: Callable[[], Planned | None] | None = None
        self._planned: Planned | None = None
        self._version = -1

    def _title(self) -> str:
        """The tasks that are left to be planned, and why."""
        return node_text(self.node)

    def initialise(self) -> None:
        """Called by py_trees before the first tick of a run."""
        self._forget()
        if self._run.last_end == self._run.ticks and not self.node.cause.now:
            self._not_before = self._run.ticks + 1

    def update(self) -> Status:
        """Called by py_trees at every tick: plan, wait, or set ``replacement``."""
        if self._run.ticks < self._not_before or self._run.owner.is_stopped:
            return RUNNING
        try:
            return self._arrive()
        except ResumeFailed as failure:
            self.feedback_message = str(failure)
            error = failure.__cause__ if isinstance(failure.__cause__, BthtnError) else None
            failed = failed_at(self.path, self.name, self.node, str(failure), error)
            self.failure = failed.having_read(failure.reads)
            return FAILURE

    def waits(self) -> Wait:
        """For the branch with which its plan conflicts; without a plan, it goes on planning."""
        return AT_ONCE if self.waits_for is None else Wait()

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end."""
        if new_status is INVALID:
            message = self.feedback_message
            self._forget()
            self.feedback_message = message if self.status is FAILURE else ""
            mark_stopped(self, new_status)

    def shutdown(self) -> None:
        """Called when the plan is taken down: drops the search, which refers to the part."""
        self._ask = self._planned = self.replacement = None

    @property
    def foreseen(self) -> Footprint:
        """The predicted footprint; empty once it is reached, as its own plan counts then."""
        return footprint(self.node) if self._ask is None else Footprint()

    def _arrive(self) -> Status:
        beliefs = self._run.agent.beliefs
        if self._ask is None:
            self._refuse_to_go_round()
            self._version = beliefs.version
            self._ask = self._run.owner.plan_rest(self)
        if self._planned is None:
            self._planned = self._ask()
            if self._planned is None:
                return RUNNING
        plan, waited = self._planned.plan, self.waits_for is not None
        if self._must_wait(plan):
            return RUNNING
        changed = self._version != beliefs.version
        if changed and (waited or not replay(plan, beliefs.frozen()).ok):
            self._forget()
            return self._arrive()
        self._run.owner.resumed(self, plan)
        # A reactive choice may begin it again, with a new plan.
        coming = plan.footprint, footprint(self.node)
        for footprints, branch, _ in self._surroundings():
            for part in coming:
                footprints.add(branch, part)
        self.replacement = self._planned.steps
        return SUCCESS

    def _refuse_to_go_round(self) -> None:
        """Raise ResumeFailed if it is inside itself, and nothing has changed since."""
        since: list[Resumption] = []
        for resumption in reversed(self.inside):
            if not self._is_as_it_was(resumption):
                break
            since.append(resumption)
        self.inside = tuple(reversed(since))
        if any(self.node.repeats(resumption.node) for resumption in since):
            raise ResumeFailed("it comes back to itself without progress", since[0].reads or ())

    def _is_as_it_was(self, resumption: Resumption) -> bool:
        """Whether no step has started or ended since, and the same would be planned again."""
        if resumption.reads is None or resumption.moves != self._run.moves:
            return False
        get = self._run.agent.beliefs.get
        return all(same_value(get(fluent), value) for fluent, value in resumption.reads.items())

    def _must_wait(self, plan: Plan) -> bool:
        """Whether the plan conflicts with a branch that is still running."""
        self.waits_for = None
        wanted = plan.footprint
        for footprints, branch, node in self._surroundings():
            for suspect in footprints.suspects(branch, wanted):
                sibling = node.children[suspect]
                over = remaining(sibling).conflict_with(wanted)
                if over:
                    self._wait_for(sibling, over)
                    return True
        return False

    def _surroundings(self) -> Iterator[tuple[BranchFootprints, int, PlanParallel]]:
        """Yield the branches beside this part in the parallel nodes around it, inner ones first."""
        node: Behaviour = self
        while isinstance(node.parent, COMPOSITES):
            above = node.parent
            if isinstance(above, PlanParallel):
                footprints = self._run.branch_footprints.get(above)
                if footprints is None:
                    footprints = self._run.branch_footprints[above] = BranchFootprints(above)
                yield footprints, above.children.index(node), above
            node = above

    def _wait_for(self, sibling: Behaviour, over: str) -> None:
        self.waits_for = sibling
        self.feedback_message = f"waits for {over}"
        if not self._moves(sibling):
            raise ResumeFailed(f"it waits for '{over}', and the branch that has it waits too")

    def _moves(self, branch: Behaviour) -> bool:
        """Whether a branch can go on, now or after the branches that it waits for: no deadlock."""
        pending, seen = [branch], {self.id}
        while pending:
            node = pending.pop()
            leaves = [leaf for leaf in active(node) if leaf.id not in seen]
            if not leaves:
                if node is branch or not contains(node, self):
                    return True
                continue
            for leaf in leaves:
                seen.add(leaf.id)
                if not isinstance(leaf, Suspended) or leaf.waits_for is None:
                    return True
                pending.append(leaf.waits_for)
        return False

    def _forget(self) -> None:
        self._ask = self._planned = self.replacement = None
        self.waits_for = None
        self.failure, self.feedback_message = None, ""
