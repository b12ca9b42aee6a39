"""``bthtn run --record`` and ``bthtn replay``: the same again, or the first difference."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bthtn.errors import InputError
from bthtn.kit.recording import Recording
from bthtn.studio.cli.replay_command import replay
from bthtn.studio.cli.run import play

ROOT = Path(__file__).resolve().parents[3]

DOG = """
from bthtn import Domain, Fluent, Methods, State, fluent, method
from bthtn.behaviours import Agent, Character, PlanGoal


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    wet: Fluent[bool] = fluent(default=False)


yard = Domain("yard", Dog)
dig = yard.primitive("dig", actual=Dog.bones.increases(1), duration=2)
bark = yard.primitive("bark", duration=1)


@yard.compound
def play() -> Methods:
    yield method(dig(), bark(), when=~Dog.wet)
    yield method(bark())


def character(seed=0):
    agent = Agent("dog", yard, Dog(), body=None)

    def sense():
        agent.believe(Dog.wet, made.ticks == 8)

    made = Character(PlanGoal("play", agent, play()), agent, sense=sense,
                     finished=lambda: agent.beliefs.now.bones > seed)
    return made
"""


@pytest.fixture(autouse=True)
def dog(tmp_path, monkeypatch):
    """The file of a tree in the current folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "trees" / "dog" / "tree.py"
    file.parent.mkdir(parents=True)
    file.write_text(DOG)
    return file


def recorded(tree="dog", file="run.jsonl", *, seed=4, ticks=None):
    play(*[tree], ticks=ticks, seed=seed, as_json=True, record=Path(file))
    return Path(file)


def replayed(file, capsys):
    capsys.readouterr()
    code = replay(Path(file), as_json=False)
    return code, capsys.readouterr().out


@pytest.mark.parametrize("file", ["run.jsonl", "run.jsonl.gz"])
def test_the_same_inputs_give_the_same_lines(capsys, file):
    code, out = replayed(recorded(file=file), capsys)
    assert code == 0
    assert re.fullmatch(r"the same: 1\d ticks, \d\d events\n", out)


def test_a_run_that_was_too_short_is_replayed_for_as_many_ticks(capsys):
    assert replayed(recorded(ticks=3), capsys) == (0, "the same: 3 ticks, 7 events\n")


def test_a_changed_domain_gives_the_first_difference_with_its_tick_and_cause(dog, capsys):
    file = recorded()
    dog.write_text(
        DOG.replace(
            '"dig", actual=Dog.bones.increases(1), duration=2',
            '"dig", actual=Dog.bones.increases(1), duration=3',
        )
    )
    code, out = replayed(file, capsys)
    assert code == 1
    first, was, now = out.splitlines()
    assert first == (
        "the first difference is in tick 3: there is the beginning of tick 4"
        " instead of belief_changed bones of dog"
    )
    assert was.startswith('  recorded  {"event":"')
    assert now.startswith("  replayed  {")


def test_a_changed_plan_says_which_plan_there_is_instead(dog, capsys):
    file = recorded()
    dog.write_text(
        DOG.replace("yield method(dig(), bark(), when", "yield method(dig(), dig(), when")
    )
    code, out = replayed(file, capsys)
    assert code == 1
    assert (
        'in tick 1: in plan_adopted play of dog, plan.plan is "(dig, dig)" instead of "(dig, bark)"'
        in out
    )


def test_a_changed_belief_at_the_beginning_is_named(dog, capsys):
    file = recorded()
    dog.write_text(DOG.replace("Dog(), body", "Dog(bones=1), body"))
    code, out = replayed(file, capsys)
    assert code == 1
    assert "in tick 0: in the first line, agents[0].beliefs.bones is 1 instead of 0\n" in out


def test_a_run_that_ends_sooner_differs(dog, capsys):
    file = recorded()
    dog.write_text(DOG.replace("bones > seed", "bones > 0"))
    code, out = replayed(file, capsys)
    assert code == 1
    assert "there is the stop of the run instead of the beginning of tick 4" in out


def test_lines_behind_the_last_one_are_a_difference(capsys):
    file = recorded(ticks=2)
    with file.open("a") as lines:
        lines.write('{"event":"dream"}\n')
    code, out = replayed(file, capsys)
    assert code == 1
    assert "is over where the recording has dream\n" in out


