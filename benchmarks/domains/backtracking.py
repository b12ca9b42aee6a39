"""Six numbers of which only the last combination passes: nothing but going back.

Every number is put in turn, 4 + 4² + … + 4⁶ = 5,460 times before the plan is there.
"""

from __future__ import annotations

from benchmarks.modes import Question
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    primitive,
)

WHEELS, LAST = 6, 3


class Lock(State):
    """A lock with numbered wheels."""

    wheel: FluentFamily[int, int] = fluents(default=-1, index=int)
    opened: Fluent[bool] = fluent(default=False)
    owner: Fluent[str] = fluent(default="owner 0")


lock = Domain("backtracking", Lock)


@lock.compound
def open_lock() -> Methods:
    """Turn every wheel, then pull."""
    yield method(*(turn(wheel) for wheel in range(WHEELS)), pull(Lock.owner))


@lock.compound
def turn(wheel: int) -> Methods:
    """Any number will do."""
    for number in range(LAST + 1):
        yield method(put(wheel, number))


@lock.primitive
def put(wheel: int, number: int) -> Primitive:
    """Turn one wheel."""
    return primitive(effects=Lock.wheel[wheel].becomes(number))


every_wheel_is_right = Lock.wheel[0] == LAST
for another in range(1, WHEELS):
    every_wheel_is_right &= Lock.wheel[another] == LAST


@lock.primitive
def pull(owner: str) -> Primitive:
    """It opens if every wheel is right."""
    return primitive(precondition=every_wheel_is_right, effects=Lock.opened.becomes(True))


Case = None
CASES: tuple[Case, ...] = (None,)


def question(case: Case, number: int = 0) -> Question:  # there is only one case
    """Open the lock."""
    return Question(lock, Lock(owner=f"owner {number}"), open_lock())
