"""bthtn plan: the plan for a state, or why there is none."""

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from tests.told import tree_told

P = [
    "(parallel((move_to_cover, cover), (wait(3), reload)), priority(no_line_of_fire, shoot))",
    "(parallel((move_to_cover, cover), do_nothing), priority(no_line_of_fire, shoot))",
    "(parallel(cover, (wait(3), reload)), priority(no_line_of_fire, shoot))",
    "(parallel(cover, do_nothing), priority(no_line_of_fire, shoot))",
    "(wait(3), reload, parallel(keep_distance, shoot))",
    "(do_nothing, parallel(keep_distance, shoot))",
    "search_enemy",
]


def table():
    """The sixteen states, and for each its plan and record."""
    for target, cover, in_cover, ammo in product((True, False), repeat=4):
        state = {"target": target, "cover": cover, "in_cover": in_cover, "ammo": ammo}
        if not target:
            yield state, P[6], [0]
        elif cover:
            record = [1, 0, 0 if in_cover else 1, 1 if ammo else 0, 0, 0]
            yield state, P[2 * in_cover + ammo], record
        else:
            yield state, P[4 + ammo], [2, 0, int(ammo)]


def setting(**state):
    return [f"--set={name}={str(value).lower()}" for name, value in state.items()]


def notation(node):
    """The notation of a plan in JSON."""
    inside = ", ".join(map(notation, node["children"]))
    match node["node"]:
        case "sequence":
            return f"({inside})"
        case "task":
            args = ", ".join(map(json.dumps, node["args"]))
            return f"{node['name']}({args})" if args else node["name"]
        case "suspended":
            return f"suspended({', '.join(node['tasks'])})"
        case kind:
            return f"{kind}({inside})"


def test_the_rest_can_be_checked(bthtn):
    def plan(*arguments):
        given = setting(target=True, ammo=False)
        return bthtn("plan", "combat", "fight", *given, "--horizon", "1", *arguments)

    assert plan("--set=magazine=false").code == 0
    hopeless = plan("--set=magazine=false", "--check-rest")
    assert hopeless.code == 1
    assert "magazine = false" in hopeless.out
    assert "checked, planned at run time" in plan("--check-rest").out


def test_people_see_the_tree_its_record_cost_and_expansions(bthtn):
    answer = bthtn("plan", "combat", "fight", *setting(target=True, ammo=True))
    assert answer.code == 0
    assert (
        answer.out
        == """\
combat: fight
record [2,0,1], cost 3, 6 expansions

fight, method 2
└─ fight_at_distance, method 0
   └─ sequence
      ├─ prepare_combat, method 1
      │  └─ do_nothing
      └─ parallel
         ├─ keep_distance
         └─ shoot
"""
    )


@pytest.mark.parametrize("how", ["--no-scopes", "--flat"])
def test_people_can_leave_out_what_is_not_run(bthtn, how):
    answer = bthtn("plan", "combat", "fight", *setting(target=True), how)
    assert "method" not in answer.out
    assert "├─ do_nothing" in answer.out


def test_without_a_plan_the_first_failing_condition_of_every_method_is_told(bthtn):
    answer = bthtn("plan", "combat", "fight", *setting(target=True, ammo=False, magazine=False))
    assert (answer.code, answer.err) == (1, "")
    assert (
        answer.out
        == """\
combat: no plan for fight, because
fight, method 0: not target is false: target = true
fight, method 1: cover is false: cover = false
fight, method 2
  fight_at_distance, method 0
    prepare_combat, method 0
      reload: not ammo and magazine is false: ammo = false, magazine = false
    shoot: target and ammo is false: target = true, ammo = false
"""
    )


def test_programs_are_told_why_there_is_no_plan(bthtn):
    answer = bthtn("plan", "combat", "take_cover", "--json")
    told = json.loads(answer.out)
    assert answer.code == 1
    assert told["format"] == "bthtn-no-plan/1"
    assert told["task"] == {"name": "take_cover", "args": []}
    assert told["why"][0] == {
        "depth": 0,
        "text": "take_cover, method 0: in_cover is false: in_cover = false",
    }


def test_arguments_are_read_as_the_types_of_the_parameters(bthtn, house):
    for arguments in (["go", "ATTIC", "3"], ["go(ATTIC, 3)"]):
        answer = bthtn("plan", "house", *arguments, "--json")
        assert json.loads(answer.out)["task"] == {"name": "go", "args": ["ATTIC", 3]}


