"""The soldier is hurt, at every tick of every plan: survival takes over, and harms nothing."""

from dataclasses import dataclass

import pytest

from bthtn.engine.agent.events import GoalEnded, LeafAborted, PlanAborted
from bthtn.examples.trees.soldier.body import FULL

HURT = 30


@dataclass
class Situation:
    """Where everybody stands, and how many ticks the plan takes when nobody is hurt."""

    name: str
    ticks: int
    soldier: tuple = (5, 4)
    enemy: tuple = (12, 3)
    rounds: int = 0
    cover: bool = True
    noise: tuple = ()

    def begin(self, new_scene):
        scene = new_scene(soldier=self.soldier, enemy=self.enemy)
        scene.body.rounds = self.rounds
        if self.noise:
            scene.world._hear_enemy()
            scene.world.noise = self.noise
        for cover in [] if self.cover else sorted(scene.world.ground.covers):
            scene.world.destroy(cover)
        return scene


BEHIND_THE_WALL, ENEMY_IN_SIGHT = (4, 2), (4, 6)
SITUATIONS = [
    Situation("search", 8, soldier=(1, 4), enemy=(20, 0), noise=(2, 6)),
    Situation("reload on the way to cover", 7),
    Situation("run to cover", 7, rounds=2),
    Situation("reload in cover", 8, BEHIND_THE_WALL, ENEMY_IN_SIGHT),
    Situation("shoot from cover", 5, BEHIND_THE_WALL, ENEMY_IN_SIGHT, rounds=2),
    Situation("reload in the open", 10, cover=False),
    Situation("shoot in the open", 5, rounds=2, cover=False),
]
PHASES = [
    pytest.param(situation, tick, id=f"{situation.name}, tick {tick}")
    for situation in SITUATIONS
    for tick in range(situation.ticks)
]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_when_nobody_hurts_him_the_plan_succeeds(new_scene, situation):
    scene = situation.begin(new_scene)
    scene.tick_until_done()
    assert scene.heard.of(GoalEnded)[-1].succeeded
    assert scene.character.ticks == situation.ticks


@pytest.mark.parametrize(("situation", "tick"), PHASES)
def test_survival_interrupts_every_phase_of_every_plan(new_scene, situation, tick):  # R000-34
    scene = situation.begin(new_scene)
    rounds, magazines = scene.body.rounds, scene.body.magazines
    scene.tick(tick)
    running, orders = scene.heard.running(), list(scene.orders)
    scene.world.soldier.health = HURT
    scene.tick()

    aborted = [event.task for event in scene.heard.of(LeafAborted)]
    assert sorted(aborted) == sorted(running)
    assert scene.heard.running() == []
    reasons = [event.reason for event in scene.heard.of(PlanAborted)]
    assert reasons == (["'survive' took over"] if tick else [])

    assert not any(order.pending for order in orders)
    done = [order.name for order in orders if order.end == "done"]
    assert scene.body.magazines == magazines - done.count("reload")
    loaded = FULL if "reload" in done else rounds
    assert scene.body.rounds == loaded - done.count("shoot")


@pytest.mark.parametrize(("situation", "tick"), PHASES)
def test_he_recovers_from_it_and_fights_again(new_scene, situation, tick):
    scene = situation.begin(new_scene)
    scene.tick(tick)
    scene.world.soldier.health = HURT
    scene.tick()
    dropped = len(scene.plans)
    while scene.body.medkits:
        scene.world._hear_enemy()
        scene.tick()
    assert scene.world.soldier.health > HURT
    assert scene.end_of("break contact") == "done"
    assert scene.end_of("use the medkit") == "done"
    assert len(scene.plans) == dropped + 1


def test_who_takes_over_begins_before_the_interrupted_operator_has_cleaned_up(scene):
    scene.tick(2)
    run = scene.body.orders["legs"]
    scene.world.soldier.health = HURT
    scene.tick()
    assert (run.name, run.end) == ("run to cover", "replaced")
    hide = scene.body.orders["legs"]
    assert hide.name == "break contact"
    assert hide.pending
    run.take_back()
    assert hide.pending


def test_a_weapon_is_lowered_when_a_shot_is_given_up(scene):
    shot = scene.body.shoot()
    shot.go_on()
    assert scene.body.weapon_raised
    shot.take_back()
    assert not scene.body.weapon_raised
    assert shot.end == "taken back"


def test_a_wound_without_a_medkit_is_no_reason_to_stop(scene):
    scene.body.medkits = 0
    scene.tick(2)
    scene.world.soldier.health = HURT
    scene.tick()
    assert scene.heard.running() == ["move_to_cover", "wait(3)"]


def test_a_wound_on_patrol_is_dressed_at_once(new_scene):
    scene = new_scene(soldier=(1, 4), enemy=(20, 0))
    scene.tick(2)
    scene.world.soldier.health = HURT
    scene.tick(8)
    assert scene.world.soldier.health > HURT
    assert scene.orders[0].end == "replaced"
    assert scene.body.orders["legs"].name == "patrol"
