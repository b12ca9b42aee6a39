"""Towers of blocks, rebuilt as a goal: no methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import and_
from random import Random
from typing import Any

from benchmarks.modes import Question
from bthtn import achieve
from bthtn.examples.domains.blocks.strips import Blocks, strips

Towers = list[list[str]]


@dataclass(frozen=True)
class Rebuilding:
    """Towers that there are, and those that are wanted."""

    before: Towers
    after: Towers


def drawn(count: int, seed: int) -> Rebuilding:
    """So many blocks, twice in random towers."""
    draw = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
    return Rebuilding(_towers(count, draw), _towers(count, draw))


def question(asked: Rebuilding, **how: Any) -> Question:
    """The question put to bthtn, ``how`` as in ``achieve``."""
    names = sorted(name for tower in asked.before for name in tower)
    covered = {name: False for tower in asked.before for name in tower[:-1]}
    state = Blocks(on=_below(asked.before), is_top=covered)
    goal = reduce(and_, (Blocks.on[name] == under for name, under in _below(asked.after).items()))
    return Question(strips, state, achieve(goal, objects={"block": names, "below": names}, **how))


def _towers(count: int, draw: Random) -> Towers:
    names = [f"b{number}" for number in range(count)]
    draw.shuffle(names)
    built: Towers = []
    for name in names:
        if not built or draw.random() < 0.3:
            built.append([])
        built[-1].append(name)
    return built


def _below(built: Towers) -> dict[str, str]:
    return {name: under for tower in built for under, name in pairwise(["table", *tower])}
