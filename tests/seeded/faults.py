"""The seeded faults: a text of a file, and what stands there instead."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.draw import ROOT

FILE = Path(__file__).with_name("faults.toml")


@dataclass(frozen=True)
class Replacement:
    """One text that occurs once in a file, and another in its place."""

    find: str
    instead: str

    def put_into(self, source: str) -> str:
        """The source with the other text."""
        assert source.count(self.find) == 1, (
            f"{self.find!r} is there {source.count(self.find)} times"
        )
        return source.replace(self.find, self.instead)


@dataclass(frozen=True)
class Seeded:
    """A fault with a name, in a file."""

    name: str
    file: str
    fault: Replacement


def seeded() -> list[Seeded]:
    """All faults, in the order of the file."""
    tables = tomllib.loads(FILE.read_text("utf-8"))["fault"]
    return [
        Seeded(one["name"], one["file"], Replacement(one["find"], one["instead"])) for one in tables
    ]


def source_of(one: Seeded) -> str:
    return (ROOT / one.file).read_text("utf-8")