def test_json_has_the_difference_with_both_lines(dog, capsys):
    file = recorded()
    capsys.readouterr()
    assert replay(file, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["same"], found["whole"], found["difference"]) == (True, True, None)
    dog.write_text(DOG.replace("increases(1)", "increases(2)"))
    assert replay(file, as_json=True) == 1
    found = json.loads(capsys.readouterr().out)["difference"]
    assert json.loads(found["recorded"])["event"] == "belief_changed"
    assert '"after":2' in found["replayed"]
    assert "change.after is 2 instead of 1" in found["cause"]


def test_a_run_that_raises_says_so_in_its_last_line_and_is_the_same_again(dog, capsys):
    dog.write_text(DOG.replace("agent.believe(", "1 / (made.ticks - 4); agent.believe("))
    with pytest.raises(InputError, match="ZeroDivisionError"):
        recorded()
    recording = Recording.read("run.jsonl")
    assert recording.end["finished"] is False
    assert "ZeroDivisionError" in recording.end["reason"]
    assert replayed("run.jsonl", capsys)[0] == 0


def changed(file, **keys):
    first, *rest = file.read_text().splitlines(keepends=True)
    file.write_text("".join([json.dumps(json.loads(first) | keys) + "\n", *rest]))


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"run": None}, "'bthtn run' has not made it"),
        ({"run": {"tree": "dog", "ticks": None, "reload": True}}, "edited while it ran"),
        ({"seed": None}, "it has no seed"),
    ],
)
def test_what_was_not_made_by_the_command_cannot_be_run_again(keys, why):
    changed(recorded(), **keys)
    with pytest.raises(InputError, match=f"BT461.*{why}"):
        replay(Path("run.jsonl"), as_json=False)


def test_the_command_says_where_the_recording_is(capsys):
    play(
        "dog",
        ticks=2,
        seed=4,
        as_json=False,
        record=Path("run.jsonl"),
        out=Path("out"),
    )
    assert "\nrecording: run.jsonl\n" in capsys.readouterr().out


def test_a_recording_that_cannot_be_written_is_refused_before_the_run():
    with pytest.raises(InputError, match="BT404"):
        recorded(file="no/run.jsonl")


@pytest.mark.parametrize(
    "tree",
    [
        "soldier",
        pytest.param("squad", marks=pytest.mark.slow),
        pytest.param("brawler", marks=pytest.mark.slow),
    ],
)
def test_a_new_process_with_other_hashes_replays_byte_by_byte(tree):
    recorded(tree, seed=3)
    own = os.environ.get("PYTHONHASHSEED")
    done = subprocess.run(
        [sys.executable, "-m", "bthtn", "replay", "run.jsonl"],
        env=os.environ | {"PYTHONHASHSEED": "1" if own == "2" else "2", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"the same: \d+ ticks, \d+ events\n", done.stdout)


def ticks_in(name):
    try:
        return len(Recording.read(name).ticks)
    except InputError:  # its first line is missing
        return 0


SLOW = DOG.replace(
    "def sense():",
    """def sense():
        import sys
        if made.ticks > 6:
            print("six", flush=True)
            sys.stdin.read()""",
)


@pytest.mark.parametrize(
    "name", ["run.jsonl", pytest.param("run.jsonl.gz", marks=pytest.mark.slow)]
)
def test_a_run_that_was_killed_can_be_read_and_replayed(dog, capsys, name):
    dog.write_text(SLOW)
    running = subprocess.Popen(
        [sys.executable, "-m", "bthtn", "run", "dog", "--seed", "4", "--record", name, "--json"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with running:
        assert running.stdout.readline() == "six\n"
        for _ in range(20_000):  # what waits to be written
            if ticks_in(name) == 6:
                break
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    recording = Recording.read(name)
    assert recording.end is None
    assert len(recording.ticks) == 6
    assert recording.at(5, "dog").beliefs["bones"] == 1
    dog.write_text(DOG)
    code, out = replayed(name, capsys)
    assert code == 0
    assert re.fullmatch(r"the same as far as the recording goes: 6 ticks, \d+ events\n", out)


def test_a_tree_that_is_gone_cannot_be_replayed(dog):
    file = recorded()
    shutil.rmtree(dog.parent)
    with pytest.raises(InputError, match=r"BT461.*of the tree 'dog', which bthtn list does not"):
        replay(file, as_json=False)


@pytest.fixture
def evil(tmp_path):
    """A tree that leaves a file behind when it is imported, beside the user's own."""
    (tmp_path / "evil").mkdir()
    text = f"open({str(tmp_path / 'canary')!r}, 'w').close()\n{DOG}"
    for file in (tmp_path / "evil" / "tree.py", tmp_path / "evil.py"):
        file.write_text(text)
    return tmp_path / "canary"


@pytest.mark.parametrize(
    "tree",
    [
        *("./evil", "evil.py", "evil:character", "trees/dog/../../evil", "{folder}/evil/tree.py"),
        *("os:abort", "antigravity:x", "trees/dog/tree.py", "", "\x1b[2J", "x" * 9_000),
    ],
)
def test_a_recording_imports_no_tree_that_is_not_listed_unless_it_is_typed(tmp_path, evil, tree):
    file = recorded()
    changed(file, run={"tree": tree.format(folder=tmp_path), "ticks": None, "reload": False})
    with pytest.raises(InputError, match=r"BT461.*bthtn list does not show") as refused:
        replay(file, as_json=False)
    assert "bthtn replay run.jsonl TREE" in str(refused.value)
    assert len(str(refused.value)) < 400
    assert not evil.exists()


def test_a_tree_that_is_typed_is_replayed_wherever_it_is(dog, capsys):
    dog.rename("elsewhere.py")
    play("elsewhere.py", ticks=None, seed=4, as_json=True, record=Path("run.jsonl"))
    capsys.readouterr()
    assert replay(Path("run.jsonl"), "elsewhere.py", as_json=False) == 0
    assert capsys.readouterr().out.startswith("the same: ")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"end":"x"}', "BT461.*its end is 'x'"),
        ('{"end":-3}', "BT461.*its end is -3"),
        ('{"end":', "BT460.*no JSON object.*"),
        ("[[" * 9_000, "BT460.*no JSON object"),
    ],
)
def test_a_recording_with_a_damaged_last_line_is_refused(line, why):
    file = recorded()
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(InputError, match=why):
        replay(file, as_json=False)


