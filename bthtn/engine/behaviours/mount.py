"""Mount: the place below a goal where its plan runs, and where one plan replaces another.

An exchange must happen as a whole or not at all, although what can refuse it is users' code: a hook
``on_plan_start`` may raise. So everything that can fail comes first: the new behaviours are
compiled and the hooks of its steps are called while the old plan still runs. Only then are steps
handed over and the others aborted; the ends of the old plan's hooks come last, when its aborts are
done. An interrupt (Ctrl-C) may come in between, when some steps hang below neither plan: then all
running steps are stopped before it is passed on.

A broken plan stays mounted until there is another one, so that a step which both have need not
stop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.branch import active_path, next_steps, rest_of, running_leaves, settle
from bthtn.engine.behaviours.cleanup import owe_cleanup
from bthtn.engine.behaviours.compile import refuse_too_deep, resumed_steps
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.handover import begins_with_one_of, hand_over, idle_for
from bthtn.engine.behaviours.hooks import PlanHooks
from bthtn.engine.behaviours.interruptible import interruptible
from bthtn.engine.behaviours.pattern import fresh_subtree
from bthtn.engine.behaviours.plan_behaviour import discard, postorder
from bthtn.engine.behaviours.plan_run import (
    Arrival,
    Path,
    Planned,
    PlanRefused,
    PlanRun,
    ResumeFailed,
)
from bthtn.engine.behaviours.plan_search import PlanSearch, RestSearch
from bthtn.engine.behaviours.sequence import PlanWithCleanup
from bthtn.engine.behaviours.splice import place_of, splice, steps_at
from bthtn.engine.behaviours.status import INVALID, RUNNING
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import Node, ScopeNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.replanning.continuation import begins_otherwise, is_continuation
from bthtn.engine.replanning.repair import Repair
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.running_plan import AtWork
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import BthtnError, DomainError


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
            steps = resumed_steps(plan.tree, self.run, self.arrival, reads)
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        return Planned(plan, steps)


class Mount:
    """The running plan of a goal: its behaviours, which are the goal's only child, and its hooks.

    ``setup_arguments`` are those that the tree was set up with; plans are set up with them later.
    """

    __slots__ = (
        *("_agent", "_domains", "_goal", "_on_resumed", "_run", "_search"),
        *("finished", "hooks", "is_broken", "is_stopped", "setup_arguments", "started"),
    )

    def __init__(
        self,
        goal: Behaviour,
        agent: Agent[Any, Any],
        search: PlanSearch,
        *,
        resumed: Callable[[Arrival, Plan], None],
        started: Callable[[TaskNode], Exception | None],
        finished: Callable[[TaskNode, Iterable[Fluent[Any]]], None],
    ) -> None:
        self.hooks = PlanHooks(agent, goal.name, search.failures.plan_refused)
        self.setup_arguments: Mapping[str, Any] = {}
        self._goal = goal
        self._agent = agent
        self._search = search
        self._on_resumed = resumed
        self.started, self.finished = started, finished  # as a PlanOwner
        self._domains: tuple[FrozenDomain, ...] = ()
        """Those of the plan and of the plans before it, of which steps may still be running."""
        self.is_broken = False
        """Whether the plan goes no further; only its running steps go on, until the next plan."""
        self.is_stopped = False
        """Whether users' code has stopped the goal in this tick: nothing more begins in it."""
        self._run: PlanRun | None = None

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
        assert self._run is not None, "a mounted plan has a run"
        return self._run

    @property
    def running(self) -> list[TaskLeaf]:
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

    def report(self, raised: Iterable[Failure]) -> None:
        """Report the exceptions of conditions of running steps, which go on."""
        for failure in raised:
            for leaf in self.running:
                if leaf.node is failure.node and isinstance(failure.error, Exception):
                    leaf.report(failure.error)

    def rest(self) -> Rest:
        run, subtree = self.run, self.subtree
        if run.has_grown and subtree.status is RUNNING:
            settle(run, subtree)
        return rest_of(run, subtree)

    def place(self) -> tuple[object, ...]:
        """A key that is equal as long as the rest is."""
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
        self._run = other._run
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

    def put(self, plan: Plan) -> None:
        """Mount a plan, in the place of a broken one if any.

        Raises PlanRefused when a hook raises, ExecutionError for a plan too deep for py_trees.
        """
        if self.is_broken:
            self.exchange(plan)
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
        self._mount(plan, fresh_subtree(plan, self._run))

    def is_equivalent(self, plan: Plan) -> bool:
        """Whether the plan is equal to the rest of the running one (semantics 3.9.2)."""
        is_idle = idle_for(self._agent)
        if begins_otherwise(next_steps(self.subtree), plan, is_idle):
            return False
        return is_continuation(self.rest(), plan, is_idle)

    def exchange(
        self,
        plan: Plan,
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
        subtree = fresh_subtree(plan, self.run)
        self.hooks.adopt(plan.tree)
        on_accepted()
        old, run, steps = self.subtree, self.run, self.running
        try:
            running = hand_over([old], subtree, run, steps, equivalent=equivalent)
            self._mount(plan, running)
        except BaseException:  # an interrupt, at which some stand in neither subtree
            for leaf in steps:
                leaf.stop(INVALID)
            raise
        self.hooks.release()

    def splice(self, repair: Repair) -> bool:
        """Put the new part of a repair into the running plan; all else runs on where it stands.

        Returns False, with nothing changed, where there is no place for it. Raises as ``exchange``.
        """
        plan, part, run, path = repair.plan, repair.part, self.run, repair.path
        assert plan is not None, "the repair was found"
        assert part is not None, "and it has a new part"
        place = place_of(path, run, self.subtree)
        if place is None:
            return False
        steps, leaves = steps_at(place, path, part, run), self.running
        self.hooks.adopt(plan.tree)
        try:
            splice(place, steps, run)
        except BaseException:  # an interrupt, at which some stand nowhere
            for leaf in leaves:
                leaf.stop(INVALID)
            raise
        run.put(path[-1], part)
        run.has_grown = False
        run.forget_unreached()
        self.hooks.release()
        return True

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
        if self._run is not None:
            self._run.behaviours = None  # they refer to the run
        self._run = None
        self.is_broken = False

    def resumed(self, arrival: Arrival, plan: Plan) -> None:
        """Note that a suspended part is replaced. Raises ResumeFailed when a hook raises."""
        try:
            self.hooks.extend(plan.tree)
        except PlanRefused as refused:
            raise ResumeFailed(str(refused)) from refused
        self.run.put(arrival.node, plan.tree)
        self.run.has_grown = True
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
        return PlannedRest(arrival, self._search.start_rest(arrival), self.run)

    def _mount(self, plan: Plan, subtree: Behaviour) -> None:
        subtree.parent = self._goal
        self._goal.children = [subtree]
        self.run.begin(plan.tree)
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
