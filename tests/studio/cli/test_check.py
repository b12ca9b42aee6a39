"""bthtn check: what is wrong with a domain, its cases, or a tree."""

import json

import pytest

DOMAIN = """
from bthtn import Domain, Fluent, State, fluent, method
class World(State):
    lit: Fluent[bool] = fluent(default=False)
    unused: Fluent[bool] = fluent(default=False)
house = Domain("house", World)
read = house.primitive("read", precondition=World.lit)
lonely = house.primitive("lonely")
@house.compound
def evening():
    yield method(read())
"""
CASES = """
[bright]
given.lit = true
task = "evening"
expect = "read"

[dark]
task = "evening"
expect = "read"
"""
TREE = """
from py_trees.behaviours import Success
from py_trees.composites import Sequence
from bthtn.behaviours import Agent, Character, PlanGoal
{domain}
def character(seed: int) -> Character:
    agent = Agent("reader", house, World(), body=None)
    root = Sequence("root", memory=True, children=[Success("x"), PlanGoal("g", agent, evening())])
    return Character(root, agent)
"""


def test_what_comes_with_bthtn_is_well_made(bthtn, here):
    domain, tree = bthtn("check", "combat"), bthtn("check", "soldier")
    assert domain.out == "domain combat: no errors, no warnings, 29 of 29 cases hold\n"
    assert tree.out == "tree soldier: no errors, no warnings\n"
    assert domain.code == tree.code == 0


