"""bthtn explain: why a plan is as it is, and what would change it."""

import json

import pytest

from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.kit.recording import Recorder
from bthtn.studio.testing.domain_files import domain_at

TARGET = ("--set", "target=true")


def test_a_plan_is_explained_with_the_methods_that_were_not_chosen(bthtn):
    answer = bthtn("explain", "combat", "fight", *TARGET, "--set", "ammo=true")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        "combat: fight",
        "fight, method 2",
        "  fight_at_distance, method 0",
        "    prepare_combat, method 1",
        "      do_nothing",
        "    keep_distance",
        "    shoot",
        "      relies on target: target = true (the initial state)",
        "      relies on ammo: ammo = true (the initial state)",
        "",
        "other methods",
        "fight, method 0: failed",
        "  not target is false: target = true",
        "fight, method 1: failed",
        "  cover is false: cover = false",
        "    prepare_combat, method 0: failed",
        "      not ammo is false: ammo = true",
    ]


def test_one_step_is_explained_from_the_goal_down(bthtn):
    answer = bthtn("explain", "combat", "fight", *TARGET, "--set", "ammo=false", "--step", "shoot")
    assert answer.out.splitlines() == [
        "combat: fight",
        "fight, method 2",
        "  fight_at_distance, method 0",
        "    shoot",
        "      relies on target: target = true (the initial state)",
        "      relies on ammo: ammo = true (after reload)",
    ]


def test_a_method_that_is_not_chosen_says_what_would_change_it(bthtn):
    answer = bthtn("explain", "combat", "fight", "--method", "fight:1")
    assert answer.out.splitlines() == [
        "fight, method 1: comes later, and does not work",
        "  cover is false: cover = false",
        "it would be chosen with target = true and cover = true",
    ]
    proof = bthtn("plan", "combat", "fight", *TARGET, "--set", "cover=true", "--json")
    assert json.loads(proof.out)["record"][0] == 1


def test_what_would_change_it_is_also_said_where_there_is_no_plan(bthtn):
    none = bthtn(
        "explain", "combat", "fight_at_distance", "--set", "ammo=false", "--set", "magazine=false"
    )
    assert none.code == 1
    assert "no plan for fight_at_distance" in none.out
    answer = bthtn("explain", "combat", "fight_at_distance", "--method", "fight_at_distance:0")
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == "it would be chosen with target = true"


def test_the_decomposition_is_a_table(bthtn):
    answer = bthtn("explain", "combat", "fight", "--table")
    assert answer.out.splitlines() == [
        "it  tasks to process  plan          record",
        "0   fight             -             -",
        "1   search_enemy      -             0",
        "2   -                 search_enemy  0",
    ]


def test_of_a_step_a_method_a_table_and_decisions_one_is_explained_at_a_time(bthtn):
    answer = bthtn("explain", "combat", "fight", "--table", "--method", "fight:1")
    assert (answer.code, answer.out) == (2, "")
    assert "--table says nothing about --method" in answer.err


def test_all_of_it_can_be_had_as_json(bthtn):
    whole = json.loads(bthtn("explain", "combat", "fight", "--json").out)
    assert whole["format"] == "bthtn-explanation/1"
    assert [one["task"] for one in whole["why"]] == ["fight", "search_enemy"]
    assert [one["outcome"] for one in whole["why_not"]] == ["comes later, and does not work"] * 2
    method = json.loads(bthtn("explain", "combat", "fight", "--method", "fight:1", "--json").out)
    assert method["changes"]["sets"] == [{"target": "true", "cover": "true"}]
    table = json.loads(bthtn("explain", "combat", "fight", "--table", "--json").out)
    assert table["table"][-1] == {"tasks": [], "plan": ["search_enemy"], "record": [0]}


def test_a_slip_is_answered_with_what_to_write(bthtn):
    for words, said in {
        ("--method", "fight"): "write --method task:number, such as --method fight:1",
        ("--method", "fight:9"): "it has 0 to 2",
        ("--method", "figth:1"): "did you mean 'fight'?",
        ("--step", "serch"): "search_enemy",
    }.items():
        answer = bthtn("explain", "combat", "fight", *words)
        assert answer.code == 2
        assert said in answer.err


def test_any_moment_of_a_recording_is_explained(bthtn, tmp_path):
    file = str(tmp_path / "run.jsonl")
    assert bthtn("run", "soldier", "--ticks", "12", "--record", file).code in (0, 1)
    then = bthtn("explain", "combat", "fight", "--recording", file, "--tick", "8")
    now = bthtn("explain", "combat", "fight", "--recording", file, "--agent", "soldier")
    assert (then.code, now.code) == (0, 0)
    assert then.out.splitlines()[1:3] == [
        "fight, method 0",
        "  relies on not target: target = false (the initial state)",
    ]
    assert now.out.splitlines()[1] == "fight, method 1"
    whatif = bthtn("explain", "combat", "fight", "--recording", file, "--set", "cover=false")
    assert whatif.out.splitlines()[1] != "fight, method 1"


