"""Mutually exclusive conditions, which let a method be entered without a choice point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.engine.world.expression import Comparison, Condition, Constant, Junction, Negation
from bthtn.engine.world.fluent import Fluent


def excluding_later(conditions: Sequence[Condition]) -> list[bool]:
    """Return for each condition whether no state satisfies both it and a later one.

    False when in doubt. Linear in the number of conditions: only a single fluent that separates
    the condition from all later ones is looked for.
    """
    excluding = [True] * len(conditions)
    if len(conditions) == 1:
        return excluding
    demanded: dict[Fluent[Any], set[Any]] = {}
    demanding: dict[Fluent[Any], int] = {}
    for place in range(len(conditions) - 1, -1, -1):
        own = dict(demands(conditions[place]))
        later = len(conditions) - 1 - place
        excluding[place] = later == 0 or any(
            demanding.get(fluent) == later and value not in demanded[fluent]
            for fluent, value in own.items()
        )
        for fluent, value in own.items():
            demanded.setdefault(fluent, set()).add(value)
            demanding[fluent] = demanding.get(fluent, 0) + 1
    return excluding


def demands(condition: Condition) -> Iterator[tuple[Fluent[Any], Any]]:
    """Yield the fluents that the condition requires to have one certain value, with that value."""
    match condition:
        case Fluent() if condition.value_type is bool:
            yield condition, True
        case Negation(operand=Fluent() as fluent) if fluent.value_type is bool:
            yield fluent, False
        case Comparison(symbol="==", left=Fluent() as fluent, right=Constant(value=value)):
            if isinstance(value, bool | int | str):
                yield fluent, value
        case Junction(parts=parts, decisive=False):
            for part in parts:
                yield from demands(part)
