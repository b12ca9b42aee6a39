"""Pictures of a game of Crafter: python -m benchmarks.crafter_film [seed], into docs/pictures.

A film of the morning as GIF, which needs Pillow, that Crafter brings; and a timeline of the whole
game: which branch of the tree was at work in each step, and when something was first achieved.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from py_trees.common import Status

from bthtn.behaviours import Character

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SEED = 8
FRAMES, EACH, SIDE, COLOURS, PAUSE = 60, 3, 144, 48, 160
"""How many frames, each after so many steps; pixels, colours, and milliseconds of a frame."""

LEFT, ROW, WIDE, GAP, LABEL = 70, 16, 900, 12, 11
PAINTS = ("#c0392b", "#8e44ad", "#2980b9", "#d35400", "#7f8c8d", "#27ae60", "#bdc3c7", "#000")


def film(character: Character) -> bytes:
    """The first steps of a game, as GIF."""
    from PIL import Image  # noqa: PLC0415 - comes with the extra

    frames = []
    for _ in range(FRAMES):
        picture = Image.open(io.BytesIO(character.world.level.picture()))
        small = picture.resize((SIDE, SIDE), Image.Resampling.NEAREST)
        frames.append(small.quantize(COLOURS, dither=Image.Dither.NONE))
        for _ in range(EACH):
            character.tick()
    file = io.BytesIO()
    first, *others = frames
    first.save(file, "GIF", save_all=True, append_images=others, duration=PAUSE, loop=0)
    return file.getvalue()


def lived(character: Character) -> tuple[list[str], dict[str, int]]:
    """The branch that was at work in each step, and the step of each achievement."""
    level, branches, first = character.world.level, [], {}
    while not character.finished:
        character.tick()
        active = (node.name for node in character.root.children if node.status is Status.RUNNING)
        if character.world.order is not None:  # else the game waits
            branches.append(next(active, "nothing"))
        first |= dict.fromkeys(sorted(level.score - first.keys()), level.steps)
    return branches, first


def timeline(rows: Sequence[str], branches: Sequence[str], first: dict[str, int]) -> str:
    """The steps from left to right, a row for each branch of the tree, as SVG."""
    scale = WIDE / len(branches)
    labels = dict(zip(first, _aside([LEFT + step * scale for step in first.values()]), strict=True))
    top = 110
    bottom = top + len(rows) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDE + 60}"'
        f' height="{bottom + 24}" font-family="sans-serif" font-size="{LABEL}">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for name, step in first.items():
        x, aside = LEFT + step * scale, labels[name]
        words = name.replace("_", " ")
        parts += [
            f'<path d="M{aside:.0f} {top - 16}L{x:.0f} {top - 4}V{bottom}" fill="none"'
            ' stroke="#ddd"/>',
            f'<text transform="translate({aside + 4:.0f} {top - 18}) rotate(-60)">{words}</text>',
        ]
    for row, (name, paint) in enumerate(zip(rows, PAINTS, strict=False)):
        y = top + row * ROW
        parts.append(f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{name}</text>')
        bars = "".join(
            f"M{LEFT + begin * scale:.1f} {y + 2}h{max(0.5, length * scale):.1f}v{ROW - 4}"
            f"h-{max(0.5, length * scale):.1f}z"
            for begin, length in _runs(branches, name)
        )
        parts.append(f'<path d="{bars}" fill="{paint}"/>')
    parts += [
        f'<text x="{LEFT + step * scale:.0f}" y="{bottom + 16}" text-anchor="middle">{step}</text>'
        for step in range(0, len(branches) + 1, 300)
    ]
    return "\n".join([*parts, "</svg>\n"])


def _runs(branches: Sequence[str], name: str) -> Iterator[tuple[int, int]]:
    """Where this branch begins to be at work, and for how many steps."""
    begin = 0
    for branch, run in groupby(branches):
        length = len(list(run))
        if branch == name:
            yield begin, length
        begin += length


def _aside(places: Sequence[float]) -> list[float]:
    """Places for labels, which must not lie on each other."""
    put: list[float] = []
    for place in places:
        put.append(max(place, put[-1] + GAP) if put else place)
    return put


def run(seed: int) -> None:
    """Make both pictures."""
    from bthtn.examples.trees.crafter.tree import character  # noqa: PLC0415 - needs the extra

    (PICTURES / "crafter.gif").write_bytes(film(character(seed)))
    whole = character(seed)
    rows = [child.name for child in whole.root.children]
    (PICTURES / "crafter-timeline.svg").write_text(timeline(rows, *lived(whole)), "utf-8")


if __name__ == "__main__":
    run(int(*sys.argv[1:] or [SEED]))
