"""The trunk thumper on his bridge: the plans of his chapter, one after the other."""

from bthtn.events import LeafAborted, LeafEnded, PlanAdopted, PlanReplaced
from bthtn.examples.trees.thumper.tree import character
from bthtn.testing import RecordingListener


def told():
    """What the troll has told when the knight runs."""
    troll, heard = character(), RecordingListener()
    while not troll.finished and troll.ticks < 100:
        for event in troll.tick():
            heard(event)
    assert troll.finished
    assert troll.agent.errors == {}
    return heard


def test_he_slams_follows_uproots_and_throws():  # R001-06, R001-11, R001-12
    done = [event.task for event in told().of(LeafEnded)]
    assert done == [
        *("choose_bridge_to_check", "navigate_to_bridge"),
        *("navigate_to_enemy", "do_trunk_slam", "recovery_roar"),
        *("nav_to_last_enemy_loc", "regain_los_roar"),
        *("find_trunk", "navigate_to_trunk"),
        *("find_trunk", "navigate_to_trunk", "uproot_trunk"),
        *("navigate_to_enemy", "do_trunk_slam", "recovery_roar"),
        *("nav_to_last_enemy_loc", "regain_los_roar"),
        *("pickup_boulder", "throw_boulder"),
    ]


def test_only_a_knight_and_his_breath_interrupt_him():
    heard = told()
    assert [event.task for event in heard.of(LeafAborted)] == ["check_bridge", "uproot_trunk"]
    changes = [str(event.change.fluent) for event in heard.of(PlanReplaced)]
    assert changes == ["can_see_enemy", "attacked_recently"]


def test_his_plans_are_those_of_the_figure():
    records = [tuple(event.plan.record) for event in told().of(PlanAdopted)]
    assert records == [(2,), (0, 0), (1,), (0, 1, 2), (0, 1, 0), (1,), (0, 2)]
