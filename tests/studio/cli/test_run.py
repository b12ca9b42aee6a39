"""``bthtn run``: the timeline, how it ended, the pictures, and what becomes of bad trees."""

import json
import signal
import sys
from pathlib import Path

import pytest

from bthtn.errors import InputError
from bthtn.studio.cli import album, run
from bthtn.studio.cli.run import play

DOG = """
    from bthtn import Domain, Fluent, State, fluent, parallel
    from bthtn.behaviours import Agent, Character, Operators, PlanGoal


    class Dog(State):
        bones: Fluent[int] = fluent(default=0)


    yard = Domain("yard", Dog)
    dig = yard.primitive("dig", actual=Dog.bones.increases(1), duration=2)
    bark = yard.primitive("bark", duration=1)


    def character(seed=0):
        agent = Agent("dog", yard, Dog(), body=None)
        goal = PlanGoal("play", agent, parallel(dig(), bark()))
        return Character(
            goal, agent, finished=lambda: agent.beliefs.now.bones > seed
        )
"""


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tree(empty_folder):
    """Writes a tree, with lines added to it; its name."""

    def write(added="", source=DOG):
        text = "\n".join(line.removeprefix("    ") for line in (source + added).splitlines())
        folder = empty_folder / "trees" / "dog"
        folder.mkdir(parents=True)
        (folder / "tree.py").write_text(text)
        return "dog"

    return write


@pytest.fixture
def told(capsys):
    """Runs a tree; exit code and what was printed."""

    def ask(name, *, ticks=None, seed=0, as_json=False, out=None, **filters):
        code = play(name, ticks=ticks, seed=seed, as_json=as_json, out=out, **filters)
        return code, capsys.readouterr().out

    return ask


@pytest.fixture
def no_graphviz(monkeypatch):
    def missing(dot, form):
        raise InputError("BT407", "there is no program 'dot'", hint="install it")

    monkeypatch.setattr(album, "picture", missing)


@pytest.fixture
def graphviz(monkeypatch):
    monkeypatch.setattr(album, "picture", lambda dot, form: b"<svg/>")


# what is printed


OUT = Path("out")


def test_the_soldier_runs_to_a_good_end(told, graphviz):
    code, text = told("soldier", out=OUT)
    assert code == 0
    assert "drops    plan 5 for fight — 'survive' took over" in text
    assert text.splitlines()[-2].startswith("finished after 4")
    assert text.splitlines()[-1].startswith(f"pictures: {Path('out/soldier/tree.svg')} and")


def test_no_line_of_the_shown_run_is_wider_than_a_hundred_columns(told):
    assert max(map(len, told("soldier")[1].splitlines())) <= 100


def test_a_run_is_told_tick_by_tick(told, tree, graphviz):
    assert told(tree(), out=OUT) == (
        0,
        "tick    the tree runs           what happens\n"
        "1       play           plan     1 for play, record []\n"
        "                                parallel\n"
        "                                ├─ dig\n"
        "                                └─ bark\n"
        "                       starts   dig, bark\n"
        "2       play           done     bark\n"
        "                       runs     dig\n"
        "3       play           effect   bones: 0 → 1\n"
        "                       done     dig\n"
        "                       goal     play is done\n"
        "\n"
        "finished after 3 ticks\n"
        "pictures: out/dog/tree.svg and, beside it, plan-1\n",
    )


def test_a_run_that_does_not_finish_in_time_is_no_success(told, tree):
    code, text = told(tree(), ticks=2, seed=5)
    assert code == 1
    assert "drops    plan 1 for play — the tree was stopped" in text
    assert "aborts   dig" in text
    assert "not finished after 2 ticks; give it more with --ticks" in text


def test_only_the_entries_that_are_asked_for_are_printed(told, tree):
    _, text = told(tree(), only="goal, effect")
    shown = text[: text.index("finished")].splitlines()
    assert [line[23:] for line in shown[1:] if line] == [
        "effect   bones: 0 → 1",
        "goal     play is done",
    ]


def test_a_misspelt_kind_of_entries_is_found_before_the_run(told, tree):
    with pytest.raises(InputError, match="did you mean 'goal'"):
        told(tree(), only="gaol")
    assert not Path("out").exists()


