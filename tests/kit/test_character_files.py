"""Characters made of files: what is read, and what is wrong with a folder."""

import random
from types import SimpleNamespace

import pytest
from py_trees.behaviours import Success

from bthtn import BthtnError, Domain, Fluent, State, fluent
from bthtn.behaviours import ManualClock, Operators, Sensors
from bthtn.kit import read_character
from tests.sizes import size

TREE = """<root BTCPP_format="4"><BehaviorTree ID="guard">
  <PlanGoal name="duty" goal="patrol"/>
</BehaviorTree></root>"""
TASKS = """<root BTCPP_format="4">
<BehaviorTree ID="patrol"><Sequence><SubTask task="walk" rooms="2"/></Sequence></BehaviorTree>
<BehaviorTree ID="walk"><Sequence>
  <ModifyState set="walked += rooms"/><Command name="go"/>
</Sequence></BehaviorTree>
<TreeNodesModel><SubTree ID="walk"><input_port name="rooms" type="int"/></SubTree></TreeNodesModel>
</root>"""
SETTINGS = """finished = "walked >= 4"

[beliefs]
walked = 0
lit = true
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a character; a text in place of a file's changes it, None removes it."""

    def with_files(**texts):
        texts = {"tree": TREE, "tasks": TASKS, "character": SETTINGS, **texts}
        for name, text in texts.items():
            if text is not None:
                suffix = "toml" if name == "character" else "xml"
                (tmp_path / f"{name}.{suffix}").write_text(text, "utf-8")
        return tmp_path

    return with_files


def code(**parts):
    operators = Operators()
    operators.bind("walk")(lambda agent, rooms: None)
    return SimpleNamespace(**{"operators": operators, **parts})


def test_a_character_of_files_runs_until_it_is_finished(folder):
    character = read_character(folder(), code()).character()
    while not character.finished and character.ticks < 9:
        character.tick()
    assert character.agent.beliefs.now.walked == 4
    assert character.agent.name == folder().name


def test_the_body_is_made_of_the_seed_and_steps_at_every_tick(folder):
    class Body:
        def __init__(self, seed):
            self.seed, self.steps = seed, 0

        def step(self):
            self.steps += 1

    character = read_character(folder(), code(body=Body)).character(seed=7)
    character.tick()
    character.tick()
    assert (character.agent.body.seed, character.agent.body.steps) == (7, 2)


def test_seconds_are_read_from_the_clock_of_the_body(folder):
    class Body:
        def __init__(self, seed):
            self.clock = ManualClock()

        def step(self):
            self.clock.advance(0.5)

    timed = TASKS.replace('name="go"', 'name="go" duration="seconds(2)"')
    parts = SimpleNamespace(body=Body)
    settings = 'simulate = ["walk"]\n' + SETTINGS
    character = read_character(folder(tasks=timed, character=settings), parts).character()
    walked = []
    for _ in range(6):
        character.tick()
        walked.append(character.agent.beliefs.now.walked)
    assert walked.index(2) == 4


def test_sensors_own_the_fluents_of_the_file_by_name(folder):
    sensors = Sensors()
    sensors.sensor("lit", name="eyes")(lambda agent: False)
    character = read_character(folder(), code(sensors=sensors)).character()
    character.tick()
    assert character.agent.beliefs.now.lit is False


def test_a_character_made_in_a_running_world_has_its_body(folder):
    files = read_character(folder(), code(body=lambda seed: [seed]))
    running = files.character(seed=3)
    assert files.character(3, running).agent.body is running.agent.body


def test_a_domain_written_in_python_may_be_given(folder):
    class Guard(State):
        walked: Fluent[int] = fluent(default=0)

    domain = Domain("guard", Guard)
    walk = domain.primitive("patrol", effects=Guard.walked.increases(2))
    operators = Operators()
    operators.bind(walk)(lambda agent: None)
    settings = 'domain = "guard"\nfinished = "walked > 0"'
    place = folder(tasks=None, character=settings)
    character = read_character(place, SimpleNamespace(operators=operators), domain).character()
    character.tick()
    assert character.finished
    with pytest.raises(BthtnError, match="the domain 'guard' was not given"):
        read_character(place, code())


def test_nodes_of_the_users_own_stand_in_the_tree(folder):
    def shout(name, agent, word: str):
        return Success(f"{name} {agent.name} {word}")

    place = folder(
        tree=TREE.replace("<PlanGoal", "<Sequence><Shout name='s' word='hi'/><PlanGoal").replace(
            '"/>\n', '"/></Sequence>\n'
        )
    )
    files = read_character(place, code(nodes={"Shout": shout}))
    assert files.character().root.children[0].name == f"s {place.name} hi"


