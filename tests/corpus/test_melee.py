"""The attacks of domains/melee while they run: walk until the attack can hit, then strike."""

import pytest
from py_trees.common import Status

from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import LeafAborted, LeafEnded
from bthtn.examples.domains.melee import domain as melee
from bthtn.examples.domains.melee.domain import Attacker


def attacked(distance, stride):
    """What an attacker does whose target is so far away, and who comes nearer by so much a tick."""
    operators, events = Operators(simulates_others=True), []

    @operators.bind(melee.move_to)
    def move_to(agent):
        while True:
            yield

    @operators.bind(melee.can_hit_attack)
    def can_hit_attack(agent):
        while agent.beliefs.now.distance > melee.ATTACK_RANGE_MAX:
            yield

    attacker = Agent(
        "attacker",
        melee.melee,
        Attacker(distance=distance),
        body=None,
        operators=operators,
        listener=events.append,
    )
    goal = PlanGoal("attack", attacker, melee.attack_main(), max_replans=0)
    ticks = 0
    while goal.status is not Status.SUCCESS and ticks < 20:
        goal.tick_once()
        ticks += 1
        attacker.believe(Attacker.distance, max(0.0, attacker.beliefs.now.distance - stride))
    ended = [event.task for event in events if isinstance(event, LeafEnded) and event.succeeded]
    aborted = [event.task for event in events if isinstance(event, LeafAborted)]
    return goal.status, ticks, ended, aborted


@pytest.mark.parametrize(("distance", "ticks"), [(8.0, 4), (3.5, 3), (20.0, 8)])
def test_the_walk_is_cut_off_as_soon_as_the_attack_can_hit(distance, ticks):  # R003-05
    status, taken, ended, aborted = attacked(distance, stride=3.0)
    assert (status, aborted) == (Status.SUCCESS, ["move_to"])
    assert ended == ["can_hit_attack", "p_melee_slash"]
    assert taken == ticks


def test_who_is_near_strikes_at_once():
    status, _, ended, aborted = attacked(1.0, stride=0.0)
    assert (status, ended, aborted) == (Status.SUCCESS, ["p_melee_slash"], [])


def test_who_never_comes_near_does_not_strike():
    status, _, ended, _ = attacked(8.0, stride=0.0)
    assert (status, ended) == (Status.RUNNING, [])
