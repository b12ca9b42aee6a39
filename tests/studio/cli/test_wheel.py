"""What people have who get bthtn: its wheel, its sdist, or a zip of the repository."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
COMMAND = "from bthtn.studio.cli.main import run; run()"


def built(builder, root, folder):
    """The file that a builder of hatchling makes of a repository."""
    (file,) = builder(str(root)).build(directory=str(folder), versions=["standard"])
    return file


def runner(bthtn, here):
    """Runs code in an empty folder; without ``site`` no path leads to the repository."""
    paths = os.pathsep.join([str(bthtn), sysconfig.get_path("purelib")])
    environment = {"PYTHONPATH": paths, "COLUMNS": "100", "NO_COLOR": "1"}

    def call(code, *arguments):
        done = subprocess.run(
            [sys.executable, "-S", "-P", "-c", code, *arguments],
            cwd=here,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


@pytest.fixture(name="installed", scope="module")
def installed_fixture(tmp_path_factory):
    """The folder of a wheel built from this repository: a pure one is installed by unpacking."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.unpack_archive(built(WheelBuilder, ROOT, folder), folder / "installed", "zip")
    return folder / "installed"


@pytest.fixture(name="python")
def python_fixture(installed, here):
    return runner(installed, here)


@pytest.fixture(name="unpacked", scope="module")
def unpacked_fixture(tmp_path_factory):
    """The folder of an unpacked sdist."""
    folder = tmp_path_factory.mktemp("sdist")
    shutil.unpack_archive(built(SdistBuilder, ROOT, folder), folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


@pytest.fixture(name="unzipped")
def unzipped_fixture(tmp_path):
    """The folder of the zip that hosts of repositories offer, of what was committed last."""
    if not (ROOT / ".git").exists():
        pytest.skip("the tests lie in no clone")
    file = tmp_path / "repository.zip"
    subprocess.run(["git", "archive", "-o", file, "HEAD"], cwd=ROOT, check=True)  # noqa: S607
    shutil.unpack_archive(file, tmp_path / "unzipped")
    return tmp_path / "unzipped"


def test_no_top_level_name_is_taken_but_one(installed):
    names = {path.name for path in installed.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"bthtn"}
    assert "domain.py" in {path.name for path in installed.rglob("bthtn/examples/domains/combat/*")}


def test_every_link_of_the_readme_works_where_a_package_index_shows_it(installed):
    (metadata,) = installed.glob("*.dist-info/METADATA")
    links = re.findall(r"\]\((?!#)([^)]+)\)", metadata.read_text("utf-8"))
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


def test_nothing_is_taken_from_the_repository(installed, python):
    where = python("import bthtn.examples.trees.soldier.tree as tree; print(tree.__file__)")
    assert Path(where.strip()).is_relative_to(installed)
    assert python("import importlib.util as u; print(u.find_spec('domains'))") == "None\n"


def test_the_examples_are_listed_planned_checked_and_run_in_an_empty_folder(python):
    listed = python(COMMAND, "list")
    assert "\n  combat " in listed
    assert "\n  soldier " in listed
    assert "search_enemy" in python(COMMAND, "plan", "combat", "fight")
    python(COMMAND, "new", "goblin")
    for name in ("combat", "troll", "soldier", "arms_and_legs", "goblin"):
        assert "no errors" in python(COMMAND, "check", name)
    for name in ("soldier", "squad", "brawler", "ammunition", "arms_and_legs", "guard"):
        assert python(COMMAND, "run", name, "--json")


@pytest.mark.parametrize("kind", ["unpacked", "unzipped"])
def test_the_examples_are_listed_planned_and_run_from_an_sdist_and_from_a_zip(request, here, kind):
    folder = request.getfixturevalue(kind)
    python = runner(folder, here)
    where = python("import bthtn.examples.trees.soldier.tree as tree; print(tree.__file__)")
    assert Path(where.strip()) == folder / "trees/soldier/tree.py"
    listed = python(COMMAND, "list")
    assert "\n  combat " in listed
    assert "\n  soldier " in listed
    assert "search_enemy" in python(COMMAND, "plan", "combat", "fight")
    assert python(COMMAND, "run", "soldier", "--json")


def test_the_wheel_of_an_sdist_is_that_of_the_repository(unpacked, installed, tmp_path):
    with zipfile.ZipFile(built(WheelBuilder, unpacked, tmp_path)) as packed:
        names = {name for name in packed.namelist() if not name.endswith("/")}
    files = (path for path in installed.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert names == {path.relative_to(installed).as_posix() for path in files}


def test_domains_and_trees_of_ones_own_come_first_and_stay_ones_own(python, put):
    put("domains/__init__.py", "")
    put("domains/words.py", 'LOUD = "loud"')
    put("domains/combat/__init__.py", "")
    put(
        "domains/combat/domain.py",
        '''
        """A quarrel."""
        from bthtn import Domain, State
        from domains.words import LOUD
        combat, loud = Domain("combat", State), Domain(LOUD, State)
        shout, yell = combat.primitive("shout"), loud.primitive("yell")
        ''',
    )
    put(
        "trees/cook/tree.py",
        '''
        """A cook."""
        from py_trees.behaviours import Success
        from domains.combat.domain import shout
        def character(seed): return Success(shout.name)
        ''',
    )
    listed = python(COMMAND, "list")
    assert re.search(r"(?m)^  combat +A quarrel\.$", listed)
    assert "\n  travel " in listed
    assert "\n  cook " in listed
    assert "\n  soldier " in listed
    assert "shout" in python(COMMAND, "plan", "combat", "shout")
    assert "yell" in python(COMMAND, "plan", "combat:loud", "yell")
    assert "no errors" in python(COMMAND, "check", "cook")
    assert python(COMMAND, "run", "soldier", "--json")
    both = """
        import sys; sys.path.append(".")
        import domains.combat.domain as mine, bthtn.examples.domains.combat.domain as theirs
        print(mine.combat.name, hasattr(mine, "fight"), hasattr(theirs, "fight"))
    """
    assert python(both.replace("\n        ", "\n")) == "combat False True\n"
