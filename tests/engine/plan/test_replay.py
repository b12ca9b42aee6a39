"""replay believes nothing: a plan that does not follow from domain, goal and state is found out."""

from dataclasses import replace

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    State,
    defer,
    find_plan,
    fluent,
    fluents,
    method,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    PAUSED,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.replay import replay


class Soldier(State):
    ammo: Fluent[int] = fluent(default=1)
    target: Fluent[bool] = fluent(default=True)
    cover: Fluent[bool] = fluent(default=False)
    noise: Fluent[bool] = fluent(default=True, volatile=True)
    at: Fluent[str] = fluent(default="home")
    been: FluentFamily[str, bool] = fluents(default=False)


combat = Domain("combat", Soldier)
aim = combat.primitive("aim")
shoot = combat.primitive("shoot", precondition=Soldier.ammo > 0, effects=Soldier.ammo.decreases(1))
reload = combat.primitive("reload", effects=Soldier.ammo.becomes(1))
listen = combat.primitive("listen", precondition=Soldier.noise)
hide = combat.primitive("hide", effects=Soldier.cover.becomes(True))


combat_with_sums = Domain("sums", Soldier)


@combat.primitive
def wait(time: int) -> Primitive:
    return primitive(duration=time)


@combat.compound
def fight():
    yield method(hide(), aim(), shoot(), when=Soldier.cover)
    yield method(aim(), shoot(), when=Soldier.target)
    yield method(wait(3))


@combat.compound
def rest():
    yield method(wait(3))
    yield method(aim(), shoot())


@combat.compound
def repeat(times: int):
    yield method(wait(times))


def planned(goal, **values):
    return find_plan(combat, Soldier(**values), goal)


def verdict(plan, tree=None, **values):
    """What is wrong with the plan when its tree is another one, or the state."""
    seen = replay(plan if tree is None else replace(plan, tree=tree), Soldier(**values).frozen())
    return "" if seen.ok else f"{seen.where}: {seen.reason}"


# a plan as it should be


def test_a_plan_is_carried_out_to_the_state_and_the_record_it_promises():
    plan = planned(sequence(fight(), reload()))
    seen = replay(plan, Soldier().frozen())
    assert (seen.ok, seen.reason, seen.where) == (True, "", "")
    assert seen.final == plan.predicted == Soldier().frozen()
    assert seen.record == plan.record == (1,)
    assert seen.footprint == plan.footprint


def test_a_plan_that_still_works_from_another_state_may_lead_elsewhere():
    plan = planned(fight())
    seen = replay(plan, Soldier(ammo=5).frozen())
    assert seen.ok
    assert seen.final == Soldier(ammo=4).frozen()


# another state


def test_a_precondition_that_does_not_hold_is_found_with_its_values():
    assert verdict(planned(fight()), ammo=0) == "shoot: ammo > 0 is false: ammo = 0"


def test_a_method_that_may_not_be_used_is_found_with_its_values():
    assert verdict(planned(fight()), target=False) == "fight m1: target is false: target = false"


def test_a_function_that_returns_nothing_any_more_is_named():
    domain = Domain("guard", Soldier)
    look = domain.primitive("look")

    @domain.compound
    def guard():
        yield method(lambda soldier: look() if soldier.ammo else None)

    plan = find_plan(domain, Soldier(), guard())
    found = replay(plan, Soldier(ammo=0).frozen())
    assert not found.ok
    assert found.reason.startswith("lambda at line ")
    assert found.reason.endswith(" does not apply")


def test_a_plan_that_became_undecided_is_found():
    plan = planned(fight())
    assert verdict(plan, ammo=UNKNOWN) == "shoot: it was planned although ammo is unknown"
    undecided = "fight m1: it was decided although cover is unknown"
    assert verdict(plan, cover=UNKNOWN) == undecided, "the first method might be the one to use"


