"""The squad: one coordinator, four soldiers, two enemies."""

from collections import Counter
from random import Random

from py_trees.common import Status

from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.events import AgentReloaded, LeafAborted, LeafEnded, LeafStarted
from bthtn.examples.domains.squad.domain import Soldier, serve
from bthtn.examples.trees.squad.battle import SOUND, WEAK, Battle
from bthtn.examples.trees.squad.tree import NAMES, Squad, character


def fought(seed):
    battle, ticks = character(seed), []
    while not battle.finished:
        ticks.append(battle.tick())
        assert len(ticks) < 400, "the battle does not end"
    battle.stop()
    return ticks


def test_both_enemies_are_beaten_and_everybody_strikes():
    ticks = fought(0)
    strikes = Counter(
        event.path
        for events in ticks
        for event in events
        if isinstance(event, LeafEnded) and event.task.startswith("strike") and event.succeeded
    )
    assert strikes["serve m1 > attack('ogre') m0"] >= 14
    assert strikes["serve m1 > attack('troll') m0"] >= 10
    assert {str(event) for events in ticks for event in events if "bandage" in str(event)}


def test_no_two_strike_the_same_enemy_at_once():  # R003-14
    striking, most = Counter(), Counter()
    leaves = {}
    for events in fought(3):
        for event in events:
            if isinstance(event, LeafStarted) and event.task.startswith("strike"):
                leaves[id(event), event.task] = True
                striking[event.task] += 1
            elif isinstance(event, LeafEnded | LeafAborted) and event.task.startswith("strike"):
                striking[event.task] -= 1
            most[event.task if hasattr(event, "task") else ""] = max(striking.values(), default=0)
    assert max(most.values()) == 1
    assert not +striking


def test_the_same_seed_is_the_same_battle():
    assert list(map(str, fought(5))) == list(map(str, fought(5))) != list(map(str, fought(6)))


class Watched(Squad):
    """A squad whose goals are ticked by hand."""

    def __init__(self):
        dice = Random(0)  # noqa: S311 - dice, not secrets
        super().__init__(Battle(dice, dict.fromkeys(NAMES, SOUND)))
        self.goals = [PlanGoal(one.name, one, serve()) for one in self.soldiers]

    def tick(self, *goals):
        self.sense()
        for goal in goals or self.goals:
            goal.tick_once()


def test_the_dead_and_the_interrupted_block_nobody():
    squad = Watched()
    while not squad.head.attacking("ogre"):
        squad.tick()
    (first,) = squad.head.attacking("ogre")
    waiting = squad.head.waiting("ogre")
    assert waiting
    next(goal for goal in squad.goals if goal.agent is first).stop(Status.INVALID)
    assert squad.head.attacking("ogre") == ()
    squad.head.leave(first)
    left = [goal for goal in squad.goals if goal.agent is not first]
    squad.tick(*left)
    assert squad.head.attacking("ogre") == waiting[:1]
    assert not first.beliefs.get(Soldier.may_attack["ogre"])


def test_a_reload_leaves_rights_with_those_who_have_them_and_queues_as_they_are():
    battle = character(0)
    head = battle.agent.body.head
    while not (head.attacking("ogre") and head.waiting("ogre")):
        battle.tick()
    right, queue = head.attacking("ogre"), head.waiting("ogre")
    head.attackers = 3
    battle.reload(lambda running: character(0, running))
    assert any(isinstance(event, AgentReloaded) for event in battle.tick())
    assert battle.agent.body.head is head
    assert (head.attackers, head.attacking("ogre"), head.waiting("ogre")) == (1, right, queue)
    battle.stop()


def test_the_hurt_are_helped_by_the_nearest():
    squad = Watched()
    squad.battle.soldiers["Cy"] = WEAK - 10
    squad.sense()
    patients = {one.name: one.beliefs.get(Soldier.patient) for one in squad.soldiers}
    assert patients == {"Al": "", "Bo": "Cy", "Cy": "", "Di": ""}
    for _ in range(8):
        squad.tick()
    assert squad.battle.soldiers["Cy"] >= WEAK