def test_members_of_families_can_be_set(bthtn, house):
    there = bthtn("plan", "house", "evening", "--set=lit=yes", "--set", "on[book] = table")
    elsewhere = bthtn("plan", "house", "evening", "--set=lit=yes", "--set=on[book]=a=b")
    assert "evening, method 0 'upstairs'" in there.out
    assert elsewhere.code == 1
    assert "on[book] = 'a=b'" in elsewhere.out


def test_what_is_unknown_suspends_the_planning(bthtn):
    answer = bthtn("plan", "combat", "fight", "--set", "target=unknown")
    assert answer.out.endswith("suspended (unknown target), planned at run time: fight\n")


DEEP = """
from bthtn import Domain, Fluent, Methods, State, fluent, method
class World(State):
    count: Fluent[int] = fluent(default=0)
deep = Domain("deep", World)
step = deep.primitive("step", effects=World.count.increases(1))
@deep.compound
def climb() -> Methods:
    yield method(step(), climb(), when=World.count < 5_000)
    yield method(when=World.count >= 5_000)
"""


def test_a_plan_thousands_of_scopes_deep_is_shown(bthtn, put):
    file = put("deep.py", DEEP)
    answer = bthtn("plan", file, "climb")
    assert answer.code == 0
    assert "nodes more" in answer.out
    assert bthtn("plan", file, "climb", "--json", "--flat").out.count('"task", "name"') == 5_000


def test_a_search_that_finds_no_end_is_told(bthtn, put):
    put("domains/deep/domain.py", DEEP.replace("5_000", "10_000_000"))
    answer = bthtn("plan", "deep", "climb", "--max-expansions=2000")
    assert answer.code == 2
    assert "[BT203] no answer after 2000 expansions" in answer.err


def test_a_search_that_takes_long_shows_progress_on_a_terminal(bthtn, put, monkeypatch):
    file = put("deep.py", DEEP.replace("5_000", "8_000"))
    clock = iter(range(1_000))
    monkeypatch.setattr("bthtn.studio.cli.one_plan.perf_counter", lambda: next(clock))
    assert bthtn("plan", file, "climb").err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "expansions …" in bthtn("plan", file, "climb").err


# files and pictures


def test_a_result_can_be_written_to_a_file(bthtn, here):
    answer = bthtn("plan", "combat", "fight", "--json", "-o", "plan.json")
    assert (answer.code, answer.out) == (0, "wrote plan.json\n")
    assert json.loads((here / "plan.json").read_text())["record"] == [0]
    answer = bthtn("plan", "combat", "fight", "-o", "plan.txt")
    assert answer.out == "wrote plan.txt\n"
    assert (here / "plan.txt").read_text("utf-8").endswith("\n└─ search_enemy\n")
    assert sorted(path.name for path in here.iterdir()) == ["plan.json", "plan.txt"]


@pytest.mark.parametrize("command", [["plan", "combat", "fight"], ["render", "combat"]])
def test_a_file_that_ends_as_no_format_is_not_written(bthtn, here, command):
    (here / "domain.py").write_text("mine")
    for name in ("domain.py", "picture.jpg"):
        answer = bthtn(*command, "-o", name)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(f"[BT409] '{name}' ends as no format does")
        assert ".svg" in answer.err
    assert [(one.name, one.read_text()) for one in here.iterdir()] == [("domain.py", "mine")]
    assert bthtn(*command, "--format", "dot", "-o", "a.graph").out == "wrote a.graph\n"


def test_without_a_task_those_that_can_be_planned_are_listed(bthtn):
    for command in ("plan", "explain"):
        answer = bthtn(command, "combat")
        assert (answer.code, answer.out) == (2, "")
        assert "there is: fight" in " ".join(answer.err.replace("│", " ").split())


def test_what_may_be_is_put_side_by_side_in_every_form(bthtn):
    asked = ("plan", "combat", "fight", *setting(target=True, ammo=False), "--parallelize")
    tree = "(wait(3), parallel((reload, shoot), keep_distance))"
    for flat in ((), ("--flat",)):
        answer = bthtn(*asked, *flat, "--json")
        assert (answer.code, notation(tree_told(json.loads(answer.out)))) == (0, tree)
        assert bthtn(*asked, *flat).out.count("parallel") == 1
        assert bthtn(*asked, *flat, "--format=dot").out.count("⇉") == 1


def test_a_plan_that_cannot_gain_keeps_its_tree(bthtn):
    asked = ("plan", "combat", "fight")
    assert bthtn(*asked, "--parallelize") == bthtn(*asked)


