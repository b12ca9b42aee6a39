"""What a domain and a problem in files come to."""

from __future__ import annotations

from typing import Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import NetworkLike
from bthtn.engine.world.state import FrozenState
from bthtn.records import record

ENDINGS: Final = (".hddl", ".pddl")
"""How the names of such files end."""


@record(eq=False)
class PlanningProblem:
    """What is planned: ``goal`` from ``state`` with the tasks of ``domain``."""

    domain: FrozenDomain
    state: FrozenState
    goal: NetworkLike
