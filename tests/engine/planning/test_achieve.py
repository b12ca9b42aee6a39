"""A goal as a part of a task network: methods say the rest, a search finds the steps."""

from dataclasses import replace

import pytest

from bthtn import (
    UNKNOWN,
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Plan,
    Planner,
    Settings,
    State,
    achieve,
    defer,
    find_plan,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    pause,
    primitive,
    priority,
)
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.plan.nodes import NULL_NODE, ScopeNode, SequenceNode, SuspendedNode, TaskNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, SearchStatus, request
from bthtn.engine.text.notation import normal
from tests.reference import Reference


class Camp(State):
    """A camp in which things are got ready."""

    fire: Fluent[bool] = fluent(default=False)
    wood: Fluent[bool] = fluent(default=False)
    axe: Fluent[bool] = fluent(default=True)
    cooked: Fluent[bool] = fluent(default=False)
    rain: Fluent[bool] = fluent(default=False, volatile=True)
    at: Fluent[str] = fluent(default="tent")
    has: FluentFamily[str, bool] = fluents(default=False)


ITEMS = ("fish", "pan")
PLACES = {"to": ("tent", "lake", "forest")}


class Author:
    """A domain with steps that say what they need and do, and room for methods."""

    def __init__(self):
        self.domain = domain = Domain("camp", Camp)
        self.chop = domain.primitive(
            "chop",
            precondition=Camp.axe & (Camp.at == "forest"),
            effects=Camp.wood.becomes(True),
        )
        self.light = domain.primitive(
            "light",
            precondition=Camp.wood & (Camp.at == "tent"),
            effects=[Camp.fire.becomes(True), Camp.wood.becomes(False)],
        )
        self.cook = domain.primitive(
            "cook",
            precondition=Camp.fire & Camp.has["fish"],
            effects=[Camp.cooked.becomes(True), Camp.has["fish"].becomes(False)],
        )
        self.eat = domain.primitive(
            "eat", precondition=Camp.cooked, effects=Camp.cooked.becomes(False)
        )

        @domain.primitive
        def go(to: str):
            return primitive(precondition=Camp.at != to, effects=Camp.at.becomes(to))

        @domain.primitive
        def fetch(item: str):
            return primitive(precondition=Camp.at == "lake", effects=Camp.has[item].becomes(True))

        self.go, self.fetch = go, fetch
        self.objects = {**PLACES, "item": ITEMS}

    def achieve(self, condition, **how):
        return achieve(condition, objects=self.objects, **how)


@pytest.fixture
def camp():
    return Author()


def plan_of(camp, goal, settings=DEFAULT_SETTINGS, **values):
    """The plan that the search and the reference agree on, judged."""
    asked = request(camp.domain, Camp(**values), goal, settings)
    search = HtnSearch.of(asked)
    search.advance()
    plan = search.plan
    first = next(Reference(asked).plans(), None)
    if plan is None:
        assert first is None
        return None
    seen = replay(plan, asked.state)
    assert seen.ok, f"{seen.where}: {seen.reason}"
    for other in (first, find_plan(camp.domain, Camp(**values), goal, settings)):
        assert normal(other.tree) == normal(plan.tree)
        assert other.record == plan.record == seen.record
        assert other.footprint == plan.footprint == seen.footprint
        assert other.predicted == plan.predicted == seen.final
    return plan


def text_of(camp, goal, settings=DEFAULT_SETTINGS, **values):
    plan = plan_of(camp, goal, settings, **values)
    return None if plan is None else normal(plan.tree)


DINNER = "(go('lake'), fetch('fish'), go('forest'), chop, go('tent'), light, cook, eat)"


def test_a_method_says_what_is_wanted_and_the_search_how_to_get_it(camp):
    @camp.domain.compound
    def dinner():
        yield method(camp.achieve(Camp.cooked), camp.eat())

    assert text_of(camp, dinner()) == DINNER
    assert text_of(camp, dinner(), cooked=True) == "eat"
    assert text_of(camp, dinner(), axe=False) is None
    plan = plan_of(camp, dinner())
    assert plan.record == (0, 0)
    scopes = [str(node) for _, node in preorder(plan.tree) if isinstance(node, ScopeNode)]
    assert scopes == ["dinner m0", "dinner.achieve_1 m0"]


