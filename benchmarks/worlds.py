"""The explorer in levels of MiniGrid: python -m benchmarks.worlds [--seeds 100] [--write-docs]."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from benchmarks.page import MARKED, written
from benchmarks.path import path_svg
from benchmarks.report import Table, markdown
from bthtn.engine.agent.events import (
    AgentEvent,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
)
from bthtn.examples.trees.explorer.level import level
from bthtn.examples.trees.explorer.senses import Explorers
from bthtn.examples.trees.explorer.steps import Turn, Wander
from bthtn.examples.trees.explorer.tree import explorer, placed_in, pursue

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "worlds.md"
PICTURE = DOCS / "pictures" / "explorer.svg"
SHOWN = ("KeyCorridorS3R3-v0", 5)
"""The level and the seed of the picture."""

LEVELS = (
    *("Unlock-v0", "UnlockPickup-v0", "BlockedUnlockPickup-v0"),
    *("KeyCorridorS3R3-v0", "KeyCorridorS6R3-v0"),
    *("ObstructedMaze-2Dlhb-v1", "ObstructedMaze-Full-v1"),
)
MOVING = "Dynamic-Obstacles-16x16-v0"
LEAST = 95
"""Games of a hundred that have to be won."""


@dataclass(frozen=True, slots=True)
class Game:
    """How one seed went."""

    won: bool
    steps: int
    longest: int
    events: tuple[AgentEvent, ...]


def both(agent: Explorers, seed: int) -> Behaviour:
    """The explorer."""
    return explorer(agent)


def careless(agent: Explorers, seed: int) -> Behaviour:
    """The explorer who gives way to nobody."""
    look_again = Turn("look again", agent.body)
    return Selector("careless", memory=False, children=[pursue(agent), look_again])


def wanderer(agent: Explorers, seed: int) -> Behaviour:
    """The explorer's tree with a leaf that wanders in the place of the one that plans."""
    return explorer(agent, lambda agent: Wander(agent.body, Random(seed)))  # noqa: S311 - dice


TREES: dict[str, Callable[[Explorers, int], Behaviour]] = {
    "plans, and gives way": both,
    "only plans": careless,
    "wanders, and gives way": wanderer,
}


def played(name: str, seed: int, tree: Callable[[Explorers], Behaviour] = explorer) -> Game:
    """Play until the level says that it is over; it always does, after ``longest`` steps."""
    world = level(f"MiniGrid-{name}", seed)
    character = placed_in(world, tree)
    events: list[AgentEvent] = []
    while not character.finished and character.ticks < 2 * world.longest:
        events += character.tick()
    return Game(world.won, world.steps, world.longest, tuple(events))


def row(name: str, games: list[Game]) -> list[str]:
    """A line of the table."""
    told = Counter(type(event) for game in games for event in game.events)
    steps = sorted(game.steps for game in games if game.won)
    each = [told[kind] / len(games) for kind in COUNTED.values()]
    return [
        name,
        f"{sum(game.won for game in games)} of {len(games)}",
        *((f"{statistics.median(steps):.0f}", str(steps[-1])) if steps else ("–", "–")),
        str(games[0].longest),
        *(f"{count:.1f}" for count in each),
    ]


def has_too_few(games: list[Game]) -> bool:
    """Whether too few of them were won."""
    return sum(game.won for game in games) * 100 < LEAST * len(games)


COUNTED = {
    "plans": PlanAdopted,
    "planned on arrival": PlanResumed,
    "replaced": PlanReplaced,
    "broken": PlanBroken,
    "repaired": PlanRepaired,
    "failed": PlanFailed,
    "dropped": PlanAborted,
}
HEAD = ("won", "steps, median", "steps, most", "limit", *COUNTED)


def tables(seeds: int) -> tuple[dict[str, Table], list[str]]:
    """Both tables of the page, and the levels that were won too seldom."""
    still, moving, too_few = [["level", *HEAD]], [["the tree", *HEAD]], []
    for name in LEVELS:
        games = [played(name, seed) for seed in range(seeds)]
        still.append(row(name, games))
        _tell(still[-1])
        if has_too_few(games):
            too_few.append(name)
    for name, tree in TREES.items():
        games = [played(MOVING, seed, partial(tree, seed=seed)) for seed in range(seeds)]
        moving.append(row(name, games))
        _tell(moving[-1])
        if tree is both and has_too_few(games):
            too_few.append(MOVING)
    return {"still": still, "moving": moving}, too_few


def _tell(line: list[str]) -> None:
    sys.stderr.write(f"{' | '.join(line)}\n")


def faults(page: str) -> list[str]:
    """What is wrong with the tables of the page, in words."""
    marked = {match[1]: match[2] for match in MARKED.finditer(page)}
    names = {"still": LEVELS, "moving": tuple(TREES)}
    found = []
    for table, expected in names.items():
        rows = [line.strip("| ").split("|") for line in marked.get(table, "").splitlines()[2:]]
        if tuple(cells[0].strip() for cells in rows) != expected:
            found.append(f"table '{table}' is not about {', '.join(expected)}")
        won = {cells[0].strip(): int(cells[1].split()[0]) for cells in rows}
        below = [name for name in won if won[name] < LEAST and name in (*LEVELS, *list(TREES)[:1])]
        found += [f"{name} was won {won[name]} times" for name in below]
    return found


def run(arguments: list[str]) -> int:
    """0 when enough games were won, 1 when they were not, 2 without MiniGrid."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worlds", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many games of each level")
    parser.add_argument("--write-docs", action="store_true", help="put them into the manual")
    given = parser.parse_args(arguments)
    if find_spec("minigrid") is None:
        sys.stderr.write('MiniGrid is missing: python -m pip install -e ".[minigrid]"\n')
        return 2
    made, too_few = tables(given.seeds)
    for table in made.values():
        sys.stdout.write(f"{markdown(table)}\n\n")
    if given.write_docs:
        PAGE.write_text(written(PAGE.read_text("utf-8"), made), "utf-8")
        PICTURE.write_text(path_svg(played(*SHOWN).events), "utf-8")
    sys.stdout.write("".join(f"won too seldom: {name}\n" for name in too_few))
    return int(bool(too_few))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