@pytest.mark.parametrize(
    ("texts", "code_", "said", "place"),
    [
        ({"character": "finnished = 'lit'"}, "BT421", "there is no 'finnished'", "toml:1"),
        ({"character": "\nfinished = 3"}, "BT421", "'finished' is 3", "toml:2"),
        ({"character": "simulate = [[1]]"}, "BT421", "'simulate' is [[1]]", "toml:1"),
        ({"character": "simulate = 'walk'"}, "BT421", "'simulate' is 'walk'", "toml:1"),
        ({"character": SETTINGS.replace("walked >=", "walkt >=")}, "BT102", "'walkt'", "toml:1"),
        ({"character": SETTINGS.replace("0", "[0]")}, "BT421", "'walked' has no type", "toml:4"),
        ({"character": 'simulate = ["wolk"]\n' + SETTINGS}, "BT421", "'wolk'", "toml:1"),
        ({"character": 'domain = "a"\n' + SETTINGS}, "BT421", "a domain and beliefs", "toml:4"),
        ({"character": "finished = ]"}, "BT405", "not TOML", "toml:1"),
        ({"character": "[beliefs]\nwalk = 1"}, "BT102", "walked", "tasks.xml:4"),
        ({"character": None}, "BT421", "there is no character.toml", "character.toml"),
        ({"character": "[beliefs]\nclass = 1"}, "BT421", "cannot be called 'class'", "toml:2"),
        ({"character": "[beliefs]\na = 1\na = 2\nb = 3"}, "BT405", "overwrite a value", "toml:3"),
        ({"tasks": None}, "BT404", "cannot read", ""),
        ({"tasks": TASKS.replace('"walk"', '"run"', 1)}, "BT101", "'run'", "tasks.xml:2"),
        ({"tasks": TASKS.replace("walked +", "walkd +")}, "BT102", "'walkd'", "tasks.xml:4"),
        ({"tasks": TASKS.replace("</root>", "")}, "BT412", "not XML", "tasks.xml:7"),
        ({"tasks": TASKS.replace('"walk"', '"go"')}, "BT422", "'walk' has an operator", "operat"),
    ],
)
def test_what_is_wrong_with_a_folder_has_its_file_and_line(folder, texts, code_, said, place):
    with pytest.raises(BthtnError) as caught:
        read_character(folder(**texts), code())
    (one,) = (one for one in caught.value.diagnostics if said in one.message)
    assert one.code == code_
    assert place in one.where
    assert one.hint


def test_mistakes_of_several_files_are_one_error(folder):
    settings = SETTINGS.replace("walked >=", "walkt >=")
    place = folder(character=settings, tasks=TASKS.replace('"walk"', '"run"', 1))
    (place / "a.template.xml").write_text(TASKS.replace("walked +", "walkd +"), "utf-8")
    (place / "b.template.xml").write_text(TASKS.replace("</root>", ""), "utf-8")
    (place / "lottery.csv").write_text("Name,Priorty\nJab,1\n", "utf-8")
    with pytest.raises(BthtnError) as caught:
        read_character(place, code())
    places = [one.where.rpartition("/")[2].partition(":")[0] for one in caught.value.diagnostics]
    files = {"a.template.xml", "b.template.xml", "character.toml", "lottery.csv", "tasks.xml"}
    assert set(places) == files


def test_a_misspelt_element_is_told_without_what_follows_from_it(folder):
    settings = f'simulate = ["walk"]\n{SETTINGS}'
    place = folder(character=settings, tasks=TASKS.replace("<Command", "<Comand"))
    with pytest.raises(BthtnError) as caught:
        read_character(place, SimpleNamespace())
    assert [one.message for one in caught.value.diagnostics] == [
        "there is no node and no task 'Comand'"
    ]


def test_a_misspelt_belief_is_told_once_and_where_it_is_declared(folder):
    settings = f'simulate = ["walk"]\n{SETTINGS}'.replace("walked = 0", "waled = 0")
    place = folder(character=settings)
    with pytest.raises(BthtnError) as caught:
        read_character(place, SimpleNamespace())
    [one] = caught.value.diagnostics
    assert one.message == f"{place.name} has no fluent 'walked'"
    assert one.where.endswith("character.toml:2, 'walked >= 4', column 1, and at 1 more place")
    assert one.hint == f"did you mean 'waled'? that is at {place / 'character.toml'}:5"


