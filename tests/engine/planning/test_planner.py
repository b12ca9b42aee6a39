"""A planner: a question that is prepared once and asked from many states."""

import pytest

from bthtn import (
    Domain,
    Fluent,
    Planner,
    Settings,
    State,
    find_plan,
    fluent,
    method,
    pause,
    primitive,
    priority,
)
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.text.notation import normal
from bthtn.errors import DomainError, PlanningError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    target: Fluent[bool] = fluent(default=True)


class Moon(State):
    full: Fluent[bool] = fluent(default=False)


war = Domain("war", Soldier)
shoot = war.primitive("shoot", precondition=Soldier.ammo > 0, effects=Soldier.ammo.decreases(1))
reload = war.primitive("reload", effects=Soldier.ammo.becomes(1))
boom = war.primitive("boom", precondition=lambda soldier: 1 // soldier.ammo)
howl = Domain("night", Moon).primitive("howl")


@war.compound
def fight():
    yield method(shoot(), when=Soldier.target)


@war.compound
def get_ready():
    yield method(reload(), fight())


@war.compound
def hold(least: int):
    yield method(reload(), pause(), shoot_with(least))


@war.compound
def shoot_with(least: int):
    yield method(shoot(), when=Soldier.ammo >= least)


def test_one_planner_answers_for_many_states():
    planner = Planner(war, fight())
    assert normal(planner.plan(Soldier(ammo=1)).tree) == "shoot"
    assert planner.plan(Soldier()) is None
    assert planner.plan(Soldier(ammo=2)).predicted == Soldier(ammo=1).frozen()
    assert planner.plan(Soldier(ammo=2).frozen()).predicted == Soldier(ammo=1).frozen()


def test_a_planner_finds_what_find_plan_finds():
    for state in (Soldier(), Soldier(ammo=3), Soldier(target=False)):
        prepared, once = Planner(war, get_ready()).plan(state), find_plan(war, state, get_ready())
        assert bool(prepared) is bool(once)
        if once:
            assert outline(prepared.tree) == outline(once.tree)
            assert prepared.record == once.record
            assert prepared.predicted == once.predicted
            assert prepared.expansions == once.expansions
            assert prepared.goal == once.goal


def test_what_does_not_depend_on_the_state_is_checked_once_and_at_once():
    with pytest.raises(DomainError, match="BT109"):
        Planner(war, howl())
    with pytest.raises(DomainError, match="BT110"):
        Planner(war, fight)


def test_a_state_of_another_domain_is_refused():
    planner = Planner(war, fight())
    with pytest.raises(DomainError, match="the state is a Moon; domain 'war' plans with Soldier"):
        planner.plan(Moon())
    with pytest.raises(DomainError, match="the state is a dict; domain 'war' plans with Soldier"):
        planner.search({})


def test_a_planner_says_when_there_is_no_answer_within_its_limit():
    planner = Planner(war, get_ready(), Settings(max_expansions=1))
    with pytest.raises(PlanningError, match="BT203"):
        planner.plan(Soldier())
    assert Planner(war, shoot(), Settings(max_expansions=1)).plan(Soldier(ammo=1))


def test_a_function_that_raises_ends_one_search_and_not_the_planner():
    planner = Planner(war, boom())
    with pytest.raises(PlanningError, match="BT201"):
        planner.plan(Soldier())
    assert planner.plan(Soldier(ammo=1))


def test_a_search_of_a_planner_is_advanced_a_little_at_a_time():
    events = []
    search = Planner(war, get_ready()).search(Soldier(), events.append)
    assert (search.status, search.plan, search.expansions) == (SearchStatus.RUNNING, None, 0)
    assert search.advance(1) is SearchStatus.RUNNING
    assert len(events) == 1
    assert search.advance() is SearchStatus.SOLVED
    assert normal(search.plan.tree) == "(reload, shoot)"
    assert search.expansions == search.plan.expansions == 4


def test_a_listener_hears_of_the_whole_search():
    heard, expected = [], []
    Planner(war, get_ready()).plan(Soldier(), heard.append)
    find_plan(war, Soldier(), get_ready(), listener=expected.append)
    assert heard == expected != []


def test_how_a_search_went_can_be_told_afterwards():
    planner, expected = Planner(war, get_ready()), []
    plan, trace = planner.plan(Soldier()), planner.trace(Soldier())
    find_plan(war, Soldier(), get_ready(), listener=expected.append)
    assert list(trace.events) == expected
    assert normal(trace.plan.tree) == normal(plan.tree)
    assert (trace.status, trace.expansions) == (SearchStatus.SOLVED, plan.expansions)
    assert trace.reads == {Soldier.target: True}  # what is reloaded is known, whatever it was


def test_why_there_is_no_plan_can_be_told_afterwards():
    trace = Planner(war, shoot()).trace(Soldier())
    assert (trace.status, trace.plan) == (SearchStatus.EXHAUSTED, None)
    assert str(trace) == "shoot: ammo > 0 is false: ammo = 0"
    avoided = {avoidable(war.freeze(), shoot): "it rains"}
    assert str(Planner(war, shoot()).trace(Soldier(), avoided)) == "shoot: avoided: it rains"


def test_how_far_a_search_came_that_reached_its_limit_can_be_told():
    trace = Planner(war, get_ready(), Settings(max_expansions=1)).trace(Soldier())
    assert (trace.status, trace.plan, trace.expansions) == (SearchStatus.LIMIT, None, 1)


def test_a_planner_for_a_suspended_part_knows_with_what_its_task_was_called():
    plan = find_plan(war, Soldier(), hold(3))
    suspended = next(node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode))
    planner = Planner.resuming(plan.domain, suspended)
    assert normal(planner.plan(Soldier(ammo=3)).tree) == "shoot"
    assert planner.plan(Soldier(ammo=2)) is None