def test_of_four_soldiers_the_timeline_says_who_does_what(told):
    _, text = told("squad", ticks=1, only="plan,start")
    who = [line[23:32].strip() for line in text.splitlines() if line[32:].startswith("starts")]
    assert [name for name in ("Al", "Bo", "Cy", "Di") if f" {name}       plan" in text]
    assert len(who) == 4


def test_only_the_entries_of_one_agent_are_printed(told):
    _, text = told("squad", ticks=4, agent="Bo", only="goal,start,done")
    assert [line[23:] for line in text[: text.index("not finished")].splitlines()[1:] if line] == [
        "Bo       starts   go_to('ogre')",
        "Bo       done     go_to('ogre')",
        "         starts   wait_for_turn('ogre')",
    ]


@pytest.mark.parametrize(("what", "near"), [({"agent": "Boo"}, "Bo"), ({"goal": "Dii"}, "Di")])
def test_a_misspelt_agent_or_goal_is_found_before_the_run(told, tree, what, near):
    with pytest.raises(InputError, match=rf"BT409(?s:.*)did you mean '{near}'"):
        told("squad", **what)
    assert not Path("out").exists()


def test_the_seed_reaches_the_tree(told, tree):
    assert "finished after 9 ticks" in told(tree(), seed=2)[1]


def test_a_screen_that_knows_ascii_only_gets_ascii(told, tree, monkeypatch):
    monkeypatch.setattr(run, "is_unicode_screen", lambda: False)
    text = told(tree(), seed=2)[1]
    assert text.isascii()
    assert "`- bark" in text
    assert "bones: 0 -> 1" in text


