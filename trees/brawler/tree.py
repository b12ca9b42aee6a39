"""The brawler's tree: draw, plan, strike, and again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from bthtn.behaviours import NO_BACKOFF, Agent, Character, PlainData, PlanGoal, Replanning
from bthtn.examples.domains import brawler as folder
from bthtn.examples.domains.brawler.domain import Brawler, battle_main, brawler
from bthtn.kit import DrawnGoal, Lottery, read_lottery

TABLE: Final = Path(folder.__file__).with_name("lottery.csv")
ROUNDS: Final = 40


@dataclass(slots=True)
class Fate(PlainData):
    """What chance has in hand for him."""

    dice: Random


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The brawler against somebody who now and then steps back; reloaded, he draws anew."""
    agent = Agent("brawler", brawler, Brawler(), body=None)
    if running is not None:
        agent = running.agent.reload(agent)
    lottery = Lottery(read_lottery(TABLE, Brawler), seed=seed)
    by_lottery = Replanning(retrying=NO_BACKOFF)
    fight = PlanGoal("fight", agent, battle_main(), max_replans=0, replanning=by_lottery)
    fate = Fate(Random(seed))  # noqa: S311 - dice, not secrets

    def sense() -> None:
        if fate.dice.random() < 0.2:
            agent.believe(Brawler.near, value=False)

    def is_over() -> bool:
        return lottery.draws > ROUNDS

    root = DrawnGoal("draw for fight", fight, lottery, Brawler.value)
    return Character(root, agent, sense=sense, finished=is_over, world=fate)
