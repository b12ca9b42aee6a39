"""Scenarios: what is brought about, what has to happen, and what a failure says."""

import json
from pathlib import Path

import pytest

from bthtn.errors import InputError
from bthtn.kit.recording.transcript import Transcript, texts
from bthtn.studio.cli.scenarios import Suite, show_scenario, write_scenario
from bthtn.studio.cli.scenarios import test as run_tests
from bthtn.studio.testing.scenario import event_text
from bthtn.studio.testing.scenario_files import read_scenario
from bthtn.testing import Expected, Intervention, Scenario, play

TREE = """
from dataclasses import dataclass, field
from enum import Enum

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Sensors


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    near: Fluent[frozenset[str]] = fluent(default=frozenset())


@dataclass
class Bowl:
    full: bool = True


@dataclass
class Yard:
    bowl: Bowl
    mood: Mood = Mood.CALM
    spot: tuple[int, int] = (0, 0)
    smells: frozenset[str] = frozenset()
    guests: list[str] = field(default_factory=list)
    guest_mood: Mood | None = None
    moods: list[Mood] = field(default_factory=list)

    def knock(self, where):
        self.spot = where
        self.bowl.full = False


yard = Domain("yard", Dog)
dig = yard.primitive("dig", effects=Dog.bones.increases(1), duration=2)
growl = yard.primitive("growl", precondition=Dog.mood == Mood.WILD)


@yard.compound
def play():
    yield method(growl(), when=Dog.mood == Mood.WILD)
    yield method(dig())


sensors = Sensors()


@sensors.sensor(Dog.mood)
def nose(agent):
    return agent.body.mood


def character(seed=0):
    body = Yard(Bowl())
    rex = Agent("Rex", yard, Dog(), body=body, operators=Operators(), sensors=sensors)
    goal = PlanGoal("play", rex, play())
    over = lambda: rex.beliefs.now.bones >= 3
    return Character(goal, rex, finished=over, world=body)
"""


@pytest.fixture
def written(tmp_path):
    """Writes a scenario beside the dog's tree, and gives its file."""
    (tmp_path / "tree.py").write_text(TREE)

    def write(text, name="fetch"):
        file = tmp_path / f"{name}.scenario.toml"
        file.write_text(f'tree = "tree.py"\n{text}')
        return file

    return write