def test_a_goal_may_mention_parameters_and_variables(camp):
    @camp.domain.compound
    def have(item: str):
        yield method(camp.achieve(Camp.has[item]))

    @camp.domain.compound
    def have_any():
        item = one_of(("knife", "pan"))
        yield method(camp.achieve(Camp.has[item] & (Camp.at == "tent")))

    assert text_of(camp, have("fish")) == "(go('lake'), fetch('fish'))"
    assert text_of(camp, have_any()) == "(go('lake'), fetch('pan'), go('tent'))"
    assert plan_of(camp, have_any()).record == (0, 1, 0)


def test_where_a_goal_cannot_be_reached_the_next_method_is_tried(camp):
    @camp.domain.compound
    def evening():
        yield method(camp.achieve(Camp.fire), camp.go("lake"))
        yield method(camp.go("lake"))

    assert text_of(camp, evening(), axe=False) == "go('lake')"
    assert plan_of(camp, evening(), axe=False).record == (1,)


def test_a_goal_has_one_outcome_so_what_comes_behind_does_not_change_its_steps(camp):
    goal = (camp.achieve((Camp.at == "lake") | (Camp.at == "forest")), camp.chop())
    assert text_of(camp, goal) is None, "the lake comes first, and nothing is chopped there"
    assert text_of(camp, (camp.achieve(Camp.at == "forest"), camp.chop())) == "(go('forest'), chop)"


def test_constructs_and_goals_may_stand_inside_each_other(camp):
    goal = first_of((camp.achieve(Camp.cooked), camp.chop()), camp.achieve(Camp.fire))
    assert text_of(camp, goal) == "(go('forest'), chop, go('tent'), light)"


def test_goals_side_by_side_may_not_disturb_each_other(camp):
    arm = camp.domain.primitive("sharpen", effects=Camp.axe.becomes(True))
    goal = parallel(
        camp.achieve(Camp.axe, actions=[arm]), camp.achieve(Camp.has["fish"] & Camp.has["pan"])
    )
    assert text_of(camp, goal, axe=False) == (
        "parallel(sharpen, (go('lake'), fetch('pan'), fetch('fish')))"
    )
    wood = camp.achieve(Camp.wood)
    assert text_of(camp, parallel(camp.achieve(Camp.has["fish"]), wood)) is None, "both walk"
    assert text_of(camp, parallel(camp.achieve(Camp.axe), camp.achieve(Camp.axe))) == "null"


def test_what_the_search_only_looked_at_is_no_part_of_the_footprint(camp):
    plan = plan_of(camp, camp.achieve(Camp.axe))
    assert {str(fluent) for fluent in plan.footprint.reads} == {"axe"}
    plan = plan_of(camp, camp.achieve(Camp.wood), at="forest")
    assert {str(fluent) for fluent in plan.footprint.reads} == {"wood", "axe", "at"}


def test_an_alternative_whose_goal_is_out_of_reach_is_dropped_with_the_reason(camp):
    plan = plan_of(camp, priority(camp.achieve(Camp.fire), camp.go("lake")), axe=False)
    assert normal(plan.tree) == "go('lake')"
    (dropped,) = plan.tree.dropped
    assert "no plan for fire; fire: light needs wood" in dropped.reason


def test_the_explanation_goes_on_inside_a_goal(camp):
    @camp.domain.compound
    def dinner():
        yield method(camp.achieve(Camp.cooked), camp.eat())

    told = []
    assert find_plan(camp.domain, Camp(axe=False), dinner(), listener=told.append) is None
    lines = explanation_text(explained(told)).splitlines()
    assert lines[0] == "dinner, method 0"
    assert "no plan for cooked" in lines[1]
    assert "axe: no action brings it about" in lines[1]


# suspension


def test_an_unknown_that_matters_suspends_the_goal(camp):
    goal = (camp.go("lake"), camp.achieve(Camp.wood), camp.go("tent"))
    plan = plan_of(camp, goal, axe=UNKNOWN)
    assert isinstance(plan.tree, SequenceNode)
    assert [type(node) for node in plan.tree.children] == [TaskNode, SuspendedNode, SuspendedNode]
    assert str(plan.tree.children[1].cause) == "unknown axe"
    assert text_of(camp, camp.achieve(Camp.has["fish"]), axe=UNKNOWN) == (
        "(go('lake'), fetch('fish'))"
    )


