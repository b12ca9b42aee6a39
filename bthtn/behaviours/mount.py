"""Mount: where a goal's plan stands in the tree, and how one takes the place of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from py_trees.behaviour import Behaviour

from bthtn.agent.agent import Agent
from bthtn.behaviours.branch import progress_of
from bthtn.behaviours.compile import compiled, compiled_steps
from bthtn.behaviours.handover import Carrying, idle_for
from bthtn.behaviours.hooks import PlanHooks
from bthtn.behaviours.run import (
    Arrival,
    CleanUp,
    OnFinished,
    OnResumed,
    Planned,
    PlanRest,
    PlanRun,
    ResumeFailed,
)
from bthtn.behaviours.sequence import discard
from bthtn.behaviours.task_leaf import interruptible
from bthtn.errors import BthtnError
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.replanning.progress import Course, Progress
from bthtn.replanning.same_course import is_same_course


class Mount:
    """The behaviours of a goal's plan, how far they have come, and what the plan has reserved.

    They are the only child of the goal. ``setup_arguments`` are what the tree was set up with.
    """

    def __init__(
        self,
        goal: Behaviour,
        agent: Agent[Any, Any],
        plan_rest: PlanRest,
        on_resumed: OnResumed,
        on_finished: OnFinished,
        clean_up: CleanUp,
    ) -> None:
        self.hooks = PlanHooks(agent, goal.name)
        self.setup_arguments: Mapping[str, Any] = {}
        self._goal = goal
        self._agent = agent
        self._told = (plan_rest, on_resumed, on_finished)
        self._clean_up = clean_up
        self._is_idle = idle_for(agent.operators)
        self._run: PlanRun | None = None
        self._course: Course | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no plan is mounted."""
        return not self._goal.children

    @property
    def subtree(self) -> Behaviour:
        """What runs the plan."""
        return self._goal.children[0]

    @property
    def run(self) -> PlanRun:
        """The run of the plan that is mounted."""
        assert self._run is not None, "what is mounted is being run"
        return self._run

    def is_interruptible(self) -> bool:
        """Whether the plan may be given up for a better one now."""
        return interruptible(self.subtree)

    def progress(self) -> Progress:
        """How far the plan has come."""
        assert self._course is not None, "what is mounted has a course"
        return progress_of(self.subtree, self._course.tree, self._course.planned)

    def put(self, plan: Plan, over: frozenset[Node] = frozenset()) -> str:
        """Mount a plan, of which some nodes are over; why its hooks refuse it, or nothing.

        Raises ExecutionError for a plan that py_trees cannot run.
        """
        refused = self.hooks.adopt(plan.tree)
        if refused:
            return refused
        plan_rest, on_resumed, on_finished = self._told
        self._run = PlanRun(
            self._agent,
            self._goal.name,
            plan_rest,
            on_resumed,
            self.setup_arguments,
            on_finished,
            holder=self.hooks.holder,
            clean_up=self._clean_up,
        )
        subtree = compiled(plan.tree, self._run, over)
        self._set_up(subtree)
        self._stand(plan, subtree)
        return ""

    def is_same_course(self, plan: Plan) -> bool:
        """Whether the plan is what is left of the one that runs (semantics 3.9.2)."""
        return is_same_course(self.progress(), plan, self._is_idle)

    def exchange(
        self,
        plan: Plan,
        over: frozenset[Node] = frozenset(),
        *,
        same_course: bool = False,
        mends: bool = False,
        tell: Callable[[], None] = lambda: None,
    ) -> str:
        """Put a plan in the place of the running one; what both begin with runs on.

        One that ``mends`` it is the same plan but for one part. Why its hooks refuse it, or
        nothing: then ``tell`` is called before anything is aborted. Raises as ``put``, with
        nothing changed.
        """
        subtree = compiled(plan.tree, self.run, over)
        refused = self.hooks.adopt(plan.tree)
        if refused:
            return refused
        tell()
        self._set_up(subtree)
        carrying = Carrying(self.subtree, self._is_idle, same_course=same_course, mends=mends)
        self._stand(plan, carrying.into(subtree))
        return ""

    def clear(self) -> None:
        """Let the plan's behaviours go."""
        for child in self._goal.children:
            discard(child)
        self._goal.children = []
        self._run = self._course = None

    def planned(self, plan: Plan, arrival: Arrival) -> Planned:
        """The behaviours that take the place of a suspended part. Raises ResumeFailed."""
        try:
            steps = compiled_steps(plan.tree, self.run, arrival)
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        for step in steps:
            self._set_up(step)
        return Planned(plan, steps)

    def resumed(self, plan: Plan, arrival: Arrival) -> None:
        """A suspended part goes on with this plan. Raises ResumeFailed when a hook refuses it."""
        refused = self.hooks.extend(plan.tree)
        if refused:
            raise ResumeFailed(refused)
        assert self._course is not None, "a suspended part belongs to a running plan"
        self._course.resumed(arrival.node, plan.tree, self.progress())

    def _stand(self, plan: Plan, subtree: Behaviour) -> None:
        subtree.parent = self._goal
        self._goal.children = [subtree]
        self._course = Course(plan.tree)

    def _set_up(self, subtree: Behaviour) -> None:
        """Set up what comes later than the tree, as py_trees set up the tree."""
        for node in subtree.iterate():
            node.setup(**self.setup_arguments)
