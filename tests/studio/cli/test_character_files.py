"""Commands for characters whose folder has a tree.xml."""

import json

import pytest

TREE = """<root BTCPP_format="4"><BehaviorTree ID="guard">
  <PlanGoal name="duty" goal="patrol"/>
</BehaviorTree></root>"""
TASKS = """<root BTCPP_format="4">
<BehaviorTree ID="patrol"><Sequence><SubTask task="walk"/></Sequence></BehaviorTree>
<BehaviorTree ID="walk"><Sequence>
  <ModifyState set="walked += 1"/><Command name="go"/>
</Sequence></BehaviorTree>
</root>"""
SETTINGS = """# A guard made of files.
finished = "walked >= 2"
simulate = ["walk"]

[beliefs]
walked = 0
"""


@pytest.fixture
def guard(put):
    put("trees/guardian/tree.xml", TREE)
    put("trees/guardian/tasks.xml", TASKS)
    put("trees/guardian/character.toml", SETTINGS)


@pytest.mark.parametrize(
    "name", ["guardian", "trees/guardian", "./trees/guardian", "trees/guardian/tree.xml"]
)
def test_it_runs_by_name_and_by_path(bthtn, guard, name):
    answer = bthtn("run", name, "--json")
    told = json.loads(answer.out)
    assert (answer.code, told["tree"], told["finished"]) == (0, "guardian", True)


def test_another_file_of_its_folder_is_not_taken_for_its_tree(bthtn, guard):
    for command in ("run", "check", "render"):
        answer = bthtn(command, "trees/guardian/tasks.xml")
        assert (answer.code, answer.out) == (2, "")
        assert (
            "[BT401] trees/guardian/tasks.xml is no Python file\n  hint: name its fol" in answer.err
        )


def test_it_is_listed_with_the_first_comment_of_its_settings(bthtn, guard):
    (row,) = [
        one for one in json.loads(bthtn("list", "--json").out)["trees"] if one["name"] == "guardian"
    ]
    assert (row["summary"], row["path"]) == ("A guard made of files.", "trees/guardian/tree.xml")


def test_it_is_drawn_checked_and_planned(bthtn, guard):
    assert "duty" in bthtn("render", "guardian").out
    assert bthtn("check", "guardian").out.endswith("tree guardian: no errors, no warnings\n")
    for name in ("guardian", "./trees/guardian", "trees/guardian/tree.xml"):
        assert "walk" in bthtn("plan", name, "patrol").out
    palette = bthtn("palette", "guardian").out
    assert "patrol" in palette
    for node in ("DrawnGoal", "Goals", "CheckState", "Command"):
        assert f' ID="{node}"' in palette


def test_what_its_tree_and_settings_use_is_not_reported_as_unused(bthtn, guard, put):
    put("trees/guardian/tree.xml", TREE.replace('"patrol"', '"nap"'))
    rest = '<BehaviorTree ID="{}"><Command name="x"/></BehaviorTree></root>'
    tasks = TASKS.replace("</root>", rest.format("nap")).replace("</root>", rest.format("lie"))
    put("trees/guardian/tasks.xml", tasks)
    settings = SETTINGS.replace("walked >= 2", "late").replace('"walk"]', '"walk", "nap", "lie"]')
    put("trees/guardian/character.toml", f"{settings}late = false\nhungry = false\n")
    told = bthtn("check", "guardian").out
    assert [line for line in told.splitlines() if line.startswith("warning")] == [
        "warning [BT154] no condition, effect or argument mentions 'hungry'",
        "warning [BT153] no method uses 'lie'",
    ]


@pytest.mark.parametrize("name", ["comrade", "fencer", "sentry", "swordsman"])
def test_the_characters_of_files_among_the_examples_are_well_made(bthtn, name):
    assert "no errors, no warnings" in bthtn("check", name).out


def test_its_domain_may_be_written_in_python(bthtn, put):
    put("trees/guardian/tree.xml", TREE.replace("patrol", "go(HALL, 2)"))
    put("trees/guardian/character.toml", 'domain = "house"\nsimulate = ["go", "read", "rest"]')
    put(
        "domains/house/domain.py",
        "from enum import Enum\n"
        "from bthtn import *\n"
        "class World(State):\n    lit: Fluent[bool] = fluent(default=False)\n"
        "house = Domain('house', World)\n"
        "for name in ('go', 'read', 'rest'):\n    house.primitive(name)\n",
    )
    put("trees/guardian/tree.xml", TREE.replace("patrol", "go"))
    answer = bthtn("run", "guardian", "--ticks", "1", "--json")
    assert json.loads(answer.out)["ticks"][0]["active"] == ["duty"]


