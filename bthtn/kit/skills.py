"""Skills: domains that fill the extension points of another one, for each kind of agent.

    SKILLS = SkillTable(enemy, {"goblin": (jab,), "ogre": (jab, slam)})
    agent = Agent("ogre", SKILLS.domain("ogre"), Enemy(), body=body)

Merged domains are shared: agents with the same skills have the same domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.merge import merge
from bthtn.errors import Diagnostic, DomainError, nearest


class SkillTable:
    """Which skills each kind of agent has, beside what all of them can do."""

    def __init__(
        self,
        base: Domain[Any] | FrozenDomain,
        skills: Mapping[str, Sequence[Domain[Any] | FrozenDomain]],
    ) -> None:
        """Raises DomainError where the domains of a kind cannot be merged."""
        self.base = frozen(base)
        self._kinds = {kind: tuple(map(frozen, some)) for kind, some in skills.items()}
        self._merged: dict[tuple[FrozenDomain, ...], FrozenDomain] = {(): self.base}
        for some in self._kinds.values():
            self.with_skills(some)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of agents in the table."""
        return tuple(self._kinds)

    def skills(self, kind: str) -> tuple[FrozenDomain, ...]:
        """The skills of a kind. Raises DomainError with the nearest right name."""
        if kind not in self._kinds:
            hint = nearest(kind, self._kinds)
            raise DomainError(Diagnostic("BT124", f"no kind is called '{kind}'", hint=hint))
        return self._kinds[kind]

    def domain(self, kind: str) -> FrozenDomain:
        """What an agent of this kind plans with. Raises DomainError as ``skills``."""
        return self.with_skills(self.skills(kind))

    def with_skills(self, skills: Sequence[FrozenDomain]) -> FrozenDomain:
        """The base with these skills, the same domain whenever it is asked for."""
        some = tuple(skills)
        if some not in self._merged:
            name = "+".join(whole.name for whole in (self.base, *some))
            self._merged[some] = merge(name, self.base, *some)
        return self._merged[some]


class SkillSlots:
    """The skills that one agent has now: each slot holds one skill, or is empty.

    The agent plans with what is in its slots, in the order of the slots, from its next decision
    on; what it is searching for or doing is not disturbed.
    """

    def __init__(self, agent: Agent[Any, Any], table: SkillTable, *slots: str) -> None:
        """All slots are empty. Raises DomainError for a table of other states."""
        self._agent = agent
        self._table = table
        self._slots: dict[str, FrozenDomain | None] = dict.fromkeys(slots)
        self._change()

    def fill(self, slot: str, skill: Domain[Any] | FrozenDomain) -> None:
        """Put a skill into a slot, instead of what is there.

        Raises DomainError for a slot that there is not, and with nothing changed where the skill
        cannot be merged with the others.
        """
        self._put(slot, frozen(skill))

    def clear(self, slot: str) -> None:
        """Empty a slot. Raises DomainError for a slot that there is not."""
        self._put(slot, None)

    @property
    def skills(self) -> tuple[FrozenDomain, ...]:
        """What is in the slots, in their order."""
        return tuple(skill for skill in self._slots.values() if skill is not None)

    def _put(self, slot: str, skill: FrozenDomain | None) -> None:
        if slot not in self._slots:
            hint = nearest(slot, self._slots)
            raise DomainError(Diagnostic("BT124", f"no slot is called '{slot}'", hint=hint))
        before, self._slots[slot] = self._slots[slot], skill
        try:
            self._change()
        except DomainError:
            self._slots[slot] = before
            raise

    def _change(self) -> None:
        self._agent.plan_with(self._table.with_skills(self.skills))
