"""PreparedGoal: a goal as a search and its plan need it."""

from __future__ import annotations

from math import inf

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network
from bthtn.engine.planning.htn.table import TaskTable
from bthtn.engine.planning.protocol import PlanRequest, Settings
from bthtn.engine.world.expression import Binding


class PreparedGoal:
    """What every search for a goal needs to know of domain, goal and settings, found out once.

    It is ``is_plain`` if nothing has to be looked at before an instruction is taken: no time and no
    costs, and up to the ``horizon`` in steps.
    """

    __slots__ = (
        *("binding", "body", "domain", "has_costs", "has_horizon", "horizon", "is_guarded"),
        *("is_plain", "is_timed", "max_depth", "max_expansions", "network", "settings", "table"),
    )

    def __init__(
        self, domain: FrozenDomain, network: Network, binding: Binding, settings: Settings
    ) -> None:
        self.domain, self.network, self.binding, self.settings = domain, network, binding, settings
        table = self.table = domain.derived(TaskTable)
        # First the goal: which tasks are recursive is known of those that it reaches.
        self.body = table.goal(network)
        self.is_guarded = settings.strict_recursion and bool(table.recursive)
        self.has_costs = settings.cheapest or table.has_values
        self.is_timed = settings.horizon_time is not None
        has_horizon = settings.horizon is not None or self.is_timed
        self.has_horizon = has_horizon and not settings.check_rest
        self.max_depth, self.max_expansions = settings.max_depth, settings.max_expansions
        self.horizon = settings.horizon or inf if self.has_horizon else inf
        self.is_plain = not (self.is_timed or self.has_costs)

    @staticmethod
    def of(request: PlanRequest) -> PreparedGoal:
        return PreparedGoal(request.domain, request.goal, request.binding, request.settings)
