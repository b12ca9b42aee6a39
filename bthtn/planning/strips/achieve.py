"""``achieve``: a condition as a goal, or as a part of a task network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bthtn.domain.condition import ConditionLike
from bthtn.domain.goal import UNLIMITED, Achieve, Manner, Written
from bthtn.domain.network import Construct
from bthtn.domain.task import PrimitiveTask
from bthtn.errors import Diagnostic, DomainError, nearest
from bthtn.planning.strips.heuristics import HEURISTICS
from bthtn.planning.strips.solver import GOAL_DIRECTED
from bthtn.world.expression import Constant, Expression

Values = Iterable[Any] | Expression[Any] | Callable[[Any], Iterable[Any]]
"""What users may write as the values there are."""


def achieve(  # noqa: PLR0913 - what is wanted, and five things that can be left out
    condition: ConditionLike,
    *,
    actions: Iterable[PrimitiveTask[Any]] = (),
    objects: Mapping[str, Values] | None = None,
    heuristic: str = "",
    optimal: bool = False,
    forward: bool = False,
    limit: int = UNLIMITED,
) -> Construct:
    """Whatever primitive tasks make the condition true, found by goal-directed search.

    ``actions`` are the tasks that may be used, all of the domain if none are named. ``objects``
    has the values that their parameters can have, by name: an iterable, an expression or a
    function of the state; a parameter whose type is ``bool``, an Enum or a ``Literal`` needs
    none. With ``optimal`` the steps are the cheapest. ``heuristic`` is ``"unmet"`` (that unless
    ``optimal``), ``"zero"``, ``"hmax"`` or ``"hadd"``. The search goes back from the condition;
    with ``forward`` it goes on from the state, and actions may have functions in them.
    ``limit`` is the most expansions where the goal stands inside a network.

    Raises DomainError for a heuristic that does not fit, and a limit that allows nothing.
    """
    found = list(_faults(heuristic, limit, optimal=optimal, forward=forward))
    if found:
        raise DomainError(found)
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
        fitting = "'zero'" if forward else "'hmax' or 'zero'"
        yield Diagnostic("BT212", message, "achieve", f"leave it out, or use {fitting}")
