"""Trace: the events, reads and result of one search.

A search is determined by its request, and requests are immutable. So nothing has to be recorded
while an agent plans: repeating the search later gives the same trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bthtn.plan.plan import Plan
from bthtn.planning.explain import explained, explanation_text
from bthtn.planning.protocol import SearchStatus
from bthtn.planning.trace import SearchEvent
from bthtn.world.fluent import Fluent


class Trace(NamedTuple):
    """A finished search: its status, plan, expansions, reads and events.

    ``reads`` are the fluents of the start state that it read, in order, with their values: from
    every state that agrees in them, the search is the same. If the limit of expansions was
    reached, ``status`` is ``LIMIT``, and there may be no plan.
    """

    status: SearchStatus
    plan: Plan | None
    expansions: int
    reads: Mapping[Fluent[Any], Any]
    events: tuple[SearchEvent, ...]

    def __str__(self) -> str:
        """The explanation of all failures, as indented lines."""
        return explanation_text(explained(self.events))
