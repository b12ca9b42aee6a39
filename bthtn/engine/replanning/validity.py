"""Validity: checks whether the rest of a running plan still works from the current state.

    finished step        skipped: its effects are in the state
    running step         its precondition as far as it is watched, and ``during``, with the
                         fluents it writes unknown; then its effects
    step ahead           its arguments and its precondition, then its effects
    scope not begun      its arguments, and the condition of its method
    parallel, priority   each branch from the same state, then merged as in planning
    suspended part       the tree that was planned for it; the check ends if there is none yet

An unknown condition is no failure. The fluents of the current state that the check has read are
the support of the plan: as long as none of them changes, the result stays the same.
``incremental_check`` repeats a check after changes, as far as they make a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar, assert_never

from bthtn.engine.domain.choice import RandomOrder
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import (
    BranchingNode,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.projection import BranchEnd
from bthtn.engine.plan.walk import Visit
from bthtn.engine.replanning.arguments import (
    AS_PLANNED,
    Arguments,
    Context,
    fluents_changed_by,
    index_now,
    renewed,
)
from bthtn.engine.replanning.remaining import RemainingProjection, unknown_writes, writes_of_call
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.step_conditions import condition_failure, false_parts
from bthtn.engine.world.expression import ALWAYS, Binding, Condition, Expression, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, RecordingView, Write
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import exception_text

A = TypeVar("A")
V = TypeVar("V")

NOTHING_WRITTEN: Final[Mapping[Fluent[Any], Write]] = MappingProxyType({})


class Validity(NamedTuple):
    """The result of the check, and the fluents on which it depends: the ``support``.

    ``failure`` is that of the first step, or decomposition, that does not work, None if all do.
    Its node is the step, or the scope whose method is not applicable any more. ``ended`` are those
    of running steps whose precondition does not hold any more; others may do in their place.
    ``raised`` are exceptions of such preconditions that end nothing, since no other was the cause.
    The result ``is_lasting`` if no such precondition was false, whoever has ended it.
    """

    failure: Failure | None
    support: frozenset[Fluent[Any]]
    ended: tuple[Failure, ...] = ()
    raised: tuple[Failure, ...] = ()
    is_lasting: bool = True


def validity_of(
    rest: Rest,
    domain: FrozenDomain,
    state: FrozenState,
    changed: Collection[Expression[Any]] | None = None,
) -> Validity:
    """Whether the rest of a plan works from this state, where others have ``changed`` these."""
    start = RecordingView(state)
    return outcome_of(Check(rest, domain, start, WorkingState(state, start), state, changed))


def outcome_of(check: Check) -> Validity:
    """The result of a check that has not begun yet."""
    try:
        check.project(check.rest.tree)
        failure = check.path.failure
    except _Outdated as outdated:
        failure = outdated.failure
    lasts = failure is None and not check.has_false_parts
    support = frozenset(check.start.readings)
    return Validity(failure, support, tuple(check.ended), tuple(check.raised), lasts)


class _Outdated(Exception):  # noqa: N818 - it ends the check and never leaves this module
    """A call or a value differs from the plan's by now: no other branch can make up for it."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure))


Key = tuple[Any, ...]
"""Names a question: the same one, asked of the same values, has the same answer."""


