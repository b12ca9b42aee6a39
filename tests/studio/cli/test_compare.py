"""``bthtn compare``: what differs between two versions, over many seeds."""

import json
import re
import shutil
import sys
from pathlib import Path

import joblib
import pytest

from bthtn.examples import domains
from bthtn.kit.formats.project import project_in
from bthtn.studio.compare import Comparison

DOG = """
from random import Random

from bthtn import Domain, Fluent, Methods, State, fluent, method
from bthtn.behaviours import Agent, Character, PlanGoal

from domains.yard import PATIENCE


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    wet: Fluent[bool] = fluent(default=False)
    note: Fluent[str] = fluent(default="")


yard = Domain("yard", Dog)
dig = yard.primitive("dig", actual=Dog.bones.increases(1), duration=2)
bark = yard.primitive("bark", duration=PATIENCE)


@yard.compound
def play() -> Methods:
    yield method(dig(), bark(), when=~Dog.wet)
    yield method(bark())


def character(seed=0):
    agent = Agent("dog", yard, Dog(), body=None)
    wet_at = Random(seed).randrange(4, 12)

    def sense():
        if made.ticks == FAULT and seed == 1:
            raise RuntimeError("it rains")
        agent.believe(Dog.wet, made.ticks >= wet_at)

    made = Character(PlanGoal("play", agent, play()), agent, sense=sense,
                     finished=lambda: agent.beliefs.now.bones > 3 or made.ticks > 20)
    return made


FAULT = 0
"""


@pytest.fixture(autouse=True)
def projects(tmp_path, monkeypatch):
    """Two versions of a project, with modules of the same names; the older one is the folder."""
    for name, patience in (("old", 1), ("new", 2)):
        tree = tmp_path / name / "trees" / "dog" / "tree.py"
        yard = tmp_path / name / "domains" / "yard.py"
        for file, text in ((tree, DOG), (yard, f"PATIENCE = {patience}\n")):
            file.parent.mkdir(parents=True)
            file.write_text(text, "utf-8")
        (yard.parent / "__init__.py").touch()
    monkeypatch.chdir(tmp_path / "old")
    return tmp_path


NEW = "dog@../new"
HERE = ("--jobs", "1")


def test_a_version_does_the_same_as_itself(bthtn):
    answer = bthtn("compare", "dog", "dog", "--seeds", "0-4", *HERE)
    assert answer.code == 0
    assert "5 seeds, 5 of them the same" in answer.out
    assert "states that lead" not in answer.out


def test_the_table_says_what_an_edit_changes(bthtn):
    answer = bthtn("compare", "dog", NEW, "--seeds", "0-7", "--measure", "bones", *HERE)
    assert answer.code == 1
    assert "b: dog@../new" in answer.out
    assert "8 seeds, 0 of them the same" in answer.out
    assert re.search(r"bones +│ 1.875 │ 1.625 │ -0.25 │ +8 │ +2 │", answer.out)
    assert "seeds that differ most" in answer.out


@pytest.mark.slow
def test_modules_of_the_same_name_are_those_of_their_own_version(bthtn):
    answer = bthtn("compare", "dog", NEW, "--seeds", "3", "--json", *HERE)
    assert json.loads(answer.out)["difference"]["tick"] > 0  # barking takes a tick longer
    assert "domains.yard" not in sys.modules


def test_the_row_of_a_seed_as_json_has_measures_and_the_first_plan_that_differs(bthtn, projects):
    yard = projects / "new" / "domains" / "yard.py"
    yard.write_text("PATIENCE = 1\n")
    tree = projects / "new" / "trees" / "dog" / "tree.py"
    tree.write_text(DOG.replace("method(dig(), bark(), when=~Dog.wet)", "method(dig(), dig())"))
    answer = bthtn("compare", "dog", NEW, "--seeds", "0-5", "--measure", "count leaf_started bark",
                   "--measure", "bones > 1", "--json", *HERE)  # fmt: skip
    rows = [json.loads(line) for line in answer.out.splitlines()]
    assert answer.code == 1
    assert [(row["seed"], row["same"]) for row in rows] == [(seed, False) for seed in range(6)]
    for row in rows:
        assert row["a.count leaf_started bark"] > row["b.count leaf_started bark"] == 0
        assert row["b.bones > 1"] is True
        plan = row["decision"]
        assert (plan["a"], plan["b"]) == ("(dig, bark)", "(dig, dig)")
        assert plan["state"] == {"bones": 0, "wet": False, "note": ""}