def test_a_condition_that_cannot_be_asked_any_more_is_found():
    divide = combat_with_sums.primitive("divide", precondition=lambda soldier: 6 // soldier.ammo)
    plan = find_plan(combat_with_sums, Soldier(ammo=2), divide())
    seen = replay(plan, Soldier(ammo=0).frozen())
    assert not seen.ok
    assert "ZeroDivisionError" in seen.reason


def test_a_promise_that_became_another_one_is_found():
    plan = planned(sequence(defer(fight(), ensures=Soldier.been[Soldier.at].becomes(True)), aim()))
    promise = "suspended (defer): fight"
    assert verdict(plan) == ""
    assert verdict(plan, at="hill") == f"{promise}: it does not ensure what the network says"
    undecided = f"{promise}: it ensures something although"
    assert verdict(plan, at=UNKNOWN).startswith(undecided)


def test_replay_stops_at_the_first_thing_that_is_wrong():
    plan = planned(sequence(hide(), fight()))
    seen = replay(plan, Soldier(ammo=0).frozen())
    assert not seen.ok
    assert seen.final == Soldier(ammo=0, cover=True).frozen()


def test_a_volatile_fluent_may_be_relied_on_only_at_the_beginning():
    assert verdict(planned(listen())) == ""
    plan = planned(sequence(aim(), listen()))
    rest = plan.tree.children[1]
    assert isinstance(rest, SuspendedNode)
    sure = SequenceNode((plan.tree.children[0], planned(listen()).tree))
    assert verdict(plan, sure) == "listen: it was planned although noise is unknown"


# another tree


def tampered(description, goal, change, complaint):
    return pytest.param(goal, change, complaint, id=description)


TAMPERED = [
    tampered(
        "a step is missing",
        sequence(aim(), shoot()),
        lambda tree: SequenceNode(tree.children[:1]),
        "sequence: shoot is missing",
    ),
    tampered(
        "there is a step too many",
        sequence(aim(), shoot()),
        lambda tree: SequenceNode((*tree.children, tree.children[0])),
        "aim: the sequence has fewer parts",
    ),
    tampered(
        "steps are in another order",
        sequence(aim(), shoot()),
        lambda tree: SequenceNode(tree.children[::-1]),
        "shoot: it does not come from aim",
    ),
    tampered(
        "a step has other arguments",
        wait(3),
        lambda tree: TaskNode(wait, (4,)),
        "wait(4): it does not come from wait(3)",
    ),
    tampered(
        "a task is done instead of decomposed",
        fight(),
        lambda tree: TaskNode(aim),
        "aim: it does not come from fight",
    ),
    tampered(
        "another method is claimed",
        fight(),
        lambda tree: ScopeNode(fight, (), 2, tree.child),
        "sequence: it does not come from wait(3)",
    ),
    tampered(
        "a method is claimed whose condition is false",
        fight(),
        lambda tree: ScopeNode(fight, (), 0, tree.child),
        "fight m0: cover is false: cover = false",
    ),
    tampered(
        "a method is claimed that does not exist",
        fight(),
        lambda tree: ScopeNode(fight, (), 3, tree.child),
        "fight m3: 'fight' has 3 methods",
    ),
    tampered(
        "a method before the first is claimed",
        fight(),
        lambda tree: ScopeNode(fight, (), -1, tree.child),
        "fight m-1: 'fight' has 3 methods",
    ),
    tampered(
        "another task is decomposed",
        fight(),
        lambda tree: ScopeNode(rest, (), 1, tree.child),
        "rest m1: it does not come from fight",
    ),
    tampered(
        "a task is decomposed for other arguments",
        repeat(2),
        lambda tree: ScopeNode(repeat, (3,), 0, tree.child),
        "repeat(3) m0: it does not come from repeat(2)",
    ),
    tampered(
        "what was to be parallel is a sequence",
        parallel(aim(), hide()),
        lambda tree: SequenceNode(tree.children),
        "sequence: it does not come from parallel(aim, hide)",
    ),
    tampered(
        "a parallel has another policy",
        parallel(aim(), hide(), policy="any"),
        lambda tree: ParallelNode(tree.children, parallel(aim()).policy),
        "parallel: it does not come from parallel(aim, hide, policy=any)",
    ),
    tampered(
        "a branch is missing",
        parallel(aim(), hide()),
        lambda tree: ParallelNode(tree.children[:1], tree.policy),
        "parallel: it does not come from parallel(aim, hide)",
    ),
    tampered(
        "an alternative claims to be another one",
        priority(aim(), hide()),
        lambda tree: PriorityNode(tree.children[1:], (0,)),
        "hide: it does not come from aim",
    ),
    tampered(
        "alternatives change places",
        priority(aim(), hide()),
        lambda tree: PriorityNode(tree.children[::-1], (1, 0)),
        "priority (1, 0): it does not come from priority(aim, hide)",
    ),
    tampered(
        "an alternative too many is claimed",
        priority(aim(), hide()),
        lambda tree: PriorityNode(tree.children, (0, 2)),
        "priority (0, 2): it does not come from priority(aim, hide)",
    ),
    tampered(
        "no alternative is left",
        priority(aim(), hide()),
        lambda tree: PriorityNode((), ()),
        "priority (): it does not come from priority(aim, hide)",
    ),
    tampered(
        "a pause is passed over",
        sequence(aim(), pause(), shoot()),
        lambda tree: SequenceNode((*tree.children[:2], TaskNode(shoot))),
        "shoot: it comes behind a suspension",
    ),
    tampered(
        "something else is suspended than what is left",
        sequence(aim(), pause(), shoot(), hide()),
        lambda tree: SequenceNode((*tree.children[:2], SuspendedNode((hide(),), (), PAUSED))),
        "suspended (pause): hide: it does not suspend what is left",
    ),
    tampered(
        "something stands behind the suspended rest",
        sequence(aim(), pause(), shoot()),
        lambda tree: SequenceNode((*tree.children, TaskNode(shoot))),
        "shoot: it comes behind a suspended rest",
    ),
    tampered(
        "something stands behind a pause at the end",
        sequence(aim(), pause()),
        lambda tree: SequenceNode((*tree.children, TaskNode(shoot))),
        "shoot: ",
    ),
    tampered(
        "a step is planned behind a suspended alternative",
        sequence(priority((aim(), pause()), aim()), hide()),
        lambda tree: SequenceNode((tree.children[0], TaskNode(hide))),
        "hide: it comes behind a suspension",
    ),
    tampered(
        "a step is planned behind a suspended branch",
        sequence(parallel((aim(), pause()), aim()), hide()),
        lambda tree: SequenceNode((tree.children[0], TaskNode(hide))),
        "hide: it comes behind a suspension",
    ),
    tampered(
        "a volatile fluent is relied on behind alternatives",
        sequence(priority(aim(), hide()), listen()),
        lambda tree: SequenceNode((tree.children[0], TaskNode(listen))),
        "listen: it was planned although noise is unknown",
    ),
    tampered(
        "a volatile fluent is relied on behind branches",
        sequence(parallel(aim(), hide()), listen()),
        lambda tree: SequenceNode((tree.children[0], TaskNode(listen))),
        "listen: it was planned although noise is unknown",
    ),
    tampered(
        "a deferred task ensures more than was written",
        defer(fight(), ensures=Soldier.cover.becomes(True)),
        lambda tree: replace(tree, ensures={**tree.ensures, **hide_writes(Soldier.target)}),
        "suspended (defer): fight: it does not ensure what the network says",
    ),
    tampered(
        "a deferred task that promised nothing ensures something",
        defer(fight()),
        lambda tree: replace(tree, ensures=hide_writes(Soldier.cover)),
        "suspended (defer): fight: it does not ensure what the network says",
    ),
    tampered(
        "nothing is done",
        aim(),
        lambda tree: NULL_NODE,
        "null: it does not come from aim",
    ),
]


def hide_writes(variable):
    return {variable: planned(hide()).steps[0].footprint.writes[Soldier.cover]}


@pytest.mark.parametrize(("goal", "change", "complaint"), TAMPERED)
def test_a_tree_that_does_not_follow_is_found_out(goal, change, complaint):
    plan = planned(goal)
    assert verdict(plan) == ""
    assert verdict(plan, change(plan.tree)).startswith(complaint)


def test_branches_that_disturb_each_other_are_found_although_each_works_alone():
    alone = [planned(goal).tree for goal in (reload(), shoot())]
    plan = planned(parallel(aim(), hide()))
    side_by_side = replace(plan, goal=parallel(reload(), shoot()))
    wrong = ParallelNode(tuple(alone), plan.tree.policy)
    assert verdict(side_by_side, wrong) == "parallel: branches 0 and 1 both touch ammo"


def test_what_a_step_claims_to_write_is_worked_out_again():
    plan = planned(parallel(aim(), hide()))
    lies = tuple(TaskNode(node.task) for node in plan.steps)
    seen = replay(replace(plan, tree=ParallelNode(lies, plan.tree.policy)), Soldier().frozen())
    assert seen.final == Soldier(cover=True).frozen()


# what a plan says about itself


def test_a_plan_tells_its_goal_its_steps_and_its_cost():
    plan = planned(sequence(hide(), fight(), wait(2)))
    assert plan.goal_text == "(hide, fight, wait(2))"
    assert [str(step) for step in plan.steps] == ["hide", "hide", "aim", "shoot", "wait(2)"]
    assert plan.cost == 5
    assert repr(plan) == "<plan for (hide, fight, wait(2)): 5 steps, record [0]>"


def test_of_alternatives_the_dearest_counts():
    dear = Domain("shop", Soldier)
    cheap, expensive = dear.primitive("cheap", cost=1), dear.primitive("expensive", cost=10)
    plan = find_plan(dear, Soldier(), sequence(cheap(), priority(cheap(), expensive(), cheap())))
    assert plan.cost == 11
