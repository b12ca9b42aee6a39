"""Tasks authored as behaviour trees: a general melee attack, drawn by a designer."""

from functools import partial

import pytest
from py_trees.behaviours import Running
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.display import ascii_tree

from bthtn import Domain, Fluent, State, find_plan, fluent, retry
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.notation import normal
from bthtn.errors import DomainError, ExecutionError
from bthtn.kit.formats import (
    CheckState,
    Command,
    Decorated,
    ExtensionPoint,
    Later,
    ModifyState,
    Null,
    SubTask,
    Value,
    task_from,
)
from bthtn.studio.testing.doubles import ScriptedOperator, ticks

REACH = 4


class Enemy(State):
    distance: Fluent[int] = fluent(default=9)
    swings: Fluent[int] = fluent(default=0)


def in_order(*children, name="sequence"):
    return Sequence(name, memory=True, children=list(children))


def either(*children):
    return Selector("selector", memory=True, children=list(children))


def beside(*children, policy=None):
    return Parallel("parallel", policy or ParallelPolicy.SuccessOnOne(), list(children))


def melee(operators=None):
    """AttackMain → MoveToAttack, P_Melee; whoever is near has nothing to do for the first."""
    domain = Domain("melee", Enemy)
    task_from(domain, "AttackMain", in_order(SubTask("MoveToAttack"), SubTask("P_Melee")))
    near = in_order(CheckState(Enemy.distance <= REACH), Null(), name="near")
    go = in_order(
        ModifyState(Enemy.distance.becomes(REACH // 2), kind="expected"),
        beside(Command("MoveTo"), Command("CanHitAttack")),
        name="go",
    )
    task_from(domain, "MoveToAttack", either(near, go), operators)
    strike = in_order(
        CheckState(Enemy.distance <= REACH),
        ModifyState(Enemy.swings.increases(1)),
        Command("Melee", ScriptedOperator("RS"), uses=["arms"]),
    )
    task_from(domain, "P_Melee", strike, operators)
    return domain


def planned(domain, task, **values):
    state = Enemy(**values)
    plan = find_plan(domain, state, domain.task(task)())
    assert plan is None or replay(plan, state.frozen()).ok
    return plan and normal(plan.tree)


# what trees become


def test_a_sequence_of_checks_changes_and_a_command_is_a_primitive_task():  # R003-03
    task = melee().freeze().task("P_Melee")
    assert str(task.precondition) == "distance <= 4"
    assert [str(effect) for effect in task.effects] == ["swings increases by 1"]
    assert task.uses == {"arms"}


def test_a_selector_at_the_root_has_the_methods():
    domain = melee().freeze()
    near, go = domain.methods[domain.task("MoveToAttack")]
    assert (near.name, str(near.condition), near.text()) == ("near", "distance <= 4", "null")
    assert (go.name, str(go.condition)) == ("go", "true")


def test_from_far_away_the_enemy_comes_near_before_it_strikes():  # R003-03
    assert planned(melee(), "AttackMain") == (
        "(MoveToAttack.modify_1,"
        " parallel(MoveToAttack.MoveTo, MoveToAttack.CanHitAttack, policy=any), P_Melee)"
    )


def test_who_is_near_strikes_at_once():
    assert planned(melee(), "AttackMain", distance=3) == "P_Melee"


def test_a_change_can_be_hoped_for_or_come_true():
    step = melee().freeze().task("MoveToAttack.modify_1")
    assert (len(step.effects), len(step.expected)) == (0, 1)


def test_tasks_may_be_drawn_in_any_order_and_mixed_with_written_ones():
    domain = Domain("mixed", Enemy)
    task_from(domain, "both", in_order(SubTask("wait"), SubTask("drawn")))
    domain.primitive("wait")
    task_from(domain, "drawn", Command("shout"))
    assert planned(domain, "both") == "(wait, drawn)"


def test_a_selector_inside_is_decided_while_planning_and_later_when_it_is_reached():
    domain = Domain("choices", Enemy)
    never = in_order(CheckState(Enemy.distance < 0), Command("never"))
    two = [never, Command("shout")]
    task_from(domain, "now", in_order(Command("look"), either(*two)))
    assert planned(domain, "now") == "(now.look, now.shout)"
    two = [in_order(CheckState(Enemy.swings > 0), Command("bow")), Command("shout")]
    task_from(domain := Domain("late", Enemy), "later", in_order(Command("look"), Later("?", two)))
    assert planned(domain, "later", swings=1) == (
        "(later.look, priority((later.check_1, later.bow), later.shout))"
    )


def test_a_check_behind_something_is_asked_there():
    domain = Domain("late check", Enemy)
    come = ModifyState(Enemy.distance.becomes(1))
    task_from(domain, "go", in_order(come, CheckState(Enemy.distance < 2), SubTask("hit")))
    task_from(domain, "hit", Command("hit"))
    assert planned(domain, "go") == "(go.modify_1, go.check_2, hit)"


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        (ParallelPolicy.SuccessOnAll(), "parallel(act.a, act.b)"),
        (ParallelPolicy.SuccessOnOne(), "parallel(act.a, act.b, policy=any)"),
        ("first", "parallel(act.a, act.b, policy=primary)"),
    ],
)
def test_a_parallel_keeps_its_policy(policy, shown):
    parts = [Command("a"), Command("b")]
    if policy == "first":
        policy = ParallelPolicy.SuccessOnSelected(parts[:1])
    domain = Domain("policies", Enemy)
    task_from(domain, "act", beside(*parts, policy=policy))
    assert planned(domain, "act") == shown


