"""The ground: open cells, walls, cover; what can be seen, and what be reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from bthtn.behaviours import PlainData

Place = tuple[int, int]
"""Column and row."""


class Ground(PlainData):
    """A drawing on a grid. ``#`` is a wall, ``c`` gives cover; every other cell is open."""

    def __init__(self, drawing: str) -> None:
        self._marks = {
            (column, row): mark
            for row, line in enumerate(drawing.split())
            for column, mark in enumerate(line)
        }
        self._open = {place for place, mark in self._marks.items() if mark != "#"}
        self.covers = {place for place, mark in self._marks.items() if mark == "c"}
        self._steps = _ways(drawing)

    def save(self) -> list[list[int]]:
        """What can change: where there is still cover."""
        return sorted(map(list, self.covers))

    def load(self, saved: list[list[int]]) -> None:
        """Let there be cover where it was."""
        self.covers = {(column, row) for column, row in saved}

    def place(self, mark: str) -> Place:
        """Where the mark is drawn."""
        return next(place for place, drawn in self._marks.items() if drawn == mark)

    def is_open(self, place: Place) -> bool:
        """Whether somebody can stand there."""
        return place in self._open

    def is_clear(self, here: Place, there: Place) -> bool:
        """Whether no wall stands on the straight line; the same from both ends."""
        return all(self.is_open(place) for place in _line(*sorted((here, there))))

    def steps_from(self, start: Place) -> Mapping[Place, int]:
        """Every place that can be reached, nearest first, and how many steps away it is."""
        if start not in self._steps:
            steps = self._steps[start] = {start: 0}
            frontier = [start]
            for place in frontier:
                for near in _beside(place):
                    if near not in steps and near in self._open:
                        steps[near] = steps[place] + 1
                        frontier.append(near)
        return self._steps[start]

    def step(self, start: Place, goal: Place) -> Place:
        """The first place on a shortest way to the goal; ``start`` itself when there is none."""
        steps = self.steps_from(goal)
        return min((start, *_beside(start)), key=lambda place: steps.get(place, len(self._marks)))


@cache
def _ways(_drawing: str) -> dict[Place, dict[Place, int]]:
    """How far it is from and to the places of a drawing, as far as somebody has asked.

    Walls stay, so ways do: all grounds of one drawing share them.
    """
    return {}


def distance(here: Place, there: Place) -> int:
    """How far apart two places are."""
    return max(abs(here[0] - there[0]), abs(here[1] - there[1]))


def _beside(place: Place) -> tuple[Place, ...]:
    column, row = place
    return (column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)


def _line(here: Place, there: Place) -> Iterator[Place]:
    """The places between two others, in whole cells."""
    steps = distance(here, there)
    for step in range(1, steps):
        yield (
            here[0] + _divided((there[0] - here[0]) * step, steps),
            here[1] + _divided((there[1] - here[1]) * step, steps),
        )


def _divided(number: int, parts: int) -> int:
    """The quotient, rounded to the nearest whole number."""
    return (2 * number + parts) // (2 * parts)
