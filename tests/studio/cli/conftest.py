"""The command in this process, and as a program: what it prints, and its exit code."""

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from bthtn.studio.cli.main import run
from tests.studio.cli.runner import Runner


@pytest.fixture(scope="session")
def runner():
    """Runs the command as a program, in a folder; it costs much less than to start Python."""
    with Runner() as made:
        yield made


@dataclass(frozen=True)
class Answer:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(name="bthtn")
def bthtn_fixture(capsys, monkeypatch):
    """Calls ``bthtn`` with arguments."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments) -> Answer:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["bthtn", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            run()
        out, err = capsys.readouterr()
        return Answer(end.value.code, out, err)

    return call


HOUSE = """
\"\"\"A house in which somebody reads.\"\"\"

from enum import Enum
from bthtn import (
    Domain, Fluent, FluentFamily, Methods, Primitive, State, fluent, fluents, method, primitive,
)

class Room(Enum):
    HALL = 1
    ATTIC = 2

class World(State):
    lit: Fluent[bool] = fluent(default=False)
    at: Fluent[Room] = fluent(default=Room.HALL)
    on: FluentFamily[str, str] = fluents(default="table")

house = Domain("house", World)
read = house.primitive("read", precondition=World.lit & (World.on["book"] == "table"))

@house.primitive
def go(to: Room, steps: int) -> Primitive:
    return primitive(effects=World.at.becomes(to), duration=steps)

@house.compound
def evening() -> Methods:
    yield method(go(Room.ATTIC, 3), read(), when=World.at == Room.HALL, name="upstairs")
"""


@pytest.fixture(name="here")
def here_fixture(tmp_path, monkeypatch):
    """An empty folder to call the command in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(name="house")
def house_fixture(here):
    """A domain of its own, in domains/house."""
    return put(here, "domains/house/domain.py", HOUSE)


def put(folder: Path, name: str, text: str) -> Path:
    """Write a file, with the folders above it."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


@pytest.fixture(name="put")
def put_fixture(here):
    """Writes a file into the folder."""
    return lambda name, text: put(here, name, text)