def test_a_function_draws_a_task_with_parameters():
    domain = Domain("reaching", Enemy)

    def lunge(reach: int, animation: str = "jab"):
        near = CheckState(Enemy.distance <= reach)
        come = in_order(ModifyState(Enemy.distance.becomes(reach)), Command("step"))
        return in_order(either(in_order(near, Null()), come), Command("play"))

    task_from(domain, "lunge", lunge)
    task_from(domain, "poke", SubTask("lunge", 3, animation="poke"))
    assert [one.name for one in domain.task("lunge").parameters] == ["reach", "animation"]
    assert planned(domain, "poke") == (
        "(lunge.modify_2(3, 'poke'), lunge.step(3, 'poke'), lunge.play(3, 'poke'))"
    )
    assert planned(domain, "poke", distance=3) == (
        "(lunge.check_1(3, 'poke'), lunge.play(3, 'poke'))"
    )
    step = domain.freeze().task("lunge.step")
    assert [one.type for one in step.parameters] == [int, str]


def test_a_drawn_extension_point_has_the_methods_of_its_children_and_may_have_none():
    domain = Domain("open", Enemy)
    task_from(domain, "attack", ExtensionPoint("attack", [Command("hit"), Command("shout")]))
    task_from(domain, "defend", ExtensionPoint("defend"))
    whole = domain.freeze()
    assert [len(whole.methods[whole.task(name)]) for name in ("attack", "defend")] == [2, 0]
    assert whole.task("attack").is_open


def test_a_decorated_part_is_planned_with_its_decorator():
    domain = Domain("stubborn", Enemy)
    task_from(domain, "act", Decorated("again", Command("hit"), partial(retry, 3)))
    assert planned(domain, "act") == "retry(3, act.hit)"


def test_values_in_front_of_a_method_are_added_up():
    domain = Domain("values", Enemy)
    dear = in_order(Value(5), Value(Enemy.swings * 2), Command("dear"))
    task_from(domain, "act", either(dear, in_order(Value(7), Command("cheap"))))
    assert planned(domain, "act") == "act.dear"
    assert planned(domain, "act", swings=2) == "act.cheap"


# running


def test_commands_run_with_their_operators():
    operators = Operators(simulates_others=True)
    domain = melee(operators)
    agent = Agent("enemy", domain, Enemy(distance=2), body=None, operators=operators)
    goal = PlanGoal("attack", agent, domain.task("AttackMain")())
    assert ticks(goal, 2) == "RS"
    assert agent.beliefs.get(Enemy.swings) == 1


def test_the_trees_can_be_looked_at_and_not_ticked():
    check = CheckState(Enemy.distance <= REACH)
    tree = in_order(check, Command("Melee"), name="strike")
    assert ascii_tree(tree) == "{-} strike\n    --> distance <= 4\n    --> Melee\n"
    with pytest.raises(ExecutionError, match="'distance <= 4' describes a task") as caught:
        check.tick_once()
    assert caught.value.code == "BT310"
    assert check.status is Status.INVALID


# mistakes


def test_a_node_that_describes_nothing_is_told():
    with pytest.raises(DomainError, match=r"'wait' \(Running\) describes no part") as caught:
        task_from(Domain("broken", Enemy), "act", in_order(Running("wait")))
    assert caught.value.code == "BT122"


def test_a_policy_that_no_plan_can_have_is_told():
    parts = [Command("a"), Command("b")]
    odd = beside(*parts, policy=ParallelPolicy.SuccessOnSelected(parts[1:]))
    with pytest.raises(DomainError, match="a policy that no plan can have"):
        task_from(Domain("broken", Enemy), "act", odd)


def test_a_subtask_that_nobody_defines_is_told_when_the_domain_is_frozen():
    domain = Domain("broken", Enemy)
    task_from(domain, "act", SubTask("atack"))
    task_from(domain, "attack", Command("hit"))
    with pytest.raises(DomainError, match="no task is called 'atack'") as caught:
        domain.freeze()
    assert "did you mean 'attack'" in str(caught.value)


@pytest.mark.parametrize(
    "tree", [Command("hit\nagain"), in_order(Command("a\x85"), Command("b")), Command("hit\0")]
)
def test_a_command_whose_name_breaks_a_line_is_told(tree):
    with pytest.raises(DomainError, match=r"\[BT125\] a task cannot be called"):
        task_from(Domain("broken", Enemy), "act", in_order(tree, Command("rest")))
