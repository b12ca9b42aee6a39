"""Who takes part in a row: the modes of bthtn, and GTPyhop with each of its strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Any

from benchmarks.modes import AGAIN, MODES, Ask, Question, steps_of
from benchmarks.rows import Row

Answer = list[tuple[Any, ...]] | None
"""A plan as the names and arguments of its steps; None where there is no plan."""
NUMBERS = count(1)
"""Those of questions that nobody has asked yet: what one contestant keeps must not help another."""


class DifferentPlans(Exception):  # noqa: N818 - the sentence is the name
    """Two planners that should agree do not: there is nothing to compare."""


@dataclass(frozen=True)
class Contestant:
    """One way to plan all cases of a row.

    ``prepare`` makes a call for each case, in the state with the number that it is given; with
    ``again`` it is always the same number. ``begin`` is called before a batch; neither is measured.
    ``answer`` brings what a call gave to the form that can be compared.
    """

    name: str
    prepare: Callable[[int], list[Ask]]
    begin: Callable[[], object]
    answer: Callable[[Any], Answer]
    again: bool = False

    def asks(self, passes: int) -> list[Ask]:
        """The calls for so many passes through all cases, none made before unless ``again``."""
        if self.again:
            return self.prepare(0) * passes
        return [ask for number in islice(NUMBERS, passes) for ask in self.prepare(number)]

    def answers(self, number: int = 0) -> list[Answer]:
        """The plans for all cases."""
        self.begin()
        return [self.answer(ask()) for ask in self.prepare(number)]


def of_bthtn(row: Row, modes: Mapping[str, Callable[[Question], Ask]] = MODES) -> list[Contestant]:
    """One for each mode of the row."""

    def prepare(mode: str, number: int) -> list[Ask]:
        return [modes[mode](question) for question in row.questions(number)]

    return [
        Contestant(mode, partial(prepare, mode), _nothing, steps_of, again=mode in AGAIN)
        for mode in row.modes
    ]


def of_gtpyhop(row: Row) -> list[Contestant]:
    """One for each strategy that can be asked. Raises ModuleNotFoundError without GTPyhop."""
    from benchmarks.peers import gtpyhop_planner as peer  # noqa: PLC0415 - it may be missing

    module = row.peer_module

    def prepare(number: int) -> list[Ask]:
        return [partial(peer.ask, question) for question in row.questions_of(module, number)]

    return [
        Contestant(f"GTPyhop {name}", prepare, partial(peer.begin, module.the_domain, name), _same)
        for name in peer.STRATEGIES
    ]


def equal_ones(row: Row) -> tuple[list[Contestant], list[str]]:
    """Those whose plans are all the same, step by step, and the names of those left out.

    Left out is only a peer's greedy strategy where it does not find the plan. Any other
    difference raises DifferentPlans.
    """
    modes = of_bthtn(row)
    peers = of_gtpyhop(row) if row.peer else []
    expected = modes[0].answers()
    equal: list[Contestant] = []
    left_out: list[str] = []
    for one in (*modes, *peers):
        wrong = differences(row, expected, one.answers())
        if not wrong:
            equal.append(one)
        elif one.name.endswith("greedy"):
            left_out.append(one.name)
        else:
            raise DifferentPlans(f"{row.name}, {one.name}: {wrong[0]}")
    return equal, left_out


def differences(row: Row, expected: list[Answer], found: list[Answer]) -> list[str]:
    """Where two planners do not agree, in words."""
    return [
        f"from {case!r} {want} was expected, and {got} found"
        for case, want, got in zip(row.cases, expected, found, strict=True)
        if want != got
    ]


def _nothing() -> None:
    """What has to be done before bthtn is asked."""


def _same(answer: Answer) -> Answer:
    return answer
