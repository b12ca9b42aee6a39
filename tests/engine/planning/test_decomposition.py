"""Primitive tasks, compound tasks, sequences: the first thing that works, and all is tried.

(semantics 2.1 and 2.2)
"""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    null,
    primitive,
    sequence,
)
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    magazine: Fluent[bool] = fluent(default=True)
    target: Fluent[bool] = fluent(default=True)
    sight: Fluent[bool] = fluent(default=False)
    near: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="home")
    been: FluentFamily[str, bool] = fluents(default=False)


@pytest.fixture
def domain():
    return Domain("war", Soldier)


def planned(domain, goal, settings=None, **values):
    return find_plan(domain, Soldier(**values), goal, settings or Settings())


def steps(domain, goal, settings=None, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


@pytest.fixture
def shoot(domain):
    return domain.primitive(
        "shoot", precondition=Soldier.ammo > 0, effects=Soldier.ammo.decreases(1)
    )


@pytest.fixture
def reload(domain):
    return domain.primitive(
        "reload", precondition=Soldier.magazine, effects=Soldier.ammo.becomes(1)
    )


@pytest.fixture
def idle(domain):
    return domain.primitive("idle")


# primitive tasks and sequences


def test_a_task_whose_precondition_holds_is_planned_and_its_effects_are_foreseen(domain, shoot):
    plan = planned(domain, shoot(), ammo=3)
    assert normal(plan.tree) == "shoot"
    assert plan.predicted == Soldier(ammo=2).frozen()


def test_a_task_whose_precondition_does_not_hold_cannot_be_planned(domain, shoot):
    assert steps(domain, shoot(), ammo=0) == "no plan"


def test_each_part_of_a_sequence_is_planned_from_the_state_behind_the_one_before(
    domain, shoot, reload
):
    assert steps(domain, (reload(), shoot())) == "(reload, shoot)"
    assert steps(domain, (reload(), shoot(), shoot())) == "no plan"
    assert steps(domain, (shoot(), reload())) == "no plan"


def test_expected_effects_are_foreseen_and_actual_ones_are_not(domain):
    look = domain.primitive("look", expected=Soldier.sight.becomes(True))
    walk = domain.primitive("walk", actual=Soldier.near.becomes(True))
    roar = domain.primitive("roar", precondition=Soldier.sight)
    club = domain.primitive("club", precondition=Soldier.near)
    assert steps(domain, (look(), roar())) == "(look, roar)"
    assert steps(domain, (walk(), club())) == "no plan"


def test_what_is_asked_only_when_a_task_starts_is_not_asked_while_planning(domain):
    fire = domain.primitive("fire", exec_only=Soldier.sight)
    assert steps(domain, fire(), sight=False) == "fire"


def test_an_effect_may_make_something_unknown(domain):
    smoke = domain.primitive("smoke", effects=Soldier.sight.becomes(UNKNOWN))
    plan = planned(domain, smoke(), sight=True)
    assert plan.predicted.get(Soldier.sight) is UNKNOWN


def test_arguments_are_values_of_the_state_in_which_the_call_is_reached(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive(effects=[Soldier.been[Soldier.at].becomes(True), Soldier.at.becomes(to)])

    plan = planned(domain, (go("hill"), go(Soldier.at)))
    assert normal(plan.tree) == "(go('hill'), go('hill'))"
    assert plan.predicted == Soldier(at="hill", been={"home": True, "hill": True}).frozen()


# methods


# R000-21
def test_methods_are_tried_in_order_and_skipped_ones_are_counted(domain, shoot, reload, idle):
    @domain.compound
    def fight():
        yield method(idle(), when=~Soldier.target)
        yield method(shoot(), when=Soldier.ammo > 0)
        yield method(reload(), shoot())

    for values, expected, record in [
        ({"target": False}, "idle", (0,)),
        ({"ammo": 1}, "shoot", (1,)),
        ({"ammo": 0}, "(reload, shoot)", (2,)),
    ]:
        plan = planned(domain, fight(), **values)
        assert (normal(plan.tree), plan.record) == (expected, record)


def test_a_method_whose_tasks_fail_gives_way_to_the_next(domain, shoot, idle):
    @domain.compound
    def fight():
        yield method(shoot())
        yield method(idle())

    plan = planned(domain, fight())
    assert (normal(plan.tree), plan.record) == ("idle", (1,))


def test_without_a_method_that_works_there_is_no_plan(domain, shoot, idle):
    @domain.compound
    def fight():
        yield method(idle(), when=Soldier.sight)
        yield method(idle(), shoot())

    assert steps(domain, fight()) == "no plan"


def test_who_decomposed_what_stands_in_the_tree_and_not_in_what_is_run(domain, shoot, idle):
    @domain.compound
    def fight():
        yield method(burst())

    @domain.compound
    def burst():
        yield method(idle(), when=Soldier.sight)
        yield method(shoot(), shoot())

    plan = planned(domain, fight(), ammo=2)
    assert outline(plan.tree) == (
        *(("fight m0", 1), ("burst m1", 1), ("sequence", 2), ("shoot", 0), ("shoot", 0)),
    )
    assert normal(plan.tree) == "(shoot, shoot)"
    assert plan.record == (0, 1)


def test_a_parameter_has_its_value_in_conditions_effects_and_calls_below(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive(precondition=Soldier.at != to, effects=Soldier.at.becomes(to))

    @domain.compound
    def visit(first: str, second: str):
        yield method(when=Soldier.at == second)
        yield method(go(first), visit(second, second), when=Soldier.at != first)
        yield method(go(second))

    assert steps(domain, visit("hill", "lake")) == "(go('hill'), go('lake'))"
    assert steps(domain, visit("hill", "lake"), at="lake") == "null"
    assert planned(domain, visit("hill", "lake")).record == (1, 1, 0)


# nothing to do


def test_nothing_to_do_is_a_success(domain, reload):  # R000-21
    @domain.compound
    def ready():
        yield method(when=Soldier.ammo > 0)
        yield method(reload())

    plan = planned(domain, ready(), ammo=1)
    assert plan is not None
    assert (normal(plan.tree), plan.steps, plan.record) == ("null", (), (0,))
    assert steps(domain, (ready(), ready())) == "reload"


@pytest.mark.parametrize("goal", [(), sequence(), null(), (null(), null())], ids=str)
def test_an_empty_goal_is_reached_at_once(domain, goal):
    plan = planned(domain, goal)
    assert normal(plan.tree) == "null"
    assert plan.predicted == Soldier().frozen()
    assert plan.expansions == 0


# going back


def test_the_search_goes_back_into_an_earlier_part_of_a_sequence(domain, shoot, reload, idle):
    @domain.compound
    def prepare():
        yield method(idle())
        yield method(reload())

    plan = planned(domain, (prepare(), shoot()))
    assert (normal(plan.tree), plan.record) == ("(reload, shoot)", (1,))


def test_the_latest_choice_is_changed_first(domain, shoot, reload, idle):
    @domain.compound
    def choose(place: str):
        yield method(idle(), when=Soldier.been[place])
        yield method(idle())
        yield method(reload())

    plan = planned(domain, (choose("a"), choose("b"), shoot()))
    assert (normal(plan.tree), plan.record) == ("(idle, reload, shoot)", (1, 2))


def test_the_search_goes_back_into_a_task_that_was_complete(domain, shoot, reload, idle):
    @domain.compound
    def prepare():
        yield method(dawdle())

    @domain.compound
    def dawdle():
        yield method(idle(), idle())
        yield method(reload())

    plan = planned(domain, (prepare(), shoot()))
    assert (normal(plan.tree), plan.record) == ("(reload, shoot)", (0, 1))


def test_nothing_of_what_was_taken_back_remains(domain, idle):
    # P is planned and its effect foreseen before C turns out to be impossible: only Q is left.
    p = domain.primitive("p", effects=[Soldier.near.becomes(True), Soldier.ammo.increases(7)])
    c = domain.primitive("c", precondition=Soldier.sight)
    q = domain.primitive("q", precondition=~Soldier.near)

    @domain.compound
    def a():
        yield method(p(), inner())
        yield method(q())

    @domain.compound
    def inner():
        yield method(c())

    plan = planned(domain, a())
    assert (normal(plan.tree), plan.record) == ("q", (1,))
    assert plan.predicted == Soldier().frozen()


def test_a_failed_primitive_is_not_tried_again_by_the_same_method(domain):
    tried = []
    hopeless = domain.primitive("hopeless", precondition=lambda soldier: bool(tried.append(1)))

    @domain.compound
    def a():
        yield method(hopeless())

    assert steps(domain, a()) == "no plan"
    assert len(tried) == 1


def test_tasks_left_to_do_keep_their_arguments_when_the_search_goes_back(domain):
    @domain.primitive
    def use(tool: str) -> Primitive:
        return primitive(precondition=Soldier.been[tool])

    @domain.primitive
    def fetch(tool: str) -> Primitive:
        return primitive(effects=Soldier.been[tool].becomes(True))

    @domain.compound
    def equip():
        yield method(fetch("axe"))
        yield method(fetch("saw"))

    assert steps(domain, (equip(), use("saw"))) == "(fetch('saw'), use('saw'))"


def test_the_search_goes_back_from_a_plan_that_is_not_wanted(domain, idle, reload):
    @domain.compound
    def prepare():
        yield method(idle())
        yield method(reload())

    search = HtnSearch.of(request(domain, Soldier(), (prepare(), prepare())))
    found = []
    while search.advance() is SearchStatus.SOLVED:
        found.append(search.plan.record)
        search.reject()
        assert search.plan is None
    assert found == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert search.status is SearchStatus.EXHAUSTED


# undecided


def test_a_task_whose_precondition_is_unknown_is_planned_when_execution_gets_there(domain, shoot):
    assert steps(domain, shoot(), ammo=UNKNOWN) == "suspended(shoot)"


def test_a_later_method_is_not_taken_while_an_earlier_one_is_undecided(domain, shoot, idle):
    @domain.compound
    def fight():
        yield method(idle(), when=Soldier.near)
        yield method(shoot(), when=Soldier.sight)
        yield method(idle())

    plan = planned(domain, fight(), sight=UNKNOWN)
    assert normal(plan.tree) == "suspended(fight)"
    assert plan.tree.cause.fluent == "sight"
    assert plan.record == ()
    assert steps(domain, fight(), sight=UNKNOWN, near=True) == "idle"


def test_a_call_whose_argument_is_unknown_is_planned_when_execution_gets_there(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive()

    plan = planned(domain, (go("hill"), go(Soldier.at), go("lake")), at=UNKNOWN)
    assert normal(plan.tree) == "(go('hill'), suspended(go(at)), suspended(go('lake')))"
    assert plan.tree.children[1].cause.fluent == "at"


def test_a_task_of_which_nobody_can_tell_what_it_writes_is_planned_on_arrival(domain):
    mark = domain.primitive("mark", effects=Soldier.been[Soldier.at].becomes(True))
    copy = domain.primitive("copy", effects=lambda soldier: setattr(soldier, "ammo", soldier.ammo))
    assert steps(domain, mark(), at=UNKNOWN) == "suspended(mark)"
    assert steps(domain, copy(), ammo=UNKNOWN) == "suspended(copy)"


def test_a_task_with_an_unknown_result_is_planned_all_the_same(domain):
    load = domain.primitive("load", effects=Soldier.at.becomes(Soldier.at))
    plan = planned(domain, load(), at=UNKNOWN)
    assert normal(plan.tree) == "load"
    assert plan.predicted.get(Soldier.at) is UNKNOWN
