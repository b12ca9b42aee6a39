"""Cleanups that a plan did not reach: the agent does them, like aborts of several ticks.

owed      the part failed or was aborted: the cleanup is queued with the agent's aborts
its turn  all earlier aborts and cleanups of the goal are done: it is planned at once, from
          the beliefs as they are
running   ticked once per tick to its end; later steps wait for it as for any abort
over      reported as an event, and never tried again, whether it succeeded or not; at once
          if it is owed inside of itself, which would go on forever
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.aborts import LET_THEM_FINISH
from bthtn.engine.agent.events import CleanupEnded, CleanupStarted
from bthtn.engine.agent.leases import Account, Holder
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.branch import failure_of
from bthtn.engine.behaviours.compile import compiled, refuse_too_deep, resumed_steps
from bthtn.engine.behaviours.hooks import PlanHooks
from bthtn.engine.behaviours.plan_behaviour import discard
from bthtn.engine.behaviours.plan_run import (
    Arrival,
    Inside,
    Path,
    Planned,
    PlanRefused,
    PlanRun,
    ResumeFailed,
    names_of,
    path_text,
)
from bthtn.engine.behaviours.step_abort import LONGEST_ABORT
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network, SequenceNetwork, network_text
from bthtn.engine.domain.task import CompoundTask, TaskCall, call_text
from bthtn.engine.plan.equivalence import repeats_suspension
from bthtn.engine.plan.nodes import ScopeNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.expression import Constant
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import BthtnError, ExecutionError

LARGEST_SEARCH: Final = 1_000
"""Expansions within which a cleanup has to be planned, since it is planned in one tick."""


def owe_cleanup(
    part: ScopeNode, path: Path, run: PlanRun, domain: FrozenDomain, settings: Settings
) -> None:
    """Queue the cleanup of a part of a plan with the agent's aborts, to be planned in its turn."""
    limit = min(settings.max_expansions, LARGEST_SEARCH)
    whole = replace(
        settings, horizon=None, horizon_time=None, check_rest=False, max_expansions=limit
    )
    run.agent.aborts.add(OwedCleanup(part, path, run, domain, whole))


