"""Mount: the place below a goal where its plan runs, and where one plan replaces another."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.behaviours.branch import active_path, next_steps, progress_of, running_leaves
from bthtn.behaviours.cleanup import owe_cleanup
from bthtn.behaviours.compile import compiled, compiled_steps, refuse_too_deep
from bthtn.behaviours.decorated import PlanDecorated
from bthtn.behaviours.handover import begins_with_one_of, hand_over, idle_for
from bthtn.behaviours.hooks import PlanHooks
from bthtn.behaviours.interruptible import interruptible
from bthtn.behaviours.pattern import fresh_subtree
from bthtn.behaviours.plan_behaviour import discard, postorder
from bthtn.behaviours.plan_run import (
    Arrival,
    Path,
    Planned,
    PlanRefused,
    PlanRun,
    ResumeFailed,
)
from bthtn.behaviours.plan_search import PlanSearch, RestSearch
from bthtn.behaviours.sequence import PlanWithCleanup
from bthtn.behaviours.status import INVALID, RUNNING
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.errors import BthtnError, DomainError
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import Node, ScopeNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import leaves
from bthtn.replanning.progress import (
    AtWork,
    MountedTree,
    Progress,
    begins_otherwise,
    is_continuation,
)
from bthtn.world.fluent import Fluent


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRest:
    """The plan of a suspended part; calling it makes it, as far as it goes in a tick."""

    arrival: Arrival
    search: RestSearch
    run: PlanRun

    def __call__(self) -> Planned | None:
        """The plan, None while the search goes on. Raises ResumeFailed."""
        found = self.search.advance()
        if found is None:
            return None
        plan, reads = found
        try:
            steps = compiled_steps(plan.tree, self.run, self.arrival, reads)
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        return Planned(plan, steps)


class Mount:
    """The running plan of a goal: its behaviours, which are the goal's only child, and its hooks.

    ``setup_arguments`` are those that the tree was set up with; plans are set up with them later.
    """

    __slots__ = (
        *("_agent", "_domains", "_goal", "_mounted", "_on_resumed", "_run", "_search"),
        *("finished", "hooks", "is_broken", "setup_arguments", "started"),
    )

    def __init__(
        self,
        goal: Behaviour,
        agent: Agent[Any, Any],
        search: PlanSearch,
        on_resumed: Callable[[Arrival, Plan], None],
        started: Callable[[TaskNode], None],
        finished: Callable[[TaskNode, Iterable[Fluent[Any]]], None],
    ) -> None:
        self.hooks = PlanHooks(agent, goal.name, search.failures.plan_refused)
        self.setup_arguments: Mapping[str, Any] = {}
        self._goal = goal
        self._agent = agent
        self._search = search
        self._on_resumed = on_resumed
        self.started, self.finished = started, finished  # as a PlanOwner
        self._domains: tuple[FrozenDomain, ...] = ()
        """Those of the plan and of the plans before it, of which steps may still be running."""
        self.is_broken = False
        """Whether the plan goes no further; only its running steps go on, until the next plan."""
        self._run: PlanRun | None = None
        self._mounted: MountedTree | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no plan is mounted."""
        return not self._goal.children

    @property
    def subtree(self) -> Behaviour:
        """The root of the behaviours that run the plan."""
        return self._goal.children[0]

    @property
    def run(self) -> PlanRun:
        """The run of the mounted plan."""
        assert self._run is not None, "a mounted plan has a run"
        return self._run

    @property
    def running(self) -> list[TaskLeaf]:
        """The running steps of the plan."""
        return running_leaves(self.subtree)

    def at_work(self) -> AtWork:
        """The steps that are running, and whether a better plan may interrupt them now."""
        leaves = self.running
        return AtWork([leaf.node for leaf in leaves], all(map(interruptible, leaves)))

    def give_up(self, ended: Iterable[Failure]) -> None:
        """Let running steps fail whose precondition does not hold any more, in their next tick."""
        for failure in ended:
            for leaf in self.running:
                if leaf.node is failure.node:
                    leaf.give_up(failure)

    def progress(self) -> Progress:
        """How far the plan has come."""
        assert self._mounted is not None, "a plan is mounted"
        progress = progress_of(self.subtree, self._mounted.tree, self._mounted.planned)
        return self._mounted.without_finished(progress)

    def place(self) -> tuple[object, ...]:
        """A key that is equal as long as the progress is."""
        return (self.run.moves, *active_path(self.subtree))

    def take(self, other: Mount) -> None:
        """Take over the plan, the open hooks and the aborts of another goal of the agent."""
        self.hooks, other.hooks = other.hooks, self.hooks
        self.hooks.on_refused, other.hooks.on_refused = (
            other.hooks.on_refused,
            self.hooks.on_refused,
        )
        self._goal.children, other._goal.children = other._goal.children, []
        for child in self._goal.children:
            child.parent = self._goal
        self._run, self._mounted = other._run, other._mounted
        self._domains = other._domains
        self.is_broken = other.is_broken
        other.clear()
        if self._run is not None:
            self._run.owner = self

    def follow(self, domain: FrozenDomain) -> None:
        """Let running steps, and the parts around them, be those of a newer domain's tasks.

        A step that the domain does not have any more is aborted.
        """
        self.hooks.follow(domain)
        for node in () if self.is_empty else postorder(self.subtree):
            match node:
                case TaskLeaf(status=Status.RUNNING):
                    task = _task_in(domain, node.node)
                    if isinstance(task, PrimitiveTask):
                        node.follow(task)
                    else:
                        node.stop(INVALID)
                case PlanWithCleanup() | PlanDecorated():
                    whole = _task_in(domain, node.node)
                    if isinstance(whole, CompoundTask):
                        node.node = replace(node.node, task=whole)
                case _:
                    pass

    def put(
        self,
        plan: Plan,
        over: frozenset[Node] | None = None,
        entered: frozenset[Node] = frozenset(),
    ) -> None:
        """Mount a plan, in the place of a broken one if any.

        A repaired plan has nodes that are ``over``, or none, and is mounted without them, and
        others that were ``entered``.

        Raises PlanRefused when a hook raises, ExecutionError for a plan too deep for py_trees.
        """
        if self.is_broken:
            self.exchange(plan, over, entered)
            return
        self.hooks.adopt(plan.tree)
        self.hooks.release()
        self._run = PlanRun(
            self._agent,
            self._goal.name,
            self,
            self.setup_arguments,
            holder=self.hooks.holder,
            cooldowns=self._search.failures.cooldowns,
        )
        if over is not None:
            plan.derived(refuse_too_deep)
        run = self._run
        subtree = compiled(plan.tree, run, over) if over else fresh_subtree(plan, run)
        self._mount(plan, subtree, over, entered)

    def is_equivalent(self, plan: Plan) -> bool:
        """Whether the plan is equal to the rest of the running one (semantics 3.9.2)."""
        is_idle = idle_for(self._agent)
        if begins_otherwise(next_steps(self.subtree), plan, is_idle):
            return False
        return is_continuation(self.progress(), plan, is_idle)

    def exchange(
        self,
        plan: Plan,
        over: frozenset[Node] | None = None,
        entered: frozenset[Node] = frozenset(),
        *,
        equivalent: bool = False,
        on_accepted: Callable[[], None] = lambda: None,
    ) -> None:
        """Replace the running plan; the steps that both start with run on (see ``hand_over``).

        ``on_accepted`` is called when nothing can fail any more, before anything is aborted.
        Raises PlanRefused when a hook raises, and ExecutionError as ``put``, with nothing
        changed.
        """
        plan.derived(refuse_too_deep)
        subtree = compiled(plan.tree, self.run, over or frozenset())
        self.hooks.adopt(plan.tree)
        on_accepted()
        old, run, steps = self.subtree, self.run, self.running
        kept = None if over is None else self._steps() & {*leaves(plan.tree)}
        try:
            running = hand_over(old, subtree, run, steps, equivalent=equivalent, kept=kept)
            self._mount(plan, running, over, entered)
        except BaseException:  # an interrupt, at which some stand in neither subtree
            for leaf in steps:
                leaf.stop(INVALID)
            raise
        self.hooks.release()

    def _steps(self) -> set[TaskNode]:
        """The steps of the plan, those of suspended parts that were planned included."""
        assert self._mounted is not None, "a plan is mounted"
        trees = (self._mounted.tree, *self._mounted.planned.values())
        return {step for tree in trees for step in leaves(tree)}

    def break_off(self, broken: Node | None) -> None:
        """Let running steps go on without the rest of the plan, except the one that is broken."""
        self.is_broken = True
        for leaf in self.running:
            if leaf.node is broken:
                leaf.stop(INVALID)

    def run_on(self) -> Generator[Behaviour, None, bool]:
        """Tick the running steps of a broken plan. Returns whether one has ended."""
        leaves = self.running
        for leaf in leaves:
            yield from leaf.tick()
        return self.running != leaves

    def is_taken_over_by(self, plan: Plan) -> bool:
        """Whether another plan begins with a step that is running."""
        return begins_with_one_of(self.running, plan.tree, idle_for(self._agent))

    def stop(self) -> None:
        """Abort the running steps, the latest started first, and end the plan."""
        leaves = self.running
        for leaf in sorted(leaves, key=lambda leaf: leaf.number, reverse=True):
            leaf.stop(INVALID)
        for node in postorder(self.subtree):  # what has ended keeps its status, to be shown
            if node.status is RUNNING:
                node.stop(INVALID)

    def clear(self) -> None:
        """Discard the plan's behaviours."""
        for child in self._goal.children:
            discard(child)
        self._goal.children = []
        self._run = self._mounted = None
        self.is_broken = False

    def resumed(self, arrival: Arrival, plan: Plan) -> None:
        """Note that a suspended part is replaced. Raises ResumeFailed when a hook raises."""
        try:
            self.hooks.extend(plan.tree)
        except PlanRefused as refused:
            raise ResumeFailed(str(refused)) from refused
        assert self._mounted is not None, "a suspended part belongs to a running plan"
        self._mounted.resumed(arrival.node, plan.tree)
        self._on_resumed(arrival, plan)

    def owe_cleanup(self, part: ScopeNode, path: Path, run: PlanRun) -> None:
        """Leave the cleanup of a part that was not done to the agent.

        After a reload the newest domain may not have the task of the part any more.
        """
        newest = self._search.planner.domain
        domain = next((known for known in self._domains if part.task in known.methods), newest)
        owe_cleanup(part, path, run, domain, self._search.settings)

    def plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Start to plan a suspended part. Raises ResumeFailed."""
        return PlannedRest(arrival, self._search.rest(arrival), self.run)

    def _mount(
        self,
        plan: Plan,
        subtree: Behaviour,
        over: frozenset[Node] | None,
        entered: frozenset[Node],
    ) -> None:
        subtree.parent = self._goal
        self._goal.children = [subtree]
        self._mounted = MountedTree(plan.tree, over or frozenset(), entered)
        domain = self._search.planner.domain  # that of the plan, which a found plan has to look up
        if domain not in self._domains:
            self._domains = (domain, *self._domains[:1])
        self.is_broken = False


def _task_in(domain: FrozenDomain, node: TaskNode | ScopeNode) -> Task | None:
    """The task with the name of a node's task, if there is one that takes its arguments."""
    task = domain.tasks.get(node.task.name)
    try:
        return None if task is None else task(*node.args).task
    except DomainError:
        return None
