"""Alternatives that are chosen at run time: all are planned, and what they agree on is known after.

(semantics 2.4, and 1.3 for volatile fluents)
"""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Settings,
    State,
    find_plan,
    fluent,
    method,
    null,
    parallel,
    priority,
    sequence,
)
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.trace import AlternativeDropped
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.combat.domain import Soldier as Fighter
from bthtn.examples.domains.combat.domain import combat as fighting
from bthtn.examples.domains.combat.domain import fight, no_line_of_fire, shoot


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    target: Fluent[bool] = fluent(default=True)
    hidden: Fluent[bool] = fluent(default=False)
    noise: Fluent[bool] = fluent(default=True, volatile=True)


@pytest.fixture
def domain():
    return Domain("priority", Soldier)


def planned(domain, goal, settings=None, listener=None, **values):
    return find_plan(domain, Soldier(**values), goal, settings or Settings(), listener)


def steps(domain, goal, settings=None, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


@pytest.fixture
def idle(domain):
    return domain.primitive("idle")


@pytest.fixture
def load(domain):
    return domain.primitive("load", effects=Soldier.ammo.increases(1))


@pytest.fixture
def fire(domain):
    return domain.primitive(
        "fire",
        precondition=Soldier.ammo > 0,
        effects=[Soldier.ammo.decreases(1), Soldier.target.becomes(False)],
    )


@pytest.fixture
def hide(domain):
    return domain.primitive("hide", effects=Soldier.hidden.becomes(True))


@pytest.fixture
def listen(domain):
    return domain.primitive("listen", precondition=Soldier.noise)


# which alternatives there are


def test_every_alternative_is_planned_from_the_state_at_the_node(domain, idle, load, fire):
    assert steps(domain, (load(), priority(idle(), (load(), fire()), fire()))) == (
        "(load, priority(idle, (load, fire), fire))"
    )


def test_an_alternative_that_cannot_be_planned_is_dropped_and_the_reason_kept(domain, idle, fire):
    told = []
    plan = planned(domain, priority(fire(), idle(), fire()), listener=told.append)
    assert normal(plan.tree) == "idle"
    assert plan.tree.kept == (1,)
    assert [(one.alternative, one.text) for one in plan.tree.dropped] == [(0, "fire"), (2, "fire")]
    assert all(one.reason.endswith("ammo > 0 is false: ammo = 0") for one in plan.tree.dropped)
    dropped = [event for event in told if isinstance(event, AlternativeDropped)]
    assert [(event.alternative, event.text) for event in dropped] == [(0, "fire"), (2, "fire")]


def test_the_reason_is_kept_whether_or_not_somebody_listens(domain, idle, fire):
    @domain.compound
    def attack():
        yield method(fire(), when=~Soldier.target)
        yield method(lambda soldier: None)

    for listener in (None, lambda event: None):
        plan = planned(domain, priority(attack(), idle()), listener=listener)
        assert "does not apply" in plan.tree.dropped[0].reason


def test_without_any_alternative_there_is_no_plan(domain, fire, idle):
    @domain.compound
    def act():
        yield method(priority(fire(), (fire(), fire())))
        yield method(idle())

    assert steps(domain, priority(fire(), fire())) == "no plan"
    assert planned(domain, act()).record == (1,)


def test_every_alternative_leaves_its_mark_in_the_record(domain, idle, load, fire):
    @domain.compound
    def attack():
        yield method(fire())
        yield method(load())

    plan = planned(domain, priority(fire(), attack(), idle()))
    assert plan.record == (1, 0, 1, 0)
    assert planned(domain, priority(attack(), fire(), idle()), ammo=1).record == (0, 0, 0, 0)


def test_an_alternative_that_was_planned_is_not_dropped_for_what_follows(domain, load, idle, fire):
    @domain.compound
    def prepare():
        yield method(idle())
        yield method(load())

    plan = planned(domain, (priority(prepare()), fire()))
    assert (normal(plan.tree), plan.record) == ("(load, fire)", (0, 1))
    assert steps(domain, (priority(idle(), load(), fire()), fire())) == (
        "(priority(idle, load), suspended(fire))"
    )
    assert steps(domain, (priority(idle(), idle()), fire())) == "no plan"


def test_an_alternative_tries_all_its_methods_before_it_is_dropped(domain, load, idle, fire):
    @domain.compound
    def prepare():
        yield method(idle())
        yield method(load())

    plan = planned(domain, priority((prepare(), fire()), idle()))
    assert normal(plan.tree) == "priority((load, fire), idle)"
    assert plan.record == (0, 1, 0)


def test_priorities_may_be_nested_and_reactive(domain, idle, load, fire):
    goal = priority(priority(fire(), load(), reactive=True), idle())
    plan = planned(domain, goal)
    assert plan.record == (0, 1, 0, 0)
    assert normal(plan.tree) == "priority(load, idle)"
    assert steps(domain, priority(load(), idle(), reactive=True)) == (
        "priority(load, idle, reactive)"
    )


def test_doing_nothing_is_an_alternative(domain, load):
    plan = planned(domain, priority(null(), load()))
    assert normal(plan.tree) == "priority(null, load)"
    assert plan.predicted.get(Soldier.ammo) is UNKNOWN


# what is known afterwards


def test_afterwards_only_what_all_alternatives_agree_on_is_known(domain, hide, load, idle):
    plan = planned(domain, priority((hide(), load()), (load(), hide()), (hide(), load(), load())))
    assert plan.predicted.get(Soldier.hidden) is True
    assert plan.predicted.get(Soldier.ammo) is UNKNOWN
    assert plan.predicted.get(Soldier.target) is True


def test_a_single_alternative_leaves_nothing_open(domain, fire, load):
    plan = planned(domain, priority(fire(), load()))
    assert plan.predicted == Soldier(ammo=1).frozen()


def test_writing_what_is_there_already_is_no_disagreement(domain, idle):
    stay = domain.primitive("stay", effects=Soldier.hidden.becomes(False))
    assert planned(domain, priority(stay(), idle())).predicted == Soldier().frozen()


def test_what_follows_is_planned_as_long_as_it_needs_nothing_unknown(
    domain, idle, load, fire, hide
):
    goal = (priority(load(), idle()), hide(), fire(), hide())
    assert steps(domain, goal) == "(priority(load, idle), hide, suspended(fire), suspended(hide))"


def test_fighting_on_is_suspended_by_itself_until_it_is_known_whether_there_is_a_target():
    # 戦う: if there is a target, fight and go on with this; so the target is read again behind
    # a shot that may or may not have been fired.
    @fighting_on.compound
    def go_on():
        yield method(battle(), go_on(), when=Fighter.target)
        yield method()

    plan = find_plan(fighting_on, Fighter(target=True, cover=True), go_on())
    assert normal(plan.tree) == "(ready, priority(blocked, fire), suspended(go_on))"
    rest = [node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode)]
    assert [str(node) for node in rest] == ["suspended (unknown target)"]