def test_missing_operators_and_mistakes_in_sheets_are_one_error(folder):
    place = folder()
    (place / "lottery.csv").write_text("Name,Priorty\nJab,1\n", "utf-8")
    (place / "orc.goals.csv").write_text("Goal,Wen\npatrol,lit\n", "utf-8")
    with pytest.raises(BthtnError) as caught:
        read_character(place, SimpleNamespace())
    said = str(caught.value)
    assert "lottery.csv" in said
    assert "orc.goals.csv" in said
    assert "'walk'" in said


def test_a_misnamed_file_is_told_where_others_have_mistakes_for_want_of_it(folder):
    place = folder(
        tree='<root BTCPP_format="4"><BehaviorTree>'
        '<DrawnGoal name="d" goal="patrol"/></BehaviorTree></root>'
    )
    (place / "walks.skill.csv").write_text("Skill,Template\nstroll,patrol\n")
    operators = Operators()
    operators.bind("jump")(lambda agent: None)
    with pytest.raises(
        BthtnError, match=r"(?s)'jump' has an operator.*walks.skill.csv.*did you mean"
    ):
        read_character(place, SimpleNamespace(operators=operators))
    (place / "lotery.csv").write_text("Name,Weight\npatrol,1\n")
    with pytest.raises(BthtnError, match=r"rename lotery.csv to lottery.csv"):
        read_character(place, code()).character()


@pytest.mark.parametrize(
    ("one", "two"), [("lottery.csv", "lottery.toml"), ("a.kinds.csv", "b.kinds.csv")]
)
def test_of_two_sheets_none_is_left_out_in_silence(folder, one, two):
    (folder() / one).write_text("Name,Weight\n")
    (folder() / two).write_text("")
    with pytest.raises(BthtnError, match=f"BT421. {one} and {two} stand for each other"):
        read_character(folder(), code())


def test_an_operator_with_other_parameters_than_its_step_is_told(folder):
    operators = Operators()
    operators.bind("walk")(lambda agent: None)
    with pytest.raises(
        BthtnError, match=r"(?s)BT317.*'walk' is called with .*test_character_files.*agent, rooms"
    ):
        read_character(folder(), code(operators=operators))


def test_without_a_file_of_operators_that_is_said(folder):
    with pytest.raises(BthtnError, match=r"(?s)'walk' has no operator.*operators.py, which is not"):
        read_character(folder(), SimpleNamespace())


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("<DrawnGoal name='d' goal='patrol' lottery='lotery'/>", "there is no lottery 'lotery'"),
        ("<Goals name='g' sheet='orc'/>", "there is no list of goals 'orc'"),
        ("<Goals name='g' sheet='orc'/>", "write it into orc.goals.csv beside tree.xml"),
        ("<DrawnGoal name='d' goal='patrol'/>", "write it into lottery.csv beside tree.xml"),
        ("<DrawnGoal name='d' goal='patrol' values='walked'/>", "'walked' has no index"),
        ("<PlanGoal name='g' goal='patroll'/>", "patroll"),
    ],
)
def test_a_slip_in_the_tree_has_its_line(folder, node, said):
    tree = f'<root BTCPP_format="4"><BehaviorTree ID="a">\n{node}</BehaviorTree></root>'
    with pytest.raises(BthtnError, match=r"tree\.xml:2") as caught:
        read_character(folder(tree=tree), code()).character()
    assert said in str(caught.value)


def test_a_family_of_whole_numbers_takes_no_values_of_a_lottery(folder):
    node = "<DrawnGoal name='d' goal='patrol'/>"
    tree = f'<root BTCPP_format="4"><BehaviorTree ID="a">{node}</BehaviorTree></root>'
    settings = f'{SETTINGS}\nvalue = {{ index = "str", default = 10000 }}'
    (folder(tree=tree, character=settings) / "lottery.csv").write_text("Name,Weight\nwalk,1\n")
    with pytest.raises(BthtnError, match=r"(?s)are fractions, and 'value.*point"):
        read_character(folder(tree=tree, character=settings), code()).character()


def test_parts_of_a_wrong_kind_are_refused(folder):
    with pytest.raises(BthtnError, match="'operators' is dict"):
        read_character(folder(), SimpleNamespace(operators={}))


def test_settings_with_random_changes_are_read_or_refused(folder):
    dice = random.Random(1)  # noqa: S311 - dice, not secrets
    accepted, pieces = 0, [*"[]{}=\"'.,#0 \n", "walked", "beliefs", "true", "type", "index"]
    for _ in range(size(quick=40, thorough=2_000, night=10_000)):
        text = SETTINGS
        for _ in range(dice.choice((1, 1, 1, 3))):
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice(pieces) + text[at + dice.choice((0, 0, 1, 8)) :]
        try:
            read_character(folder(character=text), code()).character().tick()
            accepted += 1
        except BthtnError:
            pass
    assert accepted
