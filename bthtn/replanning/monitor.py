"""outlook: whether the rest of a plan still works, from the world as it is now.

    finished step        nothing: what it did is in the world
    running step         its precondition, as far as it does not change it itself; its effects
    step ahead           its precondition; its effects
    scope not begun      the condition of its method
    parallel, priority   each branch from the state here, then merged as in planning
    suspended part       what was planned for it; if nothing was yet, the end of what is known

Unknown is no failure. What all that read of the world supports the plan: as long as none of
it changes, the answer stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from bthtn.domain.choice import Bound, Drawn
from bthtn.domain.condition import why
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.effect import writes_of
from bthtn.domain.method import PlainBody
from bthtn.domain.network import ParallelPolicy
from bthtn.plan.merge import after_parallel, after_priority
from bthtn.plan.nodes import (
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import Visit, unwound
from bthtn.replanning.progress import Progress, Stage
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Binding, Condition, Expression, StateView
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import Footprint, RecordingView, Write, WriteKind
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState
from bthtn.world.trail import WorkingState
from bthtn.world.truth import UNKNOWN, Unknown

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Break:
    """The first step, or choice, of the rest that does not work any more, and why.

    ``reads`` are the fluents that the condition which does not hold has read, ``node`` is the
    step, or the decomposition of which the method may not be used any more.
    """

    step: str
    reason: str
    reads: frozenset[Expression[Any]] = frozenset()
    node: Node | None = None

    def __str__(self) -> str:
        return f"{self.step}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether the rest of a plan works, and the fluents that it takes from the world."""

    broken: Break | None
    support: frozenset[Fluent[Any]]


def outlook(progress: Progress, domain: FrozenDomain, state: FrozenState) -> Outlook:
    """Carry the rest of the plan out on paper, from this state."""
    start = RecordingState(state)
    broken = unwound(_Rest(progress, domain, start).node(progress.tree))
    return Outlook(broken, frozenset(start.readings))


