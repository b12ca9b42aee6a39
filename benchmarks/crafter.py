"""The experiment in Crafter: all arms play the same seeds.

    python -m benchmarks.crafter --seeds 0-19

The tables of docs/crafter.md are of the commit that registered it, with which `make crafter` plays.

A game that is kept in the file is not played again, so a run that was stopped goes on; lines of
other code are refused. Beside the file stands another one, `.games.jsonl`, without times: for the
same code it has the same bytes, in whatever order and in how many processes the games were played.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from py_trees.common import Status

from benchmarks import crafter_lines
from benchmarks.crafter_islands import new_level
from benchmarks.crafter_results import ARMS, LONGEST, Game, tables
from benchmarks.report import markdown
from bthtn.behaviours import Character
from bthtn.engine.agent.events import (
    AgentEvent,
    LeafEnded,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
)
from bthtn.studio.batch.resume import Kept, resumed
from bthtn.studio.batch.runner import on_cores

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "out" / "crafter" / "played.jsonl"
EVALUATED = range(1000, 1200)
"""The seeds that the experiment is evaluated on, once."""
CODE = ("bthtn", "domains/crafter", "trees/crafter")

PLANNED = (PlanAdopted, PlanResumed, PlanRepaired)
REVIEWED = (PlanKept, PlanReplaced, PlanBroken)


# A game


class Stopwatch:
    """CPU time, and how much of it went into the game itself and into the garbage collector.

    The collector's runs while the game is at work are the game's.
    """

    def __init__(self) -> None:
        self.game = 0.0
        self.collected = 0.0
        self._in_game = False
        self._began = 0.0

    def watch(self, level: Any) -> None:
        """Tell the steps of a level apart from all else."""
        step = level.step

        def timed(*arguments: Any) -> Any:
            began, self._in_game = time.process_time(), True
            try:
                return step(*arguments)
            finally:
                self.game += time.process_time() - began
                self._in_game = False

        level.step = timed

    @contextmanager
    def hearing_the_collector(self) -> Iterator[None]:
        """Inside, the collector's runs are timed."""
        gc.callbacks.append(self._hear)
        try:
            yield
        finally:
            gc.callbacks.remove(self._hear)

    def _hear(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.process_time()
        elif not self._in_game:
            self.collected += time.process_time() - self._began


class Times:
    """How long steps of each kind took, without the game's own part."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[Counter[int], list[float]]] = {}

    def add(self, kind: str, seconds: float, collected: float) -> None:
        """Count a step. Three digits of its microseconds are kept."""
        took, sums = self._kinds.setdefault(kind, (Counter(), [0.0, 0.0]))
        took[int(float(f"{1e6 * seconds:.3g}"))] += 1
        sums[0] += 1e6 * seconds
        sums[1] += 1e6 * collected

    def told(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {
            kind: {
                "took": dict(sorted(took.items())),
                "microseconds": spent,
                "collected": collected,
            }
            for kind, (took, (spent, collected)) in self._kinds.items()
        }


def played(game: str, longest: int = LONGEST) -> dict[str, Any]:
    """Play a game, such as ``hybrid 1000``: what came of it, and its times."""
    from bthtn.examples.trees.crafter.arms import placed_in  # noqa: PLC0415 - they need the extra

    arm, seed = game.rsplit(" ", 1)
    world = new_level(int(seed))
    character = placed_in(world, arm)
    watch, times, told = Stopwatch(), Times(), Told(character)
    watch.watch(world)
    first: dict[str, int] = {}
    events: list[AgentEvent] = []
    spent = collected = 0.0
    gc.collect()
    with watch.hearing_the_collector():
        while not character.finished and world.steps < longest and character.ticks < 2 * LONGEST:
            health = world.inventory["health"]
            before = time.process_time(), watch.game, watch.collected
            heard = character.tick()
            spent += time.process_time() - before[0] - (watch.game - before[1])
            collected += watch.collected - before[2]
            told.hear(heard)
            events += heard
            if character.world.order is not None or character.finished:  # else the game waits
                times.add(kind_of(events), spent, collected)
                events, spent, collected = [], 0.0, 0.0
            for name in sorted(world.score - first.keys()):
                first[name] = world.steps
    return {
        "game": game,
        "arm": arm,
        "seed": int(seed),
        "achievements": first,
        "steps": world.steps,
        "cause": cause_of(world.view(), world.inventory, health),
        **told.counts(),
        "times": times.told(),
    }


NEEDS = {"food": "hunger", "drink": "thirst", "energy": "fatigue"}


def cause_of(view: Mapping[Any, tuple[str, str]], has: Mapping[str, int], before: int) -> str:
    """What somebody died of, as far as the last picture tells; "" if he lives.

    ``before`` was his health a step ago: needs take one point of it, blows and arrows two or more.
    """
    if has["health"] > 0:
        return ""
    if view[0, 0][0] == "lava":
        return "lava"
    unmet = [cause for need, cause in NEEDS.items() if has[need] == 0]
    if before > 1 or not unmet:
        beside = {view[cell][1] for cell in ((1, 0), (0, 1), (-1, 0), (0, -1))}
        return "zombie" if "zombie" in beside else "arrow"
    return unmet[0]


class Told:
    """What the events of a game say about its plans."""

    def __init__(self, character: Character) -> None:
        self._character = character
        self._aborts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._plans = 0

    def hear(self, events: Sequence[AgentEvent]) -> None:
        """Count the events of a tick that has just been."""
        self._plans += sum(isinstance(event, PLANNED) for event in events)
        for event in events:
            reason = self._reason(event, events)
            if reason is not None:
                self._aborts[type(event).__name__][reason] += 1

    def counts(self) -> dict[str, Any]:
        """All of it, as JSON."""
        aborts = {kind: dict(sorted(found.items())) for kind, found in sorted(self._aborts.items())}
        return {"plans": self._plans, "idle": self._character.world.idle, "aborts": aborts}

    def _reason(self, event: AgentEvent, events: Sequence[AgentEvent]) -> str | None:
        """Why a plan ended early: the branch of the tree, the belief, or the step that failed."""
        match event:
            case PlanAborted():
                active = (
                    child.name for child in self._character.root.children if child.status in ACTIVE
                )
                return next(active, "the end")
            case PlanBroken(change=change) | PlanReplaced(change=change):
                return change.fluent.name if change else "nothing that was heard"
            case PlanFailed(goal=goal):
                failed = (
                    step for step in events if isinstance(step, LeafEnded) and not step.succeeded
                )
                return next((s.task.partition("(")[0] for s in failed if s.goal == goal), "no step")
        return None


ACTIVE = (Status.RUNNING, Status.SUCCESS)


def kind_of(events: Sequence[AgentEvent]) -> str:
    """What was done about plans in the tick of these events."""
    kinds = {type(event) for event in events}
    if kinds.intersection(PLANNED):
        return "a plan is made or continued"
    if kinds.intersection(REVIEWED):
        return "a plan is reviewed"
    return "a plan is dropped" if PlanAborted in kinds else "goes on"


# All games


def seeds_of(text: str) -> range:
    """The seeds that ``0-19`` or ``8`` names."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def code() -> str:
    """A digest of the code that plays."""
    paths = sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    digest = sha256()
    for path in paths:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def without_times(games: Sequence[Game]) -> str:
    """A line of JSON for each game, in the order of arms and seeds: what repeats to the byte."""
    lines = [
        json.dumps({key: value for key, value in game.items() if key not in ("times", "batch")})
        for game in sorted(games, key=lambda game: (ARMS.index(game["arm"]), game["seed"]))
    ]
    return "".join(f"{line}\n" for line in lines)


def run(arguments: list[str]) -> int:
    """0 when all games were played, 2 without Crafter."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crafter", description=__doc__)
    parser.add_argument("--seeds", type=seeds_of, required=True, help="such as 0-19")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--longest", type=int, default=LONGEST, help="steps of a game at most")
    parser.add_argument("--jobs", type=int, default=2, help="processes; times are best with one")
    parser.add_argument("--file", type=Path, default=KEPT, help="where the games are kept")
    given = parser.parse_args(arguments)
    if find_spec("crafter") is None:
        sys.stderr.write('Crafter is missing: python -m pip install -e ".[crafter,scale]"\n')
        return 2
    given.file.parent.mkdir(parents=True, exist_ok=True)
    about = {"crafter": version("crafter"), "code": code(), "longest": given.longest}
    kept = Kept(given.file, about, "game")
    asked = [f"{arm} {seed}" for seed in given.seeds for arm in given.arms]
    games: list[Game] = []
    with on_cores(given.jobs):
        for game in resumed(_Player(given.longest), asked, kept, sys.stderr.write):
            games.append(game)
            _tell(game)
    lines = without_times(games)
    given.file.with_suffix(".games.jsonl").write_text(lines, "utf-8")
    made = tables(games)
    made["lines"] = crafter_lines.table({row[0]: row[2] for row in made["arms"][1:]})
    for table in made.values():
        sys.stdout.write(f"{markdown(table)}\n\n")
    digest = sha256(lines.encode()).hexdigest()
    sys.stdout.write(f"{len(games)} games, sha256 {digest}, code {about['code']}\n")
    return 0


class _Player:
    """Plays a game by its name; can be sent to another process."""

    def __init__(self, longest: int) -> None:
        self._longest = longest

    def __call__(self, game: str) -> dict[str, Any]:
        return played(game, self._longest)


def _tell(game: Game) -> None:
    count, cause = len(game["achievements"]), game["cause"] or "alive"
    sys.stderr.write(f"{game['game']}: {count} achievements, {game['steps']} steps, {cause}\n")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
