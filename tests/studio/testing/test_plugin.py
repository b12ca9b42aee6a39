"""The pytest plugin: a case of a cases.toml is a test."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import bthtn
from bthtn.errors import InputError
from bthtn.kit.recording import Recording
from bthtn.studio.cli.new import new
from bthtn.studio.testing import file_tests
from bthtn.studio.testing.coverage import KINDS, what_counts
from bthtn.studio.views import graphviz

DOMAIN = """
from bthtn import Domain, Fluent, State, fluent
class World(State):
    lit: Fluent[bool] = fluent(default=False)
house = Domain("house", World)
read = house.primitive("read", precondition=World.lit)
"""
CASES = """
[bright]
given.lit = true
task = "read"
expect = "read"

[dark]
task = "read"
expect = "read"
"""


pytest_plugins = ["pytester"]
# Pytester forgets what its runs import, and other tests of this process would import it anew, with
# classes that are others. So all of bthtn, and of its examples, is imported before.
for found in walk_packages(bthtn.__path__, "bthtn."):
    if not found.name.endswith("__main__"):
        import_module(found.name)


@pytest.fixture(name="house")
def house_fixture(pytester):
    """A folder with a domain and two cases, of which one fails."""
    folder = pytester.mkdir("house")
    (folder / "domain.py").write_text(DOMAIN)
    (folder / "cases.toml").write_text(CASES)
    return folder


@pytest.fixture(name="run_pytest")
def run_pytest_fixture(pytester, monkeypatch):
    """Runs pytest on a folder with this plugin alone; its exit code and what it printed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    settings = pytester.makeini("[pytest]")

    def run(*arguments):
        options = (
            "-p",
            "bthtn.studio.testing.plugin",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:unraisableexception",  # it collects the garbage of this process at every end
            "--color=no",
            f"-c{settings}",
        )
        done = pytester.runpytest_inprocess(*options, *map(str, arguments))
        return done.ret, done.stdout.str()

    return run


def test_every_case_is_a_test(house, run_pytest):
    _, printed = run_pytest(house, "--collect-only", "-q")
    assert "cases.toml::bright" in printed
    assert "cases.toml::dark" in printed


def test_a_case_that_does_not_hold_shows_the_difference_and_no_traceback(house, run_pytest):
    code, printed = run_pytest(house)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed" in printed
    assert f"{house / 'cases.toml'}:7: case 'dark'\n" in printed
    assert "expected  read\nactual    no plan, because\nread: lit is false: lit = false" in printed
    assert "Traceback" not in printed
    assert "plugin.py" not in printed


def test_a_scenario_is_a_test_and_its_failure_shows_what_is_missing(house, run_pytest):
    (house / "calm.scenario.toml").write_text('tree = "miner"\nexpect = ["start pickup*"]\n')
    file = house / "wild.scenario.toml"
    file.write_text('tree = "miner"\nticks = 2\nexpect = ["plan *", "start sing"]\n')
    code, printed = run_pytest(house, "-k", "calm or wild")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed" in printed
    assert f"{file}:1: scenario 'wild'\nno 'start sing' in 2 ticks ({file}:3)\n" in printed
    assert "  ✓ plan *\n  ✗ start sing\n" in printed
    assert "believed: Miner(" in printed
    recording, *_ = re.findall(r"recording: (.*)", printed)
    assert len(Recording.read(Path(recording)).ticks) == 2
    page, *_ = re.findall(r"in a browser: (.*)", printed)
    assert "move_to(MINE)" in Path(page).read_text("utf-8")
    tree, *_ = re.findall(r"its last tree: (.*)", printed)
    assert "move_to(MINE)" in Path(tree).read_text("utf-8")
    assert tree.endswith(".svg")
    assert "Traceback" not in printed