fighting_on = Domain("fighting on", Fighter)
ready = fighting_on.primitive("ready")
blocked = fighting_on.primitive("blocked", exec_only=~Fighter.line_of_fire)
fire_at_will = fighting_on.primitive(
    "fire", precondition=Fighter.target, expected=Fighter.target.becomes(False)
)


@fighting_on.compound
def battle():
    yield method(ready(), priority(blocked(), fire_at_will()))


def test_in_the_combat_domain_nobody_knows_the_target_after_the_shot():
    plan = find_plan(fighting, Fighter(target=True, cover=True, ammo=False), fight())
    assert plan.predicted.get(Fighter.target) is UNKNOWN
    assert plan.predicted == Fighter(target=UNKNOWN, cover=True, in_cover=True, ammo=True).frozen()


def test_what_only_the_moment_tells_does_not_drop_an_alternative():
    goal = priority(no_line_of_fire(), shoot())
    for sensed in (True, False):
        seen = Fighter(target=True, line_of_fire=sensed)
        assert normal(find_plan(fighting, seen, goal).tree) == "priority(no_line_of_fire, shoot)"


# guards and volatile fluents


def test_a_volatile_fluent_is_known_before_the_first_step_only(domain, idle, listen):
    assert steps(domain, listen()) == "listen"
    assert steps(domain, listen(), noise=False) == "no plan"
    assert steps(domain, (idle(), listen())) == "(idle, suspended(listen))"
    assert steps(domain, (null(), listen())) == "listen"


