"""The seeded faults: texts of files, and what stands there instead."""

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
class Edit:
    """A replacement in a file."""

    file: str
    fault: Replacement


@dataclass(frozen=True)
class Seeded:
    """A fault with a name: several edits where what one of them breaks is made good elsewhere."""

    name: str
    edits: tuple[Edit, ...]

    @property
    def files(self) -> list[str]:
        """The files that it is in."""
        return list(dict.fromkeys(one.file for one in self.edits))


@dataclass(frozen=True)
class Mended:
    """A defect that was mended: the faults that are like it, or why no run can show it."""

    defect: str
    faults: tuple[str, ...] = ()
    why: str = ""


def seeded() -> list[Seeded]:
    """All faults, in the order of the file."""
    tables = tomllib.loads(FILE.read_text("utf-8"))["fault"]
    return [Seeded(one["name"], tuple(map(_edit, (one, *one.get("also", ()))))) for one in tables]


def mended() -> list[Mended]:
    """The defects that this engine had."""
    tables = tomllib.loads(FILE.read_text("utf-8"))["mended"]
    return [
        Mended(one["defect"], tuple(one.get("faults", ())), one.get("why", "")) for one in tables
    ]


def source_of(one: Edit) -> str:
    return (ROOT / one.file).read_text("utf-8")


def _edit(table: dict[str, str]) -> Edit:
    return Edit(table["file"], Replacement(table["find"], table["instead"]))
