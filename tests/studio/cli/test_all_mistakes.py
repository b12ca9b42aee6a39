"""The mistakes in the files of a character without Python come out in one round of check."""

import re

import pytest

SETTINGS = """# A goblin made of files.
finished = "foe_health <= 0"
simulate = ["wait", "walk", "strike"]

[beliefs]
distance = 4.0
foe_health = 12
value = { index = "str", default = 10000.0 }
"""
TASKS = """<root BTCPP_format="4">
  <BehaviorTree ID="battle">
    <Fallback>
      <SubTask task="attack_main"/>
      <Sequence name="Wait"><Value number="200"/><SubTask task="wait"/></Sequence>
    </Fallback>
  </BehaviorTree>
  <BehaviorTree ID="attack_main"><ExtensionPoint/></BehaviorTree>
  <BehaviorTree ID="wait"><Command name="wait"/></BehaviorTree>
</root>
"""
TEMPLATE = """<root BTCPP_format="4">
  <BehaviorTree ID="attack_main">
    <ExtensionPoint>
      <SubTask task="melee" skill="melee" animation="swing" reach="1.0"/>
    </ExtensionPoint>
  </BehaviorTree>
  <BehaviorTree ID="melee">
    <Sequence>
      <Value number="value[skill]"/>
      <SubTask task="walk" reach="{reach}"/>
      <SubTask task="strike" animation="{animation}"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="walk">
    <Sequence>
      <CheckState condition="distance &gt; reach"/>
      <ModifyState set="distance becomes reach"/>
      <Command name="walk"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="strike"><Command name="strike"/></BehaviorTree>
  <TreeNodesModel>
    <SubTree ID="melee">
      <input_port name="skill" type="string"/>
      <input_port name="animation" type="string"/>
      <input_port name="reach" type="double"/>
    </SubTree>
    <SubTree ID="walk"><input_port name="reach" type="double"/></SubTree>
    <SubTree ID="strike"><input_port name="animation" type="string"/></SubTree>
  </TreeNodesModel>
</root>
"""
TREE = """<root BTCPP_format="4"><BehaviorTree ID="goblin">
  <Fallback>
    <DrawnGoal name="draw" goal="battle"/>
    <Goals name="idle" sheet="idle"/>
  </Fallback>
</BehaviorTree></root>
"""
SKILLS = "Skill,Template,Animation,Reach\nJab,melee,jab,1.5\nSlash,melee,slash,2\n"
CASES = """[far_away]
given = { distance = 9.0 }
task = "battle"
expect = "no plan"

[jabs]
task = "Jab(Jab, jab, 1.5)"
expect = "(walk_Jab(1.5), strike_Jab(jab))"
"""
SCENARIO = """tree = "goblin"
expect = ["start strike_Jab"]
[finally]
foe_health = 12
"""
FILES = {
    "character.toml": SETTINGS,
    "tasks.xml": TASKS,
    "melee.template.xml": TEMPLATE,
    "tree.xml": TREE,
    "attacks.skills.csv": SKILLS,
    "lottery.csv": "ActionName,foe_health <=,Weight\nJab,,50\nSlash,8,10\n",
    "idle.goals.csv": "Name,Goal,When\nrest,wait,distance > 9\n",
    "squad.roles.csv": "Role,Count,When\nfront,2,foe_health > 3\n",
    "cases.toml": CASES.replace('expect = "no plan"', 'expect = "wait"'),
    "hits.scenario.toml": SCENARIO,
}
"""The files of a character without a mistake."""

MISTAKES = {
    "tree.xml:3": ('goal="battle"', 'goal="batle"'),
    "tasks.xml:4": ('task="attack_main"', 'task="atack_main"'),
    "melee.template.xml:16": ("distance &gt; reach", "distanse &gt; reach"),
    "character.toml:7": ("foe_health = 12", 'foe_health = { type = "itn", default = 12 }'),
    "lottery.csv:1": ("Weight", "Weihgt"),
    "attacks.skills.csv:3": ("Slash,melee", "Slash,mele"),
    "idle.goals.csv:2": ("wait,distance", "weit,distance"),
    "squad.roles.csv:2": ("front,2", "front,two"),
    "cases.toml:2": ("distance = 9.0", "distanze = 9.0"),
    "hits.scenario.toml:4": ("[finally]\nfoe_health", "[finally]\nfoo_health"),
}
"""A mistake in each file: its place, and what it puts for what."""


@pytest.fixture
def goblin(put):
    def write(*places):
        for name, text in FILES.items():
            (change,) = [MISTAKES[at] for at in places if at.startswith(name)] or [("", "")]
            put(f"trees/goblin/{name}", text.replace(*change, 1))

    return write


def places_in(answer):
    return sorted(
        re.findall(r"(?m)^  where: .*?\btrees/goblin/([\w.]+:\d+)", answer.out + answer.err)
    )


