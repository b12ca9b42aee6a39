"""``bthtn fuzz``: what it finds, writes, keeps and refuses."""

import json
import sys

import pytest

KITCHEN = """
from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Sensors


class Cook(State):
    guests: Fluent[int] = fluent(default=0, volatile=True)
    hot: Fluent[bool] = fluent(default=False)
    soups: Fluent[int] = fluent(default=0)


kitchen = Domain("kitchen", Cook)
heat = kitchen.primitive("heat", effects=Cook.hot.becomes(True))
soup = kitchen.primitive("soup", precondition=Cook.hot, effects=Cook.soups.increases(1))


@kitchen.compound
def cooking():
    yield method(soup(), when=Cook.hot)
    yield method(heat(), soup())


sensors = Sensors()


@sensors.sensor(Cook.guests)
def eyes(agent):
    agent.body[0] += 1
    return agent.body[0] % 2


operators = Operators()
operators.simulate(soup)


@operators.bind(heat)
def stove(agent):
    for _ in range(3):
        yield


def character(seed=0):
    ann = Agent("Ann", kitchen, Cook(), body=[0], operators=operators, sensors=sensors)
    return Character(PlanGoal("cook", ann, cooking()), ann, sense=lambda: None)
"""
COLD = """

def invariants(character):
    if character.ticks == 6 and not character.agent.beliefs.now.hot:
        yield "the oven is cold"
"""
OPERATOR = """    for _ in range(3):
        yield
"""
CARELESS = """    try:
        for _ in range(3):
            yield
    except GeneratorExit:
        raise ValueError("burnt") from None
"""

WRONG = """


def invariants(character):
    yield "never right"
"""
ONLY_FILES = {
    "tree.xml": """<root BTCPP_format="4"><BehaviorTree ID="guard">
  <PlanGoal name="duty" goal="walk"/>
</BehaviorTree></root>""",
    "tasks.xml": """<root BTCPP_format="4">
<BehaviorTree ID="walk"><Command name="go"/></BehaviorTree>
</root>""",
    "character.toml": 'simulate = ["walk"]\n\n[beliefs]\nlit = false\n',
    "operators.py": WRONG,
}


@pytest.fixture(name="kitchen")
def kitchen_fixture(put):
    """Writes the tree, with more at its end."""
    return lambda more="", text=KITCHEN: put("trees/kitchen/tree.py", text + more)


@pytest.fixture(name="fuzz")
def fuzz_fixture(bthtn):
    """Calls the command for the kitchen, in this process."""
    return lambda *arguments: bthtn("fuzz", "kitchen", "--jobs", 1, "--ticks", 12, *arguments)


def test_nothing_is_found_where_nothing_is_wrong(kitchen, fuzz, here):
    kitchen()
    answer = fuzz("--runs", 30)
    assert (answer.code, answer.out, answer.err) == (0, "50 runs, nothing found\n", "")
    assert [one.name for one in here.iterdir()] == ["trees"], "nothing is left there"


def test_a_failure_becomes_a_short_scenario_that_the_tests_run(kitchen, fuzz, bthtn, here):
    kitchen(text=KITCHEN.replace(OPERATOR, CARELESS))
    answer = fuzz()
    assert answer.code == 1
    assert answer.out.startswith("heat raised: ValueError: burnt")
    assert "wrote kitchen_fuzz.scenario.toml: bthtn test kitchen_fuzz.scenario.toml" in answer.out
    written = (here / "kitchen_fuzz.scenario.toml").read_text()
    assert written.count("[[when]]") == 1
    assert 'interrupt = ["cook"]' in written
    again = bthtn("test", "kitchen_fuzz.scenario.toml")
    assert again.code == 1
    assert "heat raised: ValueError: burnt" in again.out
    kitchen()
    mended = bthtn("test", "kitchen_fuzz.scenario.toml")
    assert (mended.code, mended.out) == (0, "1 passed, 0 failed\n")


