"""The soldier in situations that the world brings about."""

from bthtn.behaviours import OperatorFailed
from bthtn.engine.agent.events import (
    GoalEnded,
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanAborted,
    PlanFailed,
    TaskAvoided,
)
from bthtn.examples.domains.combat import domain as combat
from bthtn.examples.trees.soldier.body import FULL

BEHIND_THE_WALL = (4, 2)
OPEN_GROUND = (20, 0)


def kill(world):
    """The ally shoots until the enemy falls."""
    while world.enemy.alive:
        world.fire(world.ally, world.enemy, chance=1)


def destroy_all_cover(world):
    for cover in sorted(world.ground.covers):
        world.destroy(cover)


# line of fire


# R000-41
def test_with_an_empty_gun_he_reloads_on_the_way_to_cover(scene):  # R000-36
    scene.tick_until_done()
    lines = scene.heard.lines()
    assert lines.index("start wait(3)") < lines.index("done move_to_cover")
    assert scene.world.soldier.at == BEHIND_THE_WALL
    assert scene.body.rounds == FULL


def test_he_holds_fire_when_the_line_of_fire_is_blocked_on_arrival(scene):  # R000-36
    assert scene.world.line_of_fire
    events = scene.tick_until_done()
    assert not scene.world.line_of_fire
    assert "shoot" in scene.plans[0]
    assert "shoot" not in scene.started
    assert "done no_line_of_fire" in scene.heard.lines()
    assert events[-1] == GoalEnded("fight", succeeded=True)
    assert scene.body.rounds == FULL


def test_he_shoots_when_there_is_a_line_of_fire_on_arrival(scene):
    scene.tick_until(lambda event: isinstance(event, LeafStarted) and event.task == "cover")
    scene.world.enemy.at = (4, 6)
    scene.tick_until_done()
    assert scene.heard.lines()[-3:] == ["refused no_line_of_fire", "start shoot", "done shoot"]
    assert scene.body.rounds == FULL - 1


def test_a_shot_fails_when_the_line_of_fire_is_lost_while_he_aims(scene):
    scene.body.rounds = FULL
    scene.world.soldier.at = BEHIND_THE_WALL
    scene.world.enemy.at = (4, 6)
    scene.tick_until(lambda event: isinstance(event, LeafStarted) and event.task == "shoot")
    scene.world.enemy.at = (12, 2)
    scene.tick(2)
    (failed,) = scene.heard.of(PlanFailed)
    assert failed.again
    assert failed.reason.endswith("shoot: the line of fire is lost")
    assert scene.body.rounds == FULL


# the ally


def test_an_ally_kills_the_enemy_while_the_soldier_runs(scene):  # R000-30
    scene.tick(2)
    assert scene.heard.running() == ["move_to_cover", "wait(3)"]
    kill(scene.world)
    scene.tick()
    assert [event.task for event in scene.heard.of(LeafAborted)] == ["move_to_cover", "wait(3)"]
    assert [event.reason for event in scene.heard.of(PlanAborted)] == ["'alarmed' failed"]
    assert scene.end_of("run to cover") == "taken back"
    assert scene.body.orders["legs"].name == "patrol"
    assert "shoot" not in scene.started
    assert scene.character.finished


def test_he_does_not_shoot_at_an_enemy_who_has_just_fallen(scene):
    scene.body.rounds = FULL
    scene.world.soldier.at = BEHIND_THE_WALL
    scene.world.enemy.at = (4, 6)
    scene.tick_until(lambda event: isinstance(event, LeafStarted) and event.task == "cover")
    scene.tick()
    kill(scene.world)
    scene.tick(2)
    assert "shoot" not in scene.started
    assert scene.body.rounds == FULL


# cover and ammunition


def test_when_his_cover_is_destroyed_on_the_way_he_goes_to_another(scene):
    scene.tick(2)
    scene.world.destroy(BEHIND_THE_WALL)
    scene.tick(2)
    ended = [event for event in scene.heard.of(LeafEnded) if event.task == "move_to_cover"]
    assert [event.reason for event in ended] == ["the cover is gone"]
    assert "aborted wait(3)" not in scene.heard.lines()
    assert scene.heard.of(PlanFailed)[0].again
    assert scene.plans[1] == scene.plans[0]
    scene.tick_until_done()
    assert scene.world.in_cover


