"""What a person may write for DOMAIN or TREE."""

import re
import sys
from pathlib import Path

import pytest

from bthtn.errors import InputError
from bthtn.studio.testing.locate import TargetKind, resolve


def test_a_name_here_comes_before_one_that_came_with_bthtn(bthtn, put):
    put("domains/combat/domain.py", "from bthtn import Domain, State\nd = Domain('mine', State)\n")
    assert bthtn("check", "combat").out.startswith("domain combat: no errors")
    assert "'fight'" in bthtn("plan", "combat", "fight").err


@pytest.mark.parametrize(
    "text", ["house", "domains/house", "domains/house/domain.py", "domains/house/"]
)
def test_a_domain_is_found_by_name_folder_and_file(bthtn, house, text):
    assert bthtn("plan", text, "go", "HALL", "1").code == 0


def test_a_folder_here_has_its_name_and_hides_what_came_with_bthtn(bthtn, house):
    (house.parents[2] / "combat").mkdir()
    house.rename(house.parents[2] / "combat/domain.py")
    assert bthtn("plan", "combat", "go", "HALL", "1").code == 0
    assert "did you mean 'combat'?" in bthtn("plan", "cobmat", "go").err
    assert re.search(r"(?m)^  combat +A house in which somebody reads", bthtn("list").out)


def test_a_folder_here_with_a_file_of_somebody_else_is_none_of_ours(bthtn, put):
    put("shop/domain.py", "raise SystemExit('executed')")
    put("crane/tree.xml", "<tree/>")
    answer = bthtn("list")
    assert (answer.code, "shop" in answer.out, "crane" in answer.out) == (0, False, False)


@pytest.mark.parametrize("text", ["dog", "./dog", "dog/"])
def test_the_domain_and_the_tree_in_one_folder_are_both_checked(bthtn, put, text):
    put("dog/domain.py", "from bthtn import Domain, State\ndog = Domain('dog', State)\n")
    put("dog/tree.py", "# for bthtn\ndef character(seed): return None\n")
    answer = bthtn("check", text)
    assert (answer.code, answer.out) == (2, "domain dog: no errors, no warnings\n")
    assert "[BT408] 'dog' is NoneType, not a behaviour tree" in answer.err
    with pytest.raises(InputError, match=r"hint: write dog/domain\.py or dog/tree\.py"):
        resolve(text, TargetKind.DOMAIN, TargetKind.TREE)
    assert bthtn("render", "dog/domain.py").code == 0


def test_a_file_of_any_name_will_do(bthtn, house, put):
    house.rename(house.parent.parent.parent / "my_house.py")
    assert bthtn("plan", "my_house.py", "go", "HALL", "1").code == 0
    assert bthtn("check", "my_house.py").out.startswith("domain my_house: ")


def test_an_object_in_a_module_is_found_from_the_folder_one_stands_in(bthtn, house):
    before = list(sys.path)
    (house.parents[1] / "__init__.py").touch()
    house.rename(house.parents[2] / "somewhere_else.py")
    assert bthtn("plan", "somewhere_else:house", "go", "HALL", "1").code == 0
    assert bthtn("check", "somewhere_else:house").out.startswith("domain house: ")
    assert sys.path == before


def test_another_domain_in_the_file_of_a_named_one_is_its_variant(bthtn, house):
    house.write_text(house.read_text() + '\nannex = Domain("annex", World)\n')
    assert "\ndomain house:annex: no errors" in bthtn("check", "house:annex").out
    assert "did you mean 'annex'?" in bthtn("check", "house:anex").err


def test_a_domain_in_the_folder_one_stands_in_is_called_like_the_folder(bthtn, house, monkeypatch):
    monkeypatch.chdir(house.parent)
    for text in (".", "domain.py"):
        assert bthtn("check", text).out.startswith("domain house: ")


def test_a_file_with_a_character_is_a_tree(bthtn, put):
    put(
        "dog.py",
        "from py_trees.behaviours import Success\ndef character(seed): return Success('x')",
    )
    assert bthtn("check", "dog.py").out == "tree dog: no errors, no warnings\n"


