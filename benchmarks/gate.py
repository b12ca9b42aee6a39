"""The gate of instructions: no row may take more than ``counts.toml`` says, beside plain Python.

Counts repeat to a per cent in one build of Python. Another build of the same version needs others
for everything, so each row is judged by its ratio to a fixed piece of plain Python that is counted
in the same process. Another version of Python is another interpreter, and is not judged.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.counted import YARDSTICK

COUNTS = Path(__file__).parent / "counts.toml"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
TABLE = re.compile(r"(?<=^\[instructions\.thousands\]\n).*?(?=^\[|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Gate:
    """Thousands of instructions by row, measured with one version of Python, and a margin."""

    python: str
    margin: float
    thousands: Mapping[str, float]

    def ratios(self, counts: Mapping[str, float]) -> dict[str, float]:
        """How many times as much as before each row takes, the speed of plain Python left out."""
        build = counts[YARDSTICK] / self.thousands[YARDSTICK]
        return {name: counts[name] / before / build for name, before in self.thousands.items()}

    def above(self, counts: Mapping[str, float]) -> list[str]:
        """A line for each row that takes more than it may."""
        return [
            f"{name}: {counts[name]:,.1f} thousand instructions, {ratio - 1:.0%} above its gate"
            for name, ratio in self.ratios(counts).items()
            if ratio > 1 + self.margin
        ]

    def below(self, counts: Mapping[str, float]) -> list[str]:
        """The rows that take so much less that their gate holds nothing any more."""
        return [name for name, ratio in self.ratios(counts).items() if ratio < 1 - self.margin]


def read(text: str) -> Gate:
    """The gate in the text of ``counts.toml``."""
    return Gate(**tomllib.loads(text)["instructions"])


def updated(text: str, counts: Mapping[str, float]) -> str:
    """The text with these counts and this version of Python; all else in it stays as it is."""
    kept = re.sub(r'(?<=^python = )"[\d.]+"', f'"{VERSION}"', text, count=1, flags=re.MULTILINE)
    return TABLE.sub(lambda table: _with_counts(table[0], counts), kept)


def _with_counts(table: str, counts: Mapping[str, float]) -> str:
    def line(found: re.Match[str]) -> str:
        return f'"{found[1]}" = {counts[found[1]]:.1f}'

    return re.sub(r'^"([^"]+)" = [\d.]+', line, table, flags=re.MULTILINE)
