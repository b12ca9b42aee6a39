"""The small world of the soldier: what can be seen, what can be reached, who obeys which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.examples.trees.soldier.body import FULL, Body
from bthtn.examples.trees.soldier.ground import Ground, distance
from bthtn.examples.trees.soldier.world import BATTLEFIELD, WOUND, World

GROUND = Ground(BATTLEFIELD)
PLACES = st.tuples(st.integers(0, 23), st.integers(0, 9)).filter(GROUND.is_open)


# the ground


@given(PLACES, PLACES)
def test_who_sees_is_seen(here, there):
    assert GROUND.is_clear(here, there) == GROUND.is_clear(there, here)


@given(PLACES, PLACES)
def test_a_step_leads_nearer_to_the_goal(here, there):
    steps = GROUND.steps_from(there)
    next_place = GROUND.step(here, there)
    assert steps[next_place] == max(0, steps[here] - 1)
    assert distance(here, next_place) <= 1


def test_a_wall_blocks_the_line():
    ground = Ground("a.#.b")
    assert ground.is_clear((0, 0), (1, 0))
    assert not ground.is_clear((0, 0), (4, 0))


def test_where_there_is_no_way_nobody_moves():
    assert Ground("a.#.b").step((0, 0), (4, 0)) == (0, 0)


def test_what_is_not_drawn_is_a_wall():
    assert not GROUND.is_open((-1, 0))
    assert GROUND.place("s") == (1, 4)
    assert len(GROUND.covers) == 4


# the body


@pytest.fixture
def world(dice):
    return World(dice)


@pytest.fixture
def body(world):
    return Body(world)


def finish(order, limit=40):
    for _ in range(limit):
        order.go_on()
        if not order.pending:
            return order.end
    return "never ends"


def test_a_limb_obeys_the_latest_order(body):
    first, second = body.patrol(), body.run_to_cover()
    assert (first.end, first.pending) == ("replaced", False)
    assert second.pending


def test_legs_and_hands_obey_at_the_same_time(body):
    run, load = body.run_to_cover(), body.reload()
    assert run.pending
    assert load.pending
    body.step()
    body.step()
    assert load.end == "done"


def test_taking_back_an_order_that_was_replaced_leaves_its_successor_alone(body):
    first, second = body.shoot(), body.reload()
    first.take_back()
    assert first.end == "replaced"
    assert finish(second) == "done"
    second.take_back()
    assert second.end == "done"


def test_a_magazine_that_is_not_in_yet_is_not_used_up(body):
    magazines = body.magazines
    order = body.reload()
    order.go_on()
    order.take_back()
    assert (body.rounds, body.magazines) == (0, magazines)
    assert finish(body.reload()) == "done"
    assert (body.rounds, body.magazines) == (FULL, magazines - 1)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("reload", "there is no magazine left"),
        ("use_medkit", "there is no medkit left"),
        ("run_to_cover", "there is no cover"),
        ("shoot", "the line of fire is lost"),
    ],
)
def test_an_order_that_cannot_be_carried_out_fails_with_a_reason(body, order, reason):
    body.magazines = body.medkits = 0
    body.world.ground.covers.clear()
    given_order = getattr(body, order)()
    assert finish(given_order) == "failed"
    assert given_order.reason == reason


def test_an_empty_gun_does_not_shoot(body):
    body.world.enemy.at = (4, 4)
    order = body.shoot()
    assert finish(order) == "failed"
    assert order.reason == "the magazine is empty"
    assert not body.weapon_raised


def test_where_nothing_hides_contact_cannot_be_broken(dice):
    open_field = "s1a2345" + "." * 30
    body = Body(World(dice, open_field))
    body.world.enemy.at = (8, 0)
    order = body.break_contact()
    assert finish(order) == "failed"
    assert order.reason == "there is nowhere to hide"


def test_a_dead_soldier_obeys_no_more(body):
    order = body.patrol()
    body.world.soldier.health = 0
    body.step()
    assert order.pending
    assert body.world.soldier.at == (1, 4)


def test_a_way_that_is_closed_hinders(dice):
    body = Body(World(dice, "s1a2345.#...c"))
    body.world.noise = (12, 0)
    assert finish(body.go_to_noise()) == "failed"
    assert body.orders["legs"].reason == "there is no way"


# the others


def test_an_enemy_who_sees_the_soldier_takes_aim_and_shoots(world):
    world.enemy.at = (4, 4)
    for _ in range(3):
        assert world.soldier.health == 100
        world.step()
    assert world.soldier.health == 100 - WOUND


def test_cover_running_and_a_low_head_make_a_target_harder_to_hit(world, dice):
    dice.shown = 0.6
    world.soldier.running = True
    world.fire(world.enemy, world.soldier, chance=0.8)
    world.soldier.running, world.soldier.head_down = False, True
    world.fire(world.enemy, world.soldier, chance=0.8)
    world.soldier.head_down, world.soldier.at = False, (4, 2)
    world.fire(world.enemy, world.soldier, chance=0.8)
    assert world.soldier.health == 100
    world.soldier.at = (4, 4)
    world.fire(world.enemy, world.soldier, chance=0.8)
    assert world.soldier.health == 100 - WOUND


def test_a_hit_keeps_the_enemy_from_acting_for_a_while(world):
    world.fire(world.soldier, world.enemy, chance=1)
    before = world.enemy.at
    world.step()
    assert world.enemy.at == before


def test_the_enemy_comes_to_where_he_was_shot_at_from(world, dice):
    dice.shown = 1.0
    world.fire(world.soldier, world.enemy, chance=0)
    steps = world.ground.steps_from(world.soldier.at)
    before = world.enemy.at
    for _ in range(8):
        world.step()
    assert steps[world.enemy.at] < steps[before]


def test_the_ally_shoots_at_an_enemy_whom_he_sees(world):
    world.enemy.at = (3, 9)
    for _ in range(6):
        world.step()
    assert world.enemy.health == 100 - WOUND


def test_the_soldier_sees_the_enemy_fall_a_tick_later(world):
    world.enemy.health = 0
    assert not world.over
    world.step()
    assert world.over
    assert not world.line_of_fire
