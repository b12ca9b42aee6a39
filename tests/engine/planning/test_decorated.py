"""Decorated parts of networks, and cycles until a condition holds, while planning and as text."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    cooldown,
    derive,
    find_plan,
    first_of,
    fluent,
    force_success,
    invert,
    method,
    one_of,
    optional,
    parallel,
    pause,
    primitive,
    retry,
    sequence,
    timeout,
    unordered,
    until,
)
from bthtn.engine.domain.network import network_text
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.notation import node_from, normal
from bthtn.engine.text.plan_json import encoded
from bthtn.errors import DomainError, InputError
from bthtn.studio.analysis import findings, parallelize
from bthtn.studio.views import domain_dot, plan_dot, tree_text


class Door(State):
    at: Fluent[str] = fluent(default="hall")
    open: Fluent[bool] = fluent(default=False)
    wood: Fluent[int] = fluent(default=0)


WHOLE = Settings()
house = Domain("house", Door)
push = house.primitive("push", precondition=~Door.open, effects=Door.open.becomes(True))
enter = house.primitive("enter", precondition=Door.open, effects=Door.at.becomes("room"))
chop = house.primitive("chop", effects=Door.wood.increases(1), duration=5, cost=2)
build = house.primitive("build", precondition=Door.wood >= 2)
look = house.primitive("look")


@house.primitive
def walk(to: str) -> Primitive:
    return primitive(precondition=Door.at != to, effects=Door.at.becomes(to))


@house.compound
def visit(room: str):
    spot = one_of(("door", "hall"))
    yield method(walk(spot), retry(3, walk(room), timeout(9, walk(spot))))


def plan_for(goal, settings=WHOLE, **values):
    """The plan, which replay accepts; None if there is none."""
    state = Door(**values)
    plan = find_plan(house, state, goal, settings)
    if plan is not None:
        seen = replay(plan, state.frozen())
        assert seen.ok, seen.reason
        assert seen.final == plan.predicted
    return plan


def shown(goal, settings=WHOLE, **values):
    plan = plan_for(goal, settings, **values)
    return None if plan is None else normal(plan.tree)


# decorators


# R000-40
@pytest.mark.parametrize("decorate", [timeout, retry, cooldown])
def test_a_decorated_part_is_planned_as_it_is(decorate):
    plan = plan_for((decorate(3, push(), chop()), enter()))
    bare = plan_for((push(), chop(), enter()))
    assert normal(plan.tree) == f"({decorate.__name__}(3, push, chop), enter)"
    assert [str(step) for step in plan.steps] == [str(step) for step in bare.steps]
    assert (plan.predicted, plan.cost, plan.footprint) == (
        bare.predicted,
        bare.cost,
        bare.footprint,
    )
    assert list(plan.record) == [0]
    assert plan_for((decorate(3, enter()), push())) is None


def test_the_search_goes_back_into_a_decorated_part():
    goal = (retry(2, first_of(walk("room"), push())), enter())
    assert shown(goal) == "(retry(2, push), enter)"


def test_a_part_with_nothing_to_do_is_not_in_the_text():
    assert shown((retry(2, optional(enter())), push())) == "push"


def test_variables_and_parameters_have_their_values_in_it():
    assert (
        shown(visit("room")) == "(walk('door'), retry(3, walk('room'), timeout(9, walk('door'))))"
    )


def test_an_inverted_task_has_to_be_possible_and_changes_nothing():
    peep = Domain("peep", Door)
    sees = peep.primitive("sees", precondition=Door.open, actual=Door.wood.becomes(9))
    plan = find_plan(peep, Door(open=True), invert(sees()))
    assert normal(plan.tree) == "invert(sees)"
    assert plan.predicted == Door(open=True).frozen()
    assert find_plan(peep, Door(open=False), invert(sees())) is None


@pytest.mark.parametrize(
    "part", [push(), (look(), look()), visit("room"), pause(), retry(2, look())]
)
def test_what_would_have_effects_or_several_ends_is_not_inverted(part):
    with pytest.raises(DomainError, match="BT131"):
        invert(part)


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", True, None])
@pytest.mark.parametrize("decorate", [timeout, retry, cooldown])
def test_numbers_are_whole_and_above_zero(decorate, number):
    with pytest.raises(DomainError, match=rf"BT130\] {decorate.__name__} is given"):
        decorate(number, look())


def test_behind_a_part_that_may_fail_nothing_of_it_is_relied_on():
    assert shown((force_success(look()), push())) == "(priority(look, null), push)"
    assert shown((force_success(push()), enter())) == "(priority(push, null), suspended(enter))"
    assert plan_for(force_success(enter())).tree.children[0] is not None
    assert shown((force_success(enter()), push())) == "push", "what is impossible is left out"


def test_planning_stops_inside_of_a_part_and_behind_it():
    assert shown((retry(2, push(), pause(), look()), enter())) == (
        "(retry(2, push, suspended(look)), suspended(enter))"
    )
    assert shown((retry(2, push(), look()), enter()), Settings(horizon=1)) == (
        "(retry(2, push, suspended(look)), suspended(enter))"
    )
    checked = plan_for((retry(2, push(), look()), enter()), Settings(horizon=1, check_rest=True))
    assert checked.suspended
    assert plan_for((retry(2, look(), enter()),), Settings(horizon=1, check_rest=True)) is None


def test_branches_are_decorated_and_decorated_parts_have_branches():
    goal = retry(2, parallel(timeout(5, push()), chop()))
    assert shown(goal) == "retry(2, parallel(timeout(5, push), chop))"
    clash = parallel(timeout(5, push()), enter())
    assert plan_for(clash, open=False) is None


def test_a_decorated_part_is_a_block_of_what_is_planned_in_turns():
    goal = unordered((push(), build()), timeout(5, enter(), chop(), chop()))
    assert shown(goal) == "(push, timeout(5, enter, chop, chop), build)"


def test_a_derived_domain_keeps_its_decorators():
    other = derive(house, "other", suffix="_2")
    goal = other.task("visit_2")("room")
    text = normal(find_plan(other, Door(), goal).tree)
    assert text == "(walk_2('door'), retry(3, walk_2('room'), timeout(9, walk_2('door'))))"


def test_a_plan_with_a_decorator_is_not_parallelized():
    plan = plan_for((timeout(5, push()), chop()))
    assert parallelize(plan_for((push(), chop()))) is not plan
    assert parallelize(plan) is plan


# until


def test_cycles_are_planned_until_the_condition_holds():
    assert shown(until(Door.wood >= 3, chop())) == "(chop, chop, chop)"
    assert shown(until(lambda state: state.wood >= 3, chop()), wood=2) == "chop"
    assert shown(until(Door.wood >= 3, chop()), wood=3) == "null"


def test_cycles_that_change_nothing_come_to_no_plan():
    assert plan_for(until(Door.wood >= 3, look())) is None


def test_no_cycle_more_is_planned_where_the_condition_holds():
    pile = until(Door.wood >= 1, chop())
    assert plan_for((until(Door.wood >= 2, chop()), build()), wood=1).cost == 3
    assert plan_for((pile, build()), wood=1) is None


def test_an_unknown_condition_suspends_planning():
    assert shown((until(Door.open, push()), look()), open=UNKNOWN).startswith("(suspended(")


# text


@pytest.mark.parametrize(
    "text",
    [
        "retry(3, push)",
        "(look, timeout(5, push, chop), invert(look))",
        "parallel(cooldown(2, (priority(push, chop), look)), walk('room'))",
        "retry(2, timeout(9, push))",
        "timeout(seconds(2.5), cooldown(seconds(3), push))",
    ],
)
def test_decorators_are_read_as_they_are_written(text):
    tree = node_from(text, house.freeze())
    assert normal(node_from(normal(tree), house.freeze())) == normal(tree)
    assert normal(tree).startswith(text[:6])


@pytest.mark.parametrize(
    "text",
    [
        "retry(push)",
        "retry",
        "timeout(0, push)",
        "invert(3, look)",
        "retry(3)",
        "retry(seconds(3), push)",
    ],
)
def test_a_decorator_without_its_number_or_part_is_refused_with_its_place(text):
    with pytest.raises(InputError, match=r"BT406.*\n.*column"):
        node_from(text, house.freeze())


def test_a_task_that_is_called_like_a_decorator_is_quoted():
    odd = Domain("odd", Door)
    again = odd.primitive("retry")
    text = normal(find_plan(odd, Door(), sequence(again(), retry(2, again()))).tree)
    assert text == "('retry', retry(2, 'retry'))"
    assert normal(node_from(text, odd.freeze())) == text


def test_networks_are_shown_as_they_are_written():
    parts = (timeout(3, look()), retry(2, look(), chop()), invert(look()), until(Door.open, push()))
    assert list(map(network_text, parts)) == [
        *("timeout(3, look)", "retry(2, (look, chop))", "invert(look)", "until(open, push)"),
    ]


def test_views_show_the_decorator_with_and_without_scopes():
    plan = plan_for(retry(3, push(), timeout(5, chop())))
    for scopes in (False, True):
        lines = tree_text(plan.tree, plan.domain, scopes=scopes).splitlines()
        assert lines[0] == "retry 3"
        assert lines[-2:] == ["   └─ timeout 5", "      └─ chop"]
        dot = plan_dot(plan, scopes=scopes)
        assert dot.count("hexagon") == 2
        assert "timeout 5" in dot
    assert "retry(3, " in domain_dot(house.freeze())
    assert '"decorator": "timeout 5"' in encoded(plan)


def test_the_checks_of_domains_know_decorators_and_cycles():
    class Yard(State):
        wood: Fluent[int] = fluent(default=0)

    yard = Domain("yard", Yard)
    hew = yard.primitive("hew", effects=Yard.wood.increases(1))

    @yard.compound
    def stack():
        yield method(until(Yard.wood >= 3, timeout(5, hew())))

    assert findings(yard.freeze()) == ()