@pytest.fixture
def recorded(bthtn, tmp_path):
    """The command for a recording of the soldier, who is in cover from tick 16 on."""
    file = str(tmp_path / "run.jsonl")
    bthtn("run", "soldier", "--ticks", "20", "--record", file)
    return "explain", "combat", "fight", "--recording", file


def test_why_a_running_plan_was_kept_is_told_with_the_better_one(bthtn, recorded):
    answer = bthtn(*recorded, "--tick", "16", "--replans", "fight")
    assert answer.code == 0
    *told, empty, better = answer.out.splitlines()
    assert told[-1] == (
        "tick 16: soldier #2 of fight kept, after in_cover: false → true (by sensor)"
        " — the running plan leads there by itself"
    )
    assert [line.partition(":")[0] for line in told] == ["tick 8", "tick 13", "tick 16"]
    assert not empty
    assert better.startswith("with the beliefs at the end of tick 16, (parallel(cover, (wait(3),")
    assert better.endswith("is better, record [1,0,0,0,0,0]")


def test_what_the_bound_cuts_is_told_where_nothing_is_better(bthtn, recorded):
    answer = bthtn(*recorded, "--replans", "fight", "--json")
    better = json.loads(answer.out)["better"]
    assert (better["beats"], better["plan"]) == ([1, 0, 0, 1, 0, 0], None)
    cut = "fight, method 2: no plan by it or a later method beats the record [1,0,0,1,0,0]"
    assert better["reasons"][-1] == {"depth": 0, "text": cut}


CAVE = """
from bthtn import Domain, Fluent, State, defer, fluent, method

class Cave(State):
    dark: Fluent[bool] = fluent(default=True)

cave = Domain("cave", Cave)
walk = cave.primitive("walk")
look, feel = cave.primitive("look", duration=5), cave.primitive("feel", duration=5)

@cave.compound
def explore():
    yield method(walk(), defer(search()))

@cave.compound
def search():
    yield method(look(), when=~Cave.dark)
    yield method(feel())
"""


def test_the_record_to_beat_has_what_was_planned_for_a_suspended_part(bthtn, tmp_path):
    file = tmp_path / "cave.py"
    file.write_text(CAVE)
    cave = domain_at(file)
    operators = Operators(simulates_others=True)
    agent = Agent("Ann", cave, cave.state_class(), body=None, operators=operators)
    goal = PlanGoal("explore", agent, cave.task("explore")())
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        for _ in range(4):
            agent.sense()
            goal.tick_once()
            recorder.tick()
    recorded = ("--recording", str(tmp_path / "run.jsonl"), "--replans", "explore")
    answer = bthtn("explain", str(file), "explore", *recorded, "--json")
    assert json.loads(answer.out)["better"]["beats"] == list(goal.record) == [0, 1]


def test_where_no_plan_runs_only_the_decisions_are_told(bthtn, recorded):
    answer = bthtn(*recorded, "--tick", "12", "--replans", "fight")
    assert answer.out.splitlines() == [
        "tick 8: soldier #1 of fight adopted — the goal is new: search_enemy",
        "",
        "with the beliefs at the end of tick 12, no plan of fight runs",
    ]


def test_replans_are_those_of_a_goal_in_a_recording(bthtn, recorded):
    wrong = bthtn(*recorded, "--replans", "figth")
    assert (wrong.code, "did you mean 'fight'?" in wrong.err) == (2, True)
    nowhere = bthtn("explain", "combat", "fight", "--replans", "fight")
    assert (nowhere.code, "name its file: --recording FILE" in nowhere.err) == (2, True)


def test_a_moment_that_the_recording_does_not_have_is_refused(bthtn, tmp_path):
    file = str(tmp_path / "run.jsonl")
    bthtn("run", "soldier", "--ticks", "3", "--record", file)
    for words, said in {
        ("--tick", "99"): "it has 1 to 3",
        ("--agent", "soldeir"): "did you mean 'soldier'?",
    }.items():
        answer = bthtn("explain", "combat", "fight", "--recording", file, *words)
        assert answer.code == 2
        assert said in answer.err
    missing = bthtn("explain", "combat", "fight", "--recording", "no.jsonl")
    assert missing.code == 2
