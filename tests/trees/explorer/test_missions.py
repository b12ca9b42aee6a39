"""What the explorer does with missions: he finds out what is missing while he is at it."""

import json

import pytest

from bthtn.engine.agent.events import (
    AgentReloaded,
    LeafAborted,
    LeafEnded,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanReplaced,
    PlanResumed,
)
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.minigrid.beliefs import Explorer
from bthtn.examples.trees.explorer.level import Action
from bthtn.examples.trees.explorer.tree import character, mission

ROOM = """
    ########
    #..>..x#
    ########
"""
DOOR = """
    ########
    #.>.D.x#
    ########
"""
BOXED = """
    ########
    #B.>.Lx#
    ########
"""
CORNER = """
    ###########
    #...#.....#
    #...#.....#
    #>........#
    #...#...x.#
    #...#.....#
    ###########
"""
VAULT = """
    ###############
    #.............#
    #.............#
    #k....>.......#
    #.............#
    ######L########
    #....x........#
    ###############
"""
BLOCKED = """
    #########
    #.>..#..#
    #...oL.x#
    #k...#..#
    #########
"""


def plans(trial):
    made = [event for event in trial.heard.events if isinstance(event, PlanAdopted | PlanResumed)]
    return [normal(event.plan.tree) for event in made]


def steps_done(trial):
    return [event.task for event in trial.heard.of(LeafEnded) if event.succeeded]


def test_what_is_seen_is_fetched_at_once(trial):
    trial = trial(ROOM, "pick up the red box")
    assert trial.play()
    assert plans(trial) == ["(go_up_to((3, 0)), pick_up((3, 0)))"]
    assert trial.world.done == [Action.FORWARD, Action.FORWARD, Action.PICK_UP]


def test_what_was_never_seen_is_looked_for_and_the_rest_is_planned_when_it_is_seen(trial):
    trial = trial(VAULT, "pick up the red box")
    assert trial.play()
    first, *later = plans(trial)
    assert first.endswith("suspended(get('red box')))")
    assert first.startswith("(look_at(")
    assert "unlock((0, 2))" in "".join(later)
    assert steps_done(trial)[-1].startswith("pick_up(")
    assert trial.heard.of(PlanFailed) == []


@pytest.mark.slow
@pytest.mark.parametrize("every", [7, 10, 15])
def test_reloaded_now_and_then_he_goes_on_in_his_level(trial, every):
    reloaded, reloads = trial(VAULT, "pick up the red box"), 0
    while not reloaded.level.over:
        if reloaded.character.ticks % every == every - 1:
            reloaded.character.reload(lambda running: character(0, running))
            reloads += 1
        reloaded.tick()
    assert reloaded.level.won
    assert len(reloaded.heard.of(AgentReloaded)) == reloads > 1


def test_a_door_that_turns_out_to_be_locked_sends_for_its_key(trial):
    trial = trial(VAULT, "open the red door")
    assert trial.play()
    tasks = [task.partition("(")[0] for task in steps_done(trial)]
    assert tasks.index("pick_up") < tasks.index("unlock")
    assert trial.world.carrying == "red key"


def test_what_blocks_the_door_is_carried_away_and_put_where_it_is_in_nobodys_way(trial):
    trial = trial(BLOCKED, "pick up the red box")
    assert trial.play()
    assert [action for action in trial.world.done if action > Action.FORWARD] == [
        *(Action.PICK_UP, Action.PUT_DOWN, Action.PICK_UP),
        *(Action.TOGGLE, Action.PUT_DOWN, Action.PICK_UP),
    ]


def test_a_key_that_is_nowhere_may_be_in_a_box(trial):
    trial = trial(BOXED, "pick up the red box")
    assert trial.play()
    assert steps_done(trial)[0].startswith("look_at(")
    assert any(task.startswith("open_box(") for task in steps_done(trial))
    assert trial.world.done.count(Action.TOGGLE) == 2


def test_the_goal_is_walked_onto(trial):
    trial = trial(ROOM.replace("x", "G"), "get to the green goal square")
    assert trial.play()
    assert steps_done(trial)[-1] == "enter((3, 0))"


def test_a_goal_out_of_sight_is_looked_for(trial):
    trial = trial("##########\n#G....>..#\n##########", "get to the green goal square")
    assert trial.play()
    assert len(trial.heard.of(PlanResumed)) >= 1


def test_a_closed_door_is_opened_on_the_way(trial):
    trial = trial(DOOR, "pick up the red box")
    assert trial.play()
    assert Action.TOGGLE in trial.world.done


def test_where_nothing_can_be_done_he_looks_around(trial):
    trial = trial("####\n#>.#\n####", "pick up the red box")
    assert not trial.play(limit=30)
    assert trial.world.done[-3:] == [Action.LEFT] * 3


@pytest.mark.parametrize("sentence", ["sing", "paint the red door"])
def test_a_mission_of_another_kind_is_refused(sentence):
    with pytest.raises(ValueError, match=f"does not know how to '{sentence}'"):
        mission(sentence)


# what goes wrong


@pytest.mark.parametrize(
    ("drawing", "action", "reason"),
    [
        (ROOM, Action.PICK_UP, "red box cannot be picked up"),
        (DOOR, Action.TOGGLE, "the door does not open"),
        (BOXED, Action.TOGGLE, "the box does not open"),
        (BLOCKED, Action.PUT_DOWN, "there is no room for it"),
    ],
)
def test_a_step_that_comes_to_nothing_fails_the_plan_and_another_is_made(
    trial, drawing, action, reason
):
    trial = trial(drawing, "pick up the red box", jammed=[action])
    assert trial.play()
    (failure,) = trial.heard.of(PlanFailed)
    assert failure.reason.endswith(reason)
    assert failure.again


def test_what_comes_into_view_meanwhile_is_fetched_at_once(trial):
    trial = trial(CORNER, "pick up the red box")
    assert trial.play()
    (replaced,) = trial.heard.of(PlanReplaced)
    assert replaced.reason == "it is better, and a surprise"
    assert trial.heard.of(LeafAborted)[0].task.startswith("look_at(")


def test_what_somebody_takes_away_meanwhile_breaks_the_plan_before_he_gets_there(trial):
    def take(world, action):
        if world.at == (4, 1):
            world.cells[6, 1] = "floor"

    trial = trial(ROOM, "pick up the red box", before=take)
    trial.play(limit=20)
    (broken,) = trial.heard.of(PlanBroken)
    assert broken.step == "approach((3, 0)) m0"
    assert broken.change.fluent is Explorer.where["red box"]


def test_a_way_that_is_blocked_meanwhile_fails_the_plan(trial):
    def close(world, action):
        world.cells[5, 1] = "wall"

    trial = trial(ROOM, "pick up the red box", before=close)
    trial.play(limit=5)
    assert "the way to (3, 0) is blocked" in trial.heard.of(PlanFailed)[0].reason


def test_a_game_that_is_loaded_is_played_once(trial):
    one, other = (trial("####### #>...k# #######", "pick up the red key") for _ in range(2))
    one.tick(4)
    other.character.load(json.loads(json.dumps(one.character.save())))
    assert other.world.done == one.world.done != []
    was, now = one.agent.body, other.agent.body
    assert (now.here, now.heading, now.order) == (was.here, was.heading, was.order)
    assert now.map == was.map
    assert now.here != (0, 0)