def test_a_character_that_is_no_function_runs_from_its_beginning_for_each_seed(bthtn, projects):
    tree = projects / "old" / "trees" / "dog" / "tree.py"
    tree.write_text(f"{DOG}\ncharacter = character()\n")
    out = projects / "out.jsonl"
    assert bthtn("compare", "dog", "dog", "--seeds", "0-1", "-o", out, *HERE).code == 0
    one, other = (json.loads(line) for line in out.read_text().splitlines())
    assert one["a.events"] == other["a.events"]


def test_an_exception_in_a_world_is_a_result(bthtn, projects):
    tree = projects / "new" / "trees" / "dog" / "tree.py"
    tree.write_text(DOG.replace("FAULT = 0", "FAULT = 3"))
    out = projects / "out.jsonl"
    assert bthtn("compare", "dog", NEW, "--seeds", "0-1", "-o", out, *HERE).code == 1
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["b.error"] for row in rows] == ["", "RuntimeError: it rains"]
    assert rows[1]["b.finished"] is False


@pytest.mark.slow
def test_the_file_has_a_line_for_each_seed_and_an_interrupted_comparison_goes_on(bthtn, projects):
    out = projects / "out.jsonl"
    line = ("compare", "dog", NEW, "--json", "-o", out, *HERE, "--seeds")
    first = bthtn(*line, "0-9")
    whole = out.read_bytes()
    rows = [json.loads(text) for text in whole.splitlines()]
    assert [row["seed"] for row in rows] == list(range(10))
    assert {"a.ticks", "b.ticks", "a.events", "a.beliefs", "difference"} <= set(rows[0])
    out.write_bytes(whole[: len(whole) // 2])
    assert bthtn(*line, "0-9") == first
    assert out.read_bytes() == whole


@pytest.mark.slow
def test_results_of_other_measures_or_files_do_not_come_into_one_file(bthtn, projects):
    out = projects / "out.jsonl"
    line = ("compare", "dog", NEW, "--seeds", "0-2", "-o", out, *HERE)
    assert bthtn(*line).code == 1
    other = bthtn(*line, "--measure", "bones")
    assert (other.code, "[BT493]" in other.err) == (2, True)
    (projects / "new" / "domains" / "yard.py").write_text("PATIENCE = 3\n")
    project_in.cache_clear()  # as in the process of another command
    edited = bthtn(*line)
    assert edited.code == 2
    assert "a file was edited since" in edited.err


HOUSE = """
from bthtn import Domain, Fluent, Methods, State, fluent, method

class World(State):
    lit: Fluent[bool] = fluent(default=False)
    steps: Fluent[int] = fluent(default=0)

house = Domain("house", World)
light = house.primitive("light", effects=World.lit.becomes(True))
read = house.primitive("read", precondition=World.lit)

@house.compound
def evening() -> Methods:
    yield method(read(), when=World.lit)
"""


def test_domains_are_compared_from_states_that_the_seeds_draw(bthtn, projects):
    for name in ("old", "new"):
        file = projects / name / "domains" / "house" / "domain.py"
        file.parent.mkdir()
        more = "    yield method(light(), read())\n" if name == "new" else ""
        file.write_text(HOUSE + more)
    line = ("compare", "house", "house@../new", "--task", "evening", "--seeds", "0-7",
            "--set", "steps=1", "--set", "steps=2", *HERE)  # fmt: skip
    rows = [json.loads(text) for text in bthtn(*line, "--json").out.splitlines()]
    assert all(row["b.planned"] for row in rows)
    other = [row for row in rows if not row["same"]]
    assert 0 < len(other) < 8
    for row in other:
        assert (row["a.planned"], row["a.cost"], row["b.cost"]) == (False, None, 2)
        plan = row["decision"]
        assert (plan["a"], plan["b"]) == ("", "(light, read)")
        assert plan["state"]["lit"] is False
        assert plan["state"]["steps"] in (1, 2)
    known = 8 - len(other)
    assert re.search(rf"cost +│ +1 │ +1 │ +\+0 │ +{known} │ +0 │", bthtn(*line).out)


@pytest.mark.slow
def test_settings_of_a_search_are_compared(bthtn):
    line = ("compare", "combat", "combat", "--seeds", "0-9", *HERE, "--json", "--task", "fight")
    answer = bthtn(*line, "--b", "horizon=1")
    assert answer.code == 1, answer.err
    rows = [json.loads(line) for line in answer.out.splitlines()]
    steps = [(row["a.steps"], row["b.steps"]) for row in rows if row["a.planned"]]
    assert all(a >= b for a, b in steps)
    assert any(a > b for a, b in steps)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("dog", "cat"), "BT401"),
        (("dog", "dog@../none"), "there is no folder '../none'"),
        (("dog", NEW, "--seeds", "9-1"), "--seeds 9-1: no seeds"),
        (("dog", NEW, "--seeds", "0-99999999999999"), "or more than 10,000,000"),
        (("dog", NEW, "--seeds", "-1"), "BT409"),
        (("dog", NEW, "--measure", "bonse"), "[BT494] 'bonse' is no measure"),
        (("dog", NEW, "--measure", "bonse"), "did you mean 'bones'?"),
        (("dog", NEW, "--measure", "count leaf_started2 bark"), "no events 'leaf_started2'"),
        (("dog", NEW, "--measure", "count lef_started"), "did you mean 'leaf_started'?"),
        (("dog", NEW, "--measure", "planned"), "[BT494] 'planned' is no measure"),
        (("dog", NEW, "--b", "horizon=1"), "settings of a search go with a task"),
        (("dog", NEW, "--b", "horzon=1"), "did you mean 'horizon'"),
        (("dog", NEW, "--b", "horizon=far"), "'horizon=far' is no setting"),
        (("dog", NEW, "-o", "none/out.jsonl"), "[BT404]"),
        (("dog", NEW, "-o", "/dev/full"), "cannot keep results in /dev/full"),
    ],
)
def test_bad_input_is_one_error(bthtn, words, said):
    answer = bthtn("compare", *words, *HERE)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("[BT") == 1
    assert answer.out == ""