def test_plans_share_a_tree_only_where_what_was_read_for_it_is_the_same():
    domain = war.copy()
    fire = domain.primitive(fired)

    @domain.compound
    def volley():
        yield method(fire(Soldier.ammo))

    planner = Planner(domain, volley())
    states = [Soldier(ammo=count, target=seen) for count in (1, 2) for seen in (True, False)]
    for _ in range(3):
        trees = [planner.plan(state).tree for state in states]
    assert [tree.child.args for tree in trees] == [(1,), (1,), (2,), (2,)]
    assert trees[0] is trees[1]
    assert trees[2] is trees[3]


def test_plans_share_a_tree_only_where_planning_stops_for_the_same_reason():
    domain = war.copy()
    wait = domain.primitive("wait")

    @domain.compound
    def prepare():
        yield method(priority(reload(), wait()), fight(), when=Soldier.target)
        yield method(reload(), pause(), fight())

    planner = Planner(domain, prepare())
    states = [Soldier(ammo=count, target=seen) for seen in (True, False) for count in (1, 2, 3)]
    for _ in range(3):
        plans = [planner.plan(state) for state in states]
        trees = [plan.tree for plan in plans]
    causes = [str(part.cause) for plan in plans for part in plan.suspended]
    assert causes == ["unknown ammo"] * 2 + ["pause"] * 3
    assert trees[1] is trees[2]
    assert trees[3] is trees[4] is trees[5]


def fired(count: int):
    return primitive()


def test_each_plan_for_a_suspended_part_has_nodes_of_its_own():
    plan = find_plan(war, Soldier(), hold(3))
    planner = Planner.resuming(plan.domain, plan.suspended[0])
    trees = [planner.plan(Soldier(ammo=3)).tree for _ in range(4)]
    nodes = {id(node) for tree in trees for _, node in preorder(tree)}
    assert len(nodes) == 4 * len(list(preorder(trees[0])))
