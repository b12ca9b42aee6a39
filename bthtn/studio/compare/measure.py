"""Measures of every run, named before the first run.

finished, ticks              whether the run ended by itself, and after how many ticks
planned, cost, steps         of a plan: whether there is one, its cost, its length
count leaf_aborted           how many events of a kind; of a task: count leaf_started shoot
health, health > 0           a value or condition of the beliefs at the end
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.engine.text.conditions import expression_from_text
from bthtn.engine.world.expression import StateView
from bthtn.engine.world.schema import StateSchema
from bthtn.errors import InputError
from bthtn.kit.recording.event_log import EVENT_KINDS

OF_RUNS: Final = ("finished", "ticks")
OF_PLANS: Final = ("planned", "cost", "steps")
COUNT: Final = "count "

Value = bool | int | float | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its text; ``read`` has its value, from the plain facts and the final beliefs."""

    text: str
    read: Callable[[Mapping[str, Any], StateView], Value]


def measures_from(
    texts: Iterable[str], schema: StateSchema, facts: tuple[str, ...]
) -> tuple[Measure, ...]:
    """The measures that these texts describe. Raises InputError for one that is none."""
    return tuple(_measure(text, schema, facts) for text in texts)


def _measure(text: str, schema: StateSchema, facts: tuple[str, ...]) -> Measure:
    if text in facts:
        return Measure(text, lambda found, _: found[text])
    if text.startswith(COUNT) and facts == OF_RUNS:
        events = text.removeprefix(COUNT).strip()
        kind = events.partition(" ")[0]
        message = f"'{text}' is no measure: there are no events '{kind}'"
        InputError.require(kind, EVENT_KINDS, "BT494", message)
        return Measure(text, lambda found, _: _count(found["events"], events))
    try:
        expression = expression_from_text(text, schema)
    except InputError as error:
        (fault,) = error.diagnostics
        hint = f"{', '.join(facts)}, count EVENT, or a value or condition of the beliefs"
        hint = fault.hint if fault.hint.startswith("did you mean") else hint
        message = f"'{text}' is no measure: {fault.message}"
        raise InputError("BT494", message, hint=hint) from None
    return Measure(text, lambda _, beliefs: _number(expression.evaluate(beliefs)))


def _count(events: Mapping[str, int], wanted: str) -> int:
    return sum(number for event, number in events.items() if f"{event} ".startswith(f"{wanted} "))


def _number(value: object) -> Value:
    """A value as it is compared over runs; None for an unknown one, and for no number."""
    return value if isinstance(value, bool | int | float) else None
