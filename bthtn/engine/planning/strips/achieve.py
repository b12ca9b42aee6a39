"""``achieve``: a condition as a planning goal, or as a part of a task network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.condition import ConditionLike
from bthtn.engine.domain.goal import UNLIMITED, Achieve, Manner, Written
from bthtn.engine.domain.network import Construct
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.planning.strips import strips_search  # noqa: F401 - so that no tick has to import it
from bthtn.engine.planning.strips.heuristics import HEURISTICS
from bthtn.engine.planning.strips.solver import GOAL_DIRECTED
from bthtn.engine.world.expression import Constant, Expression
from bthtn.errors import Diagnostic, DomainError, nearest

Values = Iterable[Any] | Expression[Any] | Callable[[Any], Iterable[Any]]
"""The forms in which users may write the values of a parameter."""


@checked
def achieve(  # noqa: PLR0913 - the goal, and options with defaults
    condition: ConditionLike,
    *,
    actions: Iterable[PrimitiveTask[...]] = (),
    objects: Mapping[Any, Values] | None = None,
    heuristic: str = "",
    optimal: bool = False,
    forward: bool = False,
    limit: int = UNLIMITED,
) -> Construct:
    """A goal: primitive tasks that make the condition true, found by goal-directed search.

    ``actions`` are the tasks that may be used, by default all of the domain. ``objects`` maps
    the names of their parameters, or the types, to values: an iterable, an expression such as a
    relation, or a function of the state; parameters of type ``bool``, an Enum or a ``Literal``
    need none. With ``optimal`` the
    plan has the least cost. ``heuristic`` is ``"hff"`` (the default), ``"lmcut"`` (the default if
    ``optimal``), ``"unmet"`` or ``"zero"``. The search regresses from the condition by default;
    with ``forward`` it progresses from the state, and actions may contain Python functions.
    ``limit`` is the maximum number of expansions of the search for it.

    Raises DomainError for a heuristic that does not fit, and for a limit below one.
    """
    found = list(_faults(heuristic, limit, optimal=optimal, forward=forward))
    if found:
        raise DomainError.of(found)
    written = tuple((name, _written(values)) for name, values in (objects or {}).items())
    manner = Manner(heuristic, optimal, forward, limit)
    return Achieve(condition, tuple(actions), written, manner, GOAL_DIRECTED)


def _written(values: Values) -> Written:
    if isinstance(values, Expression) or callable(values):
        return values
    kept = isinstance(values, str | set | frozenset)  # a set is put in order when it is used
    return Constant(values if kept else tuple(values))


def _faults(heuristic: str, limit: int, *, optimal: bool, forward: bool) -> Iterable[Diagnostic]:
    if limit <= 0:
        yield Diagnostic("BT202", f"limit is {limit}", hint="it has to be above zero")
    if not heuristic:
        return
    known = HEURISTICS.get(heuristic)
    if known is None:
        message = f"no heuristic is called {heuristic!r}"
        yield Diagnostic("BT212", message, "achieve", nearest(heuristic, HEURISTICS))
    elif forward and not known.forward:
        message = f"the heuristic '{heuristic}' is for searches that go back from the goal"
        yield Diagnostic("BT212", message, "achieve", "with forward=True use 'unmet' or 'zero'")
    elif optimal and not known.admissible:
        message = f"with the heuristic '{heuristic}' the first plan need not be the cheapest"
        fitting = "'zero'" if forward else "'lmcut' or 'zero'"
        yield Diagnostic("BT212", message, "achieve", f"leave it out, or use {fitting}")
