"""A character of files is edited while it runs: the fencer, whose files are copied."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from openpyxl import Workbook

from bthtn.events import AgentReloaded, LeafStarted, PlanAborted, PlanAdopted, ReloadFailed
from bthtn.examples import trees
from bthtn.studio.cli.reload import Reloading
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve


@pytest.fixture(name="fencer")
def fencer_fixture(tmp_path, monkeypatch):
    """The folder of a fencer of one's own, in the current folder."""
    monkeypatch.chdir(tmp_path)
    home = Path(trees.__path__[0], "fencer")
    return Path(shutil.copytree(home, tmp_path / "trees" / "fencer"))


def running():
    """The fencer, and what reloads him."""
    target = resolve("trees/fencer", TargetKind.TREE)
    return character_of(target, 1, None), Reloading("trees/fencer", target, 1)


def edit(file, before, after):
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after), "utf-8")


def reloaded(character, reloading):
    character.reload(reloading.make)
    return character.tick()


def kinds(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_a_fluent_that_is_added_and_one_that_is_gone_are_told(fencer):
    character, reloading = running()
    events = [event for _ in range(6) for event in character.tick()]
    assert kinds(events, LeafStarted)
    edit(fencer / "character.toml", "[beliefs]", "[beliefs]\nfear = 3")
    (told,) = kinds(reloaded(character, reloading), AgentReloaded)
    assert told.defaulted == ("fear = 3",)
    assert told.lost == ()


def test_a_broken_tree_leaves_him_fencing(fencer):
    character, reloading = running()
    for _ in range(4):
        character.tick()
    edit(fencer / "tree.xml", "</root>", "")
    (failed,) = kinds(reloaded(character, reloading), ReloadFailed)
    assert "tree.xml:" in failed.reason
    events = [event for _ in range(30) for event in character.tick()]
    assert kinds(events, LeafStarted)


def test_he_fences_on_to_the_end(fencer):
    character, reloading = running()
    for tick in range(400):
        if character.finished:
            break
        if tick in (3, 8):
            assert kinds(reloaded(character, reloading), AgentReloaded)
        character.tick()
    assert character.finished


def test_workbooks_are_listed_checked_and_reloaded_as_csv_is(bthtn, fencer):
    book = Workbook()
    for row in csv.reader((fencer / "lottery.csv").read_text("utf-8").splitlines()):
        book.active.append([cell or None for cell in row])
    book.save(fencer / "lottery.xlsx")
    (fencer / "lottery.csv").unlink()
    (fencer / "~$lottery.xlsx").write_bytes(b"Excel has it open")
    assert "lottery.xlsx" in bthtn("list").out
    assert bthtn("check", "trees/fencer").out == "tree fencer: no errors, no warnings, 3 sheets\n"
    character, reloading = running()
    book.active["D1"] = "Wieght"
    book.save(fencer / "lottery.xlsx")
    (failed,) = kinds(reloaded(character, reloading), ReloadFailed)
    assert "lottery.xlsx, Sheet!D1, column Wieght" in failed.reason
    book.active["D1"] = "Weight"
    book.save(fencer / "lottery.xlsx")
    assert kinds(reloaded(character, reloading), AgentReloaded)


def test_the_command_takes_over_an_edit_of_a_sheet(bthtn, fencer):
    answer = bthtn("run", "trees/fencer", "--reload", "--json", "--ticks", 3)
    assert answer.code in (0, 1), answer.err
    assert json.loads(answer.out)["ticks"]


def test_an_edit_of_the_tree_changes_what_he_does(fencer):
    character, reloading = running()
    for _ in range(4):
        character.tick()
    drawn = '<DrawnGoal name="draw" goal="battle_main" lottery="lottery"/>'
    edit(fencer / "tree.xml", drawn, '<PlanGoal name="sulk" goal="grow_angry"/>')
    events = reloaded(character, reloading)
    (adopted,) = kinds(events, PlanAdopted)
    assert adopted.goal == "sulk"
    assert kinds(events, PlanAborted)[0].reason == "the tree has a new root"
