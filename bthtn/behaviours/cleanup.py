"""Cleaning: what is done for a part of a plan that did not get to its cleanup.

owed      the part failed, or was given up: the cleanup waits with the agent's aborts
its turn  everything that the same goal gave up before is done: planned from the beliefs of
          now, at once
working   ticked to its end, once per tick; what follows waits for it as for any abort
over      told, and never tried again, whatever came of it
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.events import CleanupEnded, CleanupStarted
from bthtn.agent.leases import Account, Holder
from bthtn.behaviours.branch import failure_of
from bthtn.behaviours.compile import compiled, compiled_steps
from bthtn.behaviours.handover import running_leaves
from bthtn.behaviours.hooks import PlanHooks
from bthtn.behaviours.resume import stands_still
from bthtn.behaviours.run import Arrival, CleanUp, Path, Planned, PlanRun, ResumeFailed, path_text
from bthtn.behaviours.sequence import discard
from bthtn.behaviours.step import LONGEST_ABORT
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, SequenceNetwork, network_text
from bthtn.domain.task import CompoundTask, TaskCall
from bthtn.errors import BthtnError, Diagnostic, ExecutionError
from bthtn.plan.nodes import ScopeNode
from bthtn.plan.plan import Plan
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import Settings
from bthtn.world.expression import Constant

LARGEST_SEARCH: Final = 1_000
"""Expansions within which a cleanup has to be planned: nobody waits for it over several ticks."""


def cleaning_up(domain: FrozenDomain, settings: Settings) -> CleanUp:
    """Leaves what is owed to the aborts of the agent, planned with this domain."""
    limit = min(settings.max_expansions, LARGEST_SEARCH)
    whole = replace(
        settings, horizon=None, horizon_time=None, check_rest=False, max_expansions=limit
    )

    def clean_up(part: ScopeNode, path: Path, run: PlanRun) -> None:
        run.agent.aborts.add(Cleaning(part, path, run, domain, whole))

    return clean_up


class Cleaning:
    """One cleanup that is owed, an abort of the agent. It ends exactly once."""

    def __init__(
        self, part: ScopeNode, path: Path, run: PlanRun, domain: FrozenDomain, settings: Settings
    ) -> None:
        self._call = _cleanup_of(part, domain)
        self.task = network_text(_network_of(self._call, domain), part.args)
        self._path = (str(part), path)
        self._goal = run.holder
        self._domain = domain
        self._settings = settings
        self.holder = Holder(self.task, run.holder)
        # Its steps are inside of what others wait for: they do not wait for it themselves.
        with run.agent.acting(Account(self.holder)):
            self._hooks = PlanHooks(run.agent, run.goal)
        self._run = PlanRun(
            run.agent,
            run.goal,
            self._plan_rest,
            self._resumed,
            run.setup_arguments,
            holder=self._hooks.holder,
            clean_up=run.clean_up,
            # No plan of the goal foresees what is written here: to plans, it comes from others.
            writes_as=f"{run.goal}, cleaning up",
        )
        self._subtree: Behaviour | None = None
        self._ticks = 0

    @property
    def uses(self) -> frozenset[str]:
        """What its steps occupy now."""
        leaves = [] if self._subtree is None else running_leaves(self._subtree)
        busy = (leaf for leaf in leaves if leaf.is_at_work or leaf.is_giving_up)
        return frozenset[str]().union(*(leaf.node.task.uses for leaf in busy))

    def go_on(self) -> bool:
        """Wait for its turn, plan, or tick what was planned; whether it is over."""
        if self._subtree is None and self._must_wait():
            return False
        try:
            return self._work()
        except BthtnError as error:
            return self._end(str(error), error)
        except BaseException as error:
            self._end("what ends the program came between", error)
            raise

    def cut_off(self, why: str) -> None:
        """End it now, whatever is left to do."""
        hint = "tick the tree until nothing aborts before it is taken down"
        message = f"the cleanup '{self.task}' was cut off: {why}"
        error = ExecutionError(Diagnostic("BT306", message, where=path_text(self._path), hint=hint))
        try:
            if self._subtree is not None and self._subtree.status is Status.RUNNING:
                self._subtree.stop(Status.INVALID)
        finally:
            self._end(f"it was cut off: {why}", error)

    def _must_wait(self) -> bool:
        """Whether steps that the goal gave up, or cleanups it owed before, are not done yet."""
        behind = False
        for one in self._run.agent.aborts.within(self._goal):
            if one is self:
                behind = True
            elif not (behind and isinstance(one, Cleaning) and one._goal is self._goal):
                return True
        return False

    def _work(self) -> bool:
        self._ticks += 1
        if self._ticks > LONGEST_ABORT:
            self.cut_off(f"it was not done after {LONGEST_ABORT} ticks")
            return True
        if self._subtree is None:
            refused = self._begin()
            if refused:
                return self._end(refused)
        assert self._subtree is not None, "what has begun is there"
        self._run.ticked()
        self._subtree.tick_once()
        if self._subtree.status is Status.RUNNING:
            return False
        failed = self._subtree.status is Status.FAILURE
        return self._end(failure_of(self._subtree) or "it failed" if failed else "")

    def _begin(self) -> str:
        """Plan it and mount the plan; why that is not possible, or nothing."""
        agent = self._run.agent
        planner: Planner[Any] = Planner(self._domain, self._call, self._settings, cache=agent.cache)
        plan = planner.plan(agent.beliefs.frozen())
        if plan is None:
            return "there is no plan"
        subtree = compiled(plan.tree, self._run, path=self._path)
        refused = self._hooks.adopt(plan.tree)
        if refused:
            return refused
        self._set_up(subtree)
        self._subtree = subtree
        agent.emit(CleanupStarted(self._run.goal, self.task, plan))
        return ""

    def _end(self, reason: str, error: BaseException | None = None) -> bool:
        subtree, self._subtree = self._subtree, None
        if subtree is not None:
            discard(subtree)
        self._hooks.over()
        ended = CleanupEnded(self._run.goal, self.task, not reason, reason, error)
        self._run.agent.emit(ended)
        return True

    def _plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Plan a suspended part, at once. Raises ResumeFailed."""
        agent = self._run.agent
        try:
            planner: Planner[Any] = Planner.resuming(
                self._domain, arrival.node, self._settings, cache=agent.cache
            )
            plan = planner.plan(agent.beliefs.frozen())
            if plan is None or stands_still(plan, arrival.node):
                raise ResumeFailed("there is no plan")
            planned = Planned(plan, compiled_steps(plan.tree, self._run, arrival))
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        for step in planned.steps:
            self._set_up(step)
        return lambda: planned

    def _resumed(self, _arrival: Arrival, plan: Plan) -> None:
        refused = self._hooks.extend(plan.tree)
        if refused:
            raise ResumeFailed(refused)

    def _set_up(self, subtree: Behaviour) -> None:
        for node in subtree.iterate():
            node.setup(**self._run.setup_arguments)


def _cleanup_of(part: ScopeNode, domain: FrozenDomain) -> TaskCall:
    """The call of the cleanup of a part, with the values that the part was called with."""
    match domain.methods[part.task][part.method].body:
        case SequenceNetwork((*_, TaskCall(CompoundTask(origin="finally") as task))):
            return TaskCall(task, tuple(map(Constant, part.args)))
        case _:
            raise AssertionError(f"{part} ends with its cleanup")


def _network_of(call: TaskCall, domain: FrozenDomain) -> Network:
    """What was written as the cleanup."""
    assert isinstance(call.task, CompoundTask), "a cleanup is a task of its own"
    body = domain.methods[call.task][0].body
    assert isinstance(body, Network), "no function stands in its place"
    return body
