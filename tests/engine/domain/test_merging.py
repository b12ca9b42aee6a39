"""Domains from domains: templates, extension points, and what cannot be put together."""

from collections.abc import Iterable

import pytest

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Primitive,
    State,
    derive,
    find_plan,
    first_of,
    fluent,
    merge,
    method,
    primitive,
    sequence,
)
from bthtn.engine.agent.operators import Operators
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.notation import call_from, normal
from bthtn.errors import DomainError
from bthtn.studio.analysis.checks import findings


class Enemy(State):
    near: Fluent[bool] = fluent(default=False)
    swings: Fluent[int] = fluent(default=0)
    rage: Fluent[bool] = fluent(default=False)


class Boss(Enemy):
    phase: Fluent[int] = fluent(default=1)


def a_template():
    """A melee attack: come near, and strike with some animation."""
    melee = Domain("melee", Enemy)
    approach = melee.primitive("approach", effects=Enemy.near.becomes(True))

    @melee.primitive
    def strike(animation: str, power: int) -> Primitive:
        return primitive(precondition=Enemy.near, effects=Enemy.swings.increases(power))

    @melee.compound
    def come_near() -> Methods:
        yield method(when=Enemy.near)
        yield method(approach())

    @melee.compound
    def attack(animation: str, power: int) -> Methods:
        yield method(come_near(), strike(animation, power))

    @melee.extension_point
    def attack_main() -> Methods:
        yield method(attack("swing", 1))

    return melee


def planned(domain, goal, **values):
    state = domain.state_class(**values).frozen()
    plan = find_plan(domain, state, goal)
    if plan is None:
        return None
    assert replay(plan, state).ok
    return normal(plan.tree)


# templates


def test_a_derived_domain_has_every_task_under_its_new_name():
    slash = derive(a_template(), "slash", suffix="_slash")
    assert slash.authored == (
        "approach_slash",
        "strike_slash",
        "come_near_slash",
        "attack_slash",
        "attack_main",
    )
    assert planned(slash, slash.task("attack_slash")("cut", 2)) == (
        "(approach_slash, strike_slash('cut', 2))"
    )
    assert list(findings(slash)) == list(findings(a_template().freeze()))


def test_single_tasks_are_renamed_and_the_others_keep_their_names():
    bash = derive(a_template(), "bash", rename={"attack": "bash", "attack_main": "bash_main"})
    assert planned(bash, bash.task("bash")("swing", 1)) == "(approach, strike('swing', 1))"
    assert planned(bash, bash.task("bash_main")()) == "(approach, strike('swing', 1))"


def test_what_is_given_needs_no_argument_any_more():
    slash = derive(a_template(), "slash", suffix="_slash", given={"animation": "slash"})
    attack = slash.task("attack_slash")
    assert planned(slash, attack(3)) == "(approach_slash, strike_slash('slash', 3))"
    assert planned(slash, attack(power=3)) == "(approach_slash, strike_slash('slash', 3))"
    with pytest.raises(DomainError, match="'attack_slash' takes power"):
        attack("slash", 3)


def test_a_template_can_be_derived_from_again():
    slash = derive(a_template(), "slash", suffix="_slash", given={"animation": "slash"})
    heavy = derive(slash, "heavy", suffix="_heavy", given={"power": 9})
    assert planned(heavy, heavy.task("attack_slash_heavy")()) == (
        "(approach_slash_heavy, strike_slash_heavy('slash', 9))"
    )


def test_plain_functions_and_constructs_are_derived_too():
    tricks = Domain("tricks", Enemy)
    feint = tricks.primitive("feint")
    roar = tricks.primitive("roar", effects=Enemy.rage.becomes(True))

    def decide(enemy: Enemy) -> Iterable:
        return [feint(), roar()] if enemy.near else None

    @tricks.compound
    def confuse() -> Methods:
        yield method(decide)
        yield method(first_of((roar(), feint()), feint()))

    loud = derive(tricks, "loud", suffix="_2")
    louder = derive(loud, "louder", suffix="_3")
    assert planned(loud, loud.task("confuse_2")(), near=True) == "(feint_2, roar_2)"
    assert planned(louder, louder.task("confuse_2_3")(), near=True) == "(feint_2_3, roar_2_3)"
    assert planned(loud, loud.task("confuse_2")()) == "(roar_2, feint_2)"
    assert "confuse_2.first_of_1" in loud.tasks


