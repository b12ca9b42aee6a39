"""Which methods exclude all later ones, so that nobody has to come back for these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.world.expression import Comparison, Condition, Constant, Junction, Negation
from bthtn.world.fluent import Fluent


def excluding_later(conditions: Sequence[Condition]) -> list[bool]:
    """For each condition, whether no state satisfies it and a later one too.

    False where that is not plain to see. Linear in the number of conditions: one fluent has to
    tell the condition from all later ones.
    """
    excluding = [True] * len(conditions)
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
    """Fluents that have to have one certain value where the condition holds."""
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
