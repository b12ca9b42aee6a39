"""Skills: which agent has which domains beside the common one."""

import pytest

from bthtn import Domain, Methods, State, find_plan, method
from bthtn.agent.agent import Agent
from bthtn.agent.operators import Operators
from bthtn.behaviours import PlanGoal
from bthtn.errors import DomainError
from bthtn.kit.skills import SkillSlots, SkillTable
from bthtn.testing.doubles import ScriptedOperator, ticks


class Enemy(State):
    pass


enemy = Domain("enemy", Enemy)
wait = enemy.primitive("wait")


@enemy.extension_point
def attack_main() -> Methods:
    yield from ()


@enemy.compound
def battle() -> Methods:
    yield method(attack_main())
    yield method(wait())


def skill(name):
    domain = Domain(name, Enemy)
    act = domain.primitive(name)

    def attack_main() -> Methods:
        yield method(act())

    domain.extension_point(attack_main)
    return domain


JAB, SLAM = skill("jab"), skill("slam")
TABLE = SkillTable(enemy, {"rat": (), "goblin": (JAB,), "ogre": (SLAM, JAB)})


@pytest.mark.parametrize(("kind", "step"), [("rat", "wait"), ("goblin", "jab"), ("ogre", "slam")])
def test_each_kind_does_what_the_table_says(kind, step):
    (found,) = find_plan(TABLE.domain(kind), Enemy(), battle()).steps
    assert str(found) == step


def test_agents_with_the_same_skills_share_a_domain():
    assert TABLE.domain("goblin") is TABLE.with_skills([JAB.freeze()])
    assert TABLE.domain("rat") is TABLE.base is enemy.freeze()
    assert TABLE.domain("ogre") is not TABLE.with_skills([JAB.freeze(), SLAM.freeze()])


def test_an_unknown_kind_is_told():
    with pytest.raises(DomainError, match="did you mean 'goblin'") as caught:
        TABLE.domain("gobin")
    assert caught.value.code == "BT124"
    assert TABLE.kinds == ("rat", "goblin", "ogre")


def test_skills_that_clash_are_told_before_anybody_plans():
    with pytest.raises(DomainError, match="both have a task 'jab'"):
        SkillTable(enemy, {"goblin": (JAB, skill("jab"))})


# slots


def test_what_is_in_the_slots_is_what_the_agent_plans_with():
    agent = Agent("ogre", enemy, Enemy(), body=None)
    slots = SkillSlots(agent, TABLE, "first", "second")
    assert agent.domain is TABLE.base
    slots.fill("second", JAB)
    slots.fill("first", SLAM)
    assert agent.domain is TABLE.with_skills([SLAM.freeze(), JAB.freeze()])
    slots.clear("first")
    assert agent.domain is TABLE.domain("goblin")
    assert slots.skills == (JAB.freeze(),)


def test_a_running_agent_sees_a_changed_slot_at_its_next_decision():
    agent = Agent("ogre", enemy, Enemy(), body=None, operators=Operators(simulates_others=True))
    slots = SkillSlots(agent, TABLE, "only")
    goal = PlanGoal("battle", agent, battle())
    done = []

    def tick(change=lambda: None):
        goal.tick_once()
        done.append([str(step) for step in goal.plan.steps])
        change()

    tick(lambda: slots.fill("only", JAB))
    tick(lambda: slots.fill("only", SLAM))
    tick(lambda: slots.clear("only"))
    tick()
    assert done == [["wait"], ["jab"], ["slam"], ["wait"]]


def test_what_runs_or_is_searched_for_is_not_disturbed_by_a_changed_slot():
    slow = Operators(simulates_others=True)
    slow.bind(wait)(ScriptedOperator("RRS"))
    agent = Agent("ogre", enemy, Enemy(), body=None, operators=slow)
    slots = SkillSlots(agent, TABLE, "only")
    goal = PlanGoal("battle", agent, battle(), budget=1)
    assert ticks(goal, 1) == "R"
    assert goal.plan is None
    slots.fill("only", JAB)
    assert ticks(goal, 4) == "RRRS"
    assert [str(step) for step in goal.plan.steps] == ["wait"]
    assert ticks(goal, 3)[-1] == "S"
    assert [str(step) for step in goal.plan.steps] == ["jab"]


def test_a_slot_that_there_is_not_is_told_and_nothing_is_changed():
    agent = Agent("ogre", enemy, Enemy(), body=None)
    slots = SkillSlots(agent, TABLE, "first", "second")
    with pytest.raises(DomainError, match="did you mean 'first'"):
        slots.fill("frist", JAB)
    slots.fill("first", JAB)
    with pytest.raises(DomainError, match="both have a task 'jab'"):
        slots.fill("second", skill("jab"))
    assert slots.skills == (JAB.freeze(),)
    assert agent.domain is TABLE.domain("goblin")


def test_an_agent_cannot_plan_with_a_domain_of_other_states():
    class Robot(State):
        pass

    agent = Agent("ogre", enemy, Enemy(), body=None)
    with pytest.raises(DomainError, match="'robots' plans with Robot"):
        agent.plan_with(Domain("robots", Robot))
    assert agent.domain is enemy.freeze()