def test_dot_is_printed_or_written(bthtn, here):
    printed = bthtn("plan", "combat", "fight", "--format", "dot", "--legend")
    assert printed.out.startswith("digraph bthtn {")
    assert (
        "one after the other"
        in bthtn("plan", "combat", "fight", "--set=target=true", "--format", "dot", "--legend").out
    )
    written = bthtn("plan", "combat", "fight", "--format", "dot", "--legend", "-o", "a.dot")
    assert written.out == "wrote a.dot\n"
    assert (here / "a.dot").read_text("utf-8") == printed.out


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_pictures_are_files_unless_the_screen_is_asked_for(bthtn, here):
    assert bthtn("plan", "combat", "fight", "--format", "png").out == "wrote combat-fight.png\n"
    assert (here / "combat-fight.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in bthtn("plan", "combat", "wait", "3", "--format", "svg", "-o", "-").out
    assert [path.name for path in here.iterdir()] == ["combat-fight.png"]


@pytest.mark.parametrize(
    ("target", "instead"), [(["-o", "x/y.png"], "x/y.dot"), ([], "combat-fight.dot")]
)
def test_without_graphviz_the_dot_is_written_and_that_is_said(
    bthtn, here, monkeypatch, target, instead
):
    (here / "x").mkdir()
    monkeypatch.setenv("PATH", str(here))
    answer = bthtn("plan", "combat", "fight", "--format", "png", *target)
    assert answer.code == 2
    assert answer.err.startswith("[BT407] a picture as png needs Graphviz")
    assert f"wrote {instead} instead" in answer.err
    assert "install Graphviz" in answer.err
    assert (here / instead).read_text("utf-8").startswith("digraph")


def test_without_graphviz_nothing_goes_to_the_screen(bthtn, here, monkeypatch):
    monkeypatch.setenv("PATH", str(here))
    answer = bthtn("plan", "combat", "fight", "--format", "png", "-o", "-")
    assert (answer.code, answer.out) == (2, "")
    assert list(here.iterdir()) == []


# bad input


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["cmobat", "fight"], "BT401", "did you mean 'combat'?"),
        (["combat", "figth"], "BT101", "did you mean 'fight'?"),
        (["combat", "wait"], "BT103", "missing a required argument: 'time'"),
        (["combat", "wait", "1", "2"], "BT103", "too many positional arguments"),
        (["combat", "wait", "soon"], "BT103", "write a whole number"),
        (["combat", "wait(soon)"], "BT103", "write a whole number"),
        (["combat", "wait(3"], "BT406", "this bracket is never closed"),
        (["combat", "fight", "--set=targt=true"], "BT102", "did you mean 'target'?"),
        (["combat", "fight", "--set=target=maybe"], "BT106", "write true, false or unknown"),
        (["combat", "fight", "--set=distance=FARR"], "BT106", "did you mean 'FAR'?"),
        (["combat", "fight", "--set=target"], "BT409", "write fluent=value"),
        (["combat", "fight", "--set==true"], "BT409", "write fluent=value"),
        (["combat", "fight", "--horizon=0"], "BT202", "has to be above zero"),
        (["combat", "fight", "-o", "nowhere/x.txt"], "BT404", "cannot write nowhere/x.txt"),
        (["combat", "fight", "-o", "."], "BT404", "cannot write ."),
    ],
)
def test_bad_input_is_one_message_with_code_place_and_hint(bthtn, here, arguments, code, words):
    answer = bthtn("plan", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"[{code}] ")
    assert words in answer.err
    assert "Traceback" not in answer.err
    assert "\n  hint: " in answer.err or "\n  where: " in answer.err


