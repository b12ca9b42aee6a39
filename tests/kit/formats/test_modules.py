"""Modules imported anew after an edit: what did not change stays the same object."""

import importlib
import sys
from pathlib import Path

import pytest

from bthtn.kit.formats.modules import folders_of_modules, reimported

FIRST = """
from enum import Enum
from bthtn import Fluent, FluentFamily, State, fluent, fluents

class Room(Enum):
    HALL = 1
    STORE = 2

class House(State):
    at: Fluent[Room] = fluent(default=Room.HALL)
    lit: Fluent[bool] = fluent(default=False)
    seen: FluentFamily[Room, bool] = fluents(default=False)
    dust: Fluent[int] = fluent(default=0)

class Cellar(House):
    depth: Fluent[int] = fluent(default=1)

NUMBER = 1
"""


@pytest.fixture(name="package")
def package_fixture(tmp_path, monkeypatch):
    """A package with two modules, of which one imports the other; forgotten at the end."""
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "edited_house"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A house."""\n')
    (folder / "rooms.py").write_text(FIRST)
    (folder / "use.py").write_text("from .rooms import House, NUMBER, Room\n")
    yield folder
    for name in [name for name in sys.modules if name.startswith("edited_house")]:
        del sys.modules[name]


def edit(file: Path, *changes):
    text = file.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    file.write_text(text)


def load(name="edited_house.use"):
    return importlib.import_module(name)


def again(package, name="edited_house.use"):
    with reimported(package):
        return load(name)


def test_an_edit_is_read_even_within_the_same_second_and_of_the_same_length(package):
    assert load().NUMBER == 1
    for number in range(2, 6):
        edit(package / "rooms.py", (f"NUMBER = {number - 1}", f"NUMBER = {number}"))
        assert number == again(package).NUMBER


def test_fluents_that_are_declared_alike_are_the_same_ones_again(package):
    before = load().House
    edit(
        package / "rooms.py",
        ("lit: Fluent[bool] = fluent(default=False)", "lit: Fluent[int] = fluent(default=0)"),
        ("dust: Fluent[int] = fluent(default=0)", "dust: Fluent[int] = fluent(default=9)"),
    )
    after = again(package).House
    assert after is not before
    assert after.at is before.at
    assert after.seen is before.seen
    assert after.lit is not before.lit
    assert after.dust is not before.dust
    assert after.at.owner is after
    assert list(after.__schema__.fluents) == ["at", "lit", "dust"]
    assert all(after.__schema__.has(one) for one in after.__schema__.fluents.values())
    assert after(dust=1).dust == 1


def test_inherited_fluents_are_the_same_ones_again(package):
    before = load("edited_house.rooms").Cellar
    after = again(package, "edited_house.rooms").Cellar
    assert after.depth is before.depth
    assert after.at is before.at
    assert after.__schema__.fluents["at"] is before.at


def test_an_enum_with_the_same_members_is_the_enum_of_before(package):
    before = load().Room
    assert again(package).Room is before
    edit(package / "rooms.py", ("STORE = 2", "STORE = 3"))
    assert again(package).Room is not before


def test_other_modules_and_classes_are_not_touched(package):
    module, classes = load(), (dict, Path)
    again(package)
    assert (dict, Path) == classes
    assert sys.modules["bthtn.kit.formats.modules"].reimported is reimported
    assert sys.modules["edited_house.use"] is not module


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x = = 1", SyntaxError),
        ("raise ValueError('broken')", ValueError),
        ("import no_such_module", ImportError),
        ("raise SystemExit(3)", SystemExit),
        ("raise KeyboardInterrupt", KeyboardInterrupt),
    ],
)
def test_after_an_error_the_modules_of_before_are_there_again(package, text, error):
    before = load()
    rooms = sys.modules["edited_house.rooms"]
    edit(package / "rooms.py", ("NUMBER = 1", f"NUMBER = 1\n{text}"))
    with pytest.raises(error):
        again(package)
    assert sys.modules["edited_house.rooms"] is rooms
    assert sys.modules["edited_house.use"] is before
    assert sys.modules["edited_house"].rooms is rooms
    assert load().House.at is before.House.at


def test_a_file_that_is_gone_is_an_error_and_changes_nothing(package):
    before = load()
    (package / "rooms.py").unlink()
    with pytest.raises(ImportError):
        again(package)
    assert load() is before


def test_folders_are_those_of_imported_modules_alone(package):
    assert folders_of_modules(package.parent) == set()
    load()
    assert folders_of_modules(package.parent) == {package.resolve()}


def test_a_module_whose_file_is_a_link_lies_where_that_leads(package, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "loft.py").write_text("NUMBER = 1\n")
    (package / "loft.py").symlink_to(elsewhere / "loft.py")
    load("edited_house.loft")
    assert folders_of_modules(elsewhere) == {elsewhere.resolve()}
    assert folders_of_modules(package) == {package.resolve()}  # that of its __init__.py


def test_libraries_below_a_folder_are_no_modules_of_it():
    environment = Path(sys.prefix)
    found = {str(folder) for folder in folders_of_modules(environment.parent)}
    assert not [one for one in found if "site-packages" in one]
    assert not [one for one in found if one.endswith("/bthtn/formats")]