@pytest.mark.parametrize(
    ("how", "code", "what"),
    [
        ({"rename": {"atack": "bash"}}, "BT101", "did you mean 'attack'"),
        ({"given": {"animatoin": "slash"}}, "BT103", "did you mean 'animation'"),
        ({"given": {"power": "all"}}, "BT103", "'power' of 'attack' is int; 'all' is str"),
        ({"given": {"animation": ["a"]}}, "BT103", "of 'strike' is list, which can change"),
        ({"given": {"power": Enemy.swings}}, "BT103", "swings, which depends on the state"),
        ({"rename": {"attack": "strike"}}, "BT104", "'strike' and 'attack' would both be called"),
    ],
)
def test_what_the_template_does_not_have_is_told(how, code, what):
    with pytest.raises(DomainError, match=what) as caught:
        derive(a_template(), "bash", **how)
    assert caught.value.code == code


# merging


def skills():
    return (
        derive(a_template(), "bash", suffix="_bash", given={"animation": "bash", "power": 1}),
        derive(a_template(), "slash", suffix="_slash", given={"animation": "slash", "power": 2}),
    )


def an_enemy():
    enemy = Domain("enemy", Boss)
    wait = enemy.primitive("wait")

    @enemy.extension_point
    def attack_main() -> Methods:
        yield from ()

    @enemy.compound
    def battle() -> Methods:
        yield method(attack_main())
        yield method(wait())

    return enemy, battle


def test_an_extension_point_has_the_methods_of_all_in_order():  # R003-07
    enemy, battle = an_enemy()
    bash, slash = skills()
    whole = merge("brute", enemy, bash, slash)
    task = whole.task("attack_main")
    assert task is enemy.freeze().task("attack_main")
    assert [one.text() for one in whole.methods[task]] == [
        "attack_bash('bash', 1)",
        "attack_slash('slash', 2)",
    ]
    assert whole.state_class is Boss
    # The goal of the enemy means the same there, and its plans now contain the skill.
    assert planned(enemy, battle()) == "wait"
    assert planned(whole, battle()) == "(approach_bash, strike_bash('bash', 1))"


def test_an_extension_point_that_nobody_fills_has_no_plan():
    enemy, _ = an_enemy()
    assert planned(enemy, enemy.freeze().task("attack_main")()) is None


def test_what_calls_an_extension_point_calls_that_of_the_merged_domain():
    enemy, _ = an_enemy()
    taunt = Domain("taunt", Enemy)
    jeer = taunt.primitive("jeer")

    @taunt.extension_point
    def attack_main() -> Methods:
        yield method(jeer())

    @taunt.compound
    def provoke() -> Methods:
        yield method(attack_main())

    whole = merge("brute", enemy, taunt)
    assert planned(whole, whole.task("provoke")()) == "jeer"
    (one,) = whole.methods[whole.task("provoke")]
    assert one.body.task is whole.task("attack_main")


def test_tasks_of_one_name_are_an_error_that_says_how_to_go_on():
    with pytest.raises(DomainError) as caught:
        merge("brute", an_enemy()[0], a_template(), a_template())
    assert {one.code for one in caught.value.diagnostics} == {"BT119"}
    told = [one.message for one in caught.value.diagnostics]
    assert "'melee' and 'melee' both have a task 'strike'" in told
    assert len(told) == 4
    hint = caught.value.diagnostics[0].hint
    assert hint.startswith("rename one: derive(melee, …, rename={")


def a_skill(name, power):
    """A skill whose step and helper are called as those of others."""
    domain = Domain(name, Enemy)
    swing = domain.primitive("swing", effects=Enemy.swings.increases(power))

    @domain.compound
    def hit() -> Methods:
        yield method(first_of(swing(), sequence(swing(), swing())), when=Enemy.swings < 10)

    @domain.extension_point
    def attack_main() -> Methods:
        yield method(hit(), when=Enemy.rage == (name == "slash"))

    return domain


def test_r003_07_tasks_of_skills_that_have_one_name_get_those_of_their_skills_in_front():
    enemy, battle = an_enemy()
    whole = merge("ogre", enemy, a_skill("melee", 1), a_skill("slash", 2))
    assert {"melee.swing", "slash.swing", "melee.hit", "slash.hit"} < whole.tasks.keys()
    assert not {"swing", "hit"} & whole.tasks.keys()
    assert planned(whole, battle()) == "melee.swing"
    assert planned(whole, battle(), rage=True) == "slash.swing"