def test_invariants_of_the_tree_are_tried_and_what_is_fixed_is_left_alone(kitchen, fuzz, here):
    kitchen(COLD)
    found = json.loads(fuzz("--json", "--scenario", "cold.scenario.toml").out)
    assert found["format"] == "bthtn-fuzz/1"
    assert found["fault"].startswith("the oven is cold, in tick 6\n")
    assert found["scenario"] == "cold.scenario.toml"
    assert (here / "cold.scenario.toml").is_file()
    fixed = ("--fixed", "heat", "--fixed", "cook", "--fixed", "guests")
    answer = fuzz("--runs", 25, *fixed, "--json")
    assert json.loads(answer.out) == {
        "format": "bthtn-fuzz/1",
        "runs": 25,
        "fault": "",
        "scenario": None,
    }


def test_an_interrupted_search_goes_on_where_it_stopped(kitchen, fuzz, here):
    kitchen()
    kept = here / "rounds.jsonl"
    fuzz("--runs", 25, "-o", kept)
    begun = kept.read_bytes()
    assert [json.loads(line)["round"] for line in begun.splitlines()] == [0]
    assert fuzz("--runs", 50, "-o", kept).out == "50 runs, nothing found\n"
    assert kept.read_bytes().startswith(begun)
    kitchen("\n")
    other = fuzz("--runs", 50, "-o", kept)
    assert other.code == 2
    assert "BT493" in other.err


def test_it_stops_when_its_time_is_over(kitchen, fuzz):
    kitchen()
    assert fuzz("--seconds", 0, "--runs", 10_000).out == "25 runs, nothing found\n"


@pytest.mark.slow
def test_workers_find_what_one_process_finds(kitchen, fuzz, here):
    kitchen(COLD)
    fuzz("--scenario", "one.scenario.toml")
    fuzz("--jobs", 2, "--scenario", "two.scenario.toml")
    one, two = ((here / f"{name}.scenario.toml").read_text() for name in ("one", "two"))
    assert one == two


def test_a_character_that_is_made_only_once_is_loaded_for_every_run(kitchen, fuzz):
    kitchen(
        text=KITCHEN.replace("def character(seed", "def made(seed"), more="character = made()\n"
    )
    assert fuzz("--runs", 25).out == "25 runs, nothing found\n"


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("--fixed", "gests"), "nothing is drawn for 'gests' anyway"),
        (("--scenario", "x.toml"), "let it end in .scenario.toml"),
        (("--scenario", "no/x.scenario.toml"), "cannot write no/x.scenario.toml: No such file or"),
    ],
    ids=["fixed", "scenario", "folder"],
)
def test_what_cannot_be_done_is_refused(kitchen, fuzz, arguments, wrong):
    kitchen()
    answer = fuzz(*arguments)
    assert answer.code == 2
    assert wrong in answer.err


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ("def invariants(character):\n    raise ValueError('mine')\n", "raised: ValueError: mine"),
        ("def invariants(character):\n    return 'oh'\n", "gave 'oh': let them yield texts"),
        ("def invariants(character):\n    return None\n", "raised: TypeError"),
    ],
    ids=["raises", "a text", "nothing"],
)
def test_invariants_that_are_wrong_themselves_are_a_failure(kitchen, fuzz, more, wrong):
    kitchen(f"\n\n{more}")
    answer = fuzz("--runs", 25)
    assert answer.code == 1
    assert answer.out.startswith("the invariants of the tree")
    assert wrong in answer.out.splitlines()[0]


def test_invariants_that_are_no_function_are_refused(kitchen, fuzz):
    kitchen("\ninvariants = 3\n")
    answer = fuzz("--runs", 25)
    assert answer.code == 2
    assert "'invariants' of 'kitchen' is int, not a function" in answer.err


def test_what_the_world_raises_is_found_with_the_scenario_that_makes_it(kitchen, fuzz, bthtn):
    kitchen(text=KITCHEN.replace("sense=lambda: None", "sense=lambda: 1 / 0"))
    answer = fuzz("--runs", 25)
    assert answer.code == 1
    assert answer.out.startswith("the world raised: ZeroDivisionError: division by zero")
    assert "the world raised" in bthtn("test", "kitchen_fuzz.scenario.toml").out


def test_a_package_that_is_missing_is_named_with_its_extra(kitchen, fuzz, monkeypatch):
    kitchen()
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    answer = fuzz()
    assert answer.code == 2
    assert "pip install 'bthtn[fuzz]'" in answer.err


def test_the_help_says_how_many_runs_are_made_by_default(bthtn):
    assert "[default: 1000]" in " ".join(bthtn("fuzz", "--help").out.split())


