"""What games of Crafter amount to: scores with intervals, rates, deaths, paired tests, times.

A game is a row as `benchmarks.crafter` keeps it. All draws have a seed: the same games give the
same tables.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.page import MARKED
from benchmarks.report import NONE, Table

Game = Mapping[str, Any]

ARMS = ("hybrid", "between plans", "scripted", "without deferred", "always anew")
"""The arms of the experiment; the first is compared with each of the others."""
ACHIEVEMENTS = (
    *("collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling"),
    *("collect_stone", "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant"),
    *("make_iron_pickaxe", "make_iron_sword", "make_stone_pickaxe", "make_stone_sword"),
    *("make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant", "place_stone"),
    *("place_table", "wake_up"),
)
DRAWS, FLIPS, SEED = 10_000, 100_000, 2109
"""Samples of seeds for an interval, flips of signs for a test, and what both are drawn with."""
LONGEST = 10_000
"""Steps after which Crafter ends a game."""

PIXELS = "pixels, noisy in the dark"
SYMBOLS = "symbols, no noise in the dark"
LEARNS = "nothing; learns for 1M steps, which count"
ARXIV = "[arXiv:{0}](https://arxiv.org/abs/{0})"
LADDER = (
    ("human experts", "50.5 ± 6.8", PIXELS, "life", "2109.06780"),
    ("SPRING with GPT-4", "27.3 ± 1.2", "a text of the view", "the paper, read", "2305.15486"),
    ("Achievement Distillation", "21.8 ± 1.4", PIXELS, "what is rewarded", "2307.03486"),
    ("Curious Replay", "19.4 ± 1.6", PIXELS, LEARNS, "2306.15934"),
    ("DreamerV3", "14.5 ± 1.6", PIXELS, LEARNS, "2301.04104"),
    ("DreamerV2", "10.0 ± 1.2", PIXELS, LEARNS, "2109.06780"),
    ("PPO", "4.6 ± 0.3", PIXELS, LEARNS, "2109.06780"),
    ("random actions", "1.6 ± 0.0", "nothing", "nothing", "2109.06780"),
)
"""Published scores in percent, what the player is given, what it knows, the paper's number."""


# Scores


def unlocked(games: Sequence[Game]) -> np.ndarray:
    """A row for each game, a column for each achievement: 1 where it was unlocked."""
    return np.array(
        [[name in game["achievements"] for name in ACHIEVEMENTS] for game in games], int
    )


def score_of(rates: np.ndarray) -> np.ndarray:
    """The Crafter score of success rates between 0 and 1, in percent; the last axis goes.

    It is the geometric mean of the rates in percent, with an offset of one (Hafner 2021).
    """
    return np.expm1(np.log1p(100 * rates).mean(axis=-1))


def samples(games: int, draws: int = DRAWS) -> np.ndarray:
    """How often each game was drawn, for each sample with replacement."""
    generator = np.random.default_rng(SEED)
    return generator.multinomial(games, np.full(games, 1 / games), size=draws)


def interval(drawn: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of what was drawn."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def drawn_scores(games: Sequence[Game]) -> np.ndarray:
    """The Crafter score of each sample. Games of the same seeds are sampled in the same way."""
    return score_of(samples(len(games)) @ unlocked(games) / len(games))


# Tests


def sign_flips(differences: Sequence[float]) -> float:
    """How likely a mean so far from 0 is, if each difference might as well have the other sign."""
    found = np.array(differences, float)
    signs = np.random.default_rng(SEED).integers(0, 2, size=(FLIPS, len(found)), dtype=np.int8)
    flipped = np.abs((2.0 * signs - 1) @ found)
    as_far = int((flipped >= abs(found.sum()) - 1e-9).sum())
    return (1 + as_far) / (1 + FLIPS)


def holm(chances: Sequence[float]) -> list[float]:
    """These p values, corrected for there being several of them (Holm 1979)."""
    corrected, worst = [0.0] * len(chances), 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[index]))
        corrected[index] = worst
    return corrected


# Tables


