"""Python files that define domains, and what is said of those that cannot be executed."""

import sys
import textwrap
from pathlib import Path

import pytest

from bthtn.errors import BthtnError, DomainError
from bthtn.examples.domains.combat.domain import combat
from bthtn.studio.testing.domain_files import domain_at, module_at

HOUSE = """
from bthtn import Domain, State
house = Domain("house", State)
"""


@pytest.fixture(name="house")
def house_fixture(tmp_path):
    return written(tmp_path, HOUSE)


def written(folder: Path, text: str, name: str = "domain.py") -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


def refusal(path: Path, name: str = "") -> str:
    with pytest.raises(BthtnError) as caught:
        domain_at(path, name)
    return str(caught.value)


def test_the_only_domain_of_a_file_is_taken(house):
    assert domain_at(house).name == "house"
    assert domain_at(Path("domains/combat/domain.py"), "combat").name == combat.name


def test_of_several_domains_the_one_called_like_the_folder_is_taken(tmp_path):
    file = written(
        tmp_path,
        """
        from bthtn import Domain, State
        one, two = Domain("one", State), Domain("two", State)
        again = one
        """,
    )
    assert domain_at(file, "two").name == "two"
    assert "should define one domain; there is one, two" in refusal(file, "three")
    assert "[BT408]" in refusal(file)


def test_a_file_without_a_domain_says_what_to_write(tmp_path):
    text = refusal(written(tmp_path, "x = 1\n"), "house")
    assert "there is none" in text
    assert 'write Domain("house", …)' in text


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = (\n", "domain.py:1"),
        ("\n\nx = y\n", "NameError: name 'y' is not defined\n  where: {}:3"),
        ("import no_such_thing\n", "is it installed where bthtn is?"),
        ("def f():\n    1 / 0\nf()\n", "ZeroDivisionError: division by zero\n  where: {}:2"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("x = '\0'\n", "null bytes"),
    ],
)
def test_a_file_that_cannot_be_run_is_told_with_its_line(tmp_path, source, words):
    file = written(tmp_path, source)
    text = refusal(file)
    assert text.startswith("[BT402] ")
    assert words.format(file) in text


def test_a_neighbour_that_is_imported_without_a_dot_is_told(tmp_path):
    (tmp_path / "places.py").write_text("")
    text = refusal(written(tmp_path, "from places import *\n"))
    assert "hint: it is beside this file: write from .places import …" in text


def test_a_domain_that_is_not_well_made_passes_on_what_is_wrong_with_it(tmp_path):
    file = written(
        tmp_path,
        """
        from bthtn import Domain, State, method
        bad = Domain("bad", State)
        @bad.compound
        def go():
            yield method(nowhere())
        """,
    )
    with pytest.raises(DomainError, match="BT101"):
        domain_at(file)


def test_two_files_of_one_name_do_not_meet(tmp_path):
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        files.append(written(tmp_path / name, f"from bthtn import *\nd = Domain('{name}', State)"))
    assert [domain_at(file).name for file in files] == ["one", "two"]


def test_a_file_that_changed_is_read_again(tmp_path):
    for name in ("one", "two"):
        file = written(tmp_path, f"from bthtn import Domain, State\nd = Domain('{name}', State)\n")
        assert domain_at(file).name == name


def test_a_file_can_import_its_neighbours(tmp_path):
    written(tmp_path, "from bthtn import State\nclass World(State): pass\n", "world.py")
    source = "from bthtn import Domain\nfrom .world import World\nd = Domain('d', World)\n"
    file = written(tmp_path, source, "my.domain.py")
    assert domain_at(file).state_class.__name__ == "World"
    written(tmp_path, "class World: pass\n", "world.py")
    assert not hasattr(module_at(file).World, "__schema__")


def test_running_a_file_leaves_its_folder_and_the_import_path_alone(house):
    before = list(sys.path)
    domain_at(house)
    assert sys.path == before
    assert [path.name for path in house.parent.iterdir()] == ["domain.py"]


def test_annotations_in_a_file_mean_what_they_mean_there(tmp_path):
    file = written(tmp_path, "def f(x: int): pass\nkind = type(f.__annotations__['x'])\n")
    assert module_at(file).kind is type
