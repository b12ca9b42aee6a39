"""Decides at run time where generated functions stop planning, and why.

An expression that reads an unknown value raises Unforeseen. Then a question about it is answered
by evaluation, which knows three-valued logic: the answer is a truth, or the cause for which the
part is suspended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from bthtn.domain.effect import writes_of
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.domain.task_effects import grounded
from bthtn.plan.nodes import Suspension, SuspensionKind
from bthtn.planning.htn.fastpath.reachable import Branches
from bthtn.planning.htn.fastpath.record_entries import Note, entries
from bthtn.planning.htn.fastpath.repeats import Unforeseen
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import RecordingView
from bthtn.world.truth import UNKNOWN

Cell = tuple[Any, ...]
Answer = bool | Suspension

STOPPED: Final = Note(lambda cause: ((cause, ()),))
"""Notes a part that is suspended, with all that follows it in its branch."""
STOPPED_BEHIND: Final = Note(lambda _: ())
"""Notes nothing: what is behind a node one of whose branches was suspended is so, too."""


def stop_goal(given: int, *state: Any) -> Any:
    """Suspend the rest of a goal.

    The state has the arguments of all generated functions: ``given`` lists, and the moment.
    """
    state[2].append((STOPPED, state[given][1]))
    return (), *state[given + 1 :]


def branch_end(cell: Cell) -> Cell:
    """The cell that ends the innermost branch; the empty one outside of all branches.

    The cell of such an end is recognized by its last but one item, which is its node.
    """
    while cell and type(cell[-2]) is not Branches:
        cell = cell[-1]
    return cell


def cause_in(moments: Sequence[Any], record: Sequence[Any]) -> Suspension | None:
    """Why the first branch that is suspended is; ``moments`` are those of a join."""
    for moment in moments[1:]:
        last = record[moment[0] - 1]
        if type(last) is tuple and last[0] in (STOPPED, STOPPED_BEHIND):
            cause: Suspension = last[1]
            return cause
    return None


def begins_alternative(record: list[Any], rest: Cell, moved: bool) -> bool:  # noqa: FBT001 - written into source
    """Whether no step has been planned since the innermost alternative of a choice began.

    ``record`` is the plan so far, ``rest`` the agenda; ``moved`` says whether a step was planned
    that is not recorded yet.
    """
    if moved:
        return False
    for is_choice, begin, end in _open_branches(record, rest):
        if _has_steps(record[begin:end]):
            return False
        if is_choice:
            return True
    return False


def _open_branches(record: list[Any], rest: Cell) -> Iterator[tuple[bool, int, int]]:
    """Yield the branches that are being planned, inner ones first.

    Each as whether it is an alternative of a choice, where it begins in the plan, and where the
    next inner node begins.
    """
    end, cell = len(record), branch_end(rest)
    while cell:
        moments = cell[-3]
        yield cell[-2].is_choice, moments[-1][0], end
        end, cell = moments[0][0], branch_end(cell[-1])


class SearchPoint(NamedTuple):
    """Where a question comes up: the values there, the plan so far, and the agenda.

    ``places`` are those of fluents in ``values``; all others are ``stored``. ``record``, ``rest``
    and ``moved`` are as for ``begins_alternative``.
    """

    places: dict[Fluent[Any], int]
    values: tuple[Any, ...]
    stored: dict[Any, Any]
    record: list[Any]
    rest: Cell
    moved: bool

    def get(self, fluent: Any, /) -> Any:
        """The value of a fluent there."""
        place = self.places.get(fluent)
        if place is not None:
            return self.values[place]
        if fluent.volatile and not self.is_foreseeable:
            return UNKNOWN
        return self.stored.get(fluent, fluent.default)

    @property
    def is_foreseeable(self) -> bool:
        """Whether volatile fluents have their sensed values: nothing is planned, no choice open."""
        end = len(self.record)
        for is_choice, begin, inner in _open_branches(self.record, self.rest):
            if is_choice or _has_steps(self.record[begin:inner]):
                return False
            end = begin
        return not self.moved and not _has_steps(self.record[:end])


def three_valued(
    about: Method | PrimitiveTask[...] | TaskCall, fluents: Iterable[Fluent[Any]]
) -> Callable[..., Answer]:
    """A function that decides by evaluation, where an expression has read an unknown value.

    ``fluents`` are those in variables, in order. The function returns whether the method or task
    can be used, or why the part is suspended, or raises Unforeseen.
    """
    places = {fluent: place for place, fluent in enumerate(fluents)}

    def answer(binding: Binding, *point: Any) -> Answer:
        at = SearchPoint(places, *point)
        view = RecordingView(at)
        if isinstance(about, Method):
            return _applies(about, view, binding)
        if isinstance(about, PrimitiveTask):
            return _is_possible(about, view, binding, at)
        if grounded(about, view, binding) is not None:
            raise Unforeseen  # its arguments are known
        return _unknown(view.unknown)

    return answer


def _applies(method: Method, view: RecordingView, binding: Binding) -> Answer:
    """Whether a method is usable. Raises Unforeseen for a plain one that does not ask for more."""
    try:
        network = method.network(view, binding)
    except UnknownRead as signal:
        return _unknown(signal.fluent)
    if isinstance(method.body, PlainBody):
        raise Unforeseen  # its outcome is one of several
    return network is not None


def _is_possible(
    task: PrimitiveTask[...], view: RecordingView, binding: Binding, at: SearchPoint
) -> Answer:
    """Whether a primitive task is planned; an alternative may begin with one that is unknown."""
    possible = task.precondition.evaluate(view, binding)
    if possible is False:
        return False
    unknown = view.unknown
    try:
        writes_of((*task.effects, *task.expected), view, binding)
    except UnknownRead as signal:
        return _unknown(signal.fluent)
    if possible is UNKNOWN and not begins_alternative(at.record, at.rest, at.moved):
        return _unknown(unknown)
    return True


def _unknown(fluent: Any) -> Suspension:
    return Suspension(SuspensionKind.UNKNOWN, str(fluent))


def _has_steps(record: list[Any]) -> bool:
    return any(isinstance(what, PrimitiveTask) for what, _ in entries(record))