@pytest.mark.parametrize(
    ("tree", "scenario", "entry"),
    [
        ("kitchen", "kitchen_fuzz", "kitchen"),
        ("trees/kitchen", "kitchen_fuzz", "trees/kitchen"),
        ("kitchen", "other/x", "kitchen"),
        ("./trees/kitchen", "kitchen_fuzz", "trees/kitchen/tree.py"),
        ("trees/kitchen/tree.py", "kitchen_fuzz", "trees/kitchen/tree.py"),
        ("trees/kitchen/tree.py", "trees/kitchen/x", "tree.py"),
        ("{here}/trees/kitchen/tree.py", "trees/x", "kitchen/tree.py"),
        ("other/../flat.py", "flat_fuzz", "flat.py"),
        ("flat.py", "{here}/x", "flat.py"),
        ("yard", "yard_fuzz", "yard"),
        ("guards/yard", "yard_fuzz", "guards/yard/tree.xml"),
        ("guards/yard/tree.xml", "guards/x", "yard/tree.xml"),
    ],
)
def test_what_it_writes_is_run_by_bthtn_test(bthtn, put, here, tree, scenario, entry):
    (here / "other").mkdir()
    for file in ("trees/kitchen/tree.py", "yard/tree.py", "flat.py"):
        put(file, KITCHEN + WRONG)
    for name, text in ONLY_FILES.items():
        put(f"guards/yard/{name}", text)
    written = f"{scenario.format(here=here)}.scenario.toml"
    named = [] if scenario.endswith("_fuzz") else ["--scenario", written]
    few = ("--jobs", 1, "--ticks", 3, "--runs", 25)
    answer = bthtn("fuzz", tree.format(here=here), *few, *named)
    assert (answer.code, answer.err) == (1, "")
    assert f"wrote {written}: bthtn test {written}" in answer.out
    assert (here / written).read_text().startswith(f'tree = "{entry}"\n')
    again = bthtn("test", written)
    assert (again.code, again.err) == (1, "")
    assert "\nnever right, in tick 1\n" in again.out


@pytest.mark.parametrize(
    ("tree", "scenario", "wrong"),
    [
        (
            "yard/tree.py",
            "other/x",
            "other/x.scenario.toml cannot name yard/tree.py, which is not in its folder or below"
            " it\n"
            "  hint: write it beside the tree: --scenario yard/x.scenario.toml\n",
        ),
        (
            "link/tree.py",
            "x",
            "x.scenario.toml cannot name link/tree.py, which is not in its folder or below it\n"
            "  hint: write it beside the tree: --scenario {away}/x.scenario.toml\n",
        ),
        (
            "yard.tree:character",
            "x",
            "a scenario cannot name 'yard.tree:character', only a name of bthtn list, or a file\n"
            "  hint: name a file instead, which may say 'from yard.tree import character'\n",
        ),
    ],
)
def test_a_tree_that_the_scenario_could_not_name_is_refused_before_the_search(
    bthtn, put, here, tree, scenario, wrong
):
    away = here.with_name(f"{here.name}_away")
    away.mkdir()
    (here / "other").mkdir()
    (here / "link").symlink_to(away)
    (away / "tree.py").write_text(KITCHEN)
    put(
        "yard/tree.py", KITCHEN.replace("def character(seed=0):", "def character(seed=0):\n    1/0")
    )
    answer = bthtn("fuzz", tree, "--jobs", 1, "--scenario", f"{scenario}.scenario.toml")
    assert (answer.code, answer.out, answer.err) == (2, "", f"[BT409] {wrong.format(away=away)}")


def test_the_file_that_the_hint_advises_for_a_module_is_fuzzed_and_tested(bthtn, put):
    put("yard/dogs.py", (KITCHEN + WRONG).replace("def character(", "def puppy("))
    put("dog.py", "from yard.dogs import puppy as character, invariants\n")
    assert "yard.dogs import puppy as character'" in bthtn("fuzz", "yard.dogs:puppy").err
    assert bthtn("fuzz", "dog.py", "--jobs", 1, "--ticks", 3, "--runs", 25).code == 1
    assert "\nnever right, in tick 1\n" in bthtn("test", "dog_fuzz.scenario.toml").out