def test_an_edit_of_an_example_that_would_not_be_imported_is_an_error(bthtn, projects):
    domain = projects / "edit" / "domains" / "combat" / "domain.py"
    domain.parent.mkdir(parents=True)
    domain.touch()
    answer = bthtn("compare", "soldier", "soldier@../edit", *HERE)
    assert answer.code == 2
    assert "combat would not be imported: it has no __init__.py" in answer.err


def test_an_edit_of_an_example_takes_the_place_of_what_is_shipped(bthtn, projects):
    combat = projects / "edit" / "domains" / "combat"
    shutil.copytree(Path(domains.__path__[0], "combat"), combat)
    text = (combat / "domain.py").read_text()
    (combat / "domain.py").write_text(text.replace("wait(3), reload()", "wait(1), reload()"))
    answer = bthtn("compare", "soldier", "soldier@../edit", "--seeds", "0", "--json", *HERE)
    plan = json.loads(answer.out)["decision"]
    table = bthtn("compare", "soldier", "soldier@../edit", "--seeds", "0", *HERE)
    assert "states that lead to other plans" in table.out
    assert "(wait(1), reload)" in table.out
    assert "state of the first" in table.out
    assert "(wait(3), reload)" in plan["a"]
    assert plan["b"] == plan["a"].replace("wait(3)", "wait(1)")


def test_both_sides_are_loaded_before_the_first_seed(bthtn, projects):
    (projects / "new" / "trees" / "dog" / "tree.py").write_text("1 / 0")
    answer = bthtn("compare", "dog", NEW, *HERE)
    assert answer.code == 2
    assert "ZeroDivisionError" in answer.err


@pytest.fixture(name="killing")
def killing_fixture(projects):
    """The new version kills the first process that runs its seed 7; the file says that it did."""
    killing = """
    if seed == 7 and not Path("died").exists():
        Path("died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
"""
    text = DOG.replace("def character(seed=0):", f"def character(seed=0):{killing}")
    tree = projects / "new" / "trees" / "dog" / "tree.py"
    tree.write_text(f"import os\nimport signal\nfrom pathlib import Path\n{text}")
    return projects / "new" / "died"


KILLING = ("compare", "dog", NEW, "--seeds", "0-11")


@pytest.mark.slow  # a batch does the same, tests/studio/batch
def test_after_a_killed_worker_the_result_is_complete_and_it_is_reported(bthtn, projects, killing):
    out = projects / "out.jsonl"
    line = (*KILLING, "--json", "-o", out, "--jobs")
    answer = bthtn(*line, "2")
    assert killing.exists()
    assert answer.err.startswith("a worker died; what has no result yet is run again, from ")
    whole = out.read_bytes()
    assert answer.out == whole.decode()
    assert len(answer.out.splitlines()) == 12
    out.unlink()
    assert bthtn(*line, "1").out == answer.out
    assert out.read_bytes() == whole


def test_the_seeds_run_wherever_joblib_is_told_to(projects):
    comparison = Comparison.of("dog", NEW, measures=["bones"])
    with joblib.parallel_config("threading", n_jobs=2):
        rows = joblib.Parallel()(joblib.delayed(comparison)(seed) for seed in range(4))
    assert rows == [comparison(seed) for seed in range(4)]
    assert [row["seed"] for row in rows] == [0, 1, 2, 3]
