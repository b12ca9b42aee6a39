"""A level of MiniGrid, as far as somebody in it may know it: observations in, actions out."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Protocol

from bthtn.behaviours import PlainData

from .picture import picture_of

Observation = Mapping[str, Any]
"""``image``: 7 by 7 cells of three numbers; ``direction``: 0 to 3; ``mission``: a sentence."""


class Action(IntEnum):
    """What can be done in a step, in MiniGrid's order."""

    LEFT = 0
    RIGHT = 1
    FORWARD = 2
    PICK_UP = 3
    PUT_DOWN = 4
    TOGGLE = 5


class Environment(Protocol):
    """**Protocol:** what is used of a gymnasium environment."""

    action_space: Any
    unwrapped: Any

    def reset(self, *, seed: int) -> tuple[Observation, Any]:
        """Begin; what is seen."""
        ...

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Any]:
        """Do something; what is seen, the reward, whether that is the end, or it took too long."""
        ...


class Level(PlainData):
    """One game: what was seen last, and how it stands."""

    def __init__(self, environment: Environment, seed: int) -> None:
        self._environment = environment
        self.observation, _ = environment.reset(seed=seed)
        self.actions = int(environment.action_space.n)
        self.longest = int(environment.unwrapped.max_steps)
        self.steps = 0
        self.over = False
        self.won = False
        self._done: list[int] = []

    def picture(self) -> bytes | None:
        """The whole level, as PNG."""
        return picture_of(self._environment)

    def save(self) -> list[int]:
        """What was done: a game of MiniGrid goes the same way again."""
        return self._done.copy()

    def step(self, action: Action) -> None:
        """Do something."""
        seen, reward, ended, too_late, _ = self._environment.step(int(action))
        self.observation = seen
        self._done.append(int(action))
        self.steps += 1
        self.over = ended or too_late
        self.won = ended and reward > 0


def level(name: str, seed: int) -> Level:
    """The level of this name. Raises ModuleNotFoundError without the extra ``minigrid``."""
    try:
        import gymnasium  # noqa: PLC0415 - an extra: everything else here works without it
    except ModuleNotFoundError as missing:
        hint = "the explorer's world comes with: pip install 'bthtn[minigrid]'"
        raise ModuleNotFoundError(hint) from missing
    return Level(gymnasium.make(f"minigrid:{name}"), seed)
