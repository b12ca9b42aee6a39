"""What is measured: one row for each problem and size, with its questions to every planner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

from benchmarks.domains import backtracking, blocks, combat, fps, soldier, travel, troll
from benchmarks.domains.scan import MEMBERS
from benchmarks.modes import MODES, Question, planner_of

TROLL_ROUNDS = (1, 10, 100, 1_000)
BLOCKS = (5, 10, 20, 50, 100, 200)
FORKS = (10, 100, 1_000)
SCANS = ("loop", "comprehension", "any", "table")
WHOLE = ("actions", "tree, not seen before", "find_plan")
"""The modes that are asked where a plan may take a second."""


@dataclass(frozen=True)
class Row:
    """A problem: cases, and how a module of ``domains`` or ``peers`` makes questions of them.

    ``size`` stands where the problem comes in several sizes; ``peer`` names the problem in
    ``peers``, None where no other planner has what the problem needs. ``modes`` are those of bthtn
    that are measured.
    """

    problem: str
    cases: tuple[Any, ...]
    size: int | None = None
    asked: str = "question"
    peer: str | None = None
    modes: tuple[str, ...] = tuple(MODES)

    @property
    def name(self) -> str:
        """The problem with its size."""
        return self.problem if self.size is None else f"{self.problem} {self.size:,}"

    def questions(self, number: int = 0) -> list[Question]:
        """The cases as bthtn is asked; each ``number`` has other plans, as far as there are any."""
        return self.questions_of(import_module(f"benchmarks.domains.{self.module}"), number)

    @property
    def module(self) -> str:
        """The name of the modules that have the problem."""
        return self.problem.partition(" ")[0]

    @property
    def peer_module(self) -> ModuleType:
        """The problem for GTPyhop. Raises ModuleNotFoundError without it."""
        return import_module(f"benchmarks.peers.gtpyhop_{self.peer}")

    def questions_of(self, module: ModuleType, number: int = 0) -> list[Any]:
        """The cases as a module asks them."""
        ask: Callable[[Any, int], Any] = getattr(module, self.asked)
        return [ask(case, number) for case in self.cases]


ROWS = (
    Row("fps", fps.CASES, peer="fps"),
    Row("travel", travel.CASES, peer="travel"),
    Row("troll", troll.CASES, peer="troll"),
    *(Row("troll fight", (n,), n, "fight_question", peer="troll") for n in TROLL_ROUNDS),
    *(Row("blocks", (blocks.case(n),), n, peer="blocks") for n in BLOCKS),
    Row("backtracking", backtracking.CASES, peer="backtracking"),
    *(Row("chase", (n,), n, peer="chase") for n in FORKS),
    Row("combat", combat.CASES),
    Row("soldier", soldier.CASES, peer="soldier"),
    *(Row("functions", (blocks.case(n),), n, peer="blocks") for n in BLOCKS),
    *(Row(f"scan {how}", (n,), n, f"by_{how}", "scan", WHOLE) for how in SCANS for n in MEMBERS),
)
HEADLINES = MappingProxyType(
    {
        "plain data": ("fps", "travel", "troll", "troll fight", "blocks"),
        "functions": ("soldier", "functions"),
        "functions that scan": tuple(f"scan {how}" for how in SCANS),
    }
)
"""The problems whose ratios are summed up together."""


def chosen(problems: list[str]) -> list[Row]:
    """The rows of some problems, of all without names. Raises ValueError for unknown ones."""
    known = {row.module for row in ROWS}
    strangers = [problem for problem in problems if problem not in known]
    if strangers:
        raise ValueError(
            f"no rows for {', '.join(strangers)}; there are {', '.join(sorted(known))}"
        )
    return [row for row in ROWS if not problems or row.module in problems]


def expansions(question: Question) -> int:
    """Primitive tasks examined and methods entered until there is an answer, also for no."""
    planner = planner_of(question.domain, question.goal, question.settings)
    search = planner.search(question.state)
    search.advance()
    return search.expansions
