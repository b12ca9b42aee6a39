"""PlanGoal: the node in the user's tree that plans for a goal and runs the plan.

    not running     take the beliefs as they are and begin to search
    searching       a budget of expansions per tick; RUNNING meanwhile
    no plan         FAILURE
    plan found      over several ticks in a world that moved on: does it still hold? then
                    compile it, mount it, tick it
    running         RUNNING; SUCCESS when it is done; on failure search again, a bounded
                    number of times
    interrupted     abort everything at once

It is the one behaviour that plans: suspended parts ask it for theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.event import GoalEnded, PlanAborted, PlanAdopted, PlanFailed, PlanResumed
from bthtn.agent.schedule import PlanningSchedule, advance
from bthtn.behaviours.branch import failure_of
from bthtn.behaviours.compile import compiled, compiled_steps
from bthtn.behaviours.run import Arrival, Planned, PlanRun, ResumeFailed
from bthtn.behaviours.sequence import discard
from bthtn.domain.network import NetworkLike, sequence
from bthtn.errors import BthtnError, Diagnostic, DomainError
from bthtn.plan.nodes import SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.plan.replay import replay
from bthtn.plan.walk import preorder
from bthtn.planning.partial import go_on
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import DEFAULT_SETTINGS, Search, SearchStatus, Settings

LONGEST_RECORD: Final = 1_000
"""Entries that a record keeps when suspended parts go on and on; they only tell plans apart."""


class PlanGoal(Behaviour):
    """A goal in a behaviour tree: planned with the agent's domain, from its beliefs.

    ``budget`` is how many expansions it may use per tick, None for as many as it takes; or a
    schedule, which gives every goal its part. When a plan fails it looks for a new one,
    ``max_replans`` times before it gives up. It does so in the tick after the failure, so that no
    step runs twice in one tick.
    """

    def __init__(
        self,
        name: str,
        agent: Agent[Any, Any],
        goal: NetworkLike,
        *,
        settings: Settings = DEFAULT_SETTINGS,
        budget: int | PlanningSchedule | None = 1_000,
        max_replans: int = 3,
    ) -> None:
        """Raises DomainError for a goal of another domain, and a budget that allows nothing."""
        super().__init__(name)
        if isinstance(budget, int) and budget <= 0:
            message = f"the budget of '{name}' is {budget}"
            hint = "give it expansions per tick, or None for as many as it takes"
            raise DomainError(Diagnostic("BT202", message, hint=hint))
        self.agent = agent
        self.settings = settings
        self.budget = budget
        self.max_replans = max_replans
        self.plan: Plan | None = None
        self.record = MethodTraversalRecord()
        self.replans = 0
        # Constructs in the goal are read once: suspended parts name the tasks they have become.
        self._planner: Planner[Any] = Planner(
            agent.domain_of(sequence(goal)), sequence(goal), settings, cache=agent.cache
        )
        self._domain, self.goal = self._planner.domain, self._planner.goal
        self._setup_arguments: dict[str, Any] = {}
        self._search: Search | None = None
        self._version = 0
        self._run: PlanRun | None = None
        self._reason = ""
        self._left: int | PlanningSchedule | None = None
        self.prepared: tuple[int, Search] | None = None

    def setup(self, **kwargs: Any) -> None:
        """Remember what plans are to be set up with: they come later than the tree."""
        self._setup_arguments = kwargs

    def tick(self) -> Iterator[Behaviour]:
        """Plan, or tick the plan."""
        if self.status is not Status.RUNNING:
            self._begin()
            self.status = Status.RUNNING
        self._left = self.budget
        status = Status.SUCCESS if self._mounted else self._plan()
        if status is Status.SUCCESS:
            subtree = self.children[0]
            assert self._run is not None, "what is mounted is being run"
            self._run.ticked()
            yield from subtree.tick()
            status = self._after(subtree.status)
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an interrupted goal gives up its plan at once."""
        if new_status is not Status.INVALID:
            return
        if self.status is Status.RUNNING:
            self.agent.emit(PlanAborted(self.name, self._interruption()))
            self.feedback_message = "aborted"
        for child in self.children:
            if child.status is not Status.INVALID:
                child.stop(new_status)
        self._search = None

    def shutdown(self) -> None:
        """Called when the tree is taken down: nothing is left running."""
        if self.status is Status.RUNNING:
            self.stop(Status.INVALID)
        self._unmount()

    def tip(self) -> Behaviour | None:
        """The running step of the plan, or the node itself."""
        return self.children[0].tip() if self._mounted else super().tip()

    @property
    def _mounted(self) -> bool:
        return bool(self.children)

    def _begin(self) -> None:
        self._unmount()
        self.plan = None
        self.replans = 0
        self.feedback_message = "planning"
        self._look_for_a_plan("the goal is new")

    def _look_for_a_plan(self, reason: str) -> None:
        self._reason = reason
        self._version, self._search = self.prepared or self.begun()
        self.prepared = None

    def begun(self) -> tuple[int, Search]:
        """A search for its plan that begins now, with the version of the beliefs it begins from.

        Put into ``prepared``, it is what the goal goes on with instead of beginning its own.
        """
        return self.agent.beliefs.version, self._planner.search(self.agent.beliefs.frozen())

    def _plan(self) -> Status:
        """SUCCESS when there is a plan to tick, RUNNING while it is being looked for."""
        assert self._search is not None, "a goal without a plan looks for one"
        try:
            plan = self._advance(self._search)
            if plan is None:
                return Status.RUNNING
            if self._version != self.agent.beliefs.version:
                seen = replay(plan, self.agent.beliefs.frozen())
                if not seen.ok:
                    changed = "the world changed while the plan was being made"
                    return self._again(f"{changed}: {seen.reason}")
            self._mount(plan)
        except BthtnError as error:
            return self._give_up(str(error), error)
        except ResumeFailed as failure:
            return self._give_up(str(failure))
        return Status.SUCCESS

    def _advance(self, search: Search) -> Plan | None:
        """The plan, or None while it needs more ticks. Raises ResumeFailed without one."""
        before = search.expansions
        status = advance(search, self._left, self)
        if isinstance(self._left, int):
            self._left -= search.expansions - before
        if status is SearchStatus.RUNNING:
            return None
        if search.plan is None:
            limit = f"no plan within {search.expansions} expansions"
            raise ResumeFailed(limit if status is SearchStatus.LIMIT else "there is no plan")
        return search.plan

    def _mount(self, plan: Plan) -> None:
        self._run = PlanRun(
            self.agent, self.name, self._plan_rest, self._resumed, self._setup_arguments
        )
        subtree = compiled(plan.tree, self._run)
        subtree.parent = self
        self.children = [subtree]
        self._set_up(subtree)
        self.plan, self.record, self._search = plan, plan.record, None
        self.feedback_message = f"running plan {plan.record!r}"
        self.agent.emit(PlanAdopted(self.name, plan, self._reason))

    def _unmount(self) -> None:
        """Let the old plan's behaviours go."""
        for child in self.children:
            discard(child)
        self.children = []
        self._run = None

    def _after(self, status: Status) -> Status:
        """What the plan's end means for the goal."""
        if status is Status.RUNNING:
            return status
        if status is Status.SUCCESS:
            self.feedback_message = "done"
            self.agent.emit(GoalEnded(self.name, succeeded=True))
            return status
        return self._again(failure_of(self.children[0]) or "the plan failed")

    def _again(self, reason: str) -> Status:
        """Look for another plan in the next tick, unless that was tried often enough."""
        again = self.replans < self.max_replans
        self.agent.emit(PlanFailed(self.name, reason, again))
        self._unmount()
        if not again:
            tried = f"{self.replans + 1} plans" if self.replans else "one plan"
            return self._give_up(f"gave up after {tried}; {reason}")
        self.replans += 1
        self.feedback_message = "planning again"
        self._look_for_a_plan(reason)
        return Status.RUNNING

    def _give_up(self, reason: str, error: BaseException | None = None) -> Status:
        self._search = None
        self.feedback_message = reason
        self.agent.emit(GoalEnded(self.name, succeeded=False, reason=reason, error=error))
        return Status.FAILURE

    def _plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Begin to plan a suspended part from the beliefs as they are now, or as was foreseen."""
        agent, state = self.agent, self.agent.beliefs.frozen()
        planner: Planner[Any] = Planner.resuming(
            self._domain, arrival.node, self.settings, cache=agent.cache
        )
        try:
            foreseen = go_on(arrival.node, state, self._domain, self.settings)
            search = planner.search(state) if foreseen is None else None
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error

        def ask() -> Planned | None:
            try:
                plan = foreseen if search is None else self._advance(search)
                return None if plan is None else self._planned(plan, arrival)
            except BthtnError as error:
                raise ResumeFailed(str(error)) from error

        return ask

    def _planned(self, plan: Plan, arrival: Arrival) -> Planned:
        assert self._run is not None, "a suspended part belongs to a running plan"
        if stands_still(plan, arrival.node):
            cause = arrival.node.cause
            unknown = f"'{cause.fluent}' is still unknown" if cause.fluent else ""
            raise ResumeFailed(unknown or f"planning stops at the same place again ({cause})")
        steps = compiled_steps(plan.tree, self._run, arrival)
        for step in steps:
            self._set_up(step)
        return Planned(plan, steps)

    def _resumed(self, arrival: Arrival, plan: Plan) -> None:
        room = max(0, LONGEST_RECORD - len(self.record))
        self.record = MethodTraversalRecord((*self.record, *plan.record[:room]))
        self.agent.emit(PlanResumed(self.name, plan, str(arrival.node.cause)))

    def _set_up(self, subtree: Behaviour) -> None:
        """Set up what comes later than the tree, as py_trees set up the tree."""
        for node in subtree.iterate():
            node.setup(**self._setup_arguments)

    def _interruption(self) -> str:
        """Who or what in the tree took over."""
        node: Any = self
        while node.parent is not None:
            taking_over = getattr(node.parent, "current_child", None)
            if taking_over is not None and taking_over is not node:
                verb = "took over" if taking_over.status is not Status.FAILURE else "failed"
                return f"'{taking_over.name}' {verb}"
            node = node.parent
        return "the tree was stopped"


def stands_still(plan: Plan, resumed: SuspendedNode) -> bool:
    """Whether the plan of a suspended part begins by suspending the same part again."""
    first = next(
        (n for _, n in preorder(plan.tree) if isinstance(n, TaskNode | SuspendedNode)), None
    )
    return (
        isinstance(first, SuspendedNode)
        and first.rest == resumed.rest
        and first.binding == resumed.binding
    )
