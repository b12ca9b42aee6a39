"""bthtn new: a character to begin with."""

import json
import re
from pathlib import Path

import pytest

import bthtn as package


def test_a_new_character_is_checked_and_runs_and_its_tests_pass_at_once(bthtn, here):
    answer = bthtn("new", "goblin")
    assert (answer.code, answer.err) == (0, "")
    assert "goblin/domain.py, goblin/tree.py" in answer.out
    assert "starter" not in "".join(file.read_text("utf-8") for file in Path("goblin").iterdir())
    assert bthtn("check", "goblin").out == (
        "domain goblin: no errors, no warnings, 2 of 2 cases hold\n"
        "simulated, without an operator: gather\n"
        "tree goblin: no errors, no warnings\n"
    )
    told = json.loads(bthtn("run", "goblin", "--json").out)
    assert (told["tree"], told["finished"]) == ("goblin", True)
    assert bthtn("test", "goblin").out == "3 passed, 0 failed\n"
    assert {"domains", "trees"} == {
        kind
        for kind, rows in json.loads(bthtn("list", "--json").out).items()
        if "goblin" in [row["name"] for row in rows]
    }


def test_what_is_written_is_about_the_character_in_names_and_words(bthtn, here):
    bthtn("new", "ice_ogre")
    texts = "".join(file.read_text("utf-8") for file in Path("ice_ogre").iterdir())
    assert "class IceOgre(State):" in texts
    assert 'ice_ogre = Domain("ice_ogre", IceOgre)' in texts
    assert "What an ice ogre can do" in texts
    assert "An ice ogre who hides" in texts
    assert not re.search("camper|camping|starter", texts, re.IGNORECASE)


@pytest.mark.parametrize("name", ["camp", "hide", "wolf", "agent"])
@pytest.mark.parametrize("options", [(), ("--files",)])
def test_a_name_that_stands_in_the_files_already_is_no_clash(bthtn, here, name, options):
    bthtn("new", name, *options)
    assert bthtn("test", name).out == "3 passed, 0 failed\n"


def test_a_new_character_without_python_passes_at_once(bthtn, here):
    answer = bthtn("new", "--files", "ice_ogre")
    assert (answer.code, answer.err) == (0, "")
    files = sorted(Path("ice_ogre").iterdir())
    assert {file.suffix for file in files} == {".toml", ".xml"}
    texts = "".join(file.read_text("utf-8") for file in files)
    assert texts.count("An ice ogre who hides from a wolf") == 1
    assert not re.search("starter", texts, re.IGNORECASE)
    assert bthtn("check", "ice_ogre").out == (
        "tree ice_ogre: no errors, no warnings, 2 of 2 cases hold\n"
    )
    assert bthtn("test", "ice_ogre").out == "3 passed, 0 failed\n"
    told = json.loads(bthtn("run", "ice_ogre", "--json").out)
    assert (told["tree"], told["finished"]) == ("ice_ogre", True)
    assert "An ice ogre who hides" in bthtn("list").out


def test_it_may_be_written_into_another_folder(bthtn, here):
    Path("game").mkdir()
    assert bthtn("new", "game/night_guard").code == 0
    assert bthtn("check", "game/night_guard").out.startswith("domain night_guard: no errors")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my-goblin", "[BT409] a character cannot be called 'my-goblin'"),
        ("class", "[BT409] a character cannot be called 'class'"),
        ("json", "[BT409] a character cannot be called 'json'"),
        ("bthtn", "[BT409] a character cannot be called 'bthtn'"),
        (".", "[BT409] a character cannot be called ''"),
        ("taken", "[BT404] taken is there already"),
        ("no/goblin", "[BT404] cannot write no/goblin: No such file or directory"),
    ],
)
def test_where_nothing_can_be_written_that_is_told(bthtn, here, name, words):
    Path("taken").mkdir()
    answer = bthtn("new", name)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err
    assert "\n  hint: " in answer.err
    assert [*here.rglob("*")] == [here / "taken"]


def test_all_files_are_written_or_none(bthtn, here, monkeypatch):
    def full(path, *text):
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert "[BT404] cannot write goblin: No space left" in bthtn("new", "goblin").err
    assert [*here.iterdir()] == []


def test_the_version_is_that_of_the_package(bthtn):
    answer = bthtn("--version")
    assert (answer.code, answer.out) == (0, f"bthtn {package.__version__}\n")