def test_a_goal_that_was_suspended_is_reached_when_more_is_known(camp):
    agent = Agent("cook", camp.domain, Camp(axe=UNKNOWN), body=None)
    goal = PlanGoal("dinner", agent, (camp.fetch("fish"), camp.achieve(Camp.wood)))
    agent.believe(Camp.at, "lake")
    goal.tick_once()
    agent.believe(Camp.axe, True)
    for _ in range(20):
        goal.tick_once()
    assert agent.beliefs.get(Camp.wood) is True


def test_a_goal_behind_a_step_does_not_rely_on_what_is_volatile(camp):
    dance = camp.domain.primitive("dance", precondition=Camp.rain, effects=Camp.fire.becomes(True))
    walk = camp.go("lake")
    goal = camp.achieve(Camp.fire, actions=[dance])
    assert text_of(camp, goal, rain=True) == "dance"
    assert isinstance(plan_of(camp, (walk, goal), rain=True).tree.children[1], SuspendedNode)


def test_what_a_plan_has_written_to_a_volatile_fluent_stays_known_inside_a_goal(camp):
    pray = camp.domain.primitive("pray", effects=Camp.rain.becomes(True))
    dance = camp.domain.primitive(
        "dance", precondition=Camp.rain & Camp.wood, effects=Camp.fire.becomes(True)
    )
    gather = camp.domain.primitive("gather", effects=Camp.wood.becomes(True))
    for how in ({}, {"forward": True}, {"optimal": True}):
        behind = achieve(Camp.fire, actions=[dance, gather], **how)
        assert text_of(camp, (pray(), behind)) == "(pray, gather, dance)"


@pytest.mark.parametrize("horizon", range(1, 9))
def test_a_goal_is_cut_at_the_horizon_like_anything_else(camp, horizon):
    @camp.domain.compound
    def dinner():
        yield method(camp.achieve(Camp.cooked), camp.eat())

    for check_rest in (False, True):
        settings = Settings(horizon=horizon, check_rest=check_rest)
        asked = request(camp.domain, Camp(), dinner(), settings)
        search = HtnSearch.of(asked)
        search.advance()
        first = next(Reference(asked).plans(), None)
        steps = [str(step) for step in search.plan.steps]
        assert steps == DINNER[1:-1].split(", ")[:horizon]
        assert steps == [str(step) for step in first.steps]
        seen = replay(search.plan, asked.state)
        assert seen.ok, f"{seen.where}: {seen.reason}"
        assert seen.footprint == search.plan.footprint


def test_the_footprint_of_a_goal_that_is_cut_has_all_that_the_goal_asks(camp):
    goal = camp.achieve(Camp.cooked & Camp.axe & ((Camp.at == "lake") | (Camp.at == "tent")))
    asked = request(camp.domain, Camp(at="tent"), goal, Settings(horizon=1))
    search = HtnSearch.of(asked)
    search.advance()
    seen = replay(search.plan, asked.state)
    assert len(search.plan.steps) == 1
    assert seen.footprint == search.plan.footprint
    assert {"cooked", "axe", "at"} <= {str(fluent) for fluent in seen.footprint.reads}


def test_a_goal_alone_is_cut_at_the_horizon_too(camp):
    plan = find_plan(camp.domain, Camp(), camp.achieve(Camp.cooked), Settings(horizon=2))
    assert [str(step) for step in plan.steps] == ["go('lake')", "fetch('fish')"]


def test_deferred_and_paused_goals_are_planned_on_arrival(camp):
    @camp.domain.compound
    def warm():
        yield method(camp.achieve(Camp.fire))

    plan = plan_of(camp, (camp.go("lake"), defer(warm())))
    assert normal(plan.tree) == "(go('lake'), suspended(warm))"
    agent = Agent("cook", camp.domain, Camp(), body=None)
    goal = PlanGoal("evening", agent, (camp.go("lake"), pause(), camp.achieve(Camp.fire)))
    for _ in range(30):
        goal.tick_once()
    assert agent.beliefs.get(Camp.fire) is True


def test_at_its_limit_a_search_leaves_the_steps_of_a_goal_open(camp):
    goal = (camp.achieve(Camp.cooked), camp.eat())
    asked = request(camp.domain, Camp(), goal, Settings(anytime=True, max_expansions=4))
    search = HtnSearch.of(asked)
    assert search.advance() is SearchStatus.LIMIT
    assert len(search.plan.steps) == 3
    assert replay(search.plan, asked.state).ok


# judging