CASES = """[he_walks]
given = { walked = 1 }
task = "patrol"
expect = "walk"

[he_rests]
given = { walked = 1 }
task = "patrol"
expect = "no plan"
"""


def test_its_cases_are_run(bthtn, guard, put):
    put("trees/guardian/cases.toml", CASES)
    for argument in ("trees", "trees/guardian/cases.toml"):
        answer = bthtn("test", argument)
        assert answer.code == 1
        assert "trees/guardian/cases.toml: he_rests" in answer.out
        assert answer.out.endswith("1 passed, 1 failed\n")
    answer = bthtn("check", "guardian")
    assert (answer.code, "[BT403] case 'he_rests' does not hold" in answer.out) == (1, True)
    assert answer.out.endswith("1 error, no warnings, 1 of 2 cases hold\n")


ALONE = 'domain = "{}"\ngiven = {{ walked = 1 }}\ntask = "patrol"\nexpect = "{}"\n'


@pytest.mark.parametrize("name", ["guardian", "tree.xml"])
def test_a_scenario_may_be_about_a_plan_of_it(bthtn, guard, put, name):
    put("trees/guardian/walks.scenario.toml", ALONE.format(name, "walk"))
    put("trees/guardian/rests.scenario.toml", ALONE.format(name, "no plan"))
    answer = bthtn("test", "trees")
    assert (answer.code, answer.out[-19:]) == (1, "1 passed, 1 failed\n")
    assert "rests.scenario.toml: rests\nexpected  no plan\nactual    walk\n" in answer.out
    assert bthtn("check", "guardian").code == 0
    put("trees/guardian/walks.scenario.toml", ALONE.format(name, "wolk"))
    answer = bthtn("check", "guardian")
    assert (answer.code, answer.err.count("no task is called 'wolk'")) == (2, 1)
    put("trees/guardian/character.toml", SETTINGS.replace("walked = 0", "walked = "))
    answer = bthtn("check", "guardian")
    assert (answer.code, answer.err.count("[BT")) == (2, 1)


def test_its_cases_have_no_variants(bthtn, guard, put):
    put("trees/guardian/cases.toml", CASES.replace("[he_walks]", '[he_walks]\nvariant = "ogre"'))
    answer = bthtn("test", "trees")
    assert answer.code == 2
    assert "[BT408] a character of files has one domain, and no 'ogre'" in answer.err


def test_a_file_that_is_nearly_called_as_tests_are_is_told_where_none_is_run(bthtn, guard, put):
    put("trees/guardian/cases.toml", CASES)
    put("trees/guardian/more_cases.toml", CASES)
    answer = bthtn("test", "trees")
    assert "nothing reads trees/guardian/more_cases.toml: tests are called" in answer.err
    assert "did you mean 'cases.toml'?" in bthtn("check", "guardian").out


@pytest.mark.parametrize("name", ["hose", "guardian"])
def test_a_domain_that_is_not_there_is_an_error_of_the_settings(bthtn, guard, put, name):
    put("trees/guardian/character.toml", f'domain = "{name}"')
    for command in ("run", "plan"):
        answer = bthtn(command, "guardian", *(["patrol"] if command == "plan" else []))
        assert answer.code == 2
        assert f"there is no domain '{name}'" in answer.err
        assert "where: trees/guardian/character.toml" in answer.err


@pytest.mark.parametrize("name", ["evil:house", "../evil", "../../evil.py", "antigravity:x"])
def test_the_settings_name_no_domain_but_one_that_is_listed_or_beside_them(
    bthtn, guard, put, here, name
):
    text = f"open({str(here / 'canary')!r}, 'w').close()\n"
    put("evil.py", text)
    put("trees/evil/domain.py", text)
    put("trees/guardian/character.toml", f'domain = "{name}"')
    answer = bthtn("run", "guardian")
    assert answer.code == 2
    assert "[BT401] there is no domain" in answer.err
    assert not (here / "canary").exists()


def test_an_error_in_its_operators_has_their_file_and_line(bthtn, guard, put):
    put("trees/guardian/operators.py", "def body(seed):\n    return Body()\n")
    answer = bthtn("run", "guardian")
    assert answer.code == 2
    assert "NameError" in answer.err
    assert "trees/guardian/operators.py:2" in answer.err


def test_a_mistake_in_a_file_is_an_error_and_no_traceback(bthtn, guard, put):
    put("trees/guardian/tasks.xml", TASKS.replace("walked", "walkt"))
    for command in ("run", "check", "plan", "render"):
        answer = bthtn(command, "guardian", *(["patrol"] if command == "plan" else []))
        assert answer.code == 2
        assert "trees/guardian/tasks.xml:4" in answer.err
        assert "did you mean 'walked'?" in answer.err