class OwedCleanup:
    """One cleanup that is owed, as an abort of the agent. It ends exactly once."""

    is_stopped = False  # as a PlanOwner: nobody stops it but by cutting it off

    def __init__(
        self, part: ScopeNode, path: Path, run: PlanRun, domain: FrozenDomain, settings: Settings
    ) -> None:
        self.part, self.path = part, path
        self._call = _cleanup_of(part, domain)
        self.task = network_text(_network_of(self._call, domain), part.args)
        self._path = Inside(part, path)
        self._is_inside_itself = f"{call_text(self._call.task, part.args)} m0" in names_of(path)
        self._goal = run.holder
        self._owner = run.owner
        self._domain = domain
        self._settings = settings
        self.holder = Holder(self.task, run.holder)
        # Steps wait for aborts of holders around them. The cleanup's own steps are put inside of
        # its holder, so that they do not wait for the cleanup that they belong to.
        with runtime_of(run.agent).acting(Account(self.holder)):
            self._hooks = PlanHooks(run.agent, run.goal)
        self._run = PlanRun(
            run.agent,
            run.goal,
            self,
            run.setup_arguments,
            holder=self._hooks.holder,
            # The goal's plans do not predict what is written here, so its source is another one.
            writes_as=WriterName(f"{run.goal}, cleaning up"),
            plan_id=run.plan_id,
        )
        self._subtree: Behaviour | None = None
        self._ticks = 0
        self.is_over = False

    def go_on(self) -> bool:
        """Wait for its turn, plan, or tick the plan. Returns whether it is over."""
        if self._subtree is None and self._must_wait():
            return False
        try:
            return self._work()
        except BthtnError as error:
            return self._end(str(error), error)
        except BaseException as error:
            self._end("the program was interrupted", error)
            raise

    def cut_off(self, why: str) -> None:
        """End it now, finished or not."""
        message, where = f"the cleanup '{self.task}' was cut off: {why}", path_text(self._path)
        error = ExecutionError("BT306", message, where=where, hint=LET_THEM_FINISH)
        try:
            if self._subtree is not None and self._subtree.status is Status.RUNNING:
                self._subtree.stop(Status.INVALID)
        finally:
            self._end(f"it was cut off: {why}", error)

    def _must_wait(self) -> bool:
        """Whether an aborted step, or an earlier cleanup, of the same goal is not done yet."""
        behind = False
        for abort in self._run.agent.aborts.within(self._goal):
            if abort is self:
                behind = True
            elif not (behind and isinstance(abort, OwedCleanup) and abort._goal is self._goal):
                return True
        return False

    def _work(self) -> bool:
        self._ticks += 1
        if self._ticks > LONGEST_ABORT:
            self.cut_off(f"it was not done after {LONGEST_ABORT} ticks")
            return True
        if self._subtree is None:
            if self._is_inside_itself:
                return self._end("it is owed inside of itself")
            try:
                self._subtree = self._planned()
            except (ResumeFailed, PlanRefused) as failure:
                return self._end(str(failure))
        self._run.ticked()
        self._subtree.tick_once()
        if self._subtree.status is Status.RUNNING:
            return False
        failed = self._subtree.status is Status.FAILURE
        return self._end(str(failure_of(self._subtree)) if failed else "")

    def _planned(self) -> Behaviour:
        """Plan the cleanup and make its behaviours.

        Raises ResumeFailed without a plan, PlanRefused when a hook raises, and BthtnError.
        """
        agent = self._run.agent
        planner: Planner[Any] = Planner(self._domain, self._call, self._settings)
        plan = planner.plan(agent.beliefs.frozen())
        if plan is None:
            raise ResumeFailed("there is no plan")
        plan.derived(refuse_too_deep)
        subtree = compiled(plan.tree, self._run, path=self._path)
        self._hooks.adopt(plan.tree)
        self._run.begin(plan.tree)
        about = (self._run.goal, self.task, plan)
        runtime_of(agent).tell(CleanupStarted, *about, plan_id=self._run.plan_id)
        return subtree

    def _end(self, reason: str, error: BaseException | None = None) -> bool:
        if self.is_over:
            return True
        if self._subtree is not None:
            discard(self._subtree)
        self._subtree = None
        self._hooks.close()
        run, self.is_over = self._run, True
        about = (run.goal, self.task, not reason, reason)
        runtime_of(run.agent).tell(CleanupEnded, *about, error=error, plan_id=run.plan_id)
        return True

    def plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Plan a suspended part, at once. Raises ResumeFailed."""
        agent = self._run.agent
        try:
            planner: Planner[Any] = Planner.resuming(self._domain, arrival.node, self._settings)
            plan = planner.plan(agent.beliefs.frozen())
            if plan is None or repeats_suspension(plan, arrival.node):
                raise ResumeFailed("there is no plan")
            planned = Planned(plan, resumed_steps(plan.tree, self._run, arrival))
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        return _Given(planned)

    def resumed(self, arrival: Arrival, plan: Plan) -> None:
        """Note that a suspended part is replaced. Raises ResumeFailed when a hook raises."""
        try:
            self._hooks.extend(plan.tree)
        except PlanRefused as refused:
            raise ResumeFailed(str(refused)) from refused
        self._run.put(arrival.node, plan.tree)

    def started(self, node: TaskNode) -> None:
        """Hear of no started steps: a cleanup is not under review."""

    def finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        """Hear of no finished steps: a cleanup is not under review."""

    def owe_cleanup(self, part: ScopeNode, path: Path, run: PlanRun) -> None:
        """Leave the cleanup of a part of this one to the agent that owes this one."""
        self._owner.owe_cleanup(part, path, run)


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """A plan that is there already, in the place of a search for it."""

    planned: Planned

    def __call__(self) -> Planned:
        return self.planned


def _cleanup_of(part: ScopeNode, domain: FrozenDomain) -> TaskCall:
    body = domain.methods[part.task][part.method].body
    assert isinstance(body, SequenceNetwork), "the parts, and then the cleanup"
    call = body.parts[-1]
    assert isinstance(call, TaskCall), f"{part} ends with its cleanup"
    return TaskCall(call.task, tuple(map(Constant, part.args)))


def _network_of(call: TaskCall, domain: FrozenDomain) -> Network:
    """The network that the author wrote as the cleanup."""
    assert isinstance(call.task, CompoundTask), "a cleanup is a task of its own"
    body = domain.methods[call.task][0].body
    assert isinstance(body, Network), "no function stands in its place"
    return body
