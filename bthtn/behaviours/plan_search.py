"""Seeking: a goal's search for a plan, from its beginning to a plan that holds now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.behaviours.cleanup import cleaning_up
from bthtn.behaviours.experience import Experience
from bthtn.behaviours.resume import plan_of, resuming
from bthtn.behaviours.run import Arrival, Path, PlanRun
from bthtn.domain.network import NetworkLike, sequence
from bthtn.plan.nodes import ScopeNode
from bthtn.plan.plan import Plan
from bthtn.plan.replay import replay
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import Search, Settings
from bthtn.replanning.budget import Budget
from bthtn.replanning.retrying import Retrying

Begun = tuple[int, Search]
"""A search, and the version of the beliefs that it began from."""


class Outdated(Exception):  # noqa: N818 - what happened, not what is wrong with the code
    """A plan was found that holds no longer."""


class Seeking:
    """Plans for one goal with what its agent plans with, without what has failed lately.

    ``prepared`` is a search that was begun elsewhere; the goal goes on with it.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        name: str,
        goal: NetworkLike,
        settings: Settings,
        budget: Budget,
        retrying: Retrying,
    ) -> None:
        """Raises DomainError for a goal of another domain."""
        self.settings = settings
        self.prepared: Begun | None = None
        self._agent = agent
        # Constructs in the goal are read once: suspended parts name the tasks they have become.
        self._goal = sequence(goal)
        self._domain = agent.domain_of(self._goal)
        self.planner: Planner[Any] = self._new_planner()
        self.experience = Experience(agent, name, self.planner.domain, retrying)
        self._budget = budget
        self._search: Begun | None = None

    def begin(self) -> bool:
        """Look for a plan from now on; whether that is done with another domain than before."""
        domain = self._agent.domain_of(self._goal)
        is_other = domain is not self._domain
        if is_other:
            self._domain, self.prepared = domain, None
            self.planner = self._new_planner()
            self.experience.plan_with(self.planner.domain)
        self._search = self.prepared or self.begun()
        self.prepared = None
        return is_other

    def begun(self) -> Begun:
        """A search that begins now."""
        beliefs = self._agent.beliefs
        return beliefs.version, self.experience.search(self.planner, beliefs.frozen())

    def renew(self) -> None:
        """Begin anew if something has changed since the search began."""
        if self._search is not None and self._search[0] != self._agent.beliefs.version:
            self._search = self.begun()

    def advance(self) -> Plan | None:
        """A plan that holds now, None while it is being looked for.

        Raises ResumeFailed when there is none, Outdated when the world has changed too much
        meanwhile, and PlanningError when a user's function raises.
        """
        assert self._search is not None, "a goal without a plan looks for one"
        version, search = self._search
        plan = plan_of(search, self._budget)
        if plan is None or version == self._agent.beliefs.version:
            return plan
        seen = replay(plan, self._agent.beliefs.frozen())
        if not seen.ok:
            changed = "the world changed while the plan was being made"
            raise Outdated(f"{changed}: {seen.reason}")
        return plan

    def rest(self, arrival: Arrival) -> Callable[[], Plan | None]:
        """Begin to plan a suspended part; the answer is called every tick until it gives a plan.

        Both raise ResumeFailed.
        """
        return resuming(
            arrival,
            self._agent,
            self.planner.domain,
            self.settings,
            self._budget,
            self.experience,
        )

    def clean_up(self, part: ScopeNode, path: Path, run: PlanRun) -> None:
        """See to it that the cleanup of a part of a plan is planned and done."""
        cleaning_up(self.planner.domain, self.settings)(part, path, run)

    def end(self) -> None:
        """Nothing is looked for any more."""
        self._search = None

    def _new_planner(self) -> Planner[Any]:
        return Planner(self._domain, self._goal, self.settings, cache=self._agent.cache)