@pytest.mark.parametrize(
    "arguments", [[], ["combat"], ["combat", "fight", "--format=gif"], ["combat", "fight", "--no"]]
)
def test_a_command_that_is_not_understood_shows_its_usage(bthtn, arguments):
    answer = bthtn("plan", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: bthtn plan" in answer.err


def test_nothing_is_left_half_written(bthtn, here, monkeypatch):
    file = here / "plan.json"
    file.write_text("before")
    monkeypatch.setattr("os.replace", _full_disk)
    answer = bthtn("plan", "combat", "fight", "--json", "-o", file)
    assert answer.code == 2
    assert "No space left" in answer.err
    assert file.read_text() == "before"
    assert [path.name for path in here.iterdir()] == ["plan.json"]


def _full_disk(*_):
    raise OSError(28, "No space left on device")


def test_a_file_keeps_its_mode_and_a_link_its_target(bthtn, here):
    real, link = here / "real.json", here / "link.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    bthtn("plan", "combat", "fight", "--json", "-o", link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "bthtn-plan/2" in real.read_text()


def test_a_device_can_be_written_to(bthtn, here):
    answer = bthtn("plan", "combat", "fight", "--json", "-o", "/dev/null")
    assert (answer.code, answer.out) == (0, "")
    assert not Path("/dev/null").is_file()


def test_the_functions_that_do_the_planning_can_be_looked_at(bthtn, tmp_path):
    shown = bthtn("plan", "combat", "fight", "--show-compiled")
    assert shown.code == 0
    compile(shown.out, "shown", "exec")
    for task in ("fight", "reload"):
        assert f"\n# {task}\ndef f0(S, a, view" in f"\n{shown.out}"
    assert bthtn("plan", "combat", "fight", "--show-compiled").out == shown.out
    bthtn("plan", "combat", "fight", "--show-compiled", "-o", str(tmp_path / "fight.py"))
    assert (tmp_path / "fight.py").read_text("utf-8") == shown.out


# other questions

TRIP = """
from bthtn import Domain, State, method


class Traveller(State):
    pass


trip = Domain("trip", Traveller)
fly = trip.primitive("fly", cost=9)
ride = trip.primitive("ride", cost=4)


@trip.compound
def travel():
    yield method(fly(), fly())
    yield method(ride())
"""


def test_the_cheapest_plan_can_be_asked_for(bthtn, put):
    put("trip/domain.py", TRIP)
    first = bthtn("plan", "trip", "travel", "--json")
    cheapest = bthtn("plan", "trip", "travel", "--json", "--cheapest")
    assert [json.loads(answer.out)["cost"] for answer in (first, cheapest)] == [18, 4]
    assert cheapest.err == ""


def test_at_the_limit_the_cheapest_so_far_is_shown_and_that_it_is_not_more(bthtn, put):
    put("trip/domain.py", TRIP)
    answer = bthtn("plan", "trip", "travel", "--cheapest", "--max-expansions=4")
    assert (answer.code, "cost 18" in answer.out) == (0, True)
    assert "stopped after 4 expansions: this is the best so far" in answer.err


def test_at_the_limit_the_beginning_of_a_plan_can_be_had(bthtn, put):
    put("trip/domain.py", TRIP)
    answer = bthtn("plan", "trip", "travel", "--anytime", "--max-expansions=2", "--json", "--flat")
    assert notation(tree_told(json.loads(answer.out))) == "(fly, suspended(fly))"
    refused = bthtn("plan", "trip", "travel", "--max-expansions=2")
    assert (refused.code, "BT203" in refused.err) == (2, True)


def test_a_plan_is_written_as_xml_for_groot2(bthtn, here):
    answer = bthtn("plan", "combat", "fight", "--set", "target=true", "--format", "xml")
    assert answer.code == 0
    assert '<Action ID="keep_distance" name="keep_distance"/>' in answer.out
    again = bthtn(
        "plan", "combat", "fight", "--set", "target=true", "--format", "xml", "-o", "a.xml"
    )
    assert (again.code, (here / "a.xml").read_text("utf-8")) == (0, answer.out)


def page_trees(path):
    """The trees that a page shows, by their titles."""
    data = json.loads(path.read_text("utf-8").split('id="data">')[1].split("</script>")[0])
    return {tree["title"]: tree["tree"] for tree in data["trees"]}


def test_a_page_shows_the_plan_and_what_was_rejected(bthtn, here):
    answer = bthtn("plan", "combat", "fight", "--set", "target=true", "-o", "a.html")
    assert (answer.code, answer.out) == (0, "wrote a.html\n")
    trees = page_trees(here / "a.html")
    assert list(trees) == ["plan", "search"]
    assert trees["plan"]["name"] == "fight"
    methods = [(node["kind"], node["name"]) for node in trees["search"]["children"][0]["children"]]
    assert methods[0] == ("dropped", "method 0")
    assert methods[-1][0] == "method"
    assert bthtn("plan", "combat", "fight", "--format", "html").out == "wrote combat-fight.html\n"


def test_a_page_shows_the_search_that_found_no_plan(bthtn, here):
    answer = bthtn("plan", "club", "attack", "-o", "a.html")
    assert answer.code == 1
    assert "club: no plan for attack" in answer.out
    assert list(page_trees(here / "a.html")) == ["search"]