PYTHON_TESTS = """
from bthtn import Domain, State
from bthtn.behaviours import Agent, PlanGoal
from bthtn.testing import ticks

def test_a_scenario_that_holds(bthtn_play):
    assert len(bthtn_play("calm.scenario.toml").ticks) > 1

def test_one_that_does_not(bthtn_play):
    bthtn_play("wild.scenario.toml")

def test_what_is_heard_and_when(bthtn_clock, bthtn_listener):
    yard = Domain("yard", State)
    dig = yard.primitive("dig")
    rex = Agent("Rex", yard, State(), body=None, clock=bthtn_clock, listener=bthtn_listener)
    bthtn_clock.advance(3)
    rex.sense()
    assert ticks(PlanGoal("play", rex, dig()), 1) == "S"
    assert bthtn_listener.lines() == ["start dig", "done dig"]
    assert bthtn_listener.events[0].time == 3
"""


def test_fixtures_play_scenarios_and_give_clocks_and_listeners(house, run_pytest, monkeypatch):
    monkeypatch.chdir(house)
    (house / "calm.scenario.toml").write_text('tree = "miner"\nexpect = ["start pickup*"]\n')
    (house / "wild.scenario.toml").write_text('tree = "miner"\nexpect = ["start sing"]\n')
    (house / "test_fixtures.py").write_text(PYTHON_TESTS)
    code, printed = run_pytest(house / "test_fixtures.py")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 2 passed" in printed
    assert "no 'start sing' in" in printed
    assert "its last tree: " in printed
    assert "Traceback" not in printed


def _missing(dot, form):
    raise InputError("BT407", "there is no Graphviz")


def test_a_tree_that_nothing_can_draw_is_kept_as_dot(house, run_pytest, monkeypatch):
    monkeypatch.setattr(graphviz, "picture", _missing)
    (house / "wild.scenario.toml").write_text('tree = "miner"\nexpect = ["start sing"]\n')
    _, printed = run_pytest(house, "-k", "wild")
    tree, *_ = re.findall(r"its last tree: (.*)", printed)
    assert "digraph" in Path(tree).read_text("utf-8")


TOWN = """
from bthtn import Domain, Fluent, State, fluent, method, parallel
class Town(State):
    rain: Fluent[bool] = fluent(default=False)
    money: Fluent[int] = fluent(default=2)
town = Domain("town", Town)
walk, wait = town.primitive("walk"), town.primitive("wait")
ride = town.primitive("ride", precondition=Town.money > 2)
hum = town.primitive("hum")
@town.compound
def go():
    yield method(ride(), when=Town.rain, name="bus")
    yield method(parallel(walk(), hum()), wait())
"""
GOLDEN = """\
cases.toml:2: case 'in_the_rain'
expected  (parallel(hum, walk), wait)
actual    (parallel(walk, hum), wait)
actual record    [1]

  expected      actual
  sequence      sequence
    parallel      parallel
✗     hum           walk
      walk          hum
    wait          wait

planned from: rain = true
go, method 0 'bus': failed
  ride: money > 2 is false: money = 2
"""


def test_a_failure_shows_both_trees_the_state_and_why_other_methods_were_not_chosen(
    house, run_pytest
):
    (house / "domain.py").write_text(TOWN)
    case = '\n[in_the_rain]\ngiven.rain = true\ntask = "go"\n'
    (house / "cases.toml").write_text(f'{case}expect = "(parallel(hum, walk), wait)"\n')
    _, printed = run_pytest(house)
    assert GOLDEN in printed


PLAIN = "import pytest, sys; sys.exit(pytest.main())"
WITHOUT_HYPOTHESIS = "import sys; sys.modules['hypothesis'] = None; " + PLAIN


