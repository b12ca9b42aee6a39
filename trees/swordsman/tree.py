"""The swordsman's tree: attack a hero who now and then guards himself."""

from __future__ import annotations

from dataclasses import dataclass, field

from bthtn.behaviours import Agent, Character, ManualClock, PlanGoal

from .tasks import Swordsman, attack_main, operators, swordsman

SECONDS_PER_TICK = 0.5


@dataclass(slots=True)
class Hero:
    """Who is attacked. He guards himself from the first hit on, until a bash breaks the guard."""

    stamina: int = 3
    distance: float = 6.0
    guarded: bool = False
    hits: list[str] = field(default_factory=list)
    clock: ManualClock = field(default_factory=ManualClock)

    def struck(self, attack: str) -> None:
        """Be hit; what meets the guard does nothing, and a bash throws him back."""
        self.hits.append(attack)
        self.stamina -= not self.guarded
        self.guarded = not self.guarded
        if attack == "Bash":
            self.distance += 3


def swordsman_against(hero: Hero) -> Character:
    """The swordsman, until the hero has fallen."""
    agent = Agent(
        "swordsman", swordsman, Swordsman(), body=hero, operators=operators, clock=hero.clock
    )

    def live() -> None:
        hero.clock.advance(SECONDS_PER_TICK)
        agent.believe(Swordsman.distance, hero.distance)
        agent.believe(Swordsman.guarded, hero.guarded)

    goal = PlanGoal("fight", agent, attack_main())
    return Character(goal, agent, sense=live, finished=lambda: hero.stamina <= 0)


def character(seed: int = 0) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The swordsman against a hero of some stamina."""
    return swordsman_against(Hero())