def tables(games: Iterable[Game]) -> dict[str, Table]:
    """All tables of the page that are about games."""
    found: dict[str, list[Game]] = {arm: [] for arm in ARMS}
    for game in sorted(games, key=lambda game: game["seed"]):
        found[game["arm"]].append(game)
    arms = {arm: played for arm, played in found.items() if played}
    made = {
        "ladder": _ladder(arms),
        "arms": _arms(arms),
        "compared": _compared(arms),
        "achievements": _achievements(arms),
        "deaths": _counted(arms, "died of", lambda game: {game["cause"] or "lived to the end": 1}),
        "aborts": _counted(arms, "plans ended early", _aborts, per_game=True),
    }
    timed = {arm: [game for game in played if "times" in game] for arm, played in arms.items()}
    return made | ({"times": _times(timed)} if any(timed.values()) else {})


def _ladder(arms: Mapping[str, Sequence[Game]]) -> Table:
    rows = [
        (float(score.split()[0]), [who, score, sees, knows, ARXIV.format(paper)])
        for who, score, sees, knows, paper in LADDER
    ]
    for arm, games in arms.items():
        score = float(score_of(unlocked(games).mean(axis=0)))
        low, high = interval(drawn_scores(games))
        shown = f"{score:.1f} ({low:.1f} to {high:.1f})"
        rows.append(
            (score, [f"**bthtn, {arm}**", shown, SYMBOLS, "the rules, written", "this page"])
        )
    rows.sort(key=lambda row: -row[0])
    return [
        ["player", "Crafter score, %", "is given", "knows beforehand", "source"],
        *(row for _, row in rows),
    ]


def _arms(arms: Mapping[str, Sequence[Game]]) -> Table:
    table = [
        [
            *("arm", "games", "Crafter score, %", "95 % interval", "achievements"),
            *("steps, median", "lived to the end", "plans a game", "steps without an action"),
        ]
    ]
    for arm, games in arms.items():
        low, high = interval(drawn_scores(games))
        ended = sum(not game["cause"] for game in games)
        table.append(
            [
                arm,
                str(len(games)),
                f"{score_of(unlocked(games).mean(axis=0)):.1f}",
                f"{low:.1f} to {high:.1f}",
                f"{statistics.mean(_unlocked_in(game) for game in games):.2f}",
                f"{statistics.median(game['steps'] for game in games):.0f}",
                str(ended),
                f"{statistics.mean(game['plans'] for game in games):.1f}",
                str(sum(game["idle"] for game in games)),
            ]
        )
    return table


def _compared(arms: Mapping[str, Sequence[Game]]) -> Table:
    """The hybrid against each other arm, on the seeds that both have played."""
    rows, chances = [], []
    first, *others = ARMS
    mine = {game["seed"]: game for game in arms.get(first, ())}
    for arm in others:
        theirs = {game["seed"]: game for game in arms.get(arm, ())}
        seeds = sorted(mine.keys() & theirs.keys())
        if not seeds:
            continue
        pairs = [(mine[seed], theirs[seed]) for seed in seeds]
        differences = [_unlocked_in(one) - _unlocked_in(other) for one, other in pairs]
        chances.append(sign_flips(differences))
        by_arm = [[pair[side] for pair in pairs] for side in (0, 1)]
        low, high = interval(drawn_scores(by_arm[0]) - drawn_scores(by_arm[1]))
        score = [score_of(unlocked(games).mean(axis=0)) for games in by_arm]
        ranks = Counter((one > 0) - (one < 0) for one in differences)
        rows.append(
            [
                arm,
                f"{statistics.mean(differences):+.2f}",
                f"{ranks[1]}, {ranks[0]}, {ranks[-1]}",
                f"{score[0] - score[1]:+.1f}",
                f"{low:+.1f} to {high:+.1f}",
            ]
        )
    head = [
        "hybrid against",
        "achievements",
        "seeds: more, as many, fewer",
        "score",
        "95 % interval",
    ]
    shown = [
        [_chance(one), _chance(other)] for one, other in zip(chances, holm(chances), strict=True)
    ]
    return [[*head, "p", "p, Holm"], *(row + more for row, more in zip(rows, shown, strict=True))]


