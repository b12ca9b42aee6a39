"""Bound: the record that a plan has to beat, and how much of it the plan equals so far.

A variable follows the record of choices: it is the number of choices made so far as long as they
are those of the bound, and -1 once they beat it. A choice is compared with the entry of the limits
at this index, which is infinite at -1: there every choice is allowed.
"""

from __future__ import annotations

from math import inf
from typing import Final

from bthtn.plan.record import MethodTraversalRecord
from bthtn.world.fluent import Fluent

EQUAL: Final[Fluent[int]] = Fluent(0, values=None, volatile=False, name="equal")
"""How many choices equal those of the bound. No state has this fluent; it is a variable alone."""


def limits(bound: MethodTraversalRecord) -> tuple[float, ...]:
    """For each number of equal choices the largest next one, and at the end infinity.

    No choice equals the last limit: a record that equals the whole bound does not beat it.
    """
    last = bound[-1] if bound else 0
    return (*bound[:-1], last - 0.5, inf)