def fault_of(file):
    return play(read_scenario(file)).fault


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """Trees that leave a file behind when they are imported, outside of the scenario's folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("bad/tree.py", "bad.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"open({str(tmp_path / 'canary')!r}, 'w')\n{TREE}")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tree.py").write_text(TREE)
    return tmp_path / "canary"


@pytest.mark.parametrize(
    "tree",
    [
        *("../bad", "../bad/tree.py", "../bad.py", "bad.py", "bad:character", "./bad"),
        *("{folder}/bad.py", "os:abort", "antigravity:x", "link/tree.py", "..", "/dev/zero"),
        *("\\u0000", "x" * 5_000),
    ],
)
@pytest.mark.parametrize("rest", ["", 'task = "dig"\nexpect = "dig"\n'], ids=["played", "planned"])
def test_a_scenario_names_no_code_but_what_is_listed_or_beside_it(tmp_path, evil, tree, rest):
    (tmp_path / "mine" / "link").symlink_to(tmp_path / "bad")
    file = tmp_path / "mine" / "one.scenario.toml"
    key = "domain" if rest else "tree"
    file.write_text(f'{key} = "{tree.format(folder=tmp_path)}"\n{rest}')
    with pytest.raises(InputError, match=r"BT401.*and bthtn list shows none") as refused:
        read_scenario(file)
    assert len(refused.value.diagnostics) == 1
    assert not evil.exists()


@pytest.mark.parametrize(
    "call",
    [
        "knock.__func__.__globals__.clear()",
        "__init__.__globals__.clear()",
        "__class__.mro()",
        "_secret()",
        "body_of.cache_clear()",
        "dice.seed(3)",
        "where.write_text('x')",
        "files.fromkeys(3)",
    ],
)
def test_a_scenario_calls_only_methods_of_the_world_and_of_its_containers(written, tmp_path, call):
    own = (
        "    def __post_init__(self):\n        import pathlib, random, functools\n"
        "        self.dice, self.files = random.Random(1), {}.__class__\n"
        f"        self.where = pathlib.Path({str(tmp_path / 'canary')!r})\n"
        "        self.body_of = functools.cache(len)\n\n"
        "    def _secret(self): open(self.where, 'w')\n\n    def knock"
    )
    (tmp_path / "tree.py").write_text(TREE.replace("    def knock", own))
    with pytest.raises(InputError, match=r"BT405.*(has no '_|is no method of the world)"):
        play(read_scenario(written(f'given = {{ do = ["{call}"] }}\n')))
    assert not (tmp_path / "canary").exists()
    assert play(read_scenario(written('given = { do = ["guests.append(3)"] }\n'))).fault == ""


@pytest.mark.parametrize("path", ["__class__", "bowl.__class__", "knock.__doc__", "_hidden"])
def test_a_scenario_sets_no_attribute_with_an_underscore(written, path):
    with pytest.raises(InputError, match=r"BT405.*has no '_"):
        play(read_scenario(written(f'given = {{ world = {{ "{path}" = 3 }} }}\n')))


def test_events_are_expected_in_order_each_within_so_many_ticks(written):
    file = written('expect = ["plan dig", "start dig", "done dig", "play succeeded"]\n')
    assert fault_of(file) == ""
    assert fault_of(written('[[expect]]\nevent = "bones = 1"\nwithin = 3\n')) == ""
    late = fault_of(written('[[expect]]\nevent = "bones = 1"\nwithin = 2\n'))
    assert late.startswith("no 'bones = 1' within 2 ticks (")
    assert "fetch.scenario.toml:2)" in late


def test_what_is_heard_after_something_else_does_not_count(written):
    fault = fault_of(written('expect = ["done dig", "growl *"]\n'))
    assert "  ✓ done dig\n  ✗ growl *" in fault
    assert "believed: Dog(bones=3)" in fault


def test_what_must_not_happen_fails_at_once(written):
    assert fault_of(written('never = ["start growl", "failed*"]\n')) == ""
    fault = fault_of(written('never = ["done *"]\n'))
    assert "'done dig' in tick 3, which is never to happen" in fault


def test_what_must_not_happen_before_something_may_happen_after_it(written):
    assert fault_of(written('[[never]]\nevent = "done *"\nbefore = "start dig"\n')) == ""
    early = fault_of(written('[[never]]\nevent = "start dig"\nbefore = "done dig"\n'))
    assert early.startswith("'start dig' in tick 1, which is never to happen before 'done dig' (")


def test_plans_are_expected_by_patterns(written):
    assert fault_of(written('expect = ["plan ?step", "start dig"]\n')) == ""
    assert "✗ plan (*, growl)" in fault_of(written('expect = ["plan (*, growl)"]\n'))


def test_the_end_is_looked_at(written):
    assert fault_of(written("ticks = 4\n[finally]\nbones = 1\n")) == ""
    fault = fault_of(written("ticks = 4\n[finally]\nbones = 2\n"))
    assert fault.startswith("at the end bones = 1, not 2")


@pytest.mark.parametrize(
    "given",
    ['beliefs = { mood = "WILD" }', 'world = { mood = "WILD" }'],
    ids=["beliefs", "world"],
)
def test_what_is_given_is_there_before_the_first_plan(written, given):
    expect = '[[expect]]\nevent = "plan growl"\nwithin = 1\n'
    assert fault_of(written(f"ticks = 5\n[given]\n{given}\n{expect}")) == ""


def test_a_belief_that_is_brought_about_stays_whatever_sensors_say(written):
    text = '[[when]]\nevent = "done dig"\nbeliefs = { mood = "WILD" }\n'
    text += '[[expect]]\nevent = "plan growl"\n[[expect]]\nevent = "plan growl"\n'
    assert fault_of(written(f"ticks = 12\n{text}[finally]\nmood = 'WILD'\n")) == ""


def test_a_belief_may_be_wrong_for_some_ticks_only(written):
    text = '[[when]]\nevent = "done dig"\nbeliefs = { mood = "WILD" }\nticks = 2\n'
    expect = [
        '[[expect]]\nevent = "mood = WILD"',
        '[[expect]]\nevent = "mood = CALM"\nwithin = 2\n',
        '[[expect]]\nevent = "start dig"\nwithin = 1',
    ]
    assert fault_of(written("\n".join([text, *expect, '[finally]\nmood = "CALM"']))) == ""


def test_steps_follow_a_script_at_their_next_starts(written):
    text = '[given]\noperators = { dig = "RF !" }\n'
    expect = [("failed dig", 2), ("failed dig", 2), ("start dig", 9), ("done dig", 3)]
    expected = [f'[[expect]]\nevent = "{event}"\nwithin = {ticks}' for event, ticks in expect]
    assert fault_of(written("\n".join([text, *expected]))) == ""


def test_goals_are_interrupted_as_by_the_tree(written):
    text = '[[when]]\ntick = 2\ninterrupt = ["play"]\n'
    expect = ["start dig", "aborted dig", "start dig", "done dig"]
    file = written(f"{text}[[expect]]\nevent = 'start dig'\n")
    played = play(read_scenario(file))
    told = [event_text(one) for tick in played.ticks[:4] for one in tick.events]
    assert [one for one in told if one.partition(" — ")[0] in expect][:4] == expect
    assert "aborted dig" in [event_text(one) for one in played.ticks[1].events]


def test_an_array_is_what_the_attribute_of_the_world_was(written):
    file = written('[given]\nworld = {spot=[1, 2], smells=["bone"], guests=["cat"]}\n')
    made = []
    assert play(read_scenario(file), made.append).fault == ""
    (yard,) = [character.world for character in made]
    assert (yard.spot, yard.smells, yard.guests) == ((1, 2), frozenset({"bone"}), ["cat"])


def test_a_name_is_of_the_enum_that_the_attribute_of_the_world_is_annotated_with(written):
    file = written('[given]\nworld = {guest_mood="WILD", moods=["CALM", "WILD"]}\n')
    made = []
    assert play(read_scenario(file), made.append).fault == ""
    (yard,) = [character.world for character in made]
    moods = type(yard.mood)
    assert (yard.guest_mood, yard.moods) == (moods.WILD, [moods.CALM, moods.WILD])


def test_the_world_is_changed_at_a_tick_by_its_methods(written):
    file = written(
        'ticks = 4\n[[when]]\ntick = 2\ndo = ["knock((3, 4))"]\nbeliefs = {near=["cat"]}'
    )
    made = []
    assert play(read_scenario(file), made.append).fault == ""
    (character,) = made
    assert (character.world.spot, character.world.bowl.full) == ((3, 4), False)
    assert character.agent.beliefs.now.near == frozenset({"cat"})


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('expect = ["plan (dgi, *)"]\n', "there is no task 'dgi'.*did you mean 'dig'"),
        ('[[never]]\nevent = "plan {dig"\n', "a brace is not closed.*fetch.scenario.toml:2"),
        ("never = ['start dgi']\n", "there is no task 'dgi'.*toml:2.*did you mean 'dig'"),
        ("[[never]]\nevent = 'failed bark*'\n", "there is no task 'bark.'.*toml:2"),
        ("[[when]]\nevent = 'done dgi(3)'\n", "there is no task 'dgi'.*toml:2"),
        ("never = ['plai succeeded']\n", "there is no goal 'plai'.*did you mean 'play'"),
        ("never = ['PlanFailed plai']\n", "there is no goal 'plai'.*did you mean 'play'"),
        ("never = ['plan dgi']\n", "there is no task 'dgi'.*toml:2.*did you mean 'dig'"),
        ("never = ['play suceeded']\n", "no event like 'play suceeded'.*toml:2.*'GOAL succeeded'"),
        ("[[when]]\nevent = 'dig'\n", "there is no event like 'dig'.*toml:2"),
        ("never = ['bone = 3']\n", "there is no fluent 'bone'.*did you mean 'bones'"),
        ("never = ['strat dig']\n", "no event begins with 'strat'.*did you mean 'start'"),
        ("expect = ['starts dig']\n", "no event begins with 'starts'.*did you mean 'start'"),
        ("sed = 3\n", "no 'sed' here.*fetch.scenario.toml:2.*did you mean 'seed'"),
        ("seed = 'x'\n", "'seed' is a whole number"),
        ("ticks = 'x'\n", "'ticks' is a whole number"),
        (
            "[[expect]]\nevent = 'done dig'\nwithin = '4s'\n",
            "toml:4.*write within = 4, not '4s'",
        ),
        ("ticks = 0\n", "lasts 0 ticks, in which nothing happens.*toml:2"),
        (
            "[given]\nbeliefs = { bone = 3 }\n",
            "no fluent 'bone'.*scenario.toml:3.*did you mean 'bones'",
        ),
        ("[given]\nbeliefs = { bones = 'x' }\n", "scenario.toml:3"),
        ("[given]\nbeliefs = { mood = 'ANGRY' }\n", "'mood' cannot be 'ANGRY'"),
        ("[[when]]\nworld = { spot = [1, 2] }\n", "does not say when"),
        ("[[expect]]\nwithin = 3\n", "it has no event"),
        ("expect = [3]\n", "it has no event"),
        ("[given]\nworld = { mood = 'WILT' }\n", "Mood has no 'WILT'.*did you mean 'WILD'"),
        ("[given]\nworld = { boul = 1 }\n", "the world's Yard has no 'boul'.*did you mean 'bowl'"),
        ("[given]\ndo = ['knock(x)']\n", "'knock.x.' cannot be called"),
        ("[given]\ndo = ['knock']\n", "'knock' cannot be called"),
        ("[given]\ndo = ['knok(1)']\n", "has no 'knok'"),
        ("[given]\noperators = { digg = 'R' }\n", "no task 'digg'.*toml:3.*mean 'dig'"),
        ("[given]\noperators = { dig = 'RX' }\n", "'RX' is no script"),
        ("[given]\noperators = { dig = ' ' }\n", "' ' is no script"),
        ("[[when]]\ntick = 2\ninterrupt = ['plai']\n", "no behaviour 'plai'.*mean 'play'"),
        ("[[given]]\n", "'given' is a table"),
        ("[", "not TOML"),
    ],
)
def test_mistakes_in_a_file_are_told_with_the_line_and_the_nearest_right_word(written, text, wrong):
    with pytest.raises(InputError, match=rf"(?s){wrong}"):
        play(read_scenario(written(text)))


def test_a_scenario_names_a_tree_that_there_is(tmp_path):
    file = tmp_path / "bare.scenario.toml"
    file.write_text("seed = 1\n")
    with pytest.raises(InputError, match="it names no tree"):
        read_scenario(file)
    file.write_text('tree = "soldir"\n')
    with pytest.raises(InputError, match=r"(?s)did you mean 'soldier'"):
        read_scenario(file)


def test_a_scenario_of_python_is_played_in_the_same_way(written):
    made = read_scenario(written("")).make
    wild = Scenario(
        "wild", made, (Intervention(beliefs={"mood": "WILD"}),), (Expected("plan growl"),)
    )
    assert play(wild).fault == ""


def test_the_command_runs_what_is_below_a_folder(written, tmp_path, capsys):
    written('expect = ["done dig"]\n', "one")
    file = written('expect = ["done growl"]\n', "two")
    assert run_tests([tmp_path], update=False, as_json=False, jobs=None) == 1
    out = capsys.readouterr().out
    assert f"{file}: two\nno 'done growl' in" in out
    assert out.endswith("1 passed, 1 failed\n")
    assert run_tests([tmp_path / "one.scenario.toml"], update=False, as_json=True, jobs=None) == 0
    assert json.loads(capsys.readouterr().out)["tests"][0]["name"] == "one"
    assert show_scenario(file, as_json=False) == 1
    assert "✗ done growl" in capsys.readouterr().out
    assert show_scenario(tmp_path / "one.scenario.toml", as_json=True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["events"][0]["event"] == "plan_adopted"


def test_a_worker_runs_the_tests_of_a_file_as_in_its_folder(written, tmp_path):
    file = written('expect = ["done growl"]\n', "two")
    (found,) = Suite(str(tmp_path))(file)
    assert found.name == "two"
    assert found.fault.startswith("no 'done growl'")


def test_the_command_updates_what_fails_and_shows_the_differences(written, tmp_path, capsys):
    file = written('expect = ["plan growl", "done dig"]  # at first\n', "two")
    assert run_tests([tmp_path], update=True, as_json=False, jobs=None) == 0
    out = capsys.readouterr().out
    assert '-expect = ["plan growl", "done dig"]  # at first\n+expect = ["plan dig", ' in out
    assert out.endswith("1 passed, 0 failed\n")
    assert 'expect = ["plan dig", "done dig"]  # at first' in file.read_text("utf-8")
    written('expect = ["plan sing", "done *g", "sings"]\n', "two")
    assert run_tests([tmp_path], update=True, as_json=True, jobs=None) == 1
    (entry,) = json.loads(capsys.readouterr().out)["tests"]
    assert '+expect = ["plan dig", "done *g", "sings"]' in entry["difference"]
    assert "nothing came in its place: 'sings'" in entry["fault"]


def test_the_command_updates_cases_too(tmp_path, capsys):
    (tmp_path / "domain.py").write_text(
        'from bthtn import Domain, State\nyard = Domain("yard", State)\nyard.primitive("dig")\n'
    )
    file = tmp_path / "cases.toml"
    file.write_text('[one]\ntask = "dig"\nexpect = "no plan"  # yet\n')
    assert run_tests([file], update=True, as_json=False, jobs=None) == 0
    assert file.read_text("utf-8") == '[one]\ntask = "dig"\nexpect = "dig"  # yet\n'
    assert '-expect = "no plan"  # yet\n+expect = "dig"  # yet\n' in capsys.readouterr().out


YARD = 'domain = "domain.py"\ntask = "dig"\nexpect = "{}"  # yet\n'


def test_a_scenario_of_a_domain_is_tested_shown_and_updated_as_any_other(tmp_path, capsys):
    (tmp_path / "domain.py").write_text(
        'from bthtn import Domain, State\nyard = Domain("yard", State)\nyard.primitive("dig")\n'
    )
    file = tmp_path / "bone.scenario.toml"
    file.write_text(YARD.format("no plan"))
    assert run_tests([tmp_path], update=False, as_json=False, jobs=None) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{file}: bone\nexpected  no plan\nactual    dig\n")
    assert show_scenario(file, as_json=False) == 1
    assert capsys.readouterr().out.startswith("expected  no plan\nactual    dig\n")
    assert run_tests([tmp_path], update=True, as_json=False, jobs=None) == 0
    assert '+expect = "dig"  # yet\n' in capsys.readouterr().out
    assert file.read_text("utf-8") == YARD.format("dig")
    assert show_scenario(file, as_json=False) == 0
    assert capsys.readouterr().out == "as expected\n"
    assert show_scenario(file, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["fault"], told["events"]) == ("", [])


@pytest.mark.slow
def test_files_run_in_several_processes_with_the_same_results(written, capsys, tmp_path):
    for number in range(4):
        written(f'expect = ["done {"dig" if number % 2 else "growl"}"]\n', f"n{number}")
    assert run_tests([tmp_path], update=False, as_json=True, jobs=2) == 1
    several = json.loads(capsys.readouterr().out)
    assert run_tests([tmp_path], update=False, as_json=True, jobs=1) == 1
    assert json.loads(capsys.readouterr().out) == several
    assert [bool(one["fault"]) for one in several["tests"]] == [True, False, True, False]


def test_the_command_runs_cases_too(capsys, tmp_path):
    assert run_tests([Path("domains/combat")], update=False, as_json=False, jobs=None) == 0
    assert ", 0 failed" in capsys.readouterr().out
    with pytest.raises(InputError, match=r"BT404.*no cases.toml"):
        run_tests([tmp_path], update=False, as_json=False, jobs=None)
    with pytest.raises(InputError, match=r"BT404.*cannot read .*: No such file or directory"):
        run_tests([tmp_path / "nowhere"], update=False, as_json=False, jobs=None)
    (tmp_path / "x.toml").write_text("")
    with pytest.raises(InputError, match=r"BT404.*neither cases nor a scenario"):
        run_tests([tmp_path / "x.toml"], update=False, as_json=False, jobs=None)


@pytest.mark.parametrize("seed", [0, None])
def test_a_recorded_run_becomes_a_scenario_that_holds(written, tmp_path, seed):
    character = read_scenario(written("")).make()
    about = {"name": "tree.py", "seed": seed, "run": {"tree": "tree.py", "ticks": 9}}
    transcript, blocks = Transcript([character], about), []
    transcript.begin(blocks.append)
    while not character.finished:
        character.tick()
        transcript.tick()
    transcript.end(finished=True)
    recorded = tmp_path / "run.jsonl"
    recorded.write_text("".join(f"{line}\n" for block in blocks for line in texts(block)))
    scenario = tmp_path / "again.scenario.toml"
    write_scenario(recorded, scenario, None, "")
    text = scenario.read_text("utf-8")
    assert 'event = "plan dig"\nwithin = 1' in text
    assert text.count('"play succeeded"') == 3
    assert fault_of(scenario) == ""
    scenario.write_text(text.replace("done dig", "done growl", 1))
    assert fault_of(scenario).startswith("no 'done growl' within")
    write_scenario(recorded, scenario, 3, "Rex")
    assert "ticks = 3\n" in scenario.read_text("utf-8")


def test_what_is_no_recorded_run_becomes_no_scenario(tmp_path):
    head = {"recording": "bthtn-recording/1", "agents": [{"agent": "Ann", "beliefs": {}}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(head) + "\n")
    with pytest.raises(InputError, match="which tree it is of"):
        write_scenario(tmp_path / "run.jsonl", tmp_path / "a.scenario.toml", None, "")
    with pytest.raises(InputError, match=r"let it end in .scenario.toml"):
        write_scenario(tmp_path / "run.jsonl", tmp_path / "a.toml", None, "")
