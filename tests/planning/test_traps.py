"""Places where a planner that follows a well-known article or talk to the letter goes wrong."""

import pytest

from bthtn import Domain, Fluent, State, find_plan, fluent, method
from bthtn.plan.notation import normal


class Hunter(State):
    has_target: Fluent[bool] = fluent(default=True)
    has_ammo: Fluent[bool] = fluent(default=False)
    has_magazine: Fluent[bool] = fluent(default=True)
    can_see_target: Fluent[bool] = fluent(default=False)
    at_target: Fluent[bool] = fluent(default=False)


def hunting(*, order=("ammo", "sight"), melee_first=False, careless=False):
    """The hunter of the talk: shoot if that can be prepared, else go there and strike."""
    domain = Domain("hunting", Hunter)
    melee = domain.primitive("melee", precondition=Hunter.has_target & Hunter.at_target)
    shot = domain.primitive(
        "shot", precondition=Hunter.has_target & Hunter.has_ammo & Hunter.can_see_target
    )
    reload = domain.primitive(
        "reload",
        precondition=~Hunter.has_ammo & Hunter.has_magazine,
        effects=[Hunter.has_ammo.becomes(True), Hunter.has_magazine.becomes(False)],
    )
    move_to_target = domain.primitive("move_to_target", effects=Hunter.at_target.becomes(True))
    move_to_shooting_point = domain.primitive(
        "move_to_shooting_point",
        precondition=None if careless else Hunter.has_ammo,
        effects=Hunter.can_see_target.becomes(True),
    )

    @domain.compound
    def kill_target():
        ways = [
            method(prepare_shooting(), shot()),
            method(melee(), when=Hunter.at_target),
            method(move_to_target(), melee()),
        ]
        yield from (ways[1], ways[2], ways[0]) if melee_first else ways

    steps = {
        "ammo": (~Hunter.has_ammo, reload),
        "sight": (~Hunter.can_see_target, move_to_shooting_point),
    }

    @domain.compound
    def prepare_shooting():
        (first, step), (second, next_step) = (steps[name] for name in order)
        yield method(step(), prepare_shooting(), when=first)
        yield method(next_step(), prepare_shooting(), when=~first & second)
        yield method(when=~first & ~second)

    return domain, kill_target()


def steps(hunter, **values):
    domain, goal = hunter
    plan = find_plan(domain, Hunter(**values), goal)
    return "no plan" if plan is None else normal(plan.tree)


# the talk's hunter


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "(reload, move_to_shooting_point, shot)"),
        ({"has_magazine": False}, "(move_to_target, melee)"),
        ({"has_ammo": True}, "(move_to_shooting_point, shot)"),
        ({"has_magazine": False, "at_target": True}, "melee"),
    ],
    ids=str,
)
def test_the_hunter_prepares_a_shot_or_strikes(values, expected):
    assert steps(hunting(), **values) == expected


def test_methods_in_another_order_change_what_he_prefers():
    assert steps(hunting(melee_first=True)) == "(move_to_target, melee)"


def test_subtasks_in_another_order_need_preconditions_that_allow_it():
    swapped = ("sight", "ammo")
    assert steps(hunting(order=swapped)) == "(move_to_target, melee)"
    careless = hunting(order=swapped, careless=True)
    assert steps(careless) == "(move_to_shooting_point, reload, shot)"


# what remains after going back


class Toggle(State):
    a: Fluent[bool] = fluent(default=False)
    b: Fluent[bool] = fluent(default=False)


@pytest.fixture
def domain():
    return Domain("toggles", Toggle)


def planned(domain, goal):
    plan = find_plan(domain, Toggle(), goal)
    return "no plan" if plan is None else normal(plan.tree)


def test_tasks_still_to_be_done_are_not_consumed_by_an_attempt_that_fails(domain):
    # Alternatives that share lists of tasks must not take the tasks out of them.
    a = domain.primitive("a", effects=Toggle.a.becomes(True))
    b = domain.primitive("b", effects=Toggle.b.becomes(True))
    need_b = domain.primitive("need_b", precondition=Toggle.b)

    @domain.compound
    def t():
        yield method(a())
        yield method(b())

    assert planned(domain, (t(), need_b())) == "(b, need_b)"
    assert planned(domain, (t(), need_b())) == "(b, need_b)", "and neither by a whole search"


def test_a_method_that_failed_is_not_picked_again(domain):
    fail = domain.primitive("fail", precondition=Toggle.a)
    fine = domain.primitive("fine")

    @domain.compound
    def t():
        yield method(fail())
        yield method(fine(), fail())
        yield method(fine())

    plan = find_plan(domain, Toggle(), t())
    assert (normal(plan.tree), plan.record) == ("fine", (2,))


def test_the_state_is_restored_with_the_rest(domain):
    # Two records of an attempt: its steps and its effects. Keeping either makes `q` come out wrong.
    p = domain.primitive("p", effects=Toggle.a.becomes(True))
    q = domain.primitive("q", precondition=~Toggle.a)

    @domain.compound
    def impossible():
        yield method(p(), when=Toggle.b)

    @domain.compound
    def t():
        yield method(p(), impossible())
        yield method(q())

    assert planned(domain, t()) == "q"


def test_a_task_that_failed_keeps_its_place_in_the_order(domain):
    first = domain.primitive("first", effects=Toggle.a.becomes(True))
    needs = domain.primitive("needs", precondition=Toggle.b)
    last = domain.primitive("last", precondition=Toggle.a)

    @domain.compound
    def middle():
        yield method(needs())
        yield method(first())

    assert planned(domain, (middle(), last())) == "(first, last)"


def test_a_goal_that_nothing_can_reach_has_no_plan_although_each_half_could_be_reached(domain):
    # Whoever works backwards and looks at effects only finds `a` here, which destroys nothing and
    # gives nothing of `b`.
    set_a = domain.primitive("set_a", precondition=~Toggle.b, effects=Toggle.a.becomes(True))

    @domain.compound
    def both():
        yield method(when=Toggle.a & Toggle.b)
        yield method(set_a(), both())

    assert planned(domain, both()) == "no plan"
    plan = find_plan(domain, Toggle(a=True, b=True), both())
    assert normal(plan.tree) == "null"