@pytest.mark.parametrize(
    ("program", "options"),
    [
        pytest.param(PLAIN, ("-n2",), marks=pytest.mark.slow),
        pytest.param(PLAIN, ("-W", "error"), marks=pytest.mark.slow),
        (WITHOUT_HYPOTHESIS, ("-p", "bthtn.studio.testing.plugin")),
    ],
    ids=["in any order, in two processes", "warnings are errors", "without Hypothesis"],
)
def test_it_works_beside_other_plugins_and_without_them(house, program, options):
    (house / "calm.scenario.toml").write_text('tree = "miner"\nexpect = ["start pickup*"]\n')
    (house / "pytest.ini").write_text("[pytest]\n")
    alone = "-p" in options
    done = subprocess.run(
        [sys.executable, "-c", program, "-p", "no:cacheprovider", *options, str(house)],
        env={"HOME": str(house)} | ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if alone else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout
    assert "case 'dark'" in done.stdout


def test_a_scenario_that_cannot_be_read_is_one_clear_error(house, run_pytest):
    (house / "calm.scenario.toml").write_text('tree = "minor"\n')
    code, printed = run_pytest(house)
    assert code == pytest.ExitCode.INTERRUPTED
    assert printed.count("did you mean 'miner'?") == 1
    assert "Traceback" not in printed


DIM = 'domain = "domain.py"\ntask = "read"\nexpect = "{}"\n'


def test_a_scenario_of_a_domain_is_a_case(house, run_pytest, tmp_path, monkeypatch):
    monkeypatch.chdir(house)
    (house / "cases.toml").unlink()
    (house / "dim.scenario.toml").write_text(DIM.format("no plan"))
    options = ("--bthtn-coverage", f"--bthtn-coverage-pictures={tmp_path / 'drawn'}")
    code, printed = run_pytest(house, *options)
    assert code == pytest.ExitCode.OK
    assert "domain house\n" in printed
    assert (tmp_path / "drawn" / "domain_house.svg").is_file()
    (house / "dim.scenario.toml").write_text(DIM.format("read"))
    (house / "test_dim.py").write_text(
        "def test_dim(bthtn_play):\n    bthtn_play('dim.scenario.toml')\n"
    )
    code, printed = run_pytest(house)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert f"{house / 'dim.scenario.toml'}:1: case 'dim'\nexpected  read\n" in printed
    assert printed.count("expected  read\nactual    no plan") >= 2
    assert "recording: " not in printed


COUNTED = """
from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, PlanGoal

class Dog(State):
    hungry: Fluent[bool] = fluent(default=True)

yard = Domain("yard", Dog)
eat = yard.primitive("eat", effects=Dog.hungry.becomes(False))
sleep = yard.primitive("sleep")

@yard.compound
def live():
    yield method(eat(), when=Dog.hungry)
    yield method(sleep())

def test_a_hungry_dog_eats(bthtn_counted):
    agent = Agent("Rex", yard, Dog(), body=None)
    rex = bthtn_counted(Character(PlanGoal("life", agent, live()), agent))
    rex.tick()
    assert not agent.beliefs.now.hungry
"""


def test_a_test_in_python_counts_for_the_coverage(pytester, run_pytest):
    pytester.makepyfile(COUNTED)
    assert run_pytest(pytester.path)[0] == pytest.ExitCode.OK
    code, printed = run_pytest("--bthtn-coverage", pytester.path)
    assert code == pytest.ExitCode.OK
    rows = [line.split(None, 3) for line in printed.splitlines()]
    assert ["1", "1", "0", "live, method 0: when hungry"] in rows
    assert "1 of 2 methods chosen: 50 %" in printed
    assert "tree life\n" in printed


def test_a_case_can_be_chosen_by_its_name(house, run_pytest):
    code, printed = run_pytest(f"{house}/cases.toml::bright")
    assert code == pytest.ExitCode.OK
    assert "1 passed" in printed


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("domain.py", "x = ", "[BT402] SyntaxError"),
        ("domain.py", "x = 3", "[BT408]"),
        ("domain.py", "import os; os._no()", "[BT402] AttributeError"),
        ("cases.toml", "[a", "[BT405] not TOML"),
        ("cases.toml", '[a]\ntask = "raed"\nexpect = "read"', "did you mean 'read'?"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(house, run_pytest, file, text, words):
    (house / file).write_text(text)
    code, printed = run_pytest(house)
    assert code == pytest.ExitCode.INTERRUPTED
    assert printed.count(words) == 1
    assert "1 error" in printed
    assert "Traceback" not in printed


def test_an_error_in_bthtn_itself_is_not_dressed_up(house, run_pytest, monkeypatch):
    monkeypatch.setattr(file_tests, "fault_of", lambda case: 1 / 0)
    _, printed = run_pytest(house)
    assert "ZeroDivisionError" in printed


def test_a_file_that_belongs_to_somebody_else_is_left_alone(house, run_pytest):
    (house / "domain.py").unlink()
    (house / "cases.toml").write_text("not ours")
    code, _ = run_pytest(house)
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_cases_of_a_character_of_files_are_tests_too(pytester, run_pytest):
    folder = pytester.mkdir("guard")
    one = '<root BTCPP_format="4"><BehaviorTree ID="{}"><{}/></BehaviorTree></root>'
    (folder / "tree.xml").write_text(one.format("guard", 'PlanGoal name="duty" goal="walk"'))
    (folder / "tasks.xml").write_text(one.format("walk", 'Command name="walk"'))
    (folder / "character.toml").write_text('simulate = ["walk"]\n')
    for name in ("cases.toml", "other_cases.toml"):
        (folder / name).write_text('[walks]\ntask = "walk"\nexpect = "walk"\n')
    code, printed = run_pytest("--bthtn-coverage", "-Wdefault", folder)
    assert code == pytest.ExitCode.OK
    assert "1 passed" in printed
    assert "PytestCollectionWarning: nothing reads" in printed


@pytest.mark.slow  # all tests are run with this plugin, and these cases are among them
def test_the_cases_that_come_with_bthtn_hold(house, run_pytest):
    domains = Path(__file__).resolve().parents[3] / "domains"
    code, printed = run_pytest(domains)
    assert code == pytest.ExitCode.OK, printed


def test_the_tests_of_a_new_character_are_collected(pytester, run_pytest):
    new("goblin")
    _, printed = run_pytest("goblin")
    assert "3 passed" in printed


def test_nothing_heavy_is_imported_before_there_is_a_case():
    script = (
        "import sys, json; import bthtn; before = set(sys.modules);"
        "import bthtn.studio.testing.plugin; print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    path = str(Path(__file__).resolve().parents[3])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=path, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"py_trees", "networkx", "rich", "typer", "hypothesis", "tomllib"}
    ours = [name for name in json.loads(done.stdout) if name.startswith("bthtn.")]
    assert ours == [
        "bthtn.studio",
        "bthtn.studio.testing",
        "bthtn.studio.testing.case_files",
        "bthtn.studio.testing.plugin",
    ]


METHODS = """
@house.compound
def evening():
    yield method(read(), when=World.lit)
    yield method()
"""
EVENINGS = """
[bright]
given.lit = true
task = "evening"
expect = "read"
"""


DARK = """
[dark]
task = "evening"
expect = "null"
"""


IN_TWO = ("-p", "xdist.plugin", "-n2")
ONE_OR_TWO = pytest.mark.parametrize(
    "processes", [(), pytest.param(IN_TWO, marks=pytest.mark.slow)], ids=["one", "two"]
)
GOLDEN_COVERAGE = """\
domain house
  chosen  entered  rejected  method
       1        1         1  evening, method 0: when lit
       1        1         0  evening, method 1: always
  true  false  condition
     1      1  evening, method 0: lit
     1      0  read, precondition: lit  <- never false
2 of 2 methods chosen: 100 %
3 of 4 conditions true and false: 75 %
"""


@pytest.fixture(name="evenings")
def evenings_fixture(house):
    """The folder with a domain that has methods, and a case that chooses the first one."""
    imports = DOMAIN.replace("State, fluent", "State, fluent, method")
    (house / "domain.py").write_text(imports + METHODS)
    (house / "cases.toml").write_text(EVENINGS)
    return house


@ONE_OR_TWO
def test_what_cases_choose_and_ask_is_shown(evenings, run_pytest, processes):
    (evenings / "cases.toml").write_text(EVENINGS + DARK)
    code, printed = run_pytest(evenings, *processes, "--bthtn-coverage")
    assert code == pytest.ExitCode.OK
    assert GOLDEN_COVERAGE in printed


@ONE_OR_TWO
def test_what_no_case_chooses_is_marked_and_may_fail_the_run(evenings, run_pytest, processes):
    code, printed = run_pytest(evenings, *processes, "--bthtn-coverage-fail-under=51")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "evening, method 1: always  <- never chosen\n" in printed
    assert "1 of 2 methods chosen: 50 %" in printed
    assert "FAILED: 51 % of the methods chosen are wanted" in printed
    (evenings / "cases.toml").write_text(EVENINGS + DARK)
    assert run_pytest(evenings, *processes, "--bthtn-coverage-fail-under=100")[0] == 0


OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS if kind != "condition"]


@pytest.mark.parametrize("kind", ["condition", *OTHERS])
def test_every_kind_has_a_threshold_that_may_fail_the_run(evenings, run_pytest, kind):
    (evenings / "calm.scenario.toml").write_text('tree = "soldier"\nseed = 3\nticks = 14\n')
    low, high = (f"--bthtn-coverage-fail-under={kind}={percent}" for percent in (0, 101))
    assert run_pytest(evenings, low)[0] == pytest.ExitCode.OK
    code, printed = run_pytest(evenings, low.replace("=0", "=1"), high)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert f"FAILED: 101 % of the {what_counts(kind)} are wanted" in printed
    assert printed.count("FAILED") == 1


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("magic=3", "'magic' is none of method, "),
        ("few", "'few' is no percentage: write 80, or condition=80"),
        ("step=nan", "'nan' is no percentage"),
    ],
)
def test_a_threshold_that_cannot_be_read_is_an_error(evenings, run_pytest, capsys, limit, words):
    code, _ = run_pytest(evenings, f"--bthtn-coverage-fail-under={limit}")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "processes", [(), pytest.param(IN_TWO, marks=pytest.mark.slow)], ids=["one", "two"]
)
def test_what_scenarios_make_happen_is_shown_and_written(house, run_pytest, processes, tmp_path):
    for name in ("one", "two"):
        (house / f"{name}.scenario.toml").write_text('tree = "miner"\nticks = 30\n')
    file = tmp_path / "in/a/folder/coverage.json"
    _, printed = run_pytest(house, *processes, f"--bthtn-coverage-json={file}")
    assert "\ntree miner\n" in printed
    data = json.loads(file.read_text("utf-8"))
    assert data["format"] == "bthtn-coverage/2"
    assert list(data["domains"]) == ["house", "ore"]
    (counts,) = data["trees"].values()
    step = counts["step"]["pickup"]
    assert step["started"] >= step["done"] + step["failed"]
    assert step["done"] >= 2
    assert re.search(rf"{step['started']} +{step['done']} .* pickup", printed)