def _achievements(arms: Mapping[str, Sequence[Game]]) -> Table:
    rates = {arm: 100 * unlocked(games).mean(axis=0) for arm, games in arms.items()}
    table = [["unlocked in % of games", *arms]]
    for index, name in enumerate(ACHIEVEMENTS):
        table.append([name.replace("_", " "), *(f"{found[index]:.1f}" for found in rates.values())])
    return table


def _aborts(game: Game) -> Mapping[str, int]:
    return {
        f"{kind}: {what}": count
        for kind, found in game["aborts"].items()
        for what, count in found.items()
    }


def _counted(
    arms: Mapping[str, Sequence[Game]],
    head: str,
    counts: Callable[[Game], Mapping[str, int]],
    *,
    per_game: bool = False,
) -> Table:
    """What was counted in games, the most frequent first: a sum, or the mean of a game."""
    found = {arm: Counter[str]() for arm in arms}
    for arm, games in arms.items():
        for game in games:
            found[arm].update(counts(game))
    total = sum(found.values(), Counter[str]())
    names = sorted(total, key=lambda name: (-total[name], name))
    table = [[head, *arms]]
    for name in names:
        cells = [
            f"{found[arm][name] / len(games):.2f}" if per_game else str(found[arm][name])
            for arm, games in arms.items()
        ]
        table.append([name, *cells])
    return table if names else [*table, ["nothing", *([NONE] * len(arms))]]


def _times(arms: Mapping[str, Sequence[Game]]) -> Table:
    table = [
        [
            *("ms of CPU", "kind of step", "steps", "mean", "p99"),
            *("over 5 ms, %", "over 20 ms, %", "of it garbage collector, %"),
        ]
    ]
    for arm, games in arms.items():
        kinds: dict[str, list[Game]] = {"all": []}
        for game in games:
            for kind, found in game["times"].items():
                kinds.setdefault(kind, []).append(found)
                kinds["all"].append(found)
        table += [[arm, kind, *_summed(found)] for kind, found in kinds.items() if found]
    return table


def _summed(found: Sequence[Game]) -> list[str]:
    """Mean, percentile and shares of some steps, of how often a step took so many microseconds."""
    took = Counter[int]()
    for times in found:
        took.update({int(microseconds): count for microseconds, count in times["took"].items()})
    steps, spent = sum(took.values()), sum(times["microseconds"] for times in found)
    microseconds = sorted(took)
    upto = np.cumsum([took[each] for each in microseconds])
    p99 = microseconds[int(np.searchsorted(upto, 0.99 * steps))]
    over = [sum(n for one, n in took.items() if one > limit) for limit in (5_000, 20_000)]
    collected = sum(times["collected"] for times in found)
    shares = [100 * count / steps for count in over]
    return [
        f"{steps:,}",
        f"{spent / steps / 1e3:.3f}",
        f"{p99 / 1e3:.2f}",
        *(f"{share:.4f}" for share in shares),
        f"{100 * collected / spent:.1f}" if spent else NONE,
    ]


def _unlocked_in(game: Game) -> int:
    return len(game["achievements"])


def _chance(p: float) -> str:
    return f"{p:.4f}" if p >= 1e-4 else "< 0.0001"


# The page


TABLES = ("ladder", "arms", "compared", "achievements", "deaths", "aborts", "times", "lines")
NOT_RUN = "Not run yet."


def faults(page: str) -> list[str]:
    """What is wrong with the tables of the page, in words."""
    marked = {match[1]: match[2] for match in MARKED.finditer(page)}
    found = [f"there is no table '{name}'" for name in TABLES if name not in marked]
    run = [
        name for name in ("arms", "compared", "achievements") if NOT_RUN not in marked.get(name, "")
    ]
    if len(run) not in (0, 3):
        found.append("tables of a run stand beside others that are not run yet")
    for who, score, *_, paper in LADDER:
        row = next((line for line in marked.get("ladder", "").splitlines() if who in line), "")
        found += [
            f"the ladder has no {what} of {who}" for what in (score, paper) if what not in row
        ]
    return found