@pytest.mark.parametrize(
    ("ran", "typed", "scenario", "entry"),
    [
        ("dog", "", "x", "dog"),
        ("trees/dog", "", "other/x", "trees/dog"),
        ("trees/dog/tree.py", "", "x", "trees/dog/tree.py"),
        ("trees/dog/tree.py", "trees/dog/tree.py", "trees/dog/x", "tree.py"),
        ("trees/dog/tree.py", "dog", "other/x", "dog"),
        ("elsewhere/dog.py", "", "x", "elsewhere/dog.py"),
        ("elsewhere/dog.py", "elsewhere/dog.py", "elsewhere/x", "dog.py"),
        ("elsewhere.dog:character", "elsewhere/dog.py", "x", "elsewhere/dog.py"),
    ],
)
def test_a_scenario_of_a_recording_is_run_by_bthtn_test(bthtn, put, ran, typed, scenario, entry):
    put("elsewhere/dog.py", DOG)
    put("other/empty", "")
    recorded(ran)
    written = Path(f"{scenario}.scenario.toml")
    answer = bthtn("replay", "run.jsonl", *filter(None, [typed]), "--scenario", written)
    assert (answer.code, answer.out, answer.err) == (0, f"wrote {written}\n", "")
    assert written.read_text().startswith(f'tree = "{entry}"\n')
    again = bthtn("test", written)
    assert (again.code, again.out, again.err) == (0, "1 passed, 0 failed\n", "")


@pytest.mark.parametrize(
    ("ran", "typed", "wrong"),
    [
        (
            "elsewhere.dog:character",
            [],
            "BT461] run.jsonl is of the tree 'elsewhere.dog:character', wh",
        ),
        ("elsewhere/dog.py", [], "hint: name it as from here: bthtn replay run.jsonl TREE --scen"),
        (
            "elsewhere/dog.py",
            ["elsewhere/dog.py"],
            "it beside the tree: --scenario elsewhere/x.scen",
        ),
        ("dog", ["elsewhere.dog:character"], "which may say 'from elsewhere.dog import character'"),
        ("dog", ["dig"], "there is no tree 'dig'"),
    ],
)
def test_a_tree_that_the_scenario_could_not_name_is_not_written(bthtn, put, ran, typed, wrong):
    put("elsewhere/dog.py", DOG)
    recorded(ran)
    answer = bthtn("replay", "run.jsonl", *typed, "--scenario", put("other/x.scenario.toml", ""))
    assert (answer.code, answer.out) == (2, "")
    assert wrong in answer.err
    assert not Path("other/x.scenario.toml").read_text()


def test_a_scenario_of_a_recording_loads_no_tree_that_only_the_recording_names(bthtn, evil):
    recorded()
    for tree in ("./evil", "evil:character", "evil.py"):
        changed(Path("run.jsonl"), run={"tree": tree, "ticks": None, "reload": False})
        bthtn("replay", "run.jsonl", "--scenario", "x.scenario.toml")
        assert not evil.exists()
