"""A picture of a run in MiniGrid: what was seen, where the explorer went, what he did there."""

from __future__ import annotations

from collections.abc import Iterable

from bthtn import UNKNOWN
from bthtn.engine.agent.events import AgentEvent, BeliefChanged
from bthtn.examples.domains.minigrid.beliefs import NOTHING, Explorer, is_door, kind, name
from bthtn.kit.grids import Cell

SIDE, LEGEND = 24, 150
PAINTS = {"grey": "#777", "yellow": "#d8b400", "green": "#3a9a3a"}
WALL, FLOOR, UNSEEN, PATH = "#555", "#fff", "#d9d9d9", "#e4572e"
LETTERS = {"key": "k", "ball": "●", "box": "■", "goal": "★"}


def path_svg(events: Iterable[AgentEvent]) -> str:
    """The picture, as SVG. Things are where they were first seen; deeds are numbered in order."""
    first, path, front, deeds = {(0, 0): "floor"}, [(0, 0)], (1, 0), []
    for event in events:
        if not isinstance(event, BeliefChanged):
            continue
        fluent, before, after = event.change.fluent, event.change.before, event.change.after
        if fluent is Explorer.at:
            path.append(after)
        elif fluent is Explorer.front:
            front = after
        elif fluent is Explorer.carrying:
            deeds.append((front, f"puts down {before}" if after == NOTHING else f"takes {after}"))
        elif fluent.name == "cell" and before is UNKNOWN:
            first[fluent.index] = after
        elif fluent.name == "cell" and is_door(after, "open"):
            verb = "unlocks" if is_door(before, "locked") else "opens"
            deeds.append((front, f"{verb} {name(after)}"))
    return _svg(first, path, deeds)


def _svg(first: dict[Cell, str], path: list[Cell], deeds: list[tuple[Cell, str]]) -> str:
    xs, ys = zip(*first, strict=True)
    left, top = min(xs), min(ys)
    wide, high = (max(xs) - left + 1) * SIDE, (max(ys) - top + 1) * SIDE
    legend = [f"{number} {deed}" for number, (_, deed) in enumerate(deeds, 1)]

    def corner(place: Cell) -> tuple[int, int]:
        x, y = place
        return (x - left) * SIDE, (y - top) * SIDE

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + LEGEND}" height="{high}"'
        f' font-family="sans-serif" font-size="12" text-anchor="middle">',
        f'<rect width="{wide}" height="{high}" fill="{UNSEEN}"/>',
        *(_cell(*corner(place), what) for place, what in sorted(first.items())),
        _line([corner(place) for place in path]),
        *(_mark(*corner(place), number) for number, (place, _) in enumerate(deeds, 1)),
        *(
            f'<text x="{wide + 8}" y="{16 * number}" text-anchor="start">{text}</text>'
            for number, text in enumerate(legend, 1)
        ),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _cell(x: int, y: int, what: str) -> str:
    fill = WALL if what == "wall" else FLOOR
    square = f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="{fill}" stroke="#ccc"/>'
    colour = what.split()[-2] if " " in what else ""
    paint = PAINTS.get(colour, colour)
    if kind(what) == "door":
        inside = paint if is_door(what, "locked") else FLOOR
        return square + (
            f'<rect x="{x + 3}" y="{y + 3}" width="{SIDE - 6}" height="{SIDE - 6}"'
            f' fill="{inside}" fill-opacity="0.5" stroke="{paint}" stroke-width="3"/>'
        )
    letter = LETTERS.get(kind(what), "")
    middle = f'x="{x + SIDE // 2}" y="{y + SIDE // 2 + 6}"'
    return square + (f'<text {middle} font-size="18" fill="{paint}">{letter}</text>' * bool(letter))


def _line(corners: list[tuple[int, int]]) -> str:
    """The path, a little further aside each time, so that ways there and back can be told apart."""
    points = [
        f"{x + SIDE // 2 - 4 + number * 8 // len(corners)},"
        f"{y + SIDE // 2 - 4 + number * 8 // len(corners)}"
        for number, (x, y) in enumerate(corners)
    ]
    (start, *_), (end, *_) = points, reversed(points)
    dots = (
        f'<circle cx="{one.split(",")[0]}" cy="{one.split(",")[1]}" r="4" fill="{fill}"/>'
        for one, fill in ((start, FLOOR), (end, PATH))
    )
    line = f'<polyline points="{" ".join(points)}" fill="none" stroke="{PATH}" stroke-width="2"/>'
    return line + "".join(dots).replace("/>", f' stroke="{PATH}"/>')


def _mark(x: int, y: int, number: int) -> str:
    return (
        f'<circle cx="{x + 5}" cy="{y + 5}" r="7" fill="#333"/>'
        f'<text x="{x + 5}" y="{y + 9}" font-size="10" fill="#fff">{number}</text>'
    )
