"""The combat domain in every state it can begin in, and what it does when something is missing.

Plans are written without scopes, records with the two tokens of the priority node at the end.
"""

from itertools import product

import pytest

from bthtn import UNKNOWN, Settings, find_plan
from bthtn.engine.plan.nodes import PriorityNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import preorder
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.combat.domain import Distance, Soldier, combat, fight

SHOOT_FROM_COVER = "priority(no_line_of_fire, shoot)"
KEEP_AWAY = "parallel(keep_distance, shoot)"

P1 = f"(parallel((move_to_cover, cover), (wait(3), reload)), {SHOOT_FROM_COVER})"
P2 = f"(parallel((move_to_cover, cover), do_nothing), {SHOOT_FROM_COVER})"
P3 = f"(parallel(cover, (wait(3), reload)), {SHOOT_FROM_COVER})"
P4 = f"(parallel(cover, do_nothing), {SHOOT_FROM_COVER})"
P5 = f"(wait(3), reload, {KEEP_AWAY})"
P6 = f"(do_nothing, {KEEP_AWAY})"
P7 = "search_enemy"

# target, cover, in cover, ammo
CASES = {
    (True, True, False, False): (P1, (1, 0, 1, 0, 0, 0)),
    (True, True, False, True): (P2, (1, 0, 1, 1, 0, 0)),
    (True, True, True, False): (P3, (1, 0, 0, 0, 0, 0)),
    (True, True, True, True): (P4, (1, 0, 0, 1, 0, 0)),
    (True, False, False, False): (P5, (2, 0, 0)),
    (True, False, True, False): (P5, (2, 0, 0)),
    (True, False, False, True): (P6, (2, 0, 1)),
    (True, False, True, True): (P6, (2, 0, 1)),
    **{(False, *rest): (P7, (0,)) for rest in product((True, False), repeat=3)},
}


def soldier(target, cover, in_cover, ammo, **more):
    return Soldier(target=target, cover=cover, in_cover=in_cover, ammo=ammo, **more)


def planned(state, **settings):
    return find_plan(combat, state, fight(), Settings(**settings))


@pytest.mark.parametrize("given", CASES, ids=str)
def test_the_soldier_does_what_the_table_says(given):
    expected, record = CASES[given]
    plan = planned(soldier(*given))
    assert (normal(plan.tree), plan.record) == (expected, record)
    seen = replay(plan, soldier(*given).frozen())
    assert (seen.ok, seen.final) == (True, plan.predicted)


@pytest.mark.parametrize("given", CASES, ids=str)
def test_what_only_the_moment_tells_changes_no_plan(given):
    expected, record = CASES[given]
    for fire, alive in product((True, False, UNKNOWN), repeat=2):
        plan = planned(soldier(*given, line_of_fire=fire, target_alive=alive))
        assert (normal(plan.tree), plan.record) == (expected, record)


def test_after_taking_cover_and_shooting_only_the_target_is_in_doubt():
    predicted = planned(soldier(True, True, False, False)).predicted
    assert predicted == soldier(UNKNOWN, True, True, True).frozen()


def test_after_shooting_from_a_distance_the_target_is_expected_to_be_gone():
    predicted = planned(soldier(True, False, False, False)).predicted
    assert predicted == soldier(False, False, False, True, distance=Distance.FAR).frozen()


def test_searching_is_expected_to_find_a_target():
    assert planned(soldier(False, True, False, True)).predicted.get(Soldier.target) is True


@pytest.mark.parametrize(
    ("given", "expected", "record"),
    [
        (
            (True, True, False, False),
            "(parallel((move_to_cover, cover), do_nothing), no_line_of_fire)",
            (1, 0, 1, 1, 0, 1),
        ),
        ((True, True, True, False), "(parallel(cover, do_nothing), no_line_of_fire)", None),
        ((True, True, True, True), P4, (1, 0, 0, 1, 0, 0)),
        ((True, False, False, True), P6, (2, 0, 1)),
        ((False, False, False, False), P7, (0,)),
    ],
    ids=str,
)
def test_without_a_magazine_nothing_is_reloaded_and_nothing_shot(given, expected, record):
    plan = planned(soldier(*given, magazine=False))
    assert normal(plan.tree) == expected
    assert record is None or plan.record == record


@pytest.mark.parametrize("in_cover", [True, False])
def test_without_magazine_ammo_and_cover_there_is_no_plan(in_cover):
    assert planned(soldier(True, False, in_cover, False, magazine=False)) is None


def test_the_shot_that_was_dropped_says_why():
    plan = planned(soldier(True, True, True, False, magazine=False))
    (choice,) = (node for _, node in preorder(plan.tree) if isinstance(node, PriorityNode))
    (dropped,) = choice.dropped
    assert dropped.text == "shoot"
    assert dropped.reason.endswith("target and ammo is false: target = true, ammo = false")


def test_whoever_does_not_know_whether_there_is_a_target_decides_when_he_knows():
    plan = planned(soldier(UNKNOWN, True, True, True))
    assert normal(plan.tree) == "suspended(fight)"
    assert plan.record == ()


def test_a_plan_with_cover_beats_one_without():
    with_cover = planned(soldier(True, True, False, False)).record
    without = planned(soldier(True, False, False, False)).record
    assert with_cover.beats(without)
    assert not without.beats(with_cover)
    assert MethodTraversalRecord((0,)).beats(with_cover), "no target: search first"