def test_when_all_cover_is_destroyed_on_the_way_he_fights_at_a_distance(scene):
    scene.tick(2)
    destroy_all_cover(scene.world)
    scene.tick(2)
    assert scene.plans[1] == ["wait(3)", "reload", "keep_distance", "shoot"]
    assert "aborted wait(3)" not in scene.heard.lines()


def test_without_a_magazine_he_takes_cover_and_does_not_plan_to_shoot(scene):
    scene.body.magazines = 0
    scene.tick_until_done()
    assert scene.plans[0] == ["move_to_cover", "cover", "do_nothing", "no_line_of_fire"]
    assert scene.heard.of(GoalEnded)[0].succeeded


def test_without_a_magazine_and_without_cover_there_is_no_plan(scene):
    scene.body.magazines = 0
    destroy_all_cover(scene.world)
    (ended,) = [event for event in scene.tick() if isinstance(event, GoalEnded)]
    assert not ended.succeeded
    why = "there is no plan: shoot: target and ammo is false: target = true, ammo = false"
    assert ended.reason == why
    assert scene.character.root.tip().name == "patrol"


# noise


def test_he_looks_for_what_he_hears_and_stops_when_he_sees_it(new_scene):  # R001-01
    scene = new_scene(soldier=(1, 4), enemy=OPEN_GROUND)
    scene.tick()
    assert scene.character.root.tip().name == "patrol"
    scene.world._hear_enemy()
    scene.tick(3)
    assert scene.heard.running() == ["search_enemy"]
    column, row = scene.world.soldier.at
    scene.world.enemy.at = (column, row + 2)
    scene.tick()
    assert scene.heard.lines() == ["start search_enemy", "done search_enemy"]
    assert scene.end_of("go to the noise") == "taken back"


def test_a_noise_that_dies_away_is_forgotten(new_scene):
    scene = new_scene(soldier=(1, 4), enemy=OPEN_GROUND)
    scene.world._hear_enemy()
    scene.tick(30)
    assert "start search_enemy" in scene.heard.lines()
    assert scene.body.orders["legs"].name == "patrol"
    assert scene.heard.running() == []


# code that fails


def test_an_operator_that_raises_fails_the_plan_and_nothing_else(new_scene, operators_with):
    def jammed(agent):
        yield
        raise ZeroDivisionError("the bolt is stuck")

    scene = new_scene(code=operators_with(combat.reload, jammed))
    scene.tick_until(lambda event: isinstance(event, PlanFailed))
    (failed,) = [event for event in scene.heard.of(LeafEnded) if not event.succeeded]
    assert failed.task == "reload"
    assert isinstance(failed.error, ZeroDivisionError)
    (plan,) = scene.heard.of(PlanFailed)
    told = (
        "prepare_combat m0 > reload: ZeroDivisionError: the bolt is stuck (test_soldier_scenarios"
    )
    assert told in plan.reason
    assert scene.heard.running() == ["cover"]


def test_he_gives_up_a_fight_in_which_every_plan_fails(new_scene, operators_with):
    def jammed(agent):
        raise OperatorFailed("the bolt is stuck")

    scene = new_scene(code=operators_with(combat.reload, jammed))
    destroy_all_cover(scene.world)
    scene.tick_until_done()
    assert len(scene.plans) == 3
    (avoided,) = scene.heard.of(TaskAvoided)
    assert (avoided.task, avoided.reason) == ("reload", "the bolt is stuck")
    (ended,) = scene.heard.of(GoalEnded)
    first, avoided = ended.reason.split("; reload: avoided: it failed at tick ")
    assert first == "there is no plan: shoot: target and ammo is false: target = true, ammo = false"
    assert "because the bolt is stuck; until tick" in avoided


def test_an_operator_whose_order_is_replaced_fails_with_a_reason(scene):
    scene.tick(2)
    scene.body.patrol()
    scene.tick()
    ended = [event for event in scene.heard.of(LeafEnded) if event.task == "move_to_cover"]
    assert [event.reason for event in ended] == ["'run to cover' was replaced"]


def test_a_dead_soldier_does_nothing_any_more(scene):
    scene.tick(2)
    scene.world.soldier.health = 0
    scene.tick()
    assert scene.heard.running() == []
    assert [event.reason for event in scene.heard.of(PlanAborted)] == ["'alive' failed"]
    assert not any(order.pending for order in scene.orders)
    assert scene.character.finished
