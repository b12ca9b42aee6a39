"""Skills: domains that fill the extension points of a base domain, for kinds of agents.

    SKILLS = SkillTable(enemy, {"goblin": (jab,), "ogre": (jab, slam)})
    agent = Agent("ogre", SKILLS.domain("ogre"), Enemy(), body=body)

Agents with the same skills share one merged domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.operators import Operators
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.merging import merge
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import BthtnError, DomainError, ExecutionError


class SkillTable(Unpicklable):
    """The skills of each kind of agent, on top of a base domain."""

    def __init__(
        self,
        base: Domain[Any] | FrozenDomain,
        skills: Mapping[str, Sequence[Domain[Any] | FrozenDomain]],
        *,
        operators: Operators[Any] | None = None,
    ) -> None:
        """Raises DomainError if the domains of a kind cannot be merged.

        If ``operators`` are given, raises ExecutionError for tasks that have none and are not
        declared to be simulated.
        """
        self.base = frozen(base)
        self._kinds = {kind: tuple(map(frozen, domains)) for kind, domains in skills.items()}
        self._merged: dict[tuple[FrozenDomain, ...], FrozenDomain] = {}
        self._operators = operators
        for skills_of_kind in self._kinds.values():
            self.with_skills(skills_of_kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def skills(self, kind: str) -> tuple[FrozenDomain, ...]:
        """The skills of a kind. Raises DomainError with the nearest right name."""
        DomainError.require(kind, self._kinds, "BT124", f"no kind is called '{kind}'")
        return self._kinds[kind]

    def domain(self, kind: str) -> FrozenDomain:
        """The merged domain of a kind. Raises DomainError as ``skills``."""
        return self.with_skills(self.skills(kind))

    def with_skills(self, skills: Sequence[FrozenDomain]) -> FrozenDomain:
        """The base merged with these skills; always the same object.

        Raises DomainError if they cannot be merged, and ExecutionError for missing operators.
        """
        wholes = tuple(skills)
        if wholes not in self._merged:
            name = "+".join(whole.name for whole in (self.base, *wholes))
            merged = merge(name, self.base, *wholes) if wholes else self.base
            if self._operators is not None:
                missing = self._operators.missing(merged.tasks.values(), f"domain '{name}'")
                ExecutionError.raise_for(missing)
            self._merged[wholes] = merged
        return self._merged[wholes]


class SkillSlots(Unpicklable):
    """The skills that one agent has now: each slot holds one skill, or is empty.

    A change takes effect at the agent's next search. Running plans go on, and are replaced if there
    is a better one now.
    """

    def __init__(self, agent: Agent[Any, Any], table: SkillTable, *slots: str) -> None:
        """Start with empty slots.

        Raises DomainError for a table over another State class, and for two slots of one name.
        """
        for slot in slots:
            if slots.count(slot) > 1:
                hint = "give each slot a name of its own"
                raise DomainError("BT124", f"two slots are called '{slot}'", hint=hint)
        self._agent = agent
        self._table = table
        self._slots: dict[str, FrozenDomain | None] = dict.fromkeys(slots)
        self._change()

    def fill(self, slot: str, skill: Domain[Any] | FrozenDomain) -> None:
        """Put a skill into a slot, and replace the one that is there.

        Raises DomainError for an unknown slot, for a skill that cannot be merged with the others,
        and ExecutionError for one without operators, with nothing changed.
        """
        self._put(slot, frozen(skill))

    def clear(self, slot: str) -> None:
        """Empty a slot. Raises DomainError for an unknown slot."""
        self._put(slot, None)

    @property
    def skills(self) -> tuple[FrozenDomain, ...]:
        """The skills in the slots, in the order of the slots."""
        return tuple(skill for skill in self._slots.values() if skill is not None)

    def _put(self, slot: str, skill: FrozenDomain | None) -> None:
        DomainError.require(slot, self._slots, "BT124", f"no slot is called '{slot}'")
        before, self._slots[slot] = self._slots[slot], skill
        try:
            self._change()
        except BthtnError:
            self._slots[slot] = before
            raise

    def _change(self) -> None:
        self._agent.plan_with(self._table.with_skills(self.skills))