def test_a_goal_of_one_of_the_merged_domains_means_its_own_tasks():
    melee, slash = a_skill("melee", 1), a_skill("slash", 2)
    whole = merge("ogre", melee, slash)
    assert planned(whole, slash.task("hit")()) == "slash.swing"
    assert planned(whole, melee.task("swing")()) == "melee.swing"
    again = merge("giant", whole, an_enemy()[0])
    assert planned(again, slash.task("hit")()) == "slash.swing"


def test_operators_of_a_task_serve_it_under_its_new_name():
    melee, slash = a_skill("melee", 1), a_skill("slash", 2)
    whole = merge("ogre", melee, slash)
    operators = Operators()
    by_task = operators.bind(slash.task("swing"))(lambda agent: None)
    by_name = operators.bind("swing")(lambda agent: None)
    assert operators.find(whole.task("slash.swing")) is by_task
    assert operators.find(whole.task("melee.swing")) is by_name


def test_a_name_of_several_tasks_is_refused_with_all_of_them():
    whole = merge("ogre", a_skill("melee", 1), a_skill("slash", 2))
    with pytest.raises(DomainError, match="no task is called 'swing' alone") as caught:
        whole.task("swing")
    assert caught.value.diagnostics[0].hint == "write melee.swing or slash.swing"
    assert str(call_from("slash.swing", whole).task.name) == "slash.swing"


def test_plain_functions_call_the_tasks_of_their_own_skill():
    def skill(name):
        domain = Domain(name, Enemy)
        swing = domain.primitive("swing")

        @domain.compound
        def attack() -> Methods:
            yield method(lambda state: [swing()] if state.near else None)

        return domain

    melee, slash = skill("melee"), skill("slash")
    whole = merge("ogre", melee, slash)
    assert planned(whole, slash.task("attack")(), near=True) == "slash.swing"


def test_tasks_that_their_domains_do_not_tell_apart_are_still_an_error():
    taken = Domain("other", Enemy)
    taken.primitive("melee.swing")
    for others in ((a_skill("melee", 2),), (a_skill("slash", 2), taken)):
        with pytest.raises(DomainError, match="both have a task 'swing'"):
            merge("ogre", a_skill("melee", 1), *others)


def test_an_extension_point_and_a_task_of_its_name_are_still_an_error():
    plain = Domain("plain", Enemy)
    plain.primitive("attack_main")
    with pytest.raises(DomainError, match="both have a task 'attack_main'"):
        merge("ogre", a_skill("melee", 1), plain)


def test_the_same_domain_twice_is_no_clash():
    bash, _ = skills()
    once, twice = merge("a", bash), merge("a", bash, bash)
    assert once.tasks == twice.tasks
    assert once.methods == twice.methods


def test_constructs_of_one_name_stand_side_by_side():
    def trick(name):
        domain = Domain(name, Enemy)
        act = domain.primitive(f"act_{name}")
        never = domain.primitive(f"never_{name}", precondition=Enemy.rage)

        @domain.extension_point
        def attack_main() -> Methods:
            yield method(first_of(never(), act()), when=Enemy.swings == len(name))

        return domain

    whole = merge("both", trick("a"), trick("bb"))
    goal = whole.task("attack_main")()
    assert planned(whole, goal, swings=1) == "act_a"
    assert planned(whole, goal, swings=2) == "act_bb"


def test_extension_points_with_different_parameters_do_not_fit():
    enemy, _ = an_enemy()
    other = Domain("other", Enemy)

    @other.extension_point
    def attack_main(target: str) -> Methods:
        yield method()

    with pytest.raises(DomainError, match="'attack_main' have different parameters"):
        merge("brute", enemy, other)


def test_states_have_to_be_of_one_line():
    class Robot(State):
        power: Fluent[int] = fluent(default=0)

    with pytest.raises(DomainError, match="no State class has all fluents: Boss, Robot"):
        merge("cyborg", an_enemy()[0], Domain("robot", Robot))
    with pytest.raises(DomainError, match="no domain at all"):
        merge("nothing")


# defaults


def test_a_parameter_with_a_default_may_be_left_out():
    enemy = Domain("enemy", Enemy)

    @enemy.primitive
    def strike(power: int = 2) -> Primitive:
        return primitive(effects=Enemy.swings.increases(power))

    @enemy.compound
    def attack(times: int, power: int = 3) -> Methods:
        yield method(strike(power), strike(), when=Enemy.swings < times)

    assert planned(enemy, attack(1)) == "(strike(3), strike(2))"
    assert planned(enemy, attack(1, power=7)) == "(strike(7), strike(2))"