@ONE_OR_TWO
def test_cases_and_scenarios_of_a_domain_are_counted_together(run_pytest, processes, pytester):
    cases = Path(__file__).parents[3] / "domains" / "combat" / "cases.toml"
    file = pytester.path / "one.scenario.toml"
    file.write_text('tree = "soldier"\nseed = 3\nticks = 14\n')
    name = pytester.path / "coverage.json"

    def chosen(*paths):
        run_pytest(*paths, *processes, f"--bthtn-coverage-json={name}")
        methods = json.loads(name.read_text("utf-8"))["domains"]["combat"]["method"]
        return sum(row["chosen"] for row in methods.values())

    assert chosen(cases, file) == chosen(cases) + chosen(file) > chosen(cases)


@ONE_OR_TWO
def test_domains_and_trees_are_drawn_with_what_no_test_makes_happen(
    house, run_pytest, processes, tmp_path, monkeypatch
):
    (house / "domain.py").write_text(TOWN)
    (house / "cases.toml").write_text('[dry]\ntask = "go"\nexpect = "*"\n')
    (house / "one.scenario.toml").write_text('tree = "miner"\nticks = 3\n')
    code, _ = run_pytest(house, *processes, f"--bthtn-coverage-pictures={tmp_path / 'drawn'}")
    assert code == pytest.ExitCode.OK
    svg = (tmp_path / "drawn" / "domain_town.svg").read_text("utf-8")
    assert (svg.count("✓"), svg.count("✗")) == (1, 1)
    assert "✗" in svg[: svg.index("✓")], "the bus comes first, and nobody takes it"
    names = {one.name for one in (tmp_path / "drawn").iterdir()}
    assert names == {"domain_town.svg", "domain_ore.svg", "tree_miner.svg"}
    assert "✗" in (tmp_path / "drawn" / "tree_miner.svg").read_text("utf-8")
    monkeypatch.setattr(graphviz, "picture", _missing)
    run_pytest(house, f"--bthtn-coverage-pictures={tmp_path / 'drawn'}")
    assert "digraph" in (tmp_path / "drawn" / "tree_miner.dot").read_text("utf-8")


