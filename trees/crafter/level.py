"""A game of Crafter, as far as somebody in it may know it: symbols in, actions out."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final, Protocol

from bthtn.behaviours import PlainData
from bthtn.examples.trees.explorer.picture import png
from bthtn.kit.grids import Cell

WIDE, HIGH = 4, 3
"""How many cells are seen to each side of the player, and above and below him."""
PIXELS: Final = (432, 432)


class Action(IntEnum):
    """What can be done in a step, in Crafter's order."""

    WAIT = 0
    WEST = 1
    EAST = 2
    NORTH = 3
    SOUTH = 4
    DO = 5
    SLEEP = 6
    PLACE_STONE = 7
    PLACE_TABLE = 8
    PLACE_FURNACE = 9
    PLACE_PLANT = 10
    MAKE_WOOD_PICKAXE = 11
    MAKE_STONE_PICKAXE = 12
    MAKE_IRON_PICKAXE = 13
    MAKE_WOOD_SWORD = 14
    MAKE_STONE_SWORD = 15
    MAKE_IRON_SWORD = 16


class Game(Protocol):
    """**Protocol:** what a Level asks of Crafter."""

    def reset(self) -> Any: ...

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]: ...

    def view(self) -> dict[Cell, tuple[str, str]]: ...

    def inventory(self) -> dict[str, int]: ...

    def darkness(self) -> float: ...

    def frame(self, size: tuple[int, int]) -> Any: ...


class Level(PlainData):
    """One game: what is seen, and how it stands. ``score`` is what the game has counted."""

    def __init__(self, game: Game) -> None:
        self._game = game
        game.reset()
        self.steps = 0
        self.over = False
        self.score: frozenset[str] = frozenset()
        self._done: list[int] = []

    def step(self, action: Action) -> None:
        """Do something."""
        _, _, self.over, told = self._game.step(int(action))
        self._done.append(int(action))
        self.steps += 1
        self.score = frozenset(name for name, count in told["achievements"].items() if count)

    def view(self) -> dict[Cell, tuple[str, str]]:
        """What is drawn in each cell around the player, and on it: ("grass", "cow")."""
        return self._game.view()

    @property
    def inventory(self) -> dict[str, int]:
        """What he has, health and needs included."""
        return self._game.inventory()

    @property
    def darkness(self) -> float:
        """How dark the picture is, in tenths: 0 by day, 1 in the middle of the night."""
        return self._game.darkness()

    def picture(self) -> bytes:
        """What a player sees, as PNG."""
        return png(*PIXELS, self._game.frame(PIXELS).tobytes())

    def save(self) -> list[int]:
        """What was done: the same game goes the same way again."""
        return self._done.copy()


def level(seed: int) -> Level:
    """A new game. Raises ModuleNotFoundError without the extra ``crafter``."""
    try:
        import crafter  # noqa: PLC0415 - an extra: everything else here works without it
    except ModuleNotFoundError as missing:
        hint = "the castaway's world comes with: pip install 'bthtn[crafter]'"
        raise ModuleNotFoundError(hint) from missing

    class Island(crafter.Env):  # type: ignore[misc]  # of a package without types
        """Crafter without the pictures that nobody looks at, the same in every process."""

        def render(self, size: Any = None) -> Any:
            """Nothing: drawing takes most of the time of a step."""

        def frame(self, size: tuple[int, int]) -> Any:
            """What is seen. The noise of the night is drawn with the game's dice: put them back."""
            dice = self._world.random.get_state()
            pixels = super().render(size)
            self._world.random.set_state(dice)
            return pixels

        def _balance_chunk(self, chunk: Any, objs: Any) -> None:
            # A set of objects is ordered by their addresses; the world's list by their age.
            super()._balance_chunk(chunk, [each for each in self._world.objects if each in objs])

        def view(self) -> dict[Cell, tuple[str, str]]:
            here, seen = self._player.pos, {}
            for x in range(-WIDE, WIDE + 1):
                for y in range(-HIGH, HIGH + 1):
                    ground, thing = self._world[here[0] + x, here[1] + y]
                    seen[x, y] = ground or "void", thing.texture if thing else ""
            return seen

        def inventory(self) -> dict[str, int]:
            carried: dict[str, int] = self._player.inventory
            return carried

        def darkness(self) -> float:
            return round(1 - float(self._world.daylight), 1)

    return Level(Island(seed=seed))
