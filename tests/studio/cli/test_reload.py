"""``bthtn run --reload``: a dog whose files are edited while he barks.

The edits are made by his world: the first one in the second tick, each further one when the one
before it was taken over or refused, which ends the run after the last.
"""

import json
import sys

import pytest

from bthtn.studio.cli import reload

KENNEL = '''
"""How a dog barks."""
from enum import Enum
from pathlib import Path

from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Operators


class Mood(Enum):
    CALM = 1
    CROSS = 2


class Dog(State):
    barks: Fluent[int] = fluent(default=0)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    loud: Fluent[bool] = fluent(default=True)


kennel = Domain("kennel", Dog)
bark = kennel.primitive("bark", effects=Dog.barks.increases(1))
operators = Operators()
SIGN = Path(__file__).with_name("sign.txt").read_text()
WORD = "woof"


@operators.bind(bark)
def _bark(agent):
    agent.body.said.append(WORD + SIGN)
'''

YARD = '''
"""Where a dog lives, and what is done to his files there."""
import json
from pathlib import Path

from .kennel import Mood


class Yard:
    def __init__(self):
        self.mood = Mood.CROSS  # of the code of before, all the time
        self.tick, self.said = 0, []
        self.edits = json.loads(Path("edits.json").read_text())

    def step(self):
        self.tick += 1
        if self.tick == 2:
            self.edit()

    def hear(self, event):
        if type(event).__name__ in ("AgentReloaded", "ReloadFailed"):
            self.edit()

    def edit(self):
        for name, before, after in self.edits.pop(0) if self.edits else ():
            file = Path("trees/dog", name)
            text = file.read_text()
            assert before in text, (before, text)
            if after is None:
                file.unlink()
            else:
                file.write_text(text.replace(before, after))
'''

TREE = '''
"""A dog."""
from bthtn.behaviours import Agent, Character, PlanGoal

from .kennel import Dog, bark, kennel, operators
from .yard import Yard


def character(seed=0, running=None):
    yard = Yard() if running is None else running.agent.body
    agent = Agent("Rex", kennel, Dog(), body=yard, operators=operators, listener=yard.hear)
    if running is not None:
        agent = running.agent.reload(agent)
    root = PlanGoal("bark", agent, bark())

    def sense():
        yard.step()
        agent.believe(Dog.mood, yard.mood)

    return Character(root, agent, sense=sense, finished=lambda: "END" in "".join(yard.said))
'''


@pytest.fixture(name="dog")
def dog_fixture(bthtn, tmp_path, monkeypatch):
    """Runs a dog while his files are edited; the answer of the command, as plain data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reload, "PACE", 20)
    folder = tmp_path / "trees" / "dog"
    folder.mkdir(parents=True)
    for name, text in (("kennel.py", KENNEL), ("yard.py", YARD), ("tree.py", TREE)):
        (folder / name).write_text(text)
    (folder / "sign.txt").write_text("!")
    modules = set(sys.modules)

    def run(*edits, options=("--json", "--ticks", 2_000)):
        (tmp_path / "edits.json").write_text(json.dumps(edits))
        return bthtn("run", "trees/dog", "--reload", *options)

    yield run
    for name in set(sys.modules) - modules:
        if name.startswith("_bthtn_"):
            del sys.modules[name]


def events(answer, *kinds):
    ticks = json.loads(answer.out)["ticks"]
    return [event for tick in ticks for event in tick["events"] if event["event"] in kinds]


def end(before, name="kennel.py"):
    """The edit after which the run ends."""
    return [[name, before, "END"]]


def test_an_edit_is_taken_over_while_the_tree_runs(dog):
    answer = dog(end("woof"))
    assert answer.code == 0, answer.err
    assert [one["name"] for one in events(answer, "agent_reloaded")] == ["Rex"]
    assert json.loads(answer.out)["finished"]


def test_an_edit_of_a_file_that_is_not_python_reloads_too(dog):
    answer = dog(end("!", "sign.txt"))
    assert answer.code == 0, answer.err
    assert events(answer, "agent_reloaded")


def test_a_broken_edit_leaves_it_running_and_names_file_line_and_mend(dog):
    line = KENNEL[: KENNEL.index("WORD")].count("\n") + 1
    mended = [["kennel.py", '= = "woof"', '= "END"']]
    answer = dog([["kennel.py", '= "woof"', '= = "woof"']], mended)
    assert answer.code == 0, answer.err
    (failed,) = events(answer, "reload_failed")
    assert f"trees/dog/kennel.py:{line}" in failed["reason"]
    assert "SyntaxError" in failed["reason"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("WORD =", "raise ValueError('oh') ; WORD =", "ValueError: oh"),
        ("WORD =", "import no_such_thing ; WORD =", "no_such_thing"),
        ('"bark", effects', '"bark", precondition=Dog.lout, effects', "did you mean 'loud'?"),
        ("@operators.bind(bark)", "@operators.bind(wuff)", "NameError"),
    ],
)
def test_a_mistake_is_told_and_may_be_mended(dog, before, after, said):
    mended = [["kennel.py", after, before], ["kennel.py", "woof", "END"]]
    answer = dog([["kennel.py", before, after]], mended)
    assert answer.code == 0, answer.err
    (failed,) = events(answer, "reload_failed")
    assert said in failed["reason"]
    assert "kennel.py" in failed["reason"] or "[BT102]" in failed["reason"]


def test_what_is_lost_is_told(dog):
    answer = dog(
        [
            ["kennel.py", "loud: Fluent[bool] = fluent(default=True)", ""],
            ["kennel.py", "woof", "END"],
        ]
    )
    (told,) = events(answer, "agent_reloaded")
    assert told["lost"] == []
    assert told["defaulted"] == []


def test_a_deleted_file_changes_nothing(dog, tmp_path):
    answer = dog([["kennel.py", "WORD", None]], options=("--json", "--ticks", 40))
    assert answer.code == 1
    assert "No module named" in events(answer, "reload_failed")[0]["reason"]
    assert json.loads(answer.out)["ticks"][-1]["events"]


def test_the_timeline_says_what_was_reloaded(dog):
    answer = dog(end("woof"), options=("--only", "reloads"))
    assert "Rex reloaded kennel" in answer.out


def test_a_tree_that_makes_its_world_anew_cannot_be_reloaded(dog, tmp_path):
    file = tmp_path / "trees" / "dog" / "tree.py"
    file.write_text(TREE.replace("seed=0, running=None", "seed=0").replace("running", "None"))
    answer = dog(options=())
    assert answer.code == 2
    assert "[BT432] 'dog' cannot be reloaded" in answer.err
    assert "running: Character | None = None" in answer.err


def test_without_watchfiles_the_extra_is_named(dog, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    answer = dog(options=())
    assert answer.code == 2
    assert "[BT433]" in answer.err
    assert 'pip install "bthtn[reload]"' in answer.err
