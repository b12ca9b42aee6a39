"""PlanGoal: plans within a budget, runs the plan, looks for another a bounded number of times."""

import pytest
from py_trees.common import Status

from bthtn import Domain, Settings, defer, method, null, parallel, priority
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.events import GoalEnded, LeafStarted, PlanAdopted, PlanFailed, PlanResumed
from bthtn.engine.replanning.policy import NO_BACKOFF, Replanning
from bthtn.errors import BthtnError, DomainError
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def long_winded(stage, *steps):
    """A task that takes many expansions to plan."""
    barred = [stage.step(f"barred {n}", precondition=World.place == f"place {n}") for n in range(9)]
    return stage.compound("long", lambda: [*(method(one) for one in barred), method(*steps)])


# from goal to plan to success


def test_planned_and_begun_in_the_same_tick(stage):
    goal = stage.goal(stage.step("a", "RS"))
    assert ticks(goal, 1) == "R"
    assert stage.heard.story() == ["PlanAdopted goal", "start a"]
    assert ticks(goal, 1) == "S"
    assert stage.heard.story()[-2:] == ["done a", "goal succeeded"]


def test_what_was_adopted_can_be_looked_at(stage):
    choose = stage.compound(
        "choose", lambda: [method(stage.made, when=World.open), method(stage.made)]
    )
    stage.made = stage.step("a", "R")
    goal = stage.goal(choose)
    goal.tick_once()
    [adopted] = stage.heard.of(PlanAdopted)
    assert adopted.plan is goal.plan
    assert list(goal.record) == list(goal.plan.record) == [1]
    assert adopted.reason == "the goal is new"
    assert goal.feedback_message == "running plan [1]"


def test_a_plan_that_may_not_be_the_cheapest_is_told_of(stage):
    dear, first, cheap = stage.step("dear", "R", cost=9), stage.step("first"), stage.step("cheap")
    choose = stage.compound("choose", lambda: [method(dear), method(first, cheap)])
    stage.goal(choose, settings=Settings(cheapest=True, max_expansions=3)).tick_once()
    [adopted] = stage.heard.of(PlanAdopted)
    limit = "the search for a better plan stopped after 3 expansions"
    assert adopted.reason == f"the goal is new; {limit}"


def test_nothing_to_do_is_done(stage):
    stage.step("a")
    assert stage.play(null(), 2) == "SS"
    assert stage.heard.story()[:2] == ["PlanAdopted goal", "goal succeeded"]


def test_a_goal_may_be_a_network(stage):
    network = (stage.step("a", "S"), parallel(stage.step("b", "S"), stage.step("c", "RS")))
    assert stage.play(network, 2) == "RS"


def test_a_goal_without_a_plan_fails_and_says_so(stage):
    goal = stage.goal(stage.step("a", precondition=World.open))
    assert ticks(goal, 1) == "F"
    [ended] = stage.heard.of(GoalEnded)
    why = "there is no plan: a: open is false: open = false"
    assert (ended.succeeded, ended.reason, ended.error) == (False, why, None)
    assert goal.feedback_message == why


def test_a_search_that_meets_its_limit_fails_and_says_so(stage):
    step = stage.step("a")
    goal = stage.goal(long_winded(stage, step), settings=Settings(max_expansions=4))
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(GoalEnded)[0].reason == "no plan within 4 expansions"


def test_a_goal_of_another_domain_is_refused_at_once(stage):
    stage.step("a")
    stranger = Domain("elsewhere", World).primitive("b")
    with pytest.raises(DomainError, match="BT109"):
        stage.goal(stranger())


def test_every_entry_makes_a_plan_of_its_own(stage):
    goal = stage.goal(stage.step("a", "RS"))
    assert ticks(goal, 4) == "RSRS"
    one, other = (event.plan for event in stage.heard.of(PlanAdopted))
    assert one is not other
    assert stage.code["a"].starts == 2


def test_every_entry_plans_from_the_beliefs_of_the_moment(stage):  # R001-07
    one, other = stage.step("x", "S"), stage.step("y", "S")
    choose = stage.compound("choose", lambda: [method(one, when=World.open), method(other)])
    goal = stage.goal(choose)
    goal.tick_once()
    stage.actor.believe(World.open, True)
    goal.tick_once()
    assert [event.task for event in stage.heard.of(LeafStarted)] == ["y", "x"]


# budget


