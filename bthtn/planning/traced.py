"""Trace: how a search went, told afterwards.

What a search does follows from what it is asked, and what it is asked never changes. So nothing
has to be noted while an agent plans: whoever wants to know later has it done again.
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
    """Everything that a search did, and what it came to.

    ``reads`` are the fluents that it took from the state it began with, in the order in which
    they were first asked for, with their values: from a state that agrees in all of them it
    comes to the same. At the limit of expansions, ``status`` says so, and there may be no plan.
    """

    status: SearchStatus
    plan: Plan | None
    expansions: int
    reads: Mapping[Fluent[Any], Any]
    events: tuple[SearchEvent, ...]

    def __str__(self) -> str:
        """What was tried and why it failed, as indented lines."""
        return explanation_text(explained(self.events))