class Check(RemainingProjection):
    """A projection of the rest that ends where a step fails, or where planning has stopped.

    ``start`` is the current state, on which ``state`` is based; ``seen`` is the same, from which
    the arguments of what has begun are computed. The precondition of a running step counts where it
    has read one of the ``changed`` fluents, which others have changed; wherever it is false if they
    are None.
    """

    def __init__(
        self,
        rest: Rest,
        domain: FrozenDomain,
        start: RecordingView,
        state: WorkingState,
        seen: StateView,
        changed: Collection[Expression[Any]] | None = None,
    ) -> None:
        super().__init__(rest, state)
        self.start = start
        self._domain = domain
        self._arguments = Arguments(rest, domain, seen)
        self._context = AS_PLANNED
        self._relied_on: dict[int, Context] = {}
        self._changed = changed
        self.ended: list[Failure] = []
        self.raised: list[Failure] = []
        self.has_false_parts = False

    def asked(self, key: Key, ask: Callable[[StateView], A]) -> A:  # noqa: ARG002 - for subclasses
        """The answer to a question about the state that the plan leads to here."""
        return ask(self.state)

    def visit(self, node: Node) -> Visit[None]:
        """Project a part of the plan if its arguments and methods are those of the plan."""
        return self._scope(node) if isinstance(node, ScopeNode) else super().visit(node)

    def _scope(self, node: ScopeNode) -> Visit[None]:
        outside, was_ahead = self._context, self.is_ahead
        self.sense()
        if not was_ahead and self.rest.has_begun(node):
            self._enter_begun(node)
        else:
            self.is_ahead = True
            self.path.failure = _at(node, self._method_failure(node))
        if self.path.failure is None:
            for child in self.below(node):  # one, or none
                yield self.visit(child)
        self._context, self.is_ahead = outside, was_ahead

    def _enter_begun(self, node: ScopeNode) -> None:
        try:
            self._context = self._arguments.begun(node, self._context)
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - the user's code raises: that is a failure, too
            self.path.failure = _raised(str(node), error, node=node)

    def effects(self, node: TaskNode) -> Footprint:
        """The footprint of the step; an empty one, and a failure, if a condition is false."""
        try:
            failure = self._step_failure(node)
            if failure is None:
                return super().effects(node)
        except (AssertionError, _Outdated):
            raise
        except Exception as error:  # noqa: BLE001 - the user's code raises: that is a failure, too
            failure = _raised(str(node), error)
        self.path.failure = _at(node, failure)
        return Footprint()

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Project the part; end the check if it is not planned yet and ensures no effects."""
        yield super().suspended(node)
        if self.rest.plan_of(node) is not None:
            return
        self.rely_on_context()
        try:
            _check(node, self._arguments.suspended_failure(node, self._context))
        except (AssertionError, _Outdated):
            raise
        except Exception as error:  # noqa: BLE001 - the user's code raises: that is a failure, too
            self.path.failure = _raised(str(node), error, node=node)
        if not node.ensures:
            self.path.cause = node.cause

    def join(self, node: BranchingNode, ends: Sequence[BranchEnd]) -> None:
        """Join the branches, if enough of them work."""
        failures = [end.path.failure for end in ends]
        works = [end for end in ends if end.path.failure is None]
        match node:
            case ParallelNode():
                enough = {
                    ParallelPolicy.ALL: len(works) == len(ends),
                    ParallelPolicy.ANY: bool(works),
                    ParallelPolicy.PRIMARY: failures[0] is None,
                }[node.policy]
                merged = ends  # the effects of a branch before its failure remain
            case PriorityNode():
                enough = bool(works)
                merged = works
            case _:
                assert_never(node)
        if enough:
            super().join(node, merged)
        else:
            self.path.failure = next(failure for failure in failures if failure is not None)

    def _step_failure(self, node: TaskNode) -> Failure | None:
        """Why the step could not start, or go on if it is running; or None."""
        if not self.runs:
            self._check_arguments(node)
            return self._failure_of(node, node.task.precondition, node.args)
        ended = None if node.task.watched is ALWAYS else self.precondition_ended(node)
        if ended is not None or node.task.during is ALWAYS:
            return ended
        unseen = fluents_changed_by(node)
        return self._failure_of(node, node.task.during, node.args, unseen)

    def precondition_ended(self, node: TaskNode) -> Failure | None:
        """The failure of a part of a running step's precondition, or None."""
        key = key_for(node.task.watched, node.args, id(node))
        found, changed = self.asked(key, lambda view: false_parts(node, view)), self._changed
        self.has_false_parts |= bool(found)
        by_others = (
            part for part in found if changed is None or not part.reads.isdisjoint(changed)
        )
        failure = next(by_others, None)
        if failure is None:
            self.raised.extend(replace(part, node=node) for part in found if part.error is not None)
            return None
        failure = replace(failure, node=node)
        self.ended.append(failure)
        return failure

    def _failure_of(
        self,
        node: TaskNode | ScopeNode,
        condition: Condition,
        binding: Binding,
        unseen: frozenset[Expression[Any]] = frozenset(),
    ) -> Failure | None:
        if condition is ALWAYS:
            return None
        return self.asked(
            key_for(condition, binding, *unseen),
            lambda view: condition_failure(node, condition, view, binding, unseen),
        )

    def _check_arguments(self, node: TaskNode | ScopeNode) -> None:
        if not node.args:
            return
        arguments, context = self._arguments, self.rely_on_context()
        key = key_for(node.call, node.args + node.binding, id(context))
        _check(node, self.asked(key, lambda view: arguments.failure(node, context, view)))

    def writes(self, node: TaskNode) -> Mapping[Fluent[Any], Write]:
        """The writes of a step that starts in the current state."""
        task = node.task
        if not (task.effects or task.expected):
            return NOTHING_WRITTEN
        found = self.asked(
            key_for(task, node.args), lambda view: writes_of_call(task, node.args, view)
        )
        return unknown_writes(node) if found is UNKNOWN else found

    def rely_on_context(self) -> Context:
        """The context here, on whose fluents the rest relies from now on."""
        known, chain = self._relied_on, self._context.chain()
        for context in takewhile(lambda context: id(context) not in known, chain):
            known[id(context)] = context
            for fluent in context.reads:
                self.start.get(fluent)
        return self._context

    def _method_failure(self, node: ScopeNode) -> Failure | None:
        """Why the method is not applicable any more, or None. Random choices are not checked."""
        view = RecordingView(self.state)
        try:
            return self._decomposed(node, view)
        except UnknownRead:
            return None
        except (AssertionError, _Outdated):
            raise
        except Exception as error:  # noqa: BLE001 - the user's code raises: that is a failure, too
            return _raised(str(node), error, view.reads)

    def _decomposed(self, node: ScopeNode, view: RecordingView) -> Failure | None:
        self._check_arguments(node)
        self._context = self._arguments.ahead(node, self._context, self.state)
        if isinstance(node.task.choice, RandomOrder):
            return None
        decompositions = self._domain.decompositions(node.task, node.args, view)
        number = index_now(node, decompositions)
        if number is None:
            why = f"{node.name} is no choice any more"
            raise _Outdated(Failure(why, str(node), node, view.reads))
        method, binding = decompositions.method(number), decompositions.binding(number)
        if isinstance(method.body, PlainBody):
            failure = self._body_failure(node, method, view, binding)
        else:
            failure = self._failure_of(node, method.condition, binding)
        if failure is None:
            _check(node, _preferred(node, decompositions, number, view))
        return failure

    def _body_failure(
        self, node: ScopeNode, method: Method, view: RecordingView, binding: Binding
    ) -> Failure | None:
        """The failure of a plain method that does not apply, or that calls other tasks now."""
        network = self._domain.network(method, view, binding)
        if network is None:
            return Failure(f"{method.body} does not apply any more", str(node), None, view.reads)
        calls = {} if node.body is None else renewed(node.body, network)
        if calls is None:
            why = f"{method.body} calls other tasks now"
            raise _Outdated(Failure(why, str(node), node, view.reads))
        reads = frozenset(self.start.readings.keys() & view.reads)
        self._context = Context(calls=calls, reads=reads)
        return None


def _check(node: Node, failure: Failure | None) -> None:
    """Raise _Outdated if there is such a failure of the node."""
    if failure is not None:
        raise _Outdated(replace(failure, node=node))


def _at(node: Node, failure: Failure | None) -> Failure | None:
    return None if failure is None else replace(failure, node=node)


def _preferred(
    node: ScopeNode, decompositions: Decompositions, number: int, view: RecordingView
) -> Failure | None:
    """The failure of a value that has others before it by now, one of which is possible."""
    for before in range(number if number > node.method else 0):
        if (
            decompositions.method(before).condition.evaluate(view, decompositions.binding(before))
            is True
        ):
            why = f"{decompositions.name(before)} comes before {node.name} now"
            return Failure(why, str(node), reads=view.reads)
    return None


def _raised(
    what: str,
    error: Exception,
    reads: frozenset[Expression[Any]] = frozenset(),
    node: Node | None = None,
) -> Failure:
    return Failure(exception_text(error), what, node, reads, error)


def key_for(about: object, binding: Binding, *more: object) -> Key:
    """The key of a question about an object; equal values may be of different types."""
    return (id(about), binding, *map(type, binding), *more) if binding else (id(about), *more)