@pytest.mark.parametrize("budget", [1, 2, 3, 5, 1_000, None])
def test_it_plans_over_several_ticks_and_does_the_same_for_any_budget(stage, budget):
    step = stage.step("a", "RS", effects=World.open.becomes(True))
    goal = stage.goal(long_winded(stage, step, step), budget=budget)
    letters = ticks(goal, 60)
    plan = stage.heard.of(PlanAdopted)[0].plan
    assert plan.expansions > 10
    assert list(plan.record) == [9]
    waited = 0 if budget is None else (plan.expansions - 1) // budget
    assert letters.index("S") == waited + 2
    assert stage.heard.story()[:6] == [
        *("PlanAdopted goal", "start a", "done a", "start a", "done a", "goal succeeded")
    ]


def test_while_it_plans_it_is_running_and_says_so(stage):
    goal = stage.goal(long_winded(stage, stage.step("a", "S")), budget=1)
    assert ticks(goal, 5) == "RRRRR"
    assert stage.heard.events == []
    assert goal.feedback_message == "planning"
    assert goal.tip() is goal


def test_the_budget_of_a_tick_is_shared_by_all_that_plan_in_it(stage):
    rest = long_winded(stage, stage.step("a", "S"))
    goal = stage.goal(
        (stage.step("b", "S"), parallel(defer(rest, now=True), defer(rest, now=True))), budget=30
    )
    goal.tick_once()
    assert len(stage.heard.of(PlanResumed)) == 1
    goal.tick_once()
    assert len(stage.heard.of(PlanResumed)) == 2


def test_a_plan_found_over_several_ticks_is_held_against_the_world_of_now(stage):
    step, other = stage.step("a", "S", precondition=World.lit), stage.step("b", "S")
    choose = stage.compound("choose", lambda: [method(step, when=World.lit), method(other)])
    goal = stage.goal(long_winded(stage, choose), budget=2)
    ticks(goal, 5)
    stage.actor.believe(World.lit, False)
    assert "S" in ticks(goal, 40)
    assert stage.heard.lines()[:2] == ["start b", "done b"]
    assert stage.heard.of(PlanFailed) == []


def test_one_that_still_holds_is_kept(stage):
    step = stage.step("a", "S", precondition=World.lit)
    goal = stage.goal(long_winded(stage, step), budget=2)
    ticks(goal, 5)
    stage.actor.believe(World.fuel, 7.0)
    assert "S" in ticks(goal, 20)
    assert stage.heard.of(PlanFailed) == []


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_that_would_never_find_a_plan_is_refused(stage, budget):
    step = stage.step("a")
    with pytest.raises(BthtnError, match="budget"):
        stage.goal(step, budget=budget)


# another plan


def test_a_failed_plan_is_followed_by_another_in_the_next_tick(stage):  # R000-32
    goal = stage.goal(stage.step("a", "F", "S"))
    assert ticks(goal, 1) == "R"
    assert stage.heard.story() == ["PlanAdopted goal", "start a", "failed a", "PlanFailed goal"]
    assert goal.feedback_message == "planning again: a: the operator answered FAILURE"
    assert ticks(goal, 1) == "S"


def test_there_is_one_plan_in_a_tick_and_no_step_runs_twice_in_it(stage):
    replanning = Replanning(retrying=NO_BACKOFF)
    goal = stage.goal(stage.step("a", "F"), max_replans=5, replanning=replanning)
    for tick in range(1, 6):
        assert ticks(goal, 1) == "R"
        assert len(stage.heard.of(PlanAdopted)) == tick
        assert stage.code["a"].ticks == tick


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_it_gives_up_after_so_many_plans(stage, most):
    replanning = Replanning(retrying=NO_BACKOFF)
    goal = stage.goal(stage.step("a", "F"), max_replans=most, replanning=replanning)
    assert ticks(goal, most + 1) == "R" * most + "F"
    assert stage.code["a"].starts == most + 1
    assert [event.again for event in stage.heard.of(PlanFailed)] == [True] * most + [False]
    [ended] = stage.heard.of(GoalEnded)
    assert not ended.succeeded
    tried = f"{most + 1} plans" if most else "one plan"
    assert ended.reason == f"gave up after {tried}; a: the operator answered FAILURE"


def test_the_count_begins_anew_with_every_entry(stage):
    replanning = Replanning(retrying=NO_BACKOFF)
    goal = stage.goal(stage.step("a", "F"), max_replans=1, replanning=replanning)
    assert ticks(goal, 6) == "RFRFRF"


def test_the_next_plan_says_what_it_is_the_answer_to(stage):
    goal = stage.goal(stage.step("a", "F", "S"))
    ticks(goal, 2)
    reasons = [event.reason for event in stage.heard.of(PlanAdopted)]
    assert reasons == ["the goal is new", "a: the operator answered FAILURE"]


