"""bthtn plan --all: the sorted list of all plans."""

import json

import pytest

DEEP = """
from bthtn import Domain, Fluent, State, fluent, method


class World(State):
    count: Fluent[int] = fluent(default=0)


deep = Domain("deep", World)
step = deep.primitive("step", effects=World.count.increases(1))
leap = deep.primitive("leap", effects=World.count.increases(2))


@deep.compound
def climb():
    yield method(step(), climb(), when=World.count < 3_000)
    yield method(leap(), climb(), when=World.count < 3_000)
    yield method(when=World.count >= 3_000)
"""
TROLL = ("plan", "troll", "be_trunk_thumper", "--all")
EVERY_TROLL = (
    *(f"--set=can_see_enemy={one}" for one in ("true", "false")),
    *(f"--set=trunk_health={one}" for one in (3, 0)),
    *(f"--set=attacked_recently={one}" for one in ("false", "true")),
    *(f"--set=has_seen_enemy_recently={one}" for one in ("false", "true")),
)


def rows(answer):
    """The cells of the table, without the head; wrapped plans are joined."""
    assert (answer.code, answer.err) == (0, "")
    table = answer.out.partition("\n\n")[2].replace("\n               ", " ")
    return [line.split(maxsplit=2) for line in table.splitlines()[1:]]


def test_all_plans_of_the_whole_troll_are_those_of_the_figure(bthtn):
    """R001-16: Fig. 12.3, each plan of the domain, from whatever state, the most wanted first."""
    assert rows(bthtn(*TROLL, *EVERY_TROLL)) == [
        ["[0,0]", "3", "(navigate_to_enemy, do_trunk_slam, recovery_roar)"],
        [
            *("[0,1,0]", "6"),
            "(find_trunk, navigate_to_trunk, uproot_trunk, navigate_to_enemy, do_trunk_slam,"
            " recovery_roar)",
        ],
        [
            *("[0,1,2]", "5"),
            "(find_trunk, navigate_to_trunk, uproot_trunk, pickup_boulder, throw_boulder)",
        ],
        ["[0,2]", "2", "(pickup_boulder, throw_boulder)"],
        ["[1]", "2", "(nav_to_last_enemy_loc, regain_los_roar)"],
        ["[2]", "3", "(choose_bridge_to_check, navigate_to_bridge, check_bridge)"],
    ]


def test_from_one_state_there_are_the_plans_that_work_there(bthtn):
    answer = bthtn(*TROLL, "--set=can_see_enemy=true", "--set=trunk_health=0")
    assert [row[0] for row in rows(answer)] == ["[0,1,0]", "[0,1,2]", "[0,2]", "[2]"]
    assert answer.out.startswith("troll: be_trunk_thumper\n4 plans, the most preferred first\n\n")


def test_the_first_of_them_is_the_plan(bthtn):
    asked = ("plan", "fps", "kill_target", "--set=has_target=true", "--set=has_magazine=true")
    for more in ((), ("--cheapest",)):
        first = json.loads(bthtn(*asked, *more, "--all", "--json").out)["plans"][0]
        plan = json.loads(bthtn(*asked, *more, "--json").out)
        assert {**first, "expansions": 0} == {**plan, "expansions": 0}


def test_the_cheapest_come_first_if_that_is_asked_for(bthtn):
    answer = bthtn(*TROLL, "--set=can_see_enemy=true", "--set=trunk_health=0", "--cheapest")
    assert [row[1] for row in rows(answer)] == ["2", "3", "5", "6"]


def test_the_list_is_as_long_as_its_limit(bthtn):
    answer = bthtn(*TROLL, *EVERY_TROLL, "--limit=2")
    assert [row[0] for row in rows(answer)] == ["[0,0]", "[0,1,0]"]
    assert "\n2 plans, the most preferred first; there are more: --limit 20\n" in answer.out


def test_plans_have_their_values(bthtn):
    answer = bthtn(
        *("plan", "brawler", "battle_main", "--all"),
        *("--set=value[Jab]=5", "--set=value[FullSwing]=0", "--set=near=false"),
    )
    table = [line.split(maxsplit=3) for line in answer.out.splitlines()[3:]]
    assert table[0] == ["record", "cost", "value", "plan"]
    assert [row[2] for row in table[1:]] == ["0", "5", "200", "10000"]
    assert table[2][3] == "(step_closer, jab)"


def test_programs_are_given_whole_plans_and_whether_these_are_all(bthtn, tmp_path):
    file = tmp_path / "plans.json"
    answer = bthtn(*TROLL, *EVERY_TROLL, "--limit=5", "--json", "--output", file)
    assert (answer.code, answer.out) == (0, f"wrote {file}\n")
    told = json.loads(file.read_text("utf-8"))
    assert (told["format"], told["domain"], told["complete"]) == ("bthtn-plans/1", "troll", False)
    assert [plan["record"] for plan in told["plans"]] == [[0, 0], [0, 1, 0], [0, 1, 2], [0, 2], [1]]
    assert told["plans"][3]["nodes"][0]["node"] == "scope"


def test_without_any_plan_it_says_why(bthtn):
    answer = bthtn("plan", "combat", "fight_from_cover", "--all")
    assert answer.code == 1
    assert "no plan for fight_from_cover, because" in answer.out


@pytest.mark.parametrize("option", ["--parallelize", "--anytime", "--format=svg"])
def test_options_of_a_single_plan_are_refused(bthtn, option):
    answer = bthtn(*TROLL, option)
    assert answer.code == 2
    assert "BT409" in answer.err
    assert "says nothing about a list of plans" in answer.err


def test_plans_that_are_nested_in_thousands_of_tasks_are_listed(bthtn, put):
    answer = bthtn("plan", put("deep.py", DEEP), "climb", "--all", "--limit=2", "--json", "--flat")
    assert (answer.code, answer.err) == (0, "")
    told = json.loads(answer.out)
    assert (told["complete"], [plan["cost"] for plan in told["plans"]]) == (False, [3_000, 3_000])


def test_the_limit_of_expansions_holds(bthtn):
    answer = bthtn(*TROLL, "--set=can_see_enemy=true", "--max-expansions=2")
    assert answer.code == 2
    assert "BT203" in answer.err