def test_what_the_plan_itself_wrote_is_known_even_where_it_is_volatile(domain, idle, listen):
    shout = domain.primitive("shout", effects=Soldier.noise.becomes(True))
    hush = domain.primitive("hush", effects=Soldier.noise.becomes(False))
    assert steps(domain, (shout(), idle(), listen()), noise=False) == "(shout, idle, listen)"
    assert steps(domain, (hush(), listen())) == "no plan"
    assert steps(domain, (shout(), priority(listen(), idle()))) == "(shout, priority(listen, idle))"
    assert steps(domain, (hush(), priority(listen(), idle()))) == "(hush, idle)"


def test_a_volatile_fluent_that_one_alternative_wrote_is_unknown_whatever_was_sensed(domain, idle):
    hush = domain.primitive("hush", effects=Soldier.noise.becomes(False))
    for noise in (True, False):
        plan = planned(domain, priority(hush(), idle()), noise=noise)
        assert plan.predicted.get(Soldier.noise) is UNKNOWN


def test_inside_an_alternative_nothing_volatile_is_known(domain, idle, listen):
    for noise in (True, False, UNKNOWN):
        assert steps(domain, priority(listen(), idle()), noise=noise) == "priority(listen, idle)"


def test_an_unknown_guard_keeps_its_alternative(domain, idle, fire):
    assert steps(domain, priority(fire(), idle()), ammo=UNKNOWN) == "priority(fire, idle)"
    plan = planned(domain, priority(fire(), idle()), ammo=UNKNOWN)
    assert plan.predicted.get(Soldier.target) is UNKNOWN


def test_a_guard_that_is_false_drops_its_alternative(domain, idle, fire):
    assert steps(domain, priority(fire(), idle()), ammo=0) == "idle"


def test_only_the_first_step_of_an_alternative_is_a_guard(domain, idle, listen, hide):
    assert steps(domain, priority((hide(), listen()), idle())) == (
        "priority((hide, suspended(listen)), idle)"
    )
    assert steps(domain, (hide(), priority(listen(), idle()))) == "(hide, priority(listen, idle))"
    assert steps(domain, priority((null(), listen()), idle())) == "priority(listen, idle)"


def test_the_first_step_of_an_inner_alternative_is_a_guard_again(domain, idle, listen, hide):
    goal = priority((hide(), priority(listen(), hide()), listen()), idle())
    assert steps(domain, goal) == (
        "priority((hide, priority(listen, hide), suspended(listen)), idle)"
    )


def test_branches_that_begin_an_alternative_all_begin_with_a_guard(domain, idle, listen, hide):
    assert steps(domain, priority(parallel(listen(), idle()), idle())) == (
        "priority(parallel(listen, idle), idle)"
    )
    assert steps(domain, priority(parallel(idle(), (hide(), listen())), idle())) == (
        "priority(parallel(idle, (hide, suspended(listen))), idle)"
    )


def test_the_condition_of_a_method_is_no_guard(domain, idle, hide):
    @domain.compound
    def react():
        yield method(hide(), when=Soldier.noise)
        yield method(idle())

    assert steps(domain, react()) == "hide"
    assert steps(domain, priority(react(), idle())) == "priority(suspended(react), idle)"


def test_a_guard_of_which_nobody_can_tell_what_it_writes_is_suspended(domain, idle):
    copy = domain.primitive(
        "copy", effects=lambda soldier: setattr(soldier, "ammo", soldier.ammo + 1)
    )
    assert steps(domain, priority(copy(), idle()), ammo=UNKNOWN) == (
        "priority(suspended(copy), idle)"
    )


# suspended alternatives


def test_a_suspended_alternative_suspends_what_follows_the_node(domain, idle, listen, hide):
    goal = sequence(priority((hide(), listen()), idle()), idle())
    assert steps(domain, goal) == ("(priority((hide, suspended(listen)), idle), suspended(idle))")