def test_the_next_plan_is_made_for_the_world_as_it_is_then(stage):
    def shut():
        stage.actor.believe(World.open, False)

    first = stage.step("x", "F", at_tick=shut)
    second = stage.step("y", "S")
    choose = stage.compound("choose", lambda: [method(first, when=World.open), method(second)])
    assert stage.play(choose, 2, open=True, max_replans=1) == "RS"
    assert stage.heard.lines() == ["start x", "failed x", "start y", "done y"]


def test_when_there_is_no_other_plan_it_fails(stage):
    def shut():
        stage.actor.believe(World.open, False)

    step = stage.step("a", "F", at_tick=shut, precondition=World.open)
    goal = stage.goal(step, open=True)
    assert ticks(goal, 2) == "RF"
    assert stage.heard.of(GoalEnded)[0].reason.startswith("there is no plan: a: open is false")


def test_the_next_plan_is_looked_for_within_the_budget_too(stage):
    goal = stage.goal(long_winded(stage, stage.step("a", "F", "S")), budget=4)
    letters = ticks(goal, 20)
    one, other = stage.heard.of(PlanAdopted)[:2]
    assert one.plan.expansions == other.plan.expansions > 10
    assert letters.index("S") == 2 * ((one.plan.expansions - 1) // 4) + 1


def test_a_plan_that_fails_aborts_what_still_runs_in_it(stage):
    goal = stage.goal(parallel(stage.step("a", "R"), stage.step("b", "RF")), max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert stage.heard.story()[-4:] == [
        *("failed b", "aborted a", "PlanFailed goal", "goal failed")
    ]


def test_of_a_failed_plan_nothing_is_left_in_the_tree(stage):
    goal = stage.goal(stage.step("a", "F"))
    ticks(goal, 1)
    assert goal.children == []


@pytest.mark.parametrize("inside", [parallel, priority, lambda one: (one,)])
def test_the_reason_of_a_failure_comes_from_however_deep(stage, inside):
    goal = stage.goal(inside(stage.step("a", "F")), max_replans=0)
    ticks(goal, 1)
    assert goal.feedback_message == "gave up after one plan; a: the operator answered FAILURE"


def test_two_goals_of_one_agent_share_its_beliefs(stage):
    one = stage.step("a", "S", effects=World.open.becomes(True))
    other = stage.step("b", "S", precondition=World.open)
    first, second = stage.goal(one), PlanGoal("second", stage.agent(), other)
    assert ticks(second, 1) == "F"
    assert ticks(first, 1) + ticks(second, 1) == "SS"


def test_an_inactive_goal_has_no_status_and_no_tip(stage):
    goal = stage.goal(stage.step("a"))
    assert goal.status is Status.INVALID
    assert goal.tip() is None
    assert goal.children == []


@pytest.mark.parametrize("budget", [None, 1])
def test_after_ctrl_c_in_a_condition_the_goal_is_planned_anew(stage, budget):
    answers = [True, KeyboardInterrupt]

    def possible(_world):
        if answers and answers.pop() is KeyboardInterrupt:
            raise KeyboardInterrupt
        return True

    goal = stage.goal([stage.step("a"), stage.step("b", precondition=possible)], budget=budget)
    interrupts = 0
    while goal.status is not Status.SUCCESS:
        try:
            goal.tick_once()
        except KeyboardInterrupt:
            interrupts += 1
    assert interrupts == 1
    assert stage.heard.story() == [
        *("PlanAdopted goal", "start a", "done a", "start b", "done b", "goal succeeded")
    ]


def test_a_condition_that_changes_its_mind_is_no_reason_to_fail_twice(stage):
    answers = [False]
    goal = stage.goal(
        stage.step("a", precondition=lambda _world: answers.pop() if answers else True)
    )
    assert ticks(goal, 1) == "F"
    [ended] = stage.heard.of(GoalEnded)
    assert ended.reason == "there is no plan"
    assert ticks(goal, 1) == "S"


def test_a_goal_that_finds_no_plan_has_no_record_of_the_one_before(stage):
    last = stage.compound("last", lambda: [method(stage.never), method(stage.once)])
    stage.never = stage.step("never", precondition=World.armed)
    stage.once = stage.step("once", "S", precondition=World.lit)
    goal = stage.goal(last, lit=True)
    assert ticks(goal, 1) == "S"
    assert goal.record == (1,)
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"
    assert (goal.plan, goal.record) == (None, ())