def test_a_case_whose_search_raises_counts_for_what_it_came_to(evenings, run_pytest):
    text = (evenings / "domain.py").read_text("utf-8")
    (evenings / "domain.py").write_text(text.replace("when=World.lit", "when=lambda state: 1 / 0"))
    code, printed = run_pytest(evenings, "--bthtn-coverage")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "0 of 2 methods chosen: 0 %" in printed


def test_cases_can_be_updated_to_what_is_planned_now(house, run_pytest):
    file = house / "cases.toml"
    more = '\n[dim]\ngiven.lit = true\ntask = "read"\nexpect = "no plan"\nbecause = "x"  # a note\n'
    file.write_text(CASES + more)
    code, printed = run_pytest(house, "--bthtn-update")
    assert code == pytest.ExitCode.OK
    assert '-expect = "read"\n+expect = "no plan"\n' in printed
    text = file.read_text("utf-8")
    assert text.count('expect = "no plan"') == 1
    assert text.count('expect = "read"') == 2
    assert "because" not in text
    assert run_pytest(house)[0] == pytest.ExitCode.OK
    assert run_pytest(house, "--bthtn-update")[0] == pytest.ExitCode.OK
    assert file.read_text("utf-8") == text, "nothing is left to be updated"


def test_scenarios_can_be_updated_to_what_happens_now(house, run_pytest):
    file = house / "calm.scenario.toml"
    file.write_text('tree = "miner"\nticks = 2\nexpect = ["plan pickup", "start sing"]\n')
    code, printed = run_pytest(file, "--bthtn-update")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert '-expect = ["plan pickup", "start sing"]\n+expect = ["plan (move_to' in printed
    assert f"not updated, as nothing came in its place: 'start sing' ({file}:3)" in printed
    file.write_text(file.read_text("utf-8").replace(', "start sing"', "  "))
    assert run_pytest(file)[0] == pytest.ExitCode.OK


def test_what_cannot_be_updated_goes_on_failing(house, run_pytest):
    file = house / "cases.toml"
    file.write_text(CASES.replace('task = "read"\nexpect = "read"\n', ONE_LINE, 2))
    before = file.read_text("utf-8")
    code, _ = run_pytest(house, "--bthtn-update")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert file.read_text("utf-8") == before


@pytest.mark.slow
def test_cases_are_not_updated_in_many_processes(house, run_pytest):
    code, _ = run_pytest(house, *IN_TWO, "--bthtn-update")
    assert code != pytest.ExitCode.OK


ONE_LINE = 'task = "read"\nexpect = """\nread"""\n'
