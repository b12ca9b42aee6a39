"""Skills: which agent has which domains beside the common one."""

import pytest

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Primitive,
    State,
    derive,
    find_plan,
    fluent,
    merge,
    method,
    primitive,
)
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import GoalEnded
from bthtn.engine.agent.operators import Operators
from bthtn.errors import DomainError, ExecutionError
from bthtn.kit.skills import SkillSlots, SkillTable
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks


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
def test_each_kind_does_what_the_table_says(kind, step):  # R003-07
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


# a domain that was edited


def edited(*, name="wait", has_parameter=False):
    """The domain above, written anew as in a module that was loaded again."""
    domain = Domain("enemy", Enemy)
    if has_parameter:

        def wait(where: str) -> Primitive:
            return primitive()

        domain.primitive(wait)
    else:
        domain.primitive(name)
    dance = domain.primitive("dance")

    @domain.compound
    def battle() -> Methods:
        yield method(dance())

    return domain


def test_a_goal_is_planned_with_the_tasks_of_an_edited_domain():
    agent = Agent("ogre", enemy, Enemy(), body=None)
    goal = PlanGoal("battle", agent, battle())
    assert ticks(goal, 1) == "S"
    agent.plan_with(edited())
    assert ticks(goal, 1) == "S"
    assert [str(step) for step in goal.plan.steps] == ["dance"]


@pytest.mark.parametrize("other", [edited(name="rest"), edited(has_parameter=True)])
def test_a_goal_that_an_edited_domain_does_not_fit_fails_and_says_so(other):
    agent = Agent("ogre", enemy, Enemy(), body=None, listener=(heard := RecordingListener()))
    goal = PlanGoal("wait", agent, wait())
    assert ticks(goal, 1) == "S"
    agent.plan_with(other)
    assert ticks(goal, 1) == "F"
    assert "'wait'" in heard.of(GoalEnded)[-1].reason
    agent.plan_with(enemy)
    assert ticks(goal, 1) == "S"


def test_a_running_plan_goes_on_when_the_edited_domain_does_not_fit_its_goal():
    slow = Operators()
    slow.bind(wait)(ScriptedOperator("RRRS"))
    agent = Agent("ogre", enemy, Enemy(), body=None, operators=slow)
    goal = PlanGoal("wait", agent, wait())
    assert ticks(goal, 1) == "R"
    agent.operators = Operators()
    agent.plan_with(edited(name="rest"))
    assert ticks(goal, 4) == "RRSF"


def test_operators_of_the_tasks_before_an_edit_are_refused_at_the_call():
    bound = Operators()
    bound.bind(wait)(ScriptedOperator())
    agent = Agent("ogre", enemy, Enemy(), body=None, operators=bound)
    with pytest.raises(ExecutionError, match=r"BT303.*'wait' has an operator but is no task"):
        agent.plan_with(edited())
    assert agent.domain is enemy.freeze()


def test_what_is_planned_ahead_is_planned_with_the_edited_domain():
    agent = Agent("ogre", enemy, Enemy(), body=None)
    goal = PlanGoal("battle", agent, battle())
    assert goal.prepare()
    agent.plan_with(edited())
    assert goal.prepare()
    assert ticks(goal, 1) == "S"
    assert [str(step) for step in goal.plan.steps] == ["dance"]


# operators of skills


def test_what_is_bound_to_a_template_runs_what_is_derived_from_it():
    template = skill("strike")
    act = template.task("strike")
    slash = derive(template, "slash", rename={"strike": "slash"})
    fast = derive(slash, "fast", rename={"slash": "fast_slash"})
    code, own = ScriptedOperator("RS"), ScriptedOperator("RS")
    operators = Operators()
    operators.simulate(wait)
    operators.bind(act)(code)
    operators.bind(fast.tasks["fast_slash"])(own)
    for domain, runs in ((slash, code), (fast, own)):
        agent = Agent("ogre", merge("ogre", enemy, domain), Enemy(), body=None, operators=operators)
        assert ticks(PlanGoal("battle", agent, battle()), 2) == "RS"
        assert (runs.starts, runs.ends) == (1, 1)


def test_the_hooks_of_a_template_are_called_for_what_is_derived_from_it():
    template, called = skill("strike"), []
    operators = Operators(simulates_others=True)
    operators.on_plan_start(template.task("strike"))(lambda agent: called.append("start"))
    operators.on_plan_end(template.task("strike"))(lambda agent: called.append("end"))
    slash = derive(template, "slash", rename={"strike": "slash"})
    agent = Agent("ogre", merge("ogre", enemy, slash), Enemy(), body=None, operators=operators)
    assert ticks(PlanGoal("battle", agent, battle()), 1) == "S"
    assert called == ["start", "end"]


