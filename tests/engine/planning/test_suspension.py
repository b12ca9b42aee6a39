"""Planning a part now and the rest on arrival (semantics 2.5)."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Settings,
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
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.planning.trace import PlanningSuspended
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.combat.domain import Soldier as Fighter
from bthtn.examples.domains.combat.domain import combat, fight


class Troll(State):
    stamina: Fluent[int] = fluent(default=1)
    near: Fluent[bool] = fluent(default=False)
    angry: Fluent[bool] = fluent(default=True)
    at: Fluent[str] = fluent(default="bridge")
    been: FluentFamily[str, bool] = fluents(default=False)


@pytest.fixture
def domain():
    return Domain("troll", Troll)


def planned(domain, goal, settings=None, listener=None, **values):
    return find_plan(domain, Troll(**values), goal, settings or Settings(), listener)


def steps(domain, goal, settings=None, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


def suspensions(plan):
    return [str(node) for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode)]


@pytest.fixture
def walk(domain):
    return domain.primitive("walk", effects=Troll.near.becomes(True), duration=2)


@pytest.fixture
def slam(domain):
    return domain.primitive(
        "slam",
        precondition=Troll.near & (Troll.stamina > 0),
        effects=Troll.stamina.decreases(1),
        duration=1,
    )


@pytest.fixture
def roar(domain):
    return domain.primitive("roar")


# pause


def test_a_partial_plan_says_so_and_what_is_left(domain, walk, slam, roar):
    whole = find_plan(domain, Troll(), (walk(), slam()))
    part = find_plan(domain, Troll(), (walk(), pause(), slam(), roar()))
    assert (whole.is_partial, part.is_partial) == (False, True)
    assert [one.left for one in part.suspended] == ["slam, roar"]


def test_behind_a_pause_everything_is_planned_on_arrival(domain, walk, slam, roar):
    plan = planned(domain, (walk(), pause(), slam(), roar()))
    assert normal(plan.tree) == "(walk, suspended(slam, roar))"
    assert suspensions(plan) == ["suspended (pause)"]
    assert plan.predicted == Troll(near=True).frozen()


def test_a_pause_at_the_end_suspends_nothing_here_but_what_follows_outside(domain, walk, roar):
    @domain.compound
    def approach():
        yield method(walk(), pause())

    assert steps(domain, approach()) == "walk"
    assert steps(domain, (approach(), roar())) == "(walk, suspended(roar))"


def test_every_enclosing_sequence_suspends_what_it_has_left(domain, walk, slam, roar):
    @domain.compound
    def attack():
        yield method(walk(), close_in(), roar())

    @domain.compound
    def close_in():
        yield method(walk(), pause(), slam())

    plan = planned(domain, (attack(), walk()))
    assert normal(plan.tree) == ("(walk, walk, suspended(slam), suspended(roar), suspended(walk))")
    assert suspensions(plan) == ["suspended (pause)"] * 3


def test_a_pause_is_planned_even_where_the_rest_would_be_impossible(domain, walk, slam):
    # That is what a pause is for, and its danger: the choice before it is not taken back.
    assert steps(domain, (pause(), slam())) == "suspended(slam)"
    assert steps(domain, slam()) == "no plan"


# defer


def test_a_deferred_task_is_planned_on_arrival_and_what_follows_too(domain, walk, slam, roar):
    plan = planned(domain, (walk(), defer(slam()), roar()))
    assert normal(plan.tree) == "(walk, suspended(slam), suspended(roar))"
    assert suspensions(plan) == ["suspended (defer)"] * 2


def test_with_what_it_ensures_planning_goes_on_behind_it(domain, walk, slam, roar):
    plan = planned(domain, (defer(walk(), ensures=Troll.near.becomes(True)), slam(), roar()))
    assert normal(plan.tree) == "(suspended(walk), slam, roar)"
    assert plan.predicted == Troll(near=True, stamina=0).frozen()
    assert steps(domain, (defer(walk(), ensures=Troll.angry.becomes(False)), slam())) == "no plan"


def test_what_a_deferred_task_ensures_may_count(domain, roar):
    rest = defer(roar(), ensures=Troll.stamina.increases(2))
    assert planned(domain, (rest, rest)).predicted == Troll(stamina=5).frozen()


def test_a_promise_with_an_unknown_value_promises_nothing_about_its_fluent(domain, roar):
    promise = defer(roar(), ensures=Troll.near.becomes(Troll.angry))
    plan = planned(domain, (promise, roar()), angry=UNKNOWN)
    assert normal(plan.tree) == "(suspended(roar), roar)"
    assert plan.predicted.get(Troll.near) is UNKNOWN


def test_behind_a_promise_about_nobody_knows_what_planning_is_suspended(domain, roar):
    promise = defer(roar(), ensures=Troll.been[Troll.at].becomes(True))
    plan = planned(domain, (promise, roar()), at=UNKNOWN)
    assert normal(plan.tree) == "(suspended(roar), suspended(roar))"
    assert suspensions(plan)[0].startswith("suspended (unknown")


def test_a_deferred_task_keeps_the_arguments_of_its_method(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive(effects=Troll.at.becomes(to))

    @domain.compound
    def visit(first: str, then: str):
        yield method(go(first), defer(go(then)))

    plan = planned(domain, visit("hill", "lake"))
    assert normal(plan.tree) == "(go('hill'), suspended(go('lake')))"
    rest = next(node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode))
    assert rest.binding == ("hill", "lake")


# horizon


def test_behind_the_horizon_the_rest_is_suspended(domain, walk, slam, roar):  # R000-33
    goal = (walk(), slam(), roar())
    assert steps(domain, goal, Settings(horizon=1)) == "(walk, suspended(slam, roar))"
    assert steps(domain, goal, Settings(horizon=2)) == "(walk, slam, suspended(roar))"
    assert steps(domain, goal, Settings(horizon=3)) == "(walk, slam, roar)"
    assert suspensions(planned(domain, goal, Settings(horizon=1))) == ["suspended (horizon)"]


def test_a_horizon_may_be_set_in_planned_time(domain, walk, slam, roar):
    goal = (walk(), slam(), roar())
    assert steps(domain, goal, Settings(horizon_time=1)) == "(walk, suspended(slam, roar))"
    assert steps(domain, goal, Settings(horizon_time=2)) == "(walk, suspended(slam, roar))"
    assert steps(domain, goal, Settings(horizon_time=2.5)) == "(walk, slam, suspended(roar))"
    assert steps(domain, goal, Settings(horizon_time=4)) == "(walk, slam, roar)"


def test_tasks_that_take_no_time_do_not_bring_the_horizon_nearer(domain, roar):
    goal = (roar(), roar(), roar())
    assert steps(domain, goal, Settings(horizon_time=1)) == "(roar, roar, roar)"


def test_the_horizon_counts_every_path_for_itself(domain, walk, slam, roar):
    goal = (parallel((roar(), roar()), walk()), roar())
    assert steps(domain, goal, Settings(horizon=1)) == (
        "(parallel((roar, suspended(roar)), walk), suspended(roar))"
    )
    goal = (roar(), priority((roar(), roar()), walk()), roar())
    assert steps(domain, goal, Settings(horizon=2)) == (
        "(roar, priority((roar, suspended(roar)), walk), suspended(roar))"
    )


def test_the_horizon_lies_between_the_parts_of_a_sequence(domain, roar):
    @domain.compound
    def twice():
        yield method(roar(), roar())

    plan = planned(domain, (twice(), roar()), Settings(horizon=1))
    assert normal(plan.tree) == "(roar, suspended(roar), suspended(roar))"
    assert steps(domain, roar(), Settings(horizon=1)) == "roar"


def test_fighting_from_cover_with_a_horizon_of_one_and_of_two():
    def plan(horizon):
        soldier = Fighter(target=True, cover=True, ammo=False)
        return find_plan(combat, soldier, fight(), Settings(horizon=horizon))

    assert normal(plan(1).tree) == (
        "(parallel((move_to_cover, suspended(cover)), (wait(3), suspended(reload))),"
        " suspended(priority(no_line_of_fire, shoot)))"
    )
    assert normal(plan(2).tree) == (
        "(parallel((move_to_cover, cover), (wait(3), reload)),"
        " suspended(priority(no_line_of_fire, shoot)))"
    )
    assert plan(1).record == plan(2).record == (1, 0, 1, 0)


# what is recorded


def test_the_cause_is_told_as_it_happens(domain, walk, slam):
    told = []
    planned(domain, (walk(), pause(), slam()), listener=told.append)
    said = [(event.what, event.cause) for event in told if isinstance(event, PlanningSuspended)]
    assert said == [("", "pause"), ("slam", "pause")]


def test_the_record_of_a_partial_plan_is_the_beginning_of_that_of_the_whole(domain, walk, slam):
    @domain.compound
    def attack():
        yield method(slam(), when=Troll.near)
        yield method(walk(), attack())

    whole = planned(domain, attack())
    part = planned(domain, attack(), Settings(horizon=1))
    assert (whole.record, part.record) == ((1, 0), (1,))
    assert not whole.record.beats(part.record)
    assert not part.record.beats(whole.record)


# going on


def resumed(plan, state):
    """The plan for the first suspended part, from the state that was reached."""
    rest = next(node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode))
    asked = PlanRequest(plan.domain, state.frozen(), sequence(*rest.rest), rest.binding)
    search = HtnSearch.of(asked)
    search.advance()
    return search.plan


def test_the_rest_is_planned_from_the_state_that_was_reached(domain, walk, slam, roar):
    @domain.compound
    def attack(name: str):
        yield method(walk(), pause(), strike(name))

    @domain.compound
    def strike(name: str):
        yield method(slam(), when=Troll.at == name)
        yield method(roar())

    plan = planned(domain, attack("hill"))
    assert normal(plan.tree) == "(walk, suspended(strike('hill')))"
    assert normal(resumed(plan, Troll(near=True)).tree) == "roar"
    assert normal(resumed(plan, Troll(near=True, at="hill")).tree) == "slam"


def test_what_was_unknown_is_known_on_arrival(domain, walk, slam, roar):
    @domain.compound
    def strike():
        yield method(slam(), when=Troll.angry)
        yield method(roar())

    plan = planned(domain, (walk(), strike()), angry=UNKNOWN)
    assert normal(plan.tree) == "(walk, suspended(strike))"
    assert suspensions(plan) == ["suspended (unknown angry)"]
    assert normal(resumed(plan, Troll(near=True, angry=False)).tree) == "roar"


def test_a_suspended_plan_is_committed_to_what_planning_at_once_would_not_have_chosen(
    domain, walk, slam, roar
):
    # The troll has no strength left. Looking ahead he roars; with a horizon he walks, and stands.
    @domain.compound
    def attack():
        yield method(walk(), slam())
        yield method(roar())

    assert steps(domain, attack(), stamina=0) == "roar"
    plan = planned(domain, attack(), Settings(horizon=1), stamina=0)
    assert normal(plan.tree) == "(walk, suspended(slam))"
    assert resumed(plan, Troll(near=True, stamina=0)) is None


def test_a_resumed_plan_may_be_suspended_again(domain, roar):
    plan = planned(domain, (roar(), roar(), roar()), Settings(horizon=1))
    rest = next(node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode))
    settings = Settings(horizon=1)
    again = PlanRequest(plan.domain, Troll().frozen(), sequence(*rest.rest), rest.binding, settings)
    search = HtnSearch.of(again)
    search.advance()
    assert normal(search.plan.tree) == "(roar, suspended(roar))"
