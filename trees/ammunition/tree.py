"""One bullet, and an enemy who takes two: routines and a planner, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence
from py_trees.decorators import SuccessIsRunning

from bthtn import Fluent
from bthtn.behaviours import Agent, AgentEvent, Believes, Character
from bthtn.events import LeafEnded, PlanAdopted
from bthtn.examples.domains.ammunition.domain import Medic, Shooter, helping

from .routines import Game, Gunner, planner, routine_1, routine_2, routine_with_ally

MOST_TICKS: Final = 100
FLUENTS: Final[tuple[Fluent[Any], ...]] = (
    Shooter.bullets,
    Shooter.needed,
    Medic.ally_hurt,
    Medic.has_medicine,
)
ALONE: Final = Medic(bullets=1, needed=2, ally_hurt=False)
WITH_ALLY: Final = Medic(bullets=1, needed=2, ally_hurt=True)
SEVEN: Final = Medic(bullets=1, needed=7, ally_hurt=False)

Routine = Callable[[Gunner], Behaviour]


@dataclass(frozen=True, slots=True)
class Round:
    """Somebody who behaves in some way in some situation."""

    name: str
    behave: Routine
    start: Medic


ROUNDS: Final = (
    Round("routine 1", routine_1, ALONE),
    Round("routine 2", routine_2, ALONE),
    Round("planner", planner, ALONE),
    Round("routine with an ally", routine_with_ally, WITH_ALLY),
    Round("planner with an ally", planner, WITH_ALLY),
    Round("routine 2 against seven", routine_2, SEVEN),
    Round("planner against seven", planner, SEVEN),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What somebody did, in order, and what it cost."""

    name: str
    actions: tuple[str, ...]
    cost: float


class Begin(Behaviour):
    """Puts the agent into the situation of a round, once."""

    def __init__(self, agent: Gunner, game_round: Round) -> None:
        super().__init__("begin")
        self._agent = agent
        self._round = game_round

    def update(self) -> Status:
        """Believe what holds at the beginning."""
        if self._round.name not in self._agent.body.begun:
            self._agent.body.begun.append(self._round.name)
            for fluent in FLUENTS:
                self._agent.believe(fluent, self._round.start.frozen().get(fluent), "begin")
        return Status.SUCCESS


def played(agent: Gunner, game_round: Round) -> Behaviour:
    """A round: begin, and behave until everything is done."""
    won = Believes("won", agent, (Shooter.needed == 0) & ~Medic.ally_hurt)
    going_on = SuccessIsRunning("go on", game_round.behave(agent))
    until_won = Selector("until won", memory=False, children=[won, going_on])
    return Sequence(game_round.name, memory=True, children=[Begin(agent, game_round), until_won])


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing is left to chance
    """Everybody, one after the other; reloaded, from the round that is played."""
    game: Game = Game() if running is None else running.agent.body
    agent: Gunner = Agent("gunner", helping, ALONE, body=game)
    if running is not None:
        agent = running.agent.reload(agent)
    rounds = [
        played(agent, game_round) for game_round in ROUNDS if game_round.name not in game.begun[:-1]
    ]
    root = Sequence("rounds", memory=True, children=rounds)
    return Character(root, agent, finished=lambda: root.status is Status.SUCCESS, world=game)


def outcomes() -> Iterator[Outcome]:
    """What everybody did, each as somebody else."""
    for game_round in ROUNDS:
        events: list[AgentEvent] = []
        agent: Gunner = Agent(
            game_round.name, helping, game_round.start, body=Game(), listener=events.append
        )
        root = played(agent, game_round)
        for _ in range(MOST_TICKS):
            root.tick_once()
            if root.status is not Status.RUNNING:
                break
        actions = tuple(event.task for event in events if isinstance(event, LeafEnded))
        cost = sum(event.plan.cost for event in events if isinstance(event, PlanAdopted))
        yield Outcome(game_round.name, actions, cost)