def test_a_screen_with_colours_gets_colours(told, tree, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in told(tree())[1]


def test_the_same_seed_prints_the_same(told):
    assert told("soldier", seed=7) == told("soldier", seed=7)


# for programs


def test_programs_get_one_object_with_ticks_and_events(told, tree):
    code, text = told(tree(), as_json=True)
    answer = json.loads(text)
    assert code == 0
    assert {key: value for key, value in answer.items() if key != "ticks"} == {
        "format": "bthtn-run/1",
        "tree": "dog",
        "seed": 0,
        "finished": True,
        "pictures": [],
    }
    first, second, third = answer["ticks"]
    assert first["active"] == ["play"]
    assert first["events"][0] == {
        "event": "plan_adopted",
        "tick": 1,
        "agent": "dog",
        "goal": "play",
        "plan_id": "dog #1",
        "plan": {"plan": "parallel(dig, bark)", "record": []},
        "reason": "the goal is new",
    }
    assert [event["event"] for event in second["events"]] == ["leaf_ended"]
    assert third["events"][0]["change"] == {
        "fluent": "bones",
        "before": 0,
        "after": 1,
        "source": "play",
    }
    assert not Path("out").exists()


def test_programs_are_told_the_time_of_each_tick(told):
    code, text = told("archer", as_json=True)
    told_ticks = json.loads(text)["ticks"]
    assert code == 0
    assert [tick["time"] for tick in told_ticks[:3]] == [0.5, 1.0, 1.5]
    assert "time" not in json.loads(told("guard", as_json=True)[1])["ticks"][0]


@pytest.mark.parametrize(
    "name", ["thumper", "miner", "warrior", "archer", "swordsman", "comrade", "sentry"]
)
def test_the_characters_of_the_examples_finish(told, name):
    code, text = told(name, as_json=True)
    assert (code, json.loads(text)["finished"]) == (0, True)


def test_programs_may_ask_for_pictures_too(told, tree, graphviz):
    answer = json.loads(told(tree(), as_json=True, out=Path("there"))[1])
    assert answer["pictures"] == ["there/dog/tree.svg", "there/dog/plan-1.svg"]


def test_programs_get_the_error_of_a_step_as_text(told, tree):
    added = """
    code = Operators(simulates_others=True)

    @code.bind(dig)
    def digging(agent):
        raise ValueError("stone")

    def character(seed):
        agent = Agent("dog", yard, Dog(), body=None, operators=code)
        return Character(PlanGoal("play", agent, dig()), agent)
    """
    code, text = told(tree(added), ticks=1, as_json=True)
    assert code == 1
    assert "ValueError: stone" in [
        event.get("error") for event in json.loads(text)["ticks"][0]["events"]
    ]


# pictures


def names(folder):
    return sorted(file.name for file in Path(folder).iterdir())


def test_nothing_is_drawn_that_nobody_asked_for(told, tree, monkeypatch):
    monkeypatch.setattr(run, "Album", None)
    _, text = told(tree())
    assert text.endswith("\nfinished after 3 ticks\n")
    assert not OUT.exists()


def test_the_tree_and_every_plan_are_drawn(told, graphviz):
    told("soldier", out=OUT)
    plans = [f"plan-{number}.{form}" for number in range(1, 10) for form in ("dot", "svg")]
    assert names("out/soldier") == sorted(["pictures.html", "tree.dot", "tree.svg", *plans])


def test_a_plan_is_drawn_as_it_looked_at_its_end(told, graphviz):
    told("soldier", out=OUT)
    dropped = Path("out/soldier/plan-5.dot").read_text()
    assert "'survive' took over" in dropped
    assert "▶ shoot" in dropped
    assert "✓ do_nothing" in dropped
    assert "✓ reload" in Path("out/soldier/plan-2.dot").read_text()


def test_a_plan_that_still_runs_at_the_end_is_drawn_running(told, tree, graphviz):
    told(tree(), ticks=2, seed=5, out=OUT)
    assert "▶ dig" in Path("out/dog/plan-1.dot").read_text()


def test_without_graphviz_there_is_dot_and_one_hint(told, no_graphviz):
    code, text = told("soldier", out=OUT)
    assert code == 0
    assert text.count("[BT407]") == 1
    assert "out/soldier/tree.dot" in text
    assert "tree.svg" not in names("out/soldier")


def test_pictures_of_an_earlier_run_do_not_stay(told, tree, graphviz):
    name = tree()
    told(name, seed=4, out=OUT)
    kept = Path("out/dog/plan-of-mine.svg")
    kept.write_text("mine")
    told(name, out=OUT)
    assert names("out/dog") == [
        "pictures.html",
        "plan-1.dot",
        "plan-1.svg",
        "plan-of-mine.svg",
        "tree.dot",
        "tree.svg",
    ]


def test_pictures_go_where_they_are_wanted(told, tree, graphviz):
    told(tree(), out=Path("far/away"))
    assert "tree.svg" in names("far/away/dog")


def test_a_recording_does_not_replace_another_file(told, tree):
    name, file = tree(), Path("trees/dog/tree.py")
    code = file.read_text("utf-8")
    with pytest.raises(InputError, match=r"(?s)no name of a recording.*in .jsonl or .jsonl.gz"):
        told(name, record=file)
    assert file.read_text("utf-8") == code


def test_a_folder_that_cannot_be_made_is_found_before_the_run(told, tree):
    Path("out").write_text("in the way")
    with pytest.raises(InputError, match="cannot write to") as error:
        told(tree(), out=OUT)
    assert error.value.code == "BT404"


def test_only_so_many_plans_are_drawn(told, tree, monkeypatch):
    drawn = []
    monkeypatch.setattr(album, "picture", lambda dot, form: drawn.append(dot) or b"<svg/>")
    monkeypatch.setattr(album, "MOST_DRAWN", 2)
    told(tree(), seed=4, out=OUT)
    assert len(drawn) == 2
    assert "plan-5.dot" in names("out/dog")


# bad input


def test_an_unknown_tree_has_a_hint(told):
    with pytest.raises(InputError, match="there is no tree 'solder'") as error:
        told("solder")
    assert "soldier" in str(error.value)


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("\n    def character(seed):\n        return 3", "'dog' is int, not a character"),
        ("\n    character = 3", "'dog' is int, not a character"),
        ("\n    def character():\n        pass", "TypeError: character"),
        ("\n    def character(seed):\n        return 1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_makes_no_character_is_explained(told, tree, added, message):
    with pytest.raises(InputError, match=message) as error:
        told(tree(added))
    assert error.value.code in ("BT402", "BT408")


def test_a_world_that_raises_ends_the_run_with_the_tick_and_the_line(told, tree, capsys):
    added = """
    def worlds_end():
        if agent.beliefs.now.bones:
            raise RuntimeError("the end of the world")

    agent = Agent("dog", yard, Dog(), body=None)
    goal = PlanGoal("play", agent, (dig(), bark()))
    character = Character(goal, agent, sense=worlds_end)
    """
    with pytest.raises(InputError, match="tick 4: RuntimeError: the end of the world") as error:
        told(tree(added))
    assert "tree.py:" in str(error.value)
    assert "aborts   bark" in capsys.readouterr().out


def test_a_mistake_of_the_tree_keeps_its_own_message(told, tree):
    added = """
    def character(seed):
        Agent("dog", Domain("bad", Dog), Dog(), body=None).domain.task("digg")
    """
    with pytest.raises(Exception, match=r"\[BT101\]"):
        told(tree(added))


# Ctrl-C

INTERRUPTED = """
    import os, signal

    def character(seed):
        agent = Agent("dog", yard, Dog(), body=None)

        def sense():
            if agent.beliefs.now.bones == 1:
                os.kill(os.getpid(), signal.SIGINT)

        return Character(PlanGoal("play", agent, (dig(), dig())), agent, sense=sense)
"""


def test_an_interrupt_takes_the_tree_down_after_the_tick(told, tree):
    before = signal.getsignal(signal.SIGINT)
    code, text = told(tree(INTERRUPTED))
    assert code == 130
    assert "the tree was stopped" in text
    assert "aborts   dig" in text
    assert "stopped after 4 ticks" in text
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interrupt_ends_the_tick_and_then_the_operators(told, tree):
    added = INTERRUPTED.replace(
        "os.kill(os.getpid(), signal.SIGINT)", "[os.kill(os.getpid(), signal.SIGINT) for _ in '12']"
    )
    code, text = told(tree(added))
    assert code == 130
    assert "aborts   dig" in text
    assert "stopped after 4 ticks" in text


def test_the_tree_and_its_plans_are_on_one_page_for_a_browser(told, no_graphviz):
    _, out = told("soldier", out=OUT)
    assert "for a browser: out/soldier/pictures.html" in out
    page = Path("out/soldier/pictures.html").read_text("utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    titles = [tree["title"] for tree in data["trees"]]
    assert titles[0] == "soldier"
    assert titles[1].startswith("plan 1 for fight, record ")
    assert len(titles) == 10
    first, second = (tree["tree"] for tree in data["trees"][:2])
    assert first["status"] == ""
    assert second["status"] == "SUCCESS"


# where the time went


def test_a_profile_is_a_table_below_the_outcome(told, tree):
    _, plain = told(tree())
    code, text = told("dog", profiled=True)
    assert code == 0
    timeline, table = text.split("\n\nkind  ")
    assert f"{timeline}\n" == plain
    assert min(table.splitlines()[1:]).split()[:2] == ["character", "dog"]
    assert "\nsearch     play   " in table


def test_a_profile_is_in_the_json_of_a_run(told, tree):
    _, text = told(tree(), as_json=True, profiled=True)
    (search,) = (row for row in json.loads(text)["profile"] if row["kind"] == "search")
    assert search["name"] == "play"
    assert 0 < search["own"] <= search["total"]
    assert "profile" not in json.loads(told("dog", as_json=True)[1])


def test_a_flame_graph_is_written_for_speedscope(told, tree):
    file = Path("dog.speedscope.json")
    code, text = told(tree(), speedscope=file)
    assert code == 0
    assert text.endswith("finished after 3 ticks\nwrote dog.speedscope.json\n")
    assert {"name": "search play"} in json.loads(file.read_text("utf-8"))["shared"]["frames"]


def test_a_flame_graph_needs_the_name_of_one(told, tree):
    with pytest.raises(InputError, match=r"a\.txt is no name of a flame graph"):
        told(tree(), speedscope=Path("a.txt"))


@pytest.mark.parametrize("option", [{"profiled": True}, {"speedscope": Path("a.json")}])
def test_a_scenario_has_no_profile(told, option):
    with pytest.raises(InputError, match="says nothing about a scenario"):
        told("a.scenario.toml", **option)