def test_a_skill_without_an_operator_is_refused_and_the_slot_stays_as_it_was():
    operators = Operators()
    operators.bind(wait)(ScriptedOperator())
    agent = Agent("ogre", enemy, Enemy(), body=None, operators=operators)
    slots = SkillSlots(agent, TABLE, "only")
    with pytest.raises(ExecutionError, match=r"BT311.*'jab' has no operator"):
        slots.fill("only", JAB)
    assert slots.skills == ()
    assert agent.domain is TABLE.base
    operators.bind(JAB.task("jab"))(ScriptedOperator())
    slots.fill("only", JAB)
    assert slots.skills == (JAB.freeze(),)


def test_operators_of_skills_that_the_agent_does_not_have_are_no_mistake():
    operators = Operators()
    for task in (wait, JAB.task("jab"), SLAM.task("slam")):
        operators.bind(task)(ScriptedOperator())
    goblin = Agent("goblin", TABLE.domain("goblin"), Enemy(), body=None, operators=operators)
    assert ticks(PlanGoal("battle", goblin, battle()), 1) == "S"


def test_two_slots_of_one_name_are_refused():
    agent = Agent("ogre", enemy, Enemy(), body=None)
    with pytest.raises(DomainError, match=r"BT124.*two slots are called 'hand'"):
        SkillSlots(agent, TABLE, "hand", "foot", "hand")


# an endless plan


class Duel(State):
    near: Fluent[bool] = fluent(default=True)


def duel():
    """A fighter who waits without end, as long as no skill tells him what to do."""
    domain, skilled, operators = Domain("duel", Duel), Domain("skilled", Duel), Operators()
    stand = domain.primitive("stand")
    thrust = skilled.primitive("thrust", precondition=Duel.near, during=Duel.near)
    for task in (stand, thrust):
        operators.bind(task)(ScriptedOperator("R"))

    @domain.extension_point
    def attack() -> Methods:
        yield from ()

    @domain.compound
    def fight() -> Methods:
        yield method(attack())
        yield method(stand())

    def more() -> Methods:
        yield method(thrust())

    more.__name__ = "attack"
    skilled.extension_point(more)
    heard = RecordingListener()
    agent = Agent("duellist", domain, Duel(), body=None, operators=operators, listener=heard)
    slots = SkillSlots(agent, SkillTable(domain, {"duellist": (skilled,)}), "hand")
    return agent, slots, skilled, fight(), heard


@pytest.mark.parametrize("budget", [1, None])
def test_a_running_endless_plan_is_replaced_when_a_slot_is_filled(budget):
    agent, slots, skilled, fight, heard = duel()
    goal = PlanGoal("fight", agent, fight, budget=budget)
    assert ticks(goal, 8) == "RRRRRRRR"
    slots.fill("hand", skilled)
    assert ticks(goal, 8) == "RRRRRRRR"
    assert heard.lines() == ["start stand", "aborted stand", "start thrust"]


def test_a_running_endless_plan_watches_what_the_new_skill_waits_for():
    agent, slots, skilled, fight, heard = duel()
    agent.believe(Duel.near, False)
    goal = PlanGoal("fight", agent, fight)
    ticks(goal, 2)
    slots.fill("hand", skilled)
    assert ticks(goal, 3) == "RRR"
    assert heard.lines() == ["start stand"]
    agent.believe(Duel.near, True)
    assert ticks(goal, 1) == "R"
    assert heard.lines() == ["start stand", "aborted stand", "start thrust"]


def test_a_running_plan_goes_on_when_its_slot_is_cleared_until_it_ends():
    agent, slots, skilled, fight, heard = duel()
    slots.fill("hand", skilled)
    goal = PlanGoal("fight", agent, fight)
    ticks(goal, 2)
    slots.clear("hand")
    assert ticks(goal, 3) == "RRR"
    agent.believe(Duel.near, False)
    assert ticks(goal, 2) == "RR"
    assert heard.lines() == ["start thrust", "aborted thrust", "start stand"]


def test_r003_07_a_skill_without_an_operator_is_refused_by_the_table_of_an_agent_that_simulates():
    operators = Operators()
    operators.simulate(wait, JAB.task("jab"))
    table = SkillTable(enemy, {"goblin": (JAB,)}, operators=operators)
    slots = SkillSlots(Agent("ogre", enemy, Enemy(), body=None), table, "only")
    with pytest.raises(ExecutionError, match=r"BT311.*'slam' has no operator"):
        slots.fill("only", SLAM)
    slots.fill("only", JAB)
    assert slots.skills == (JAB.freeze(),)