def test_a_name_that_is_both_has_to_be_told_apart(bthtn, put):
    put("domains/dog/domain.py", "")
    put("trees/dog/tree.py", "")
    with pytest.raises(InputError) as caught:
        resolve("dog", TargetKind.DOMAIN, TargetKind.TREE)
    assert str(caught.value) == (
        "[BT401] 'dog' is a domain and a tree\n  hint: write domains/dog or trees/dog"
    )


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("nothing", "BT401", "hint: there is: "),
        ("hosue", "BT401", "did you mean 'house'?"),
        ("soldier", "BT401", "'soldier' is a tree"),
        ("domains", "BT401", "domains has no domain.py"),
        (
            "notes.txt",
            "BT401",
            "notes.txt is no Python file\n  hint: name its folder, or a .py file",
        ),
        ("bug.scenario.toml", "BT401", "hint: bthtn run and bthtn test take it"),
        ("missing.py", "BT404", "cannot read missing.py: No such file or directory"),
        ("domains/house/domian.py", "BT404", "did you mean 'domains/house/domain.py'?"),
        ("x" * 5_000, "BT401", "there is no domain"),
        ("", "BT401", "there is no domain ''"),
        (":house", "BT401", "there is no domain ':house'"),
        ("no.such:thing", "BT401", "there is no module 'no'"),
        ("..:x", "BT402", "TypeError"),
        ("broken_module:x", "BT402", "ZeroDivisionError"),
        ("needs_more:x", "BT402", "No module named 'no_such_module'"),
        ("json:dumps", "BT408", "'dumps' of json is function, not a domain"),
        ("json:dmps", "BT408", "did you mean 'dumps'?"),
        ("empty.py", "BT408", "should define one domain; there is none"),
    ],
)
def test_what_cannot_be_found_is_told(bthtn, house, put, text, code, words):
    put("notes.txt", "")
    put("bug.scenario.toml", "")
    put("empty.py", "")
    put("broken_module.py", "1 / 0")
    put("needs_more.py", "import no_such_module")
    answer = bthtn("plan", text, "go")
    assert (answer.code, answer.out) == (2, "")
    assert f"[{code}] " in answer.err
    assert words in answer.err


def test_a_file_that_is_not_there_is_told_with_the_nearest_name_beside_it(bthtn, put):
    put("bug.jsonl", "")
    put("bug.scenario.toml", "")
    assert "did you mean 'bug.jsonl'?" in bthtn("replay", "bugg.jsonl").err
    assert "did you mean 'bug.scenario.toml'?" in bthtn("test", "bog.scenario.toml").err
    assert "is the path right, and may it be read?" in bthtn("replay", "elsewhere.jsonl").err


def test_a_domain_where_a_tree_is_wanted_is_told(bthtn, put):
    answer = bthtn("run", "logistics")
    assert answer.code == 2
    assert "'logistics' is a domain; there is: " in answer.err
    put("one.py", "from bthtn import Domain, State\none = Domain('one', State)\n")
    answer = bthtn("run", "one:one")
    assert "'one' of one is Domain, not a tree" in answer.err


def test_a_folder_without_its_tree_is_told_rather_than_all_other_names(bthtn, put):
    put("trees/orc/tasks.xml", "<root/>")
    assert (
        bthtn("check", "orc").err == "[BT401] trees/orc has no domain.py or tree.py or tree.xml\n"
    )
    put("trees/orc/Tree.xml", '<root><BehaviorTree ID="orc"/></root>')
    assert "hint: rename Tree.xml to tree.xml" in bthtn("run", "orc").err


def test_a_tree_without_a_character_says_so(bthtn, put):
    put("trees/dog/tree.py", "def charcter(seed): pass\n")
    answer = bthtn("run", "dog")
    assert "[BT408] trees/dog/tree.py defines no 'character'" in answer.err
    assert "did you mean 'charcter'?" in answer.err


def test_a_module_that_raises_a_mistake_of_the_domain_passes_it_on(bthtn, put):
    source = "from bthtn import Domain, State\nd = Domain('d', State)\n"
    put("twice.py", f"{source}d.primitive('a')\nd.primitive('a')\n")
    for text in ("twice:d", "twice.py"):
        assert "[BT104] two tasks are called 'a'" in bthtn("plan", text, "a").err


def test_a_current_folder_on_the_import_path_stays_there(bthtn, house, monkeypatch):
    monkeypatch.syspath_prepend(str(Path.cwd()))
    before = list(sys.path)
    assert bthtn("check", "house").code == 0
    assert sys.path == before


def test_an_error_in_an_imported_module_names_its_line(bthtn, put):
    put("inner_mistake.py", "x = 1\ny = x / 0\n")
    file = put("outer.py", "import inner_mistake\n")
    answer = bthtn("check", file)
    assert "inner_mistake.py:2" in answer.err