def test_there_is_no_mistake_in_the_files_before(bthtn, goblin):
    goblin()
    answer = bthtn("check", "goblin")
    assert (answer.code, answer.out) == (
        0,
        "tree goblin: no errors, no warnings, 2 of 2 cases hold, 4 sheets\n",
    )


@pytest.mark.parametrize("place", MISTAKES)
def test_one_mistake_is_told_once_and_alone(bthtn, goblin, place):
    goblin(place)
    answer = bthtn("check", "goblin")
    assert answer.code in {1, 2}
    assert places_in(answer) == [place], answer


@pytest.mark.parametrize("left_out", [None, *MISTAKES])
def test_the_mistakes_of_all_files_come_out_in_one_round(bthtn, goblin, left_out):
    places = [place for place in MISTAKES if place != left_out]
    goblin(*places)
    assert places_in(bthtn("check", "goblin")) == sorted(places)


def test_several_mistakes_in_one_file_come_out_in_one_round(bthtn, goblin, put):
    goblin("tree.xml:3", "character.toml:7", "lottery.csv:1")
    put("trees/goblin/cases.toml", CASES.replace("distance", "distanze").replace("walk_", "wolk_"))
    tasks = TASKS.replace('task="attack_main"', 'task="atack_main"').replace('"200"', '"nowhere"')
    put("trees/goblin/tasks.xml", tasks)
    put(
        "trees/goblin/attacks.skills.csv",
        SKILLS.replace("melee,jab", "mele,jab") + "Hit,melee,hit,far\n",
    )
    assert places_in(bthtn("check", "goblin")) == [
        "attacks.skills.csv:2",
        "attacks.skills.csv:4",
        "cases.toml:2",
        "character.toml:7",
        "lottery.csv:1",
        "tasks.xml:4",
        "tasks.xml:5",
        "tree.xml:3",
    ]


def test_the_methods_of_tasks_with_a_mistake_are_not_missed_in_a_lottery(bthtn, goblin, put):
    goblin()
    tasks = TASKS.replace('name="Wait"', 'name="wait a bit"')
    put("trees/goblin/tasks.xml", tasks.replace('"200"', '"nowhere"'))
    put("trees/goblin/lottery.csv", "ActionName,Weight\nJab,50\nwait a bit,10\n")
    answer = bthtn("check", "goblin")
    assert places_in(answer) == ["tasks.xml:5"]
    assert "BT425" not in answer.err


def test_the_value_of_an_action_that_there_is_not_is_a_warning(bthtn, goblin, put):
    goblin()
    tasks = TASKS.replace('number="200"', 'number="value[Slahs]"')
    put("trees/goblin/tasks.xml", tasks)
    answer = bthtn("check", "goblin")
    assert (
        "warning [BT425] 'value[Slahs]' is the value of an action that there is not\n"
        "  where: compound 'battle', method 1\n"
        "  hint: did you mean 'Slash'?\n" in answer.out
    )
    put("trees/goblin/tasks.xml", tasks.replace("Slahs", "Slash"))
    assert "BT425" not in bthtn("check", "goblin").out


@pytest.mark.parametrize("file", ["tasks.xml", "melee.template.xml", "tree.xml"])
def test_a_file_that_cannot_be_read_hides_no_mistake_that_can_be_told_without_it(
    bthtn, goblin, put, file
):
    goblin("character.toml:7", "lottery.csv:1")
    put(f"trees/goblin/{file}", FILES[file].replace("</root>", ""))
    found = places_in(bthtn("check", "goblin"))
    assert {"character.toml:7", "lottery.csv:1"} < set(found)
    assert [place for place in found if place.startswith(file)]


def test_a_mistake_in_the_operators_hides_none_in_the_other_files(bthtn, goblin, put):
    goblin("tasks.xml:4", "lottery.csv:1")
    put("trees/goblin/operators.py", "import nothing_like_that\n")
    assert places_in(bthtn("check", "goblin")) == ["lottery.csv:1", "operators.py:1", "tasks.xml:4"]


def test_mistakes_of_sheets_and_cases_beside_python_come_out_in_one_round(bthtn, put):
    put(
        "domains/house/domain.py",
        "from bthtn import *\n"
        "class World(State):\n    lit: Fluent[bool] = fluent(default=False)\n"
        "house = Domain('house', World)\n"
        "read = house.primitive('read', precondition=World.lit)\n",
    )
    put("domains/house/lottery.csv", "ActionName,litt\nread,\n")
    put(
        "domains/house/cases.toml",
        '[dark]\ngiven = { lyt = true }\ntask = "read"\nexpect = "read"\n',
    )
    said = bthtn("check", "house").err
    assert "lottery.csv:1, column litt" in said
    assert "cases.toml:2" in said