def test_replay_accepts_any_steps_that_lead_to_the_goal(camp):
    plan = find_plan(camp.domain, Camp(), camp.achieve(Camp.has["pan"]))
    (other,) = [
        find_plan(camp.domain, Camp(), (camp.go("forest"), camp.go("lake"), camp.fetch("pan")))
    ]
    detour = replace_child(plan, other.tree)
    seen = replay(detour, Camp().frozen())
    assert seen.ok
    assert seen.cost == 3


def replace_child(plan, child):
    whole = replace(plan.tree, child=child)
    return Plan(plan.domain, plan.goal, plan.binding, whole, plan.record, plan.predicted)


def test_replay_refuses_steps_that_lead_elsewhere_or_are_not_allowed(camp):
    goal = camp.achieve(Camp.has["pan"], actions=[camp.go, camp.fetch])
    plan = find_plan(camp.domain, Camp(), goal)
    start = Camp().frozen()
    for steps, reason in [
        ((camp.go("lake"),), "has[pan] is false"),
        ((camp.fetch("pan"),), "at == 'lake' is false"),
        ((camp.go("forest"), camp.chop(), camp.go("lake"), camp.fetch("pan")), "no action that"),
        ((), "has[pan] is false"),
    ]:
        nodes = tuple(TaskNode(call.task, tuple(a.value for a in call.args)) for call in steps)
        whole = nodes[0] if len(nodes) == 1 else SequenceNode(nodes) if nodes else NULL_NODE
        seen = replay(replace_child(plan, whole), start)
        assert not seen.ok
        assert reason in seen.reason
    inner = replace_child(plan, SequenceNode((SequenceNode(()),)))
    assert "no step to a goal" in replay(inner, start).reason


# asking again


def test_a_prepared_goal_is_asked_from_many_states(camp):
    planner = Planner(camp.domain, camp.achieve(Camp.wood))
    assert normal(planner.plan(Camp()).tree) == "(go('forest'), chop)"
    assert normal(planner.plan(Camp(at="forest")).tree) == "chop"
    again = planner.plan(Camp())
    assert normal(again.tree) == "(go('forest'), chop)"
    assert replay(again, Camp().frozen()).ok
    assert planner.plan(Camp(axe=False)) is None


def test_a_goal_alone_is_searched_for_a_little_at_a_time(camp):
    planner = Planner(camp.domain, camp.achieve(Camp.cooked))
    search, slices = planner.search(Camp()), 0
    while search.advance(1) is SearchStatus.RUNNING:
        slices += 1
    assert slices > 5
    assert [str(step) for step in search.plan.steps] == DINNER[1:-1].split(", ")[:-1]


def test_a_behaviour_tree_pursues_a_goal(camp):
    agent = Agent("cook", camp.domain, Camp(), body=None)
    goal = PlanGoal("cook", agent, camp.achieve(Camp.cooked), budget=3)
    ticks = 0
    while agent.beliefs.get(Camp.cooked) is not True:
        goal.tick_once()
        ticks += 1
        assert ticks < 50


def test_a_goal_inside_a_method_has_a_limit_of_its_own(camp):
    @camp.domain.compound
    def dinner():
        yield method(camp.achieve(Camp.cooked, limit=3))

    with pytest.raises(BthtnError, match=r"BT203.*after 3"):
        find_plan(camp.domain, Camp(), dinner())


def test_a_goal_that_is_all_that_is_wanted_has_a_limit_of_its_own(camp):
    with pytest.raises(BthtnError, match=r"BT203.*after 3"):
        find_plan(camp.domain, Camp(), camp.achieve(Camp.cooked, limit=3))


# mistakes


def test_mistakes_are_found_when_the_domain_is_frozen(camp):
    camp.domain.primitive("odd", effects=lambda state: setattr(state, "fire", True))

    @camp.domain.compound
    def one():
        yield method(camp.achieve(Camp.fire))

    @camp.domain.compound
    def two():
        yield method(achieve(Camp.fire, actions=[camp.go, camp.chop]))

    @camp.domain.compound
    def three():
        yield method(camp.achieve(Camp.at))

    with pytest.raises(BthtnError) as caught:
        camp.domain.freeze()
    found = [(one.code, one.where) for one in caught.value.diagnostics]
    assert found == [
        ("BT211", "compound 'one', method 0: achieve"),
        ("BT110", "compound 'three', method 0"),
        ("BT121", "compound 'two', method 0: achieve"),
    ]