class _Rest:
    """The state that the rest has led to so far; ``stopped`` behind what nobody knows yet."""

    def __init__(self, progress: Progress, domain: FrozenDomain, start: FrozenState) -> None:
        self._progress = progress
        self._domain = domain
        self._begun = progress.begun()
        self._state = WorkingState(start)
        self._writes: dict[Fluent[Any], Write] = {}
        self._steps = 0
        self._choosing = False
        self._stopped = False

    def node(self, node: Node) -> Visit[Break | None]:
        """Carry a node out; what breaks."""
        match node:
            case TaskNode():
                return self._task(node)
            case ScopeNode():
                return self._scope(node)
            case ParallelNode():
                return self._parallel(node)
            case PriorityNode():
                return self._priority(node)
            case SuspendedNode() if node not in self._progress.planned:
                return self._suspended(node)
            case _:
                return self._sequence(node)

    def _sequence(self, node: Node) -> Visit[Break | None]:
        for child in self._progress.below(node):
            if self._stopped:
                break
            broken: Break | None = yield self.node(child)
            if broken is not None:
                return broken
        return None

    def _suspended(self, node: SuspendedNode) -> Visit[Break | None]:
        yield from ()
        self._stopped = not node.ensures
        for fluent, write in node.ensures.items():
            self._apply(fluent, write)
        return None

    def _task(self, node: TaskNode) -> Visit[Break | None]:
        yield from ()
        stage = self._progress.stage(node)
        if stage in (Stage.FINISHED, Stage.FAILED):
            return None
        runs = stage is Stage.RUNNING
        self._state.foreseeable = runs or self._is_sensed
        view: StateView = _Without(self._state, _own(node)) if runs else self._state
        broken = _asked(str(node), node.task.precondition, view, node.args, shown=self._state)
        if broken is None:
            broken = self._effects_of(node, as_planned=runs)
        self._steps += 1
        return _at(node, broken)

    def _effects_of(self, node: TaskNode, *, as_planned: bool) -> Break | None:
        # Those of a running step are not computed anew: it has changed some of what they read.
        planned = {f: w for f, w in node.footprint.writes.items() if isinstance(f, Fluent)}
        effects = (*node.task.effects, *node.task.expected)
        try:
            writes = planned if as_planned else writes_of(effects, self._state, node.args)
        except UnknownRead:
            writes = dict.fromkeys(planned, _UNSURE)
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - the user's code: what cannot be told breaks
            return Break(str(node), f"{type(error).__name__}: {error}")
        for fluent, write in writes.items():
            self._apply(fluent, write)
        return None

    def _scope(self, node: ScopeNode) -> Visit[Break | None]:
        if node not in self._begun:
            self._state.foreseeable = self._is_sensed
            broken = self._method(node)
            if broken is not None:
                return _at(node, broken)
        below: Break | None = yield self._sequence(node)
        return below

    def _method(self, node: ScopeNode) -> Break | None:
        """Whether the method may still be used. What was drawn belongs to the plan."""
        choice, view = node.task.choice, RecordingView(self._state)
        if isinstance(choice, Drawn):
            return None
        try:
            ways = self._domain.ways(node.task, node.args, view)
            numbers: Iterable[int] = (node.method,)
            if isinstance(choice, Bound):  # values may come in another order by now
                numbers = (n for n in range(len(ways)) if ways.name(n) == node.name)
            number = next(iter(numbers), None)
            if number is None or number >= len(ways):
                return Break(str(node), f"{node.name} is no choice any more", view.reads)
            method, binding = ways.method(number), ways.binding(number)
            if not isinstance(method.body, PlainBody):
                return _asked(str(node), method.condition, self._state, binding)
            if self._domain.network(method, view, binding) is None:
                return Break(str(node), f"{method.body} does not apply any more", view.reads)
        except UnknownRead:
            return None
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - the user's code: what cannot be told breaks
            return Break(str(node), f"{type(error).__name__}: {error}", view.reads)
        return None

    def _parallel(self, node: ParallelNode) -> Visit[Break | None]:
        branches: list[_Branch] = yield self._branches(self._progress.below(node))
        works = [branch.broken is None for branch in branches]
        enough = {
            ParallelPolicy.ALL: all(works),
            ParallelPolicy.ANY: any(works) or not works,
            ParallelPolicy.PRIMARY: all(works[:1]),
        }[node.policy]
        if not enough:
            return next(branch.broken for branch in branches if branch.broken is not None)
        if branches:
            footprints = [Footprint(writes=branch.writes) for branch in branches]
            together = after_parallel(footprints, node.policy, lambda i, f: branches[i].final[f])
            for fluent, write in together.items():
                self._apply(fluent, write)
        return None

    def _priority(self, node: PriorityNode) -> Visit[Break | None]:
        outside, self._choosing = self._choosing, True
        branches: list[_Branch] = yield self._branches(self._progress.below(node))
        self._choosing = outside
        works = [branch for branch in branches if branch.broken is None]
        if branches and not works:
            return branches[0].broken

        def final(index: int, fluent: Fluent[Any]) -> Any:
            left = works[index].final
            return left[fluent] if fluent in left else self._state.get(fluent)

        touched = {fluent: None for branch in works for fluent in branch.final}
        values = after_priority(range(len(works)), touched, final)
        for fluent, value in values.items():
            self._apply(fluent, Write(WriteKind.COMPUTED, value))
        return None

    def _branches(self, children: Iterable[Node]) -> Visit[list[_Branch]]:
        """Each branch from the state here, which is the same again afterwards."""
        outside, entry = self._writes, self._steps
        branches: list[_Branch] = []
        for child in children:
            mark, self._writes, self._stopped = self._state.mark(), {}, False
            broken: Break | None = yield self.node(child)
            final = self._state.written_since(mark)
            branches.append(_Branch(broken, self._steps, self._stopped, self._writes, final))
            self._state.leave(mark)
            self._steps = entry
        self._writes = outside
        self._steps = max((branch.steps for branch in branches), default=entry)
        self._stopped = any(branch.stopped for branch in branches if branch.broken is None)
        self._state.foreseeable = self._is_sensed
        return branches

    @property
    def _is_sensed(self) -> bool:
        """Whether volatile fluents can be relied on here (semantics 1.3.1)."""
        return self._steps == 0 and not self._choosing

    def _apply(self, fluent: Fluent[Any], write: Write) -> None:
        self._state.apply(fluent, write)
        before = self._writes.get(fluent)
        self._writes[fluent] = write if before is None else before.then(write)


@dataclass(frozen=True, slots=True)
class _Branch:
    broken: Break | None
    steps: int
    stopped: bool
    writes: dict[Fluent[Any], Write]
    final: dict[Fluent[Any], Any] = field(default_factory=dict)


_UNSURE = Write(WriteKind.COMPUTED, UNKNOWN)


class _Without:
    """A state in which some fluents are unknown."""

    def __init__(self, view: StateView, unknown: frozenset[Expression[Any]]) -> None:
        self._view = view
        self._unknown = unknown

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent."""
        if fluent in self._unknown:
            return UNKNOWN
        return self._view.get(fluent)


def _own(node: TaskNode) -> frozenset[Expression[Any]]:
    """What a running step changes itself: a sensor may see it before the step is done."""
    actual = (one.target for one in node.task.actual if isinstance(one, Assignment))
    return frozenset((*node.footprint.writes, *(one for one in actual if isinstance(one, Fluent))))


def _at(node: Node, broken: Break | None) -> Break | None:
    return None if broken is None else replace(broken, node=node)


def _asked(
    step: str,
    condition: Condition,
    view: StateView,
    binding: Binding,
    *,
    shown: StateView | None = None,
) -> Break | None:
    """What is wrong when the condition does not hold, told with the values of what is shown."""
    recorder = RecordingView(view)
    try:
        if condition.evaluate(recorder, binding) is not False:
            return None
        return Break(step, why(condition, shown or view, binding), recorder.reads)
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's code: what cannot be told breaks
        return Break(step, f"{type(error).__name__}: {error}", recorder.reads)
