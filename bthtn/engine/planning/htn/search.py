"""Total-order HTN planning: iterative depth-first decomposition, in slices of expansions.

    loop:
        take the next instruction                         (nothing left: solved)
        primitive:  if possible here, apply its effects and add it to the record
        compound:   go on with the body of its first usable method, keep the later ones
        parallel,
        priority:   plan each branch from the state at the node, then join their effects
        otherwise:  backtrack to the latest choice

What is to do is an instruction ``ins`` with the values ``a`` of its parameters, and a continuation
``k`` for when its body ends: instruction, values, depth, least cost, and the next continuation.
The rest of the state is the projected values with the trail that undoes them, the record of what
was planned, and the choices, which hold lengths of both and never copies. Choices are made in the
order of the reference in ``tests``, which specifies the plans.

For example, `fight` is `aim, shoot` or else `reload, shoot`, and there is nothing to aim at. After
each pass of the loop there is:

    record                     trail                     choices
    fight (0)                                            fight, from method 1
    (`aim` is impossible)
    fight (1)
    fight (1), reload          ammo was 0
    fight (1), reload, shoot   ammo was 0, ammo was 6

The record is the plan: `reload, shoot` by method 1. Taken back from its end, the trail gives the
state in which each part was planned, and so what it has read and written.

Not here: what a method or task needs of the state (``table``, ``source``), how the plan becomes a
tree (``found``), what a listener hears (``listened``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Self

from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import (
    NULL,
    ParallelNetwork,
    PriorityNetwork,
    network_text,
)
from bthtn.engine.domain.number import number_of
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.domain.task_effects import duration_of, grounded
from bthtn.engine.plan.merge import after_priority
from bthtn.engine.plan.nodes import (
    BUDGET,
    HORIZON,
    NULL_NODE,
    Dropped,
    Suspension,
    SuspensionKind,
    cause_of,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoided, concerned, why_avoided
from bthtn.engine.planning.htn import reasons
from bthtn.engine.planning.htn.costs import Costs
from bthtn.engine.planning.htn.dead_ends import MANY, DeadEnds
from bthtn.engine.planning.htn.found import Found
from bthtn.engine.planning.htn.guard import RecursionGuard
from bthtn.engine.planning.htn.memo import PlanMemo, Recalled
from bthtn.engine.planning.htn.prepared import PreparedGoal
from bthtn.engine.planning.htn.projected_state import (
    ABSENT,
    BEGUN,
    ProjectedState,
    ReadingView,
    Trail,
    Values,
    known_value,
)
from bthtn.engine.planning.htn.reasons import Reason, because, text_of
from bthtn.engine.planning.htn.record import (
    AHEAD,
    ALTERNATIVE,
    BRANCH,
    BRANCHES,
    JOINED,
    LEFT,
    NOTHING_TOUCHED,
    ChosenMethod,
    Ensured,
    Entry,
    EvaluatedStep,
    footprints_of,
    has_steps,
    is_plain,
    overwritten_since,
)
from bthtn.engine.planning.htn.source import EVALUATE, NO_METHOD, TO_DECIDE, to_ask
from bthtn.engine.planning.htn.table import (
    BRANCHING,
    COMPOUND,
    DEFERRING,
    FAILING,
    NOTHING,
    PAUSING,
    PRIMITIVE,
    SEQUENCE,
    Body,
    CompoundRow,
    Instruction,
    MethodRow,
    PrimitiveRow,
)
from bthtn.engine.planning.partial import cut, cut_later
from bthtn.engine.planning.protocol import (
    SEARCHING,
    SOLVED,
    PlanRequest,
    SearchStatus,
    raise_for_user,
)
from bthtn.engine.planning.trace import FAILED_BEFORE, GOES_ROUND
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN

FAIL: Final = Instruction(FAILING, None, (), 0)  # type: ignore[arg-type]  # there is no network
"""The instruction with which a search goes on after a plan was rejected."""
FAIL.link()
NOTHING_SPENT: Final = (0.0, 0.0)
BACK: Final = object()
"""Returned where the search has to backtrack."""
STOPPED: Final = object()
"""Returned where the budget is used up."""
EXHAUSTED: Final = SearchStatus.EXHAUSTED
AT_ONCE: Final = 1_000
"""Expansions between two looks at whether another thread has cancelled the search."""
SPECIAL: Final = object()
"""Stands for what is reached by an instruction that has to be looked at in detail."""
ALTERNATIVE_FAILED: Final = -1
"""In the place of the index to go on with, in the choice to drop an alternative."""
ALL_FAILED: Final = -2
"""In the same place, below the choices of a call: every decomposition of it has failed."""

Spent = tuple[float, float]
"""Elapsed time and cost of the innermost branch."""


class Ways(NamedTuple):
    """The decompositions of a call that depend on the state, and the fluents read for them.

    They take the place of the call's arguments in its choice.
    """

    args: Binding
    decompositions: Decompositions
    reads: frozenset[Any]


class Branch(NamedTuple):
    """A planned branch: its final values, footprints, steps, time and cost, cause of suspension.

    The footprints are those of its parts, in turn; none if its node is a choice that is in no
    branch itself: nothing is compared.
    """

    written: dict[Any, Any]
    touched: list[Footprint]
    steps: int
    spent: Spent
    cause: Suspension | None


class OpenNode(NamedTuple):
    """A parallel or priority node whose branches are planned in turn, and the search around it.

    ``place`` is the length of the record at its beginning. ``choice_at`` is the number of steps at
    which the innermost priority alternative begins, None outside of one.
    """

    ins: Instruction
    a: Binding
    k: Any
    depth: int
    steps: int
    scope: BranchScope
    place: int
    choice_at: int | None


class Frame:
    """The branch of a node that is being planned.

    ``planned`` are the branches before it, None for a dropped alternative. ``lengths`` has
    those of record and trail at its beginning, and the fingerprint there; ``outside`` is a lower
    bound on the cost of everything else. It ``has_plan`` once it was planned to the end.
    """

    __slots__ = ("choice_at", "has_plan", "lengths", "node", "outside", "planned")

    def __init__(
        self,
        node: OpenNode,
        planned: tuple[Branch | None, ...],
        lengths: tuple[int, int, int],
        outside: float,
    ) -> None:
        self.node = node
        self.choice_at = node.choice_at
        self.planned = planned
        self.lengths = lengths
        self.outside = outside
        self.has_plan = False


class BranchScope(NamedTuple):
    """The branch that is planned, what is ``spent`` in it so far, and where the bound is.

    ``frame`` is None outside of all nodes. ``ahead`` is the length of the record of choices while
    it is a beginning of the bound, -1 if every choice is allowed.
    """

    frame: Frame | None
    spent: Spent
    ahead: int


OUTSIDE: Final = BranchScope(None, NOTHING_SPENT, -1)
"""That of a search with no bound, before its first node."""
TO_BACKTRACK: Final = (FAIL, (), None, 0, 0, OUTSIDE, None, None, 0)
"""The registers of a search that goes on with its latest choice."""
Registers = tuple[Instruction, Binding, Any, int, int, BranchScope]
"""What is to do, and where: ``ins``, ``a``, ``k``, the ``depth`` of decomposition, the number of
``steps`` so far, and the scope."""
Reached = tuple[Instruction | None, Binding, Any, int, int, BranchScope, Suspension | None]
"""Where planning goes on, and why it stopped on this path, if it did."""


class HtnSearch(Unpicklable):
    """One search for a plan, advanced by its caller. Deterministic for equal input.

    ``expansions`` is the number of primitive tasks examined and methods entered so far.
    """

    # The default of a class would be found by a slower look.
    __slots__ = (
        *(
            "_asked",
            "_avoided",
            "_choices",
            "_costs",
            "_dead_ends",
            "_goal",
            "_guard",
            "_is_advancing",
        ),
        *("_is_cancelled", "_is_closing", "_is_plain", "_memo", "_plan", "_reason"),
        *(
            "_registers",
            "_retried",
            "_state",
            "_status",
            "_stop",
            "_view",
            "expansions",
            "record",
            "trail",
        ),
        "values",
    )

    listens = False
    """Whether somebody hears of everything: see ``listened``."""

    _avoided: frozenset[Any] | None
    """The tasks that have to be looked at since they or methods of theirs are excluded."""
    _is_plain: bool
    """Whether no instruction has to be looked at, for a limit, before it is taken: then ``_run``
    itself takes the most frequent ones."""
    _is_closing: bool
    """Whether every task that is reached is suspended, since the limit is reached."""
    _reason: Reason
    """Why the latest failure happened; backtracking keeps it."""
    _asked: PlanRequest | None
    _dead_ends: DeadEnds | None
    """Known dead ends, None as long as the search hardly ever fails."""
    _retried: int
    """How many times a later method was entered."""

    def __init__(
        self,
        goal: PreparedGoal,
        state: FrozenState,
        memo: PlanMemo | None = None,
        asked: PlanRequest | None = None,
    ) -> None:
        """From a state with the seed of the settings; ``asked`` is the request, if it is special.

        An answer that is in the ``memo`` is taken from it where the search would be done at once.
        """
        self._goal, self._state, self._memo, self._asked = goal, state, memo, asked
        values = self.values = Values(state.values)
        self._view = ProjectedState(values, goal.table.has_volatile)
        trail: Trail = []
        self.trail = trail
        self.record: list[Entry] = []
        self._choices: list[tuple[Any, ...]] = []
        self._guard = RecursionGuard(values, trail, self.record) if goal.is_guarded else None
        self._costs = self._avoided = None
        scope = OUTSIDE
        self._is_plain = goal.is_plain
        if asked is not None or not goal.is_plain or self.listens:
            request = self._request
            if goal.has_costs:
                self._costs = Costs(request.domain, cheapest=request.settings.cheapest)
            if request.bound is not None:
                scope = BranchScope(None, NOTHING_SPENT, 0)
            if request.avoiding:
                self._avoided = concerned(request.domain, request.avoiding)
        self._reason = ""
        self._stop = self.expansions = self._retried = 0
        self._dead_ends = None
        self._registers = goal.body.first, goal.binding, None, 0, 0, scope, None, None, 0
        self._status = SEARCHING
        self._plan: Plan | None = None
        self._is_cancelled = self._is_advancing = self._is_closing = False

    @classmethod
    def of(cls, request: PlanRequest) -> Self:
        return cls(PreparedGoal.of(request), request.state, None, request)

    @property
    def _request(self) -> PlanRequest:
        if self._asked is None:
            goal = self._goal
            question = goal.domain, self._state, goal.network, goal.binding, goal.settings
            self._asked = PlanRequest(*question)
        return self._asked

    @property
    def _avoiding(self) -> Avoided:
        return NOTHING_AVOIDED if self._asked is None else self._asked.avoiding

    @property
    def _bound(self) -> MethodTraversalRecord | None:
        """The record that a plan has to beat, or None."""
        return None if self._asked is None else self._asked.bound

    @property
    def _limits(self) -> Any:
        """What is asked beside the goal, as the key for the answers in the memo."""
        asked = self._asked
        if asked is None:
            return None
        avoiding = asked.avoiding
        return (asked.bound, frozenset(avoiding.items())) if avoiding else asked.bound

    @property
    def status(self) -> SearchStatus:
        return SearchStatus.CANCELLED if self._is_cancelled else self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved; in a search for the cheapest, the cheapest so far; else None."""
        return None if self._is_cancelled else self._plan

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents read from the start state so far, with their values, in order."""
        if self._guard is not None:
            self._guard.note_reads()
        return self.values.reads

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most this many more expansions, by default to the end; return the status.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        # First the flag, then the test for cancellation; `cancel` does it the other way round, so
        # that another thread cannot cancel between the two unnoticed.
        self._is_advancing = True
        try:
            if self._status is SEARCHING and not self._is_cancelled:
                end = self._goal.max_expansions
                if expansions is not None:
                    end = min(end, self.expansions + expansions)
                memo = self._memo
                if self.expansions or memo is None or not memo.root or not self._recall(memo, end):
                    self._run_until(end)
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        except BaseException:  # Ctrl-C: it cannot go on from the middle of a step
            self._status = SearchStatus.ERROR
            raise
        finally:
            self._is_advancing = False
            if self._is_cancelled:
                self._forget()
        return self._status if not self._is_cancelled else SearchStatus.CANCELLED

    def cancel(self) -> None:
        """Cancel a running search and release its memory; no effect on a finished one.

        Any thread may call it: a search that is being advanced in another thread stops soon.
        """
        if self._status is SEARCHING:
            self._is_cancelled = True
            if not self._is_advancing:
                self._forget()

    def reject(self) -> None:
        """Discard the plan that was found, so that ``advance`` looks for the next one."""
        assert self._status is SOLVED, "there is no plan to reject"
        assert self._memo is None, "there is nowhere to go on from a plan of the memo"
        # The plan that was found keeps these.
        self.values, self.trail = self.values.copied(), self.trail.copy()
        self.record, self._view = self.record.copy(), self._view.over(self.values)
        if self._guard is not None:
            self._guard.move(self.values, self.trail, self.record)
        if self._dead_ends is not None:
            self._dead_ends.move(self.values, self.trail)
            self._dead_ends.cut(-1)  # what led to the plan did not fail
        self._plan = None
        self._registers = TO_BACKTRACK
        self._status = SEARCHING

    def _forget(self) -> None:
        """Release everything that the search holds."""
        self._state = FrozenState({})
        self._asked = replace(self._request, state=self._state, goal=NULL, binding=())
        self._goal = PreparedGoal.of(self._asked)
        self.values = Values({})
        self._view, self.trail, self.record = self._view.over(self.values), [], []
        self._choices, self._guard, self._dead_ends = [], None, None
        self._registers = TO_BACKTRACK

    def _recall(self, memo: PlanMemo, end: int) -> bool:
        """Take the answer from the memo, if it is there and the budget allows to search for it.

        So whoever counts expansions sees no difference.
        """
        answer = memo.find(self._state.values, self._limits)
        if answer is None or answer.expansions > end:
            return False
        plan = Plan.found(Recalled(self._goal, answer, self._state), answer.tree)
        settings = self._goal.settings
        if settings.check_rest:
            plan = (cut_later if answer.is_in_turn else cut)(plan, self._state, settings)
        self._plan = plan
        self.values.recall(answer.readings)
        self.expansions, self._status = answer.expansions, SOLVED
        return True

    def _run_until(self, end: int) -> None:
        """Run up to a number of expansions, but no longer than until it is cancelled."""
        while True:
            self._stop = min(end, self.expansions + AT_ONCE)
            self._run()
            if self._status is not SEARCHING or self._is_cancelled:
                break
            if self.expansions >= end:
                if end == self._goal.max_expansions:
                    self._end_at_limit()
                break

    def _run(self) -> None:
        """Take instructions until solved, exhausted, cancelled or out of budget.

        The two most frequent are taken here, where nothing about them is special; a call for each
        would double the time. Whatever else there is to an instruction, ``_take`` knows: what is
        done here is what ``_primitive`` and ``_compound`` do where there is no limit, no cost, no
        bound and nothing unknown. The properties against the reference keep both alike.
        """
        values, view, trail, record = self.values, self._view, self.trail, self.record
        choices, expansions = self._choices, self.expansions
        guard: Any = self._guard
        dead_ends: Any = self._dead_ends
        is_plain, goal, listens = self._is_plain, self._goal, self.listens
        avoided, horizon = self._avoided, goal.horizon
        deepest, has_volatile = goal.max_depth, goal.table.has_volatile
        args: Any
        ins, a, k, depth, steps, scope, cause, args, start = self._registers
        method: Any = None
        binding: Any = None
        frame = scope.frame
        explains = listens or (frame is not None and frame.choice_at is not None)
        stop = self._stop if is_plain and scope.ahead < 0 and steps < horizon else -1
        reached: Any
        try:
            while True:
                if ins is None:
                    if k is not None:
                        ins, a, depth, _, k = k
                    else:
                        if frame is not None:
                            reached = self._end_branch(steps, scope, cause)
                        elif scope.ahead < 0 and self._solve(scope.spent, expansions):
                            break
                        else:
                            reached = None
                        ins, cause = FAIL, None
                        if reached is not None:
                            ins, a, k, depth, steps, scope, cause = reached
                            frame = scope.frame
                            explains = listens or (
                                frame is not None and frame.choice_at is not None
                            )
                            stop = (
                                self._stop
                                if is_plain and scope.ahead < 0 and steps < horizon
                                else -1
                            )
                            continue

                kind, row, constants, ground, following = ins.code
                length = len(trail)
                if expansions >= stop or (avoided and row is not None and row.task in avoided):
                    reached = SPECIAL
                elif kind == PRIMITIVE:
                    try:
                        args = constants
                        if args is None:
                            args = a if ground is None else ground(values, a, view)
                        done = row.step(values, args, view, trail)
                    except UnknownRead:
                        done = EVALUATE
                    if done is True:
                        expansions += 1
                        record.append((row, args, length, ins, a, depth))
                        if not steps and has_volatile:
                            view.begin(trail)
                        steps += 1
                        if steps >= horizon:
                            stop = -1
                        ins = following
                        continue
                    reached = SPECIAL
                    if done is False:
                        expansions += 1
                        reached = None
                        if explains:
                            self._impossible(row.task, args, depth)
                elif (
                    kind == COMPOUND
                    and (first := row.first) is not None
                    and (depth < deepest or start > 0)
                ):
                    known = found = None
                    try:
                        if start == 0:
                            args = constants
                            if args is None:
                                args = a if ground is None else ground(values, a, view)
                        if row.is_recursive and guard is not None:
                            known = guard[row, args]
                            if known:
                                guard.met = length
                                guard.entered += 1
                                found = known.get(view.fingerprint)
                        if dead_ends is not None and start == 0:
                            index = TO_DECIDE
                        elif found is None or start > 0 or not guard.goes_round(found, depth):
                            index = first(values, args, view, start)
                        else:
                            index = TO_DECIDE
                        if index >= 0:
                            method, binding = row.ways[index], args
                            if method.extended is not None:
                                binding = method.extended(values, args, view)
                        elif index < TO_DECIDE and not explains:
                            index, method, binding = self._called(row, args, index)
                    except UnknownRead:
                        index = TO_DECIDE
                    if index >= 0:
                        if listens and method.index > start:
                            self._reject_methods(row, args, start, method.index, depth)
                        expansions += 1
                        if start > 0:
                            self._retried += 1
                        if method.comes_back or (explains and method.index < row.last):
                            around = ins, a, k, depth, steps, scope
                            lengths = len(record), length, view.fingerprint
                            choices.append((around, args, method.index + 1, lengths))
                        entry = method, binding, length, ins, a, depth
                        if found is not None:
                            guard.enter(found, entry)
                        elif known is not None:
                            known[view.fingerprint] = [(len(record), entry)]
                        record.append(entry)
                        if following is not None:
                            k = following, a, depth, 0.0, k
                        ins, a = method.first, binding
                        depth += 1
                        start = 0
                        continue
                    reached = SPECIAL
                    if index == NO_METHOD:
                        reached = None
                        if explains:
                            self._reject_methods(row, args, start, row.last + 1, depth)
                else:
                    reached = SPECIAL

                if reached is SPECIAL:
                    self.expansions = expansions
                    reached = self._take((ins, a, k, depth, steps, scope), args, start)
                    expansions = self.expansions
                    if reached is STOPPED:
                        self._registers = ins, a, k, depth, steps, scope, cause, args, start
                        break
                    start = 0
                if reached is None:  # nothing else is possible here: back to the latest choice
                    if not choices or (self._is_closing and not has_steps(record)):
                        self._status = EXHAUSTED if self._plan is None else SOLVED
                        break
                    (ins, a, k, depth, steps, scope), args, start, lengths = choices.pop()
                    recorded, length, view.fingerprint = lengths
                    cause = None
                    if listens and start != ALL_FAILED:
                        self._back(ins, args)
                    del record[recorded:]
                    if guard is not None:
                        if guard.met > length:
                            guard.back(length)
                        if guard.entered > guard.most:
                            guard.forget_undone()
                    if len(trail) > length:
                        values.undo(trail, length)
                    if dead_ends is None and self._retried >= MANY:
                        dead_ends = self._look_out()
                    if start == ALL_FAILED:
                        start = 0
                        if dead_ends is not None:
                            dead_ends.leave(recorded, expansions)
                            if dead_ends.is_of_no_use:
                                dead_ends = self._dead_ends = None
                                self._retried = -expansions
                        ins = FAIL
                    elif start == ALTERNATIVE_FAILED:
                        start = 0
                        reached = self._without_alternative(args, scope.ahead)
                        if reached is None:
                            ins = FAIL
                if reached is not None:
                    ins, a, k, depth, steps, scope, cause = reached
                frame = scope.frame
                explains = listens or (frame is not None and frame.choice_at is not None)
                stop = self._stop if is_plain and scope.ahead < 0 and steps < horizon else -1
        finally:
            self.expansions = expansions

    # any instruction, in any search: where planning goes on behind it, None to backtrack

    def _take(self, around: Registers, args: Any, start: int) -> Any:
        """Take an instruction; ``args`` and ``start`` are of a call that is retried.

        Returns STOPPED, with nothing done, if it needs a budget that is used up.
        """
        ins, a, k, depth, steps, scope = around
        kind = ins.kind
        if self._is_cancelled:
            return STOPPED
        if kind == FAILING:
            return None
        if start == 0 and (not self._is_plain or steps >= self._goal.horizon):
            stops = self._check(ins, k, steps, scope)
            if stops is BACK:
                return None
            if stops is not None:
                return self._suspend(around, stops)
        if kind == PRIMITIVE:
            return self._primitive(around)
        if kind == COMPOUND:
            return self._compound(around, args, start)
        if kind == BRANCHING:
            return self._open(around)
        checks_rest = self._goal.settings.check_rest
        if kind == SEQUENCE or (kind == DEFERRING and checks_rest):
            if kind == DEFERRING:
                self.record.append((AHEAD, (), len(self.trail), ins, a, depth))
            return ins.bodies[0].first, a, self._behind(around), depth, steps, scope, None
        if kind == PAUSING:
            if not checks_rest:
                return self._suspend(around, cause_of(ins.network))
            self.record.append((NULL_NODE, (), len(self.trail), ins, a, depth))
        elif kind == DEFERRING:
            ensured = self._ensured(ins, a)
            if isinstance(ensured, Suspension):
                return self._suspend(around, ensured)
            if _is_tied(scope):
                return None
            self.record.append((ensured, (), len(self.trail), ins, a, depth))
            self._view.apply(ensured.writes, self.trail)
            if self._costs is not None:
                frame, (elapsed, cost), ahead = scope
                spent = elapsed, cost + self._costs.of_networks(ins.network)
                scope = BranchScope(frame, spent, ahead)
        else:
            assert kind == NOTHING, "there is no other kind"
        return ins.next, a, k, depth, steps, scope, None

    def _behind(self, around: Registers) -> Any:
        """Return the continuation for when the inside of an instruction is planned."""
        ins, a, k, depth, _, _ = around
        if ins.next is None:
            return k
        rank = 0.0 if self._costs is None else self._costs.left(ins.next, k)
        return ins.next, a, depth, rank, k

    def _suspend(self, around: Registers, cause: Suspension) -> Reached | None:
        """Stop planning on this path; the rest is planned when execution reaches it."""
        ins, a, k, depth, steps, scope = around
        if _is_tied(scope):
            return None
        self.record.append((cause, (), len(self.trail), ins, a, depth))
        if self._costs is not None:
            frame, (elapsed, cost), ahead = scope
            scope = BranchScope(frame, (elapsed, cost + self._costs.left(ins, k)), ahead)
        if self.listens:
            self._left_open(ins, a, k, depth, cause)
        return None, a, None, depth, steps, scope, cause

    def _primitive(self, around: Registers) -> Any:
        """Apply the effects of a primitive task, if it is possible."""
        ins, a, k, depth, steps, scope = around
        args = self._arguments(ins, a)
        if isinstance(args, Suspension):
            return self._suspend(around, args)
        if self.expansions >= self._stop:
            return STOPPED
        self.expansions += 1
        row: PrimitiveRow = ins.row
        step: PrimitiveRow | EvaluatedStep | None = row
        if self._is_avoided(row.task, args, depth):
            return None
        length = len(self.trail)
        try:
            done: Any = row.step(self.values, args, self._view, self.trail)
        except UnknownRead:
            done = EVALUATE
        if done is EVALUATE:
            done, step, unknown = self._evaluated(row, args, scope.frame, steps)
            if unknown is not None:
                return self._suspend(around, unknown)
        if not done:
            if self.listens or (scope.frame is not None and scope.frame.choice_at is not None):
                self._impossible(row.task, args, depth)
            return None
        assert step is not None, "it is done"
        self.record.append((step, args, length, ins, a, depth))
        if not steps:
            self._view.begin(self.trail)
        if self._goal.is_timed or self._costs is not None:
            scope = self._with_step(scope, step, args)
        return ins.next, a, k, depth, steps + 1, scope, None

    def _compound(self, around: Registers, args: Any, start: int) -> Any:
        """Enter the first usable method of a compound task from ``start`` on."""
        ins, a, k, depth, steps, scope = around
        row: CompoundRow = ins.row
        dead_ends, key = self._dead_ends, None
        row.compile()
        guard = self._guard if row.is_recursive else None
        if start == 0:
            args = self._arguments(ins, a)
            if isinstance(args, Suspension):
                return self._suspend(around, args)
            if guard is not None and guard.recurs(row, args, depth, self._view.fingerprint):
                self._cut(row.task, args, depth, GOES_ROUND)
                return self._because_of(guard.place)
            deepest = self._goal.max_depth
            if depth >= deepest:
                self._cut(row.task, args, depth, f"nested deeper than {deepest}")
                return self._because_of(-1)
            if dead_ends is not None and scope.frame is None and scope.ahead < 0:
                key = dead_ends.key(row, args, ins.next, a, k, self._view.fingerprint)
                if dead_ends.knows(key):
                    self._cut(row.task, args, depth, FAILED_BEFORE)
                    return None
        elif self._is_closing:
            return self._suspend(around, BUDGET)
        found = self._decide(ins, args, start, depth, scope)
        if isinstance(found, Suspension):
            return self._suspend(around, found)
        if found is None or found is STOPPED:
            return found
        self.expansions += 1
        args, index, method, body, binding, comes_back = found
        record, trail = self.record, self.trail
        lengths = len(record), len(trail), self._view.fingerprint
        if dead_ends is not None and key is not None:
            self._choices.append((around, args, ALL_FAILED, lengths))
            dead_ends.enter(key, self.expansions)
        if start > 0:
            self._retried += 1
        if comes_back:
            self._choices.append((around, args, index + 1, lengths))
        entry = method, binding, len(trail), ins, a, depth
        of = args.args if type(args) is Ways else args
        if guard is not None:
            found = guard[row, of].setdefault(self._view.fingerprint, [])
            guard.enter(found, entry)
        record.append(entry)
        if self._costs is not None:
            scope = self._with_method(self._costs, scope, method, row.task, of)
        if scope.ahead >= 0:
            scope = scope._replace(ahead=self._after(index, scope.ahead))
        return body.first, binding, self._behind(around), depth + 1, steps, scope, None

    def _look_out(self) -> DeadEnds | None:
        """Look out for dead ends from now on, if states can be compared and nothing else counts."""
        if self._guard is None or self._costs is not None or self._goal.has_horizon:
            self._retried = 0
        else:
            self._dead_ends = DeadEnds(self.values, self.trail)
        return self._dead_ends

    def _because_of(self, place: int) -> None:
        """Fail because of the call at this place of the record."""
        if self._dead_ends is not None:
            self._dead_ends.cut(place)

    def _check(self, ins: Instruction, k: Any, steps: int, scope: BranchScope) -> Any:
        """Return None to plan an instruction, why planning stops there, or BACK."""
        costs, (elapsed, cost) = self._costs, scope.spent
        if costs is not None and costs.is_too_high(cost + costs.left(ins, k), scope.frame):
            return BACK
        goal = self._goal
        if ins.place and goal.has_horizon and goal.settings.is_horizon(steps, elapsed):
            return HORIZON
        if self._is_closing and ins.kind <= COMPOUND:
            return BUDGET
        return None

    def _arguments(self, ins: Instruction, a: Binding) -> Binding | Suspension:
        """Return the arguments of a call, or why planning stops there."""
        if ins.args is not None:
            return ins.args
        if ins.ground is None:
            return a
        try:
            args: Binding = ins.ground(self.values, a, self._view)
        except UnknownRead:
            asked = ReadingView(self._view)
            found = grounded(ins.network, asked, a)
            return _unknown(asked.unknown) if found is None else found
        return args

    def _evaluated(
        self, row: PrimitiveRow, args: Binding, frame: Frame | None, steps: int
    ) -> tuple[bool, EvaluatedStep | None, Suspension | None]:
        """Apply a primitive task by evaluating its expressions, if it is possible.

        Returns whether it is, what goes into the record, and why planning stops there.
        """
        task, asked = row.task, ReadingView(self._view)
        possible = task.precondition.evaluate(asked, args)
        if possible is False:
            return False, None, None
        unknown = asked.unknown if possible is UNKNOWN else None
        try:
            writes = writes_of(row.effects, asked, args)
        except UnknownRead as signal:
            return False, None, _unknown(signal.fluent)
        if possible is UNKNOWN and (frame is None or frame.choice_at != steps):
            return False, None, _unknown(unknown)
        duration = duration_of(task, asked, args) if row.duration is None else row.duration
        cost = number_of(task.cost, asked, args) if row.cost is None else row.cost
        self._view.apply(writes, self.trail)
        return True, EvaluatedStep(row, asked.noted, writes, duration, cost), None

    def _with_step(
        self, scope: BranchScope, step: PrimitiveRow | EvaluatedStep, args: Binding
    ) -> BranchScope:
        """Return the scope with time and cost after a step."""
        frame, (elapsed, cost), ahead = scope
        row = step.row if type(step) is EvaluatedStep else step
        assert isinstance(row, PrimitiveRow), "steps are of primitive tasks"
        if self._goal.is_timed:
            elapsed += self._number(step, row.duration, row.task, args, "duration")
        costs = self._costs
        if costs is not None and costs.are_of_steps:
            price = row.cost
            if price is None:
                price = self._number(step, None, row.task, args, "cost")
                price = costs.price(price, 0, row.task, args)
            cost += price
        return BranchScope(frame, (elapsed, cost), ahead)

    def _number(
        self, step: Any, known: float | None, task: PrimitiveTask[...], args: Binding, which: str
    ) -> float:
        if known is not None:
            return known
        if type(step) is EvaluatedStep:
            evaluated: float = getattr(step, which)
            return evaluated
        return number_of(getattr(task, which), ReadingView(self._view), args)

    def _with_method(
        self, costs: Costs, scope: BranchScope, method: Any, task: Any, args: Binding
    ) -> BranchScope:
        """Return the scope with time and cost after a method was entered."""
        price = method.cost if costs.are_of_steps else method.value
        if type(method) is ChosenMethod and method.row.has_numbers:
            price = costs.price(method.cost, method.value, task, args)
        if not price:
            return scope
        frame, (elapsed, cost), ahead = scope
        return BranchScope(frame, (elapsed, cost + price), ahead)

    def _ensured(self, ins: Instruction, a: Binding) -> Ensured | Suspension:
        """Return what a deferred task ensures, or why planning stops there."""
        asked = ReadingView(self._view)
        try:
            writes = writes_of(ins.network.ensures, asked, a)
        except UnknownRead as signal:
            return _unknown(signal.fluent)
        cause = cause_of(ins.network)
        return Ensured(cause, writes, asked.reads) if writes else cause

    # methods, one by one

    def _decide(
        self,
        ins: Instruction,
        args: Any,
        start: int,
        depth: int,
        scope: BranchScope,
    ) -> Any:
        """Find the first usable method from ``start`` on.

        Returns the arguments for the choice, the decomposition's index, what goes into the record,
        the body with its binding, and whether there are later methods to come back to; or why
        planning stops there; STOPPED if one may not be entered now; None if there is none.
        """
        row: CompoundRow = ins.row
        frame, _, ahead = scope
        is_explained = self.listens or (frame is not None and frame.choice_at is not None)
        ways: Ways | None = args if type(args) is Ways else None
        avoids = bool(self._avoiding)
        if row.first is not None and not is_explained and not avoids:
            found = self._first(row, args, start, scope)
            if type(found) is not int:
                return found
            start = found
        if row.has_choice and ways is None:
            asked = ReadingView(self._view)
            try:
                found = self._goal.domain.decompositions(row.task, args, asked)
            except UnknownRead as signal:
                return _unknown(signal.fluent)
            if not found and is_explained:
                readings = {fluent: self._view.get(fluent) for fluent in asked.noted}
                why = reasons.no_values(row.task, readings)
                self._reject_task(row.task, args, depth, why)
            args = ways = Ways(args, found, asked.reads)
        rejected: list[tuple[int, Reason]] = []
        reached: Any = None
        count = len(row.methods) if ways is None else len(ways.decompositions)
        index = start
        while index < count:
            if ways is None:
                method, binding = row.methods[index], args
            else:
                method = row.of(ways.decompositions.method(index))
                binding = ways.decompositions.binding(index)
            index += 1
            why = self._why_avoided(method, binding, ways, index - 1) if avoids else ""
            if why:
                rejected.append((index - 1, why))
                continue
            try:
                body, reads = self._usable(method, binding, ways)
            except UnknownRead as signal:
                reached = _unknown(signal.fluent)
                break
            if body is None:
                # Whose turn it is, is no reason.
                if is_explained and not method.is_turn:
                    rejected.append((index - 1, self._why_not(method, binding)))
                continue
            if not self._may_beat(index - 1, ahead):
                assert self._request.bound is not None, "it may be beaten otherwise"
                rejected.append((index - 1, (reasons.cut_by_bound, self._request.bound)))
                break
            if self.expansions >= self._stop:
                return STOPPED
            chosen: MethodRow | ChosenMethod = method
            if reads is not None or ways is not None:
                of, name = args, method.method.name
                if ways is not None:
                    of, name = ways.args, ways.decompositions.name(index - 1)
                chosen = self._chosen(method, binding, of, index - 1, name, body, reads)
            comes_back = index < count and (
                self.listens
                or frame is not None
                or (
                    (ways is not None or not method.excludes_later) and self._may_beat(index, ahead)
                )
            )
            reached = (args, index - 1, chosen, body, binding, comes_back)
            break
        for number, why_not in rejected:
            way = (
                row.methods[number].method.name
                if ways is None
                else ways.decompositions.name(number)
            )
            self._reject_method(row, args, (number, way, why_not), depth)
        return reached

    def _first(self, row: CompoundRow, args: Binding, start: int, scope: BranchScope) -> Any:
        """Find the first usable method of a task by the compiled function, as ``_decide`` does.

        Returns the index from which that has to ask one method after the other.
        """
        assert row.first is not None, "it is compiled"
        try:
            number, binding = row.first(self.values, args, self._view, start), args
            if number == NO_METHOD:
                return None
            if number < 0:
                return to_ask(number)
            method = row.ways[number]
            if method.extended is not None:
                binding = method.extended(self.values, args, self._view)
        except UnknownRead:
            return start
        index, (frame, _, ahead) = method.index, scope
        if not self._may_beat(index, ahead):
            return None
        if self.expansions >= self._stop:
            return STOPPED
        comes_back = index < row.last and (
            frame is not None or (method.comes_back and self._may_beat(index + 1, ahead))
        )
        return args, index, method, method.body, binding, comes_back

    def _called(
        self, row: CompoundRow, args: Binding, index: int
    ) -> tuple[int, MethodRow | ChosenMethod | None, Binding]:
        """Find the first usable method, where ``row.first`` came to one that has to be asked.

        Returns its index, NO_METHOD without one, what goes into the record, and the binding. Raises
        UnknownRead.
        """
        values, view, table = self.values, self._view, self._goal.table
        assert row.first is not None, "it was called"
        while index < TO_DECIDE:
            method = row.methods[to_ask(index)]
            asked, authored = ReadingView(view), method.method
            network = authored.network(asked, args)
            if network is not None:
                body, binding, answer = method.body, args, None
                if body is None:
                    calling = table.calling(authored, network)
                    if calling is None:
                        body = table.computed(authored, network)
                    else:
                        (body, binding), answer = calling, network
                number, name = method.index, authored.name
                worth = method.cost or 0, method.value or 0
                made = ChosenMethod(method, args, number, name, body, asked.noted, *worth, answer)
                return method.index, made, binding
            index = row.first(values, args, view, method.index + 1)
        if index == NO_METHOD:
            return index, None, args
        way = row.ways[index]
        return index, way, args if way.extended is None else way.extended(values, args, view)

    def _usable(
        self, method: MethodRow, binding: Binding, ways: Ways | None
    ) -> tuple[Body | None, Collection[Any] | None]:
        """Return the body of a method, None when it is not usable, and the fluents read to decide.

        The reads are None if they are to be derived when they are needed. Raises UnknownRead when
        the decision depends on an unknown fluent.
        """
        if method.body is None or method.has_numbers or ways is not None:
            asked = ReadingView(self._view)
            network = method.method.network(asked, binding)
            if network is None:
                return None, None
            reads = asked.noted if ways is None else [*asked.noted, *ways.reads]
            return method.body or self._goal.table.computed(method.method, network), reads
        if method.always:
            return method.body, None
        asked = ReadingView(self._view)
        holds = method.method.condition.evaluate(asked, binding)
        if holds is UNKNOWN:
            raise UnknownRead(asked.unknown)
        return (method.body if holds else None), None

    def _chosen(  # noqa: PLR0913, PLR0917 - what was worked out about the method
        self,
        method: MethodRow,
        binding: Binding,
        args: Binding,
        index: int,
        name: str,
        body: Body,
        reads: Collection[Any] | None,
    ) -> ChosenMethod:
        """Return the entry of a method that was decided by evaluation.

        The fluents that its cost and value read count as read by its choice.
        """
        cost, value = method.cost, method.value
        read: Any = reads or ()
        if method.has_numbers:
            asked = ReadingView(self._view)
            cost, value = (
                number_of(number, asked, binding)
                for number in (method.method.cost, method.method.value)
            )
            read = [*asked.noted, *read]
        return ChosenMethod(method, args, index, name, body, read, cost or 0, value or 0)

    def _why_not(self, method: MethodRow, binding: Binding) -> Reason:
        condition, body = method.method.condition, method.method.body
        if isinstance(body, PlainBody) and condition.evaluate(self._view, binding) is True:
            if type(body) is PlainBody:
                return (PlainBody.why_not, body, None, binding)  # for which it needs no state
            return body.why_not(self._view, binding)
        return because(condition, self._view, binding)

    def _why_avoided(
        self, method: MethodRow, binding: Binding, ways: Ways | None, index: int
    ) -> str:
        avoiding = self._avoiding
        key = (method.method, binding) if ways is None else ways.decompositions.avoidable(index)
        return why_avoided(key, avoiding)

    def _is_avoided(self, task: PrimitiveTask[...], args: Binding, depth: int) -> bool:
        why = why_avoided((task, args), self._avoiding)
        if why:
            self._reject_task(task, args, depth, why)
        return bool(why)

    # the bound

    def _may_beat(self, entry: int, ahead: int) -> bool:
        """Whether a plan whose record continues with this entry can beat the bound.

        ``ahead`` is the length of the record while it is a beginning of the bound, -1 if every
        choice is allowed.
        """
        if ahead < 0:
            return True
        bound = self._bound
        assert bound is not None, "the record is a beginning of it"
        left = len(bound) - ahead
        return left > 0 and (entry < bound[ahead] or (entry == bound[ahead] and left > 1))

    def _after(self, entry: int, ahead: int) -> int:
        """Return ``ahead`` behind an entry that may beat the bound."""
        if ahead < 0:
            return -1
        bound = self._bound
        assert bound is not None, "the record is a beginning of it"
        return -1 if entry < bound[ahead] else ahead + 1

    # Parallel and priority nodes: every branch is planned from the state at the node. When a branch
    # is complete, its changes are undone, so that the next one starts from the same state; when all
    # are complete, their joint effects are applied. Each priority alternative has a choice of its
    # own: when no decomposition of it is possible, the alternative is dropped.

    def _open(self, around: Registers) -> Reached | None:
        """Open a parallel or priority node, and start its first branch."""
        ins, a, k, depth, steps, scope = around
        choice_at = None if scope.frame is None else scope.frame.choice_at
        if isinstance(ins.network, PriorityNetwork):
            choice_at = steps
        node = OpenNode(ins, a, k, depth, steps, scope, len(self.record), choice_at)
        self.record.append((BRANCHES, (), len(self.trail), ins, a, depth))
        return self._next_branch(node, (), scope.ahead)

    def _next_branch(
        self, node: OpenNode, planned: tuple[Branch | None, ...], ahead: int
    ) -> Reached | None:
        """Start the next branch behind these, or join the branches when all are planned."""
        ins, a, _, depth, steps, scope, _, _ = node
        if len(planned) == len(ins.bodies):
            return self._join(node, [branch for branch in planned if branch is not None], ahead)
        outside = 0.0 if self._costs is None else self._outside(self._costs, node, planned)
        record, trail = self.record, self.trail
        lengths = len(record), len(trail), self._view.fingerprint
        frame = Frame(node, planned, lengths, outside)
        spent = scope.spent[0], 0.0
        mark = BRANCH
        if isinstance(ins.network, PriorityNetwork):
            if not self._may_beat(0, ahead):
                return None
            mark = ALTERNATIVE
            around = ins, a, None, depth, steps, BranchScope(scope.frame, spent, ahead)
            self._choices.append((around, frame, ALTERNATIVE_FAILED, lengths))
            if ahead >= 0:
                ahead = self._after(0, ahead)
            self._view.begin(trail)
        record.append((mark, (), len(trail), ins, a, depth))
        first = ins.bodies[len(planned)].first
        return first, a, None, depth, steps, BranchScope(frame, spent, ahead), None

    def _end_branch(
        self, steps: int, scope: BranchScope, cause: Suspension | None
    ) -> Reached | None:
        """Close a branch, and start the next."""
        frame, spent, ahead = scope
        assert frame is not None, "a branch ends"
        frame.has_plan = True
        node, values, trail = frame.node, self.values, self.trail
        begin, length, self._view.fingerprint = frame.lengths
        touched: list[Footprint] = []
        if node.scope.frame is not None or isinstance(node.ins.network, ParallelNetwork):
            touched = footprints_of(self.record, begin, values, trail)
        self.record.append((LEFT, (), len(trail), None, begin, node.depth))
        written: dict[Any, Any] = {}
        for fluent, before in overwritten_since(self.record, begin, trail, length).items():
            end = values.get(fluent, ABSENT)
            trail.append((fluent, end))
            if end is not ABSENT and fluent is not BEGUN:
                written[fluent] = known_value(end)
            if before is ABSENT:
                values.pop(fluent, None)
            else:
                values[fluent] = before
        branch = Branch(written, touched, steps, spent, cause)
        return self._next_branch(node, (*frame.planned, branch), ahead)

    def _without_alternative(self, frame: Frame, ahead: int) -> Reached | None:
        """Drop an alternative that has no plan; None if it had one or the record forbids it."""
        # One that was not tried to the end is not impossible.
        if frame.has_plan or self._is_closing or not self._may_beat(1, ahead):
            return None
        node, index = frame.node, len(frame.planned)
        text = network_text(node.ins.network.parts[index], node.a)
        dropped = Dropped(index, text, text_of(self._reason))
        self.record.append((dropped, (), len(self.trail), node.ins, node.a, node.depth))
        self._dropped(index, text, node.depth)
        return self._next_branch(node, (*frame.planned, None), self._after(1, ahead))

    def _join(self, node: OpenNode, kept: list[Branch], ahead: int) -> Reached | None:
        """Apply the joint effects of the branches; None when they conflict or all were dropped."""
        if not kept:
            return None
        ins, a, k, depth, _, around, place, _ = node
        is_choice = isinstance(ins.network, PriorityNetwork)
        touched = NOTHING_TOUCHED
        if is_choice:
            values = self._agreed(kept)
            if around.frame is not None:
                touched = Footprint.one_of([Footprint.in_turn(branch.touched) for branch in kept])
        else:
            joined = ins.joins.of([branch.touched for branch in kept])
            if joined.clash is not None:
                first, second, over = joined.clash
                self._reason = f"branches {first} and {second} both touch {over}"
                self._conflict(first, second, over, depth)
                return None
            values = joined.values([branch.written for branch in kept], self._view)
            if around.frame is not None:
                touched = joined.footprint
        length, view = len(self.trail), self._view
        for fluent, value in values.items():
            view.put(fluent, value, self.trail)
        steps, elapsed, costs, cause = 0, 0.0, list[float](), None
        for branch in kept:
            steps = max(steps, branch.steps)
            elapsed = max(elapsed, branch.spent[0])
            costs.append(branch.spent[1])
            if cause is None:
                cause = branch.cause
        if steps:
            view.begin(self.trail)
        self.record.append((JOINED, (), length, None, (place, touched), depth))
        cost = around.spent[1] + (max(costs) if is_choice else sum(costs))
        following = ins.next
        if cause is not None:
            if self._costs is not None:
                cost += self._costs.left(following, k)
            self._left_behind(following, a, k, depth, cause)
            following = k = None
        return (
            following,
            a,
            k,
            depth,
            steps,
            BranchScope(around.frame, (elapsed, cost), ahead),
            cause,
        )

    def _agreed(self, kept: list[Branch]) -> Mapping[Fluent[Any], Any]:
        """The values on which all alternatives agree; the others become unknown.

        A volatile fluent that is not written counts as unknown, since it may change before the
        choice.
        """

        def unwritten(fluent: Fluent[Any]) -> Any:
            if fluent.volatile and fluent not in self.values:
                return UNKNOWN
            return self._view.get(fluent)

        return after_priority([branch.written for branch in kept], unwritten)

    def _outside(self, costs: Costs, node: OpenNode, planned: Sequence[Branch | None]) -> float:
        """Return a lower bound on the cost of everything outside the branch behind these."""
        frame, (_, before), _ = node.scope
        around = 0 if frame is None else frame.outside
        later_branches = costs.of_networks(*node.ins.network.parts[len(planned) + 1 :])
        done = sum(branch.spent[1] for branch in planned if branch is not None)
        return around + before + costs.left(node.ins.next, node.k) + later_branches + done

    # the end

    def _end_at_limit(self) -> None:
        """End the search with its best result: the cheapest plan so far, or a partial plan.

        A partial plan suspends every remaining task, which takes no expansions. If that is not
        possible, the search backtracks to the latest choice and suspends its task. With
        ``check_rest`` there are no such partial plans.
        """
        settings = self._request.settings
        if settings.anytime and not settings.check_rest and self._plan is None:
            self._is_closing = has_steps(self.record)
            self._is_plain = False
            if self._is_closing:
                self._run()
        self._status = SearchStatus.LIMIT

    def _solve(self, spent: Spent, expansions: int) -> bool:
        """Keep the plan, now that nothing is left to do; return whether it ends the search."""
        costs, goal, memo = self._costs, self._goal, self._memo
        record, trail, values = self.record, self.trail, self.values
        if costs is not None and costs.is_too_high(spent[1], None):
            return False
        if self._is_closing:
            if not has_steps(record):
                return False
            memo = None  # a plan that ends at the limit is not the answer
        elif costs is not None:  # the search goes on
            record, trail, values = record.copy(), trail.copy(), values.copied()
        found = Found(
            goal, self._state, expansions, record, trail, values, memo, self._limits, self._guard
        )
        self._plan = Plan.found(found)
        if goal.settings.check_rest:
            # What evaluates otherwise the next time is found out now.
            later = is_plain(record)
            self._plan = (cut_later if later else cut)(self._plan, self._state, goal.settings)
        if costs is not None and not self._is_closing:
            costs.cheapest = spent[1]
            return False
        self._status = SOLVED
        return True

    # what is to be known of failures, by a listener or of an alternative that is dropped

    def _cut(
        self,
        task: Any,
        args: Binding,
        depth: int,  # noqa: ARG002 - a listener hears it
        why: str,
    ) -> None:
        """Note that a call recurs in an unchanged state or is nested too deep."""
        self._reason = (reasons.failed, task, args, why)

    def _impossible(self, task: PrimitiveTask[...], args: Binding, depth: int) -> None:
        self._reject_task(task, args, depth, because(task.precondition, self._view, args))

    def _reject_task(
        self,
        task: Any,
        args: Binding,
        depth: int,  # noqa: ARG002 - a listener hears it
        why: Reason,
    ) -> None:
        self._reason = (reasons.failed, task, args, why)

    def _reject_methods(
        self, row: CompoundRow, args: Binding, start: int, end: int, depth: int
    ) -> None:
        for method in row.methods[start:end]:
            if not method.is_turn:  # whose turn it is, is no reason
                rejected = method.index, method.method.name, self._why_not(method, args)
                self._reject_method(row, args, rejected, depth)

    def _reject_method(
        self,
        row: CompoundRow,
        args: Any,
        rejected: tuple[int, str, Reason],
        depth: int,  # noqa: ARG002 - a listener hears it
    ) -> None:
        of = args.args if type(args) is Ways else args
        self._reason = (reasons.failed, row.task, of, rejected[2])

    def _left_open(self, ins: Instruction, a: Binding, k: Any, depth: int, why: Suspension) -> None:
        """Note that planning stops at an instruction."""

    def _left_behind(
        self, ins: Instruction | None, a: Binding, k: Any, depth: int, why: Suspension
    ) -> None:
        """Note that planning stops before everything from an instruction on."""

    def _back(self, ins: Any, args: Any) -> None:
        """Note that the search goes back to a choice."""

    def _dropped(self, index: int, text: str, depth: int) -> None:
        """Note that an alternative is dropped."""

    def _conflict(self, first: int, second: int, over: str, depth: int) -> None:
        """Note that two branches conflict."""


def _is_tied(scope: BranchScope) -> bool:
    """Whether a part that is suspended here cannot be in a plan whose record beats the bound.

    Inside of a branch, nothing behind it is compared.
    """
    return scope.ahead >= 0 and scope.frame is not None


def _unknown(fluent: Any) -> Suspension:
    """Return the cause for stopping before a fluent is known."""
    return Suspension(SuspensionKind.UNKNOWN, str(fluent))