def test_warnings_are_told_and_are_no_failure(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    answer = bthtn("check", "house")
    assert answer.code == 0
    assert (
        answer.out
        == """\
warning [BT154] no condition, effect or argument mentions 'unused'
  where: fluent 'unused' of World
  hint: remove it, unless sensors or a behaviour tree use it

warning [BT153] no method uses 'lonely'
  where: primitive 'lonely'
  hint: remove it, unless it is a goal of its own

domain house: no errors, 2 warnings
"""
    )


def test_a_case_that_does_not_hold_is_an_error(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/cases.toml", CASES)
    answer = bthtn("check", "house")
    assert answer.code == 1
    assert answer.out.startswith(
        "error [BT403] case 'dark' does not hold\n"
        "  expected  read\n"
        "  actual    no plan, because\n"
        "  evening, method 0\n"
        "    read: lit is false: lit = false\n"
        "  where: domains/house/cases.toml:7\n"
    )
    assert answer.out.endswith("domain house: 1 error, 2 warnings, 1 of 2 cases hold\n")


def test_programs_are_told_the_same(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/cases.toml", CASES)
    answer = bthtn("check", "domains/house", "--json")
    told = json.loads(answer.out)
    assert answer.code == 1
    assert (told["format"], told["kind"], told["name"]) == ("bthtn-check/1", "domain", "house")
    assert told["cases"] == {"held": 1, "failed": 1}
    assert [(one["code"], one["severity"]) for one in told["diagnostics"]] == [
        ("BT403", "error"),
        ("BT154", "warning"),
        ("BT153", "warning"),
    ]


def test_everything_that_stops_the_build_is_told(bthtn, put):
    put("domains/house/domain.py", f"{DOMAIN}    yield method(raed())\n    yield 3\n")
    answer = bthtn("check", "house")
    assert answer.code == 1
    assert "error [BT101] no task is called 'raed'" in answer.out
    assert "did you mean 'read'?" in answer.out
    assert answer.out.endswith("domain house: 1 error, no warnings\n")


def test_cases_that_cannot_be_read_are_bad_input(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/cases.toml", '[a]\ntask = "evning"\nexpekt = "read"\n')
    answer = bthtn("check", "house")
    assert (answer.code, answer.out) == (2, "")
    assert "domains/house/cases.toml:2, case 'a', task" in answer.err
    assert "[BT405] a case has no 'expekt'" in answer.err


def test_a_tree_is_checked_with_the_domains_of_its_goals(bthtn, put):
    put("trees/reader/tree.py", TREE.format(domain=DOMAIN))
    answer = bthtn("check", "reader")
    assert answer.code == 0
    assert answer.out.endswith("tree reader: no errors, 2 warnings\n")


@pytest.mark.parametrize(("bound", "code"), [("read", "BT304"), ('"read"', "BT317")])
def test_an_operator_of_a_tree_that_cannot_be_called_is_an_error(bthtn, put, bound, code):
    binding = f"""
from bthtn.behaviours import Operators
operators = Operators(simulates_others=True)
@operators.bind({bound})
def read_aloud(agent, book): pass
"""
    tree = TREE.format(domain=DOMAIN + binding).replace(
        "body=None", "body=None, operators=operators"
    )
    put("trees/reader/tree.py", tree)
    answer = bthtn("check", "reader")
    assert answer.code == 1
    assert f"error [{code}] the operator of 'read' is called with (agent): missing a" in answer.out
    assert "trees/reader/tree.py" in answer.out


def test_a_tree_with_tasks_without_operators_has_errors_or_says_that_they_are_simulated(bthtn, put):
    code = """
from bthtn.behaviours import Operators
operators = Operators()
operators.bind(read)(lambda agent: None)
"""
    tree = TREE.replace("body=None", "body=None, operators=operators")
    put("trees/reader/tree.py", tree.format(domain=DOMAIN + code))
    answer = bthtn("check", "reader")
    assert answer.code == 1
    assert "error [BT311] 'lonely' has no operator" in answer.out
    put("trees/reader/tree.py", tree.format(domain=f"{DOMAIN}{code}operators.simulate(lonely)"))
    answer = bthtn("check", "reader")
    assert answer.code == 0
    assert "simulated, without an operator: lonely\n" in answer.out
    assert json.loads(bthtn("check", "reader", "--json").out)["simulated"] == ["lonely"]


def test_a_tree_whose_domain_cannot_be_built_has_errors(bthtn, put):
    put("trees/reader/tree.py", TREE.format(domain=f"{DOMAIN}    yield method(raed())\n"))
    answer = bthtn("check", "reader")
    assert answer.code == 1
    assert answer.out.startswith("error [BT101]")


def test_a_tree_that_cannot_be_made_is_bad_input(bthtn, put):
    broken = "def character(seed):\n    return 1 / seed\n"
    file = put("trees/reader/tree.py", broken)
    for text in ("reader", file):
        answer = bthtn("check", text)
        assert answer.code == 2
        assert answer.err.startswith("[BT402] ZeroDivisionError")
        assert "tree.py:2" in answer.err


def test_what_is_not_there_is_bad_input(bthtn, here):
    answer = bthtn("check", "combt")
    assert answer.code == 2
    assert answer.err == (
        "[BT401] there is no domain or tree 'combt'\n  hint: did you mean 'combat'?\n"
    )


def test_r003_09_the_sheets_beside_a_domain_are_checked(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/evening.lottery.csv", "Name,Weight,lit\nevening,3,true\nevenin,x,true\n")
    put("domains/house/notes.csv", "this,is,no sheet\n1\n")
    put("domains/house/house.goals.toml", "[[row]]\ngoal = 'evening'\nwhen = 'not lid'\n")
    put("domains/house/kinds.csv", "Kind,Skills\ncat,purr\n")
    answer = bthtn("check", "house")
    assert answer.code == 1
    for line in (
        "error [BT410] Weight is 'x'\n"
        "  where: domains/house/evening.lottery.csv:3, column Weight\n",
        "error [BT410] World has no fluent 'lid'\n"
        "  where: domains/house/house.goals.toml:3, column when, 'not lid', column 5\n",
        "error [BT410] no skill is called 'purr'\n"
        "  where: domains/house/kinds.csv:2, column Skills\n",
    ):
        assert line in answer.out
    assert answer.out.endswith("domain house: 3 errors, 2 warnings, 3 sheets\n")
    assert json.loads(bthtn("check", "house", "--json").out)["sheets"] == 3


def test_an_action_that_nothing_does_is_a_warning(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/lottery.csv", "Name,Weight\nevening,3\nmorning,3\n")
    answer = bthtn("check", "house")
    assert answer.code == 0
    assert (
        "warning [BT425] no method and no compound task is called 'morning'\n"
        "  where: domains/house/lottery.csv, row 'morning'\n"
        "  hint: there is: evening\n" in answer.out
    )


def test_a_misnamed_sheet_is_a_warning(bthtn, put):
    put("domains/house/domain.py", DOMAIN)
    put("domains/house/lotery.csv", "Name,Weight\nevening,3\n")
    answer = bthtn("check", "house")
    assert answer.code == 0
    assert (
        "warning [BT426] nothing reads this file\n"
        "  where: domains/house/lotery.csv\n"
        "  hint: did you mean 'lottery.csv'?\n" in answer.out
    )


SKILLED = """
from bthtn import Domain, FluentFamily, State, fluents, method, primitive
class Enemy(State):
    value: FluentFamily[str, float] = fluents(default=10_000.0)
melee = Domain("melee", Enemy)
@melee.primitive
def strike(animation: str):
    return primitive()
@melee.compound
def attack(skill: str, animation: str):
    yield method(strike(animation), value=Enemy.value[skill])
@melee.extension_point
def attack_main():
    yield method(attack("", ""))
enemy = Domain("enemy", Enemy)
@enemy.extension_point
def attack_main():
    yield from ()
@enemy.compound
def battle():
    yield method(attack_main())
"""


def test_skills_of_a_sheet_are_known_to_the_sheets_of_kinds_and_to_lotteries(bthtn, put):
    put("domains/enemy/domain.py", SKILLED)
    put("domains/enemy/enemy.skills.csv", "Skill,Template,Animation\nSlash,attack,slash\n")
    put("domains/enemy/enemy.kinds.csv", 'Kind,Skills\nrat,\nogre,"Slash, melee"\n')
    put("domains/enemy/enemy.lottery.csv", "Name,Weight\nSlash,3\n")
    answer = bthtn("check", "enemy")
    assert answer.out.endswith("domain enemy: no errors, 1 warning, 3 sheets\n")
    assert "[BT425]" not in answer.out
    put("domains/enemy/enemy.skills.csv", "Skill,Template,Animaton\nSlash,attack,slash\n")
    assert "enemy.skills.csv:1, column Animaton\n  hint: did you mean 'animation'?" in (
        bthtn("check", "enemy").out
    )


def test_the_sheets_beside_a_tree_are_checked_with_the_domain_of_its_agent(bthtn, put):
    put("trees/reader/tree.py", TREE.format(domain=DOMAIN))
    put("trees/reader/reader.roles.csv", "Role,Count,When\nowl,1,lit\nlark,1,lid\n")
    answer = bthtn("check", "reader")
    assert answer.code == 1
    assert "where: trees/reader/reader.roles.csv:3, column When, 'lid', column 1" in answer.out
    assert answer.out.endswith("tree reader: 1 error, 2 warnings, 1 sheet\n")


def test_another_domain_of_the_file_that_stops_the_build_is_reported_with_its_sheets(bthtn, put):
    bad = '\n@(bad := Domain("bad", World)).compound\ndef odd():\n    yield method(nowhere())\n'
    put("domains/house/domain.py", DOMAIN + bad)
    put("domains/house/kinds.csv", "Kind,Skills\ncat,\n")
    answer = bthtn("check", "house")
    assert answer.code == 1
    assert "error [BT101] no task is called 'nowhere'" in answer.out
