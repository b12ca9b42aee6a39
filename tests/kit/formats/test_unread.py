"""Files that are probably misnamed, so that nothing reads them."""

import pytest
from openpyxl import Workbook

from bthtn.kit.formats.unread import unread_files, unread_findings

TREES = '<root BTCPP_format="4"><BehaviorTree ID="x"/></root>'


@pytest.fixture
def put(tmp_path):
    def write(name, text=""):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("lotery.csv", "", "lottery.csv"),
        ("Lottery.csv", "", "lottery.csv"),
        ("attack_skills.csv", "", "attack.skills.csv"),
        ("attacks.skill.csv", "", "attacks.skills.csv"),
        ("attacks.skills.CSV", "", "attacks.skills.csv"),
        ("attacks.skills.csv.txt", "", "attacks.skills.csv"),
        ("attack_skills.xlsx", "", "attack.skills.xlsx"),
        ("attacks.skills.ods", "", "attacks.skills.csv"),
        ("orc.goal.toml", "", "orc.goals.toml"),
        ("attacks.csv", "Skill;Template;Reach\n", "attacks.skills.csv"),
        ("angriffe.csv", "Name,Weight\n", "angriffe.lottery.csv"),
        ("melee.templates.xml", TREES, "melee.template.xml"),
        ("melee.xml", TREES, "melee.template.xml"),
        ("Tree.xml", TREES, "tree.xml"),
        ("task.xml", TREES, "tasks.xml"),
        ("operator.py", "", "operators.py"),
        ("charakter.toml", "", "character.toml"),
        ("case.toml", "", "cases.toml"),
        ("goblin_cases.toml", "", "cases.toml"),
        ("Cases.toml", "", "cases.toml"),
        ("jabs.scenarios.toml", "", "jabs.scenario.toml"),
        ("jabs_scenario.toml", "", "jabs.scenario.toml"),
        ("measured.csv", "tick,ms\n", ""),
        ("notes.toml", "", ""),
    ],
)
def test_a_file_with_nearly_a_name_of_a_character_is_told_with_the_right_one(
    put, name, text, wanted
):
    assert list(unread_files(put(name, text))) == [(name, wanted)]


def test_a_workbook_is_known_by_its_headings(tmp_path):
    book = Workbook()
    book.active.append(("Name", "Weight"))
    book.save(tmp_path / "attacks.xlsx")
    assert list(unread_files(tmp_path)) == [("attacks.xlsx", "attacks.lottery.xlsx")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lottery.csv", ""),
        ("boss.lottery.toml", ""),
        ("melee.template.xml", TREES),
        ("tree.xml", TREES),
        ("operators.py", ""),
        ("cases.toml", ""),
        ("notes.txt", ""),
        ("palette.xml", "<root/>"),
        (".~lock.attacks.skills.csv#", ""),
        ("~$attacks.skills.xlsx", ""),
        ("goblin_fuzz.scenario.toml", ""),
        ("photo.png", ""),
    ],
)
def test_a_file_that_is_read_or_is_something_else_is_left_alone(put, name, text):
    assert not list(unread_files(put(name, text)))


def test_a_copy_beside_the_right_file_is_left_alone(put):
    put("attacks.skills.csv")
    assert not list(unread_files(put("attacks.skills.xlsx")))


def test_a_file_that_another_one_names_is_read_by_that(put):
    put("angriffe.lottery.toml", 'sheet = "angriffe.csv"')
    assert not list(unread_files(put("angriffe.csv", "Aktion,Weight\n")))


def test_beside_python_only_nearly_right_names_are_told(put):
    put("attacks.csv", "Name,Weight\n")
    put("operator.py")
    put("melee.xml", TREES)
    folder = put("lotery.csv")
    assert list(unread_files(folder, is_of_files=False)) == [("lotery.csv", "lottery.csv")]
    (one,) = unread_findings(folder, is_of_files=False)
    assert str(one) == (
        f"[BT426] nothing reads this file\n  where: {folder / 'lotery.csv'}\n"
        "  hint: did you mean 'lottery.csv'?"
    )


def test_a_sheet_below_the_folder_of_a_character_is_told(put, tmp_path):
    (tmp_path / "sheets").mkdir()
    (tmp_path / "other").mkdir()
    for name in ("sheets/lottery.csv", "sheets/jabs.scenario.toml", "other/cases.toml"):
        put(name)
    put("other/domain.py")
    assert list(unread_files(tmp_path)) == [("sheets/lottery.csv", "lottery.csv")]


def test_cases_beside_python_belong_to_a_file_or_are_told(put):
    put("strips.py")
    put("strips_cases.toml")
    folder = put("other_cases.toml")
    assert list(unread_files(folder, is_of_files=False)) == [("other_cases.toml", "cases.toml")]


def test_a_file_of_no_kind_is_told_without_a_name_for_it(put):
    (one,) = unread_findings(put("measured.csv", "tick,ms\n"))
    assert one.hint.endswith("or keep it in another folder")


def test_a_folder_that_is_not_there_has_no_files(tmp_path):
    assert not list(unread_files(tmp_path / "nowhere"))
