"""PlanGoal in a world that changes: what matters is looked at, in the same tick, and only that."""

from collections import Counter

import pytest
from py_trees.common import Status

from bthtn import Settings, at_start, defer, method, null, parallel, pause, priority, timeout
from bthtn.engine.agent.events import (
    LeafAborted,
    LeafStarted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
)
from bthtn.engine.replanning.improvement import Improvement
from bthtn.engine.replanning.policy import Decision, Replanning, RetryPolicy
from bthtn.engine.replanning.validity_monitor import ValidityMonitor
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


@pytest.fixture
def looks(monkeypatch):
    """How often a rest was validated, and what searches for something better have expanded."""
    counts = Counter()
    validity, advance = ValidityMonitor._checked, Improvement.advance

    def counted_validity(*args):
        counts["validations"] += 1
        return validity(*args)

    def counted_advance(search, budget):
        done = advance(search, budget)
        counts["searches"] += done
        counts["expansions"] += done and search._first.expansions
        return done

    monkeypatch.setattr(ValidityMonitor, "_checked", counted_validity)
    monkeypatch.setattr(Improvement, "advance", counted_advance)
    return counts


def choice(stage, **scripts):
    """Best while ``open``, else second while ``lit``, else third; each one step, for ever."""
    steps = {
        name: (stage.step(name, scripts.get(name, "R")), stage.step(f"{name} 2", "S"))
        for name in ("best", "second", "third")
    }
    return stage.compound(
        "choose",
        lambda: [
            method(*steps["best"], when=World.open),
            method(*steps["second"], when=World.lit),
            method(*steps["third"]),
        ],
    )


def kept(stage):
    return [(event.reason, str(event.change)) for event in stage.heard.of(PlanKept)]


# what does not matter


def test_a_plan_found_from_the_beliefs_as_they_are_is_not_checked_until_they_change(stage, looks):
    goal = stage.goal(choice(stage))
    ticks(goal, 5)
    assert looks["validations"] == 0
    stage.actor.believe(World.count, 1)
    ticks(goal, 5)
    assert looks["validations"] == 1


def test_ten_thousand_irrelevant_writes_cost_no_validation_and_no_expansion(stage, looks):
    goal = stage.goal(choice(stage))
    ticks(goal, 2)
    stage.actor.believe(World.count, -1)  # after the first change it is known what matters
    goal.tick_once()
    looks.clear()
    for number in range(10_000):
        stage.actor.believe(World.count, number + 1)
        if number % 100 == 0:
            goal.tick_once()
    ticks(goal, 10)
    assert looks == {}
    assert kept(stage) == []


def test_the_goals_own_effects_wake_nobody(stage, looks):
    rise = stage.step("rise", "S", effects=World.open.becomes(True))
    walk, rest = stage.step("walk", "RRR"), stage.step("rest", "RRR")
    choose = stage.compound("choose", lambda: [method(walk, when=World.open), method(rise, rest)])
    goal = stage.goal(choose)
    ticks(goal, 2)
    looks.clear()
    ticks(goal, 3)
    assert looks == {}
    assert stage.heard.of(PlanReplaced) == []


def test_what_another_goal_does_counts_as_done_by_others(stage):
    rise = stage.step("rise", "S", effects=World.open.becomes(True))
    goal = stage.goal(choice(stage), name="one")
    other = stage.goal(rise, name="other")
    goal.tick_once()
    stage.actor.beliefs.write(World.open, True, goal.name)
    goal.tick_once()
    stage.actor.beliefs.write(World.open, False, goal.name)
    goal.tick_once()
    assert stage.heard.of(PlanReplaced) == []
    other.tick_once()
    goal.tick_once()
    (replaced,) = stage.heard.of(PlanReplaced)
    assert replaced.change.source == "other"


# what matters


def test_one_relevant_write_is_one_validation_that_names_the_step(stage, looks):
    walk = stage.step("walk", "R")
    shoot = stage.step("shoot", "S", precondition=World.lit)
    goal = stage.goal((walk, shoot))
    ticks(goal, 2)
    looks.clear()
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"
    assert looks["validations"] == 1
    (broken,) = stage.heard.of(PlanBroken)
    assert (broken.step, broken.reason, str(broken.change)) == (
        "shoot",
        "lit is false: lit = false",
        "lit: true → false (by sensor)",
    )
    assert (goal.verdict.decision, goal.verdict.step) == (Decision.BREAK_OFF, "shoot")
    assert stage.heard.lines() == ["start walk", "aborted walk"]


def test_a_change_that_breaks_nothing_is_looked_at_once_and_told(stage, looks):
    goal = stage.goal((stage.step("walk", "R"), stage.step("b", precondition=World.count < 9)))
    ticks(goal, 2)
    looks.clear()
    stage.actor.believe(World.count, 5)
    ticks(goal, 5)
    assert looks["validations"] == 1
    assert kept(stage) == [("the rest still works", "count: 0 → 5 (by sensor)")]


@pytest.mark.parametrize("something_else", [False, True])
@pytest.mark.parametrize("relies", [False, True])
def test_an_effect_that_comes_out_otherwise_is_told_only_if_the_rest_reads_it(
    stage, relies, something_else
):
    effects = {"expected": World.count.becomes(5), "actual": World.count.becomes(4)}
    goal = stage.goal(
        (
            stage.step("count", "RS", **effects),
            stage.step("walk", "R"),
            stage.step("b", precondition=World.count > 0 if relies else True),
        )
    )
    ticks(goal, 1)
    if something_else:  # so it is known before what the rest reads
        stage.actor.believe(World.lit, not stage.believes(World.lit))
    ticks(goal, 4)
    about = ("the rest still works", "count: 5 → 4 (by goal)")
    assert kept(stage) == [about] * relies


def test_the_method_of_a_choice_not_begun_is_watched(stage):
    hide = stage.compound("hide", lambda: [method(stage.late, when=World.lit), method(stage.later)])
    stage.late, stage.later = stage.step("in the light"), stage.step("in the dark")
    goal = stage.goal((stage.step("walk", "R"), hide))
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    stage.heard.clear()
    assert ticks(goal, 1) == "R"
    assert stage.heard.story() == [*("PlanBroken goal", "PlanRepaired goal")]
    assert str(goal.plan.steps[-1]) == "in the dark"


def test_a_better_plan_takes_over_in_the_same_tick(stage):  # R001-07
    goal = stage.goal(choice(stage))
    ticks(goal, 2)
    ran = goal.plan
    stage.heard.clear()
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "R"
    assert stage.heard.story() == [
        *("PlanReplaced goal", "aborted second", "PlanAdopted goal", "start best")
    ]
    (replaced,) = stage.heard.of(PlanReplaced)
    assert replaced.reason == "it is better, and a surprise"
    assert replaced.old is ran is not goal.plan
    assert str(replaced.change) == "open: false → true (by sensor)"
    assert list(goal.record) == [0]


def test_the_most_preferred_plan_is_never_asked_for_something_better(stage, looks):
    goal = stage.goal(choice(stage), open=True)
    ticks(goal, 2)
    looks.clear()
    stage.actor.believe(World.lit, False)
    ticks(goal, 3)
    assert not looks["searches"]


def test_after_a_look_only_what_it_has_read_wakes_the_next_one(stage, looks):
    goal = stage.goal(choice(stage), lit=False)
    ticks(goal, 2)
    looks.clear()
    stage.actor.believe(World.lit, True)
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    assert looks["searches"] == 1
    assert kept(stage)[-1][0] == "there is nothing better"
    stage.actor.believe(World.armed, True)
    ticks(goal, 3)
    assert looks["searches"] == 1


def test_in_a_domain_of_functions_the_first_change_asks_and_then_only_what_was_read(stage, looks):
    best, second = stage.step("best", "R"), stage.step("second", "R")
    choose = stage.compound(
        "choose", lambda: [method(best, when=lambda state: state.open), method(second)]
    )
    goal = stage.goal(choose)
    ticks(goal, 2)
    looks.clear()
    for number in range(1_000):
        stage.actor.believe(World.count, number + 1)
        goal.tick_once()
    assert (looks["searches"], looks["expansions"]) == (1, 0)
    assert kept(stage) == []
    stage.actor.believe(World.open, True)
    goal.tick_once()
    assert stage.heard.lines()[-2:] == ["aborted second", "start best"]


def test_after_a_better_plan_that_cannot_start_only_what_was_read_wakes_the_next_look(stage, looks):
    best, second = stage.task("best", "R"), stage.step("second", "R")

    @stage.operators.on_plan_start(best)
    def refuse(agent):
        raise RuntimeError("no cover left")

    choose = stage.compound(
        "choose", lambda: [method(best(), when=lambda state: state.open), method(second)]
    )
    goal = stage.goal(choose)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert "no cover left" in kept(stage)[-1][0]
    looks.clear()
    stage.actor.believe(World.count, 1)
    ticks(goal, 1)
    assert not looks["searches"]
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert looks["searches"] == 1


def test_own_progress_makes_the_look_old_but_asks_nothing_itself(stage, looks):
    rise = stage.step("rise", "RRS", effects=World.count.becomes(5))
    rest = stage.step("rest", "R")
    best = stage.step("best", "R", precondition=World.count > 3)
    choose = stage.compound(
        "choose", lambda: [method(best, when=World.open | World.armed), method(rise, rest)]
    )
    goal = stage.goal(choose)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert kept(stage) == [("there is nothing better", "open: false → true (by sensor)")]
    ticks(goal, 1)
    assert stage.heard.lines()[-2:] == ["done rise", "start rest"]
    looks.clear()
    ticks(goal, 3)
    assert looks["searches"] == 0
    stage.actor.believe(World.armed, True)
    ticks(goal, 1)
    assert (looks["searches"], len(stage.heard.of(PlanReplaced))) == (1, 0)
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert stage.heard.lines()[-2:] == ["aborted rest", "start best"]


def test_where_the_cheapest_plan_is_wanted_records_say_nothing(stage, looks):
    goal = stage.goal(choice(stage), settings=Settings(cheapest=True))
    ticks(goal, 2)
    looks.clear()
    stage.actor.believe(World.open, True)
    ticks(goal, 2)
    assert looks["searches"] == 0
    assert stage.heard.lines() == ["start second"]


def test_what_a_step_of_its_own_has_brought_about_is_watched_from_then_on(stage):
    rise = stage.step("rise", "S", effects=World.open.becomes(True))
    walk, enter = stage.step("walk", "R"), stage.step("enter", precondition=World.open)
    goal = stage.goal((rise, walk, enter))
    goal.tick_once()
    assert stage.heard.lines()[-1] == "start walk"
    ticks(goal, 2)
    stage.actor.believe(World.open, False)
    goal.tick_once()
    (broken,) = stage.heard.of(PlanBroken)
    assert (broken.step, str(broken.change)) == ("enter", "open: true → false (by sensor)")


def test_what_two_steps_later_was_brought_about_is_watched_too(stage):
    rise = stage.step("rise", "RRS", effects=World.open.becomes(True))
    walk, enter = stage.step("walk", "R"), stage.step("enter", precondition=World.open)
    goal = stage.goal((rise, walk, enter))
    ticks(goal, 4)
    assert stage.heard.lines()[-1] == "start walk"
    stage.actor.believe(World.open, False)
    goal.tick_once()
    assert [event.step for event in stage.heard.of(PlanBroken)] == ["enter"]


# counting


def test_plans_that_others_break_or_better_do_not_count_as_failed(stage):
    best = stage.step("best", "R", precondition=World.open, during=World.open)
    second = stage.step("second", "R")
    choose = stage.compound("choose", lambda: [method(best), method(second)])
    goal = stage.goal(choose, max_replans=0)
    goal.tick_once()
    for number in range(20):
        stage.actor.believe(World.open, number % 2 == 0)
        assert ticks(goal, 1) == "R"
    assert stage.heard.of(PlanFailed) == []
    assert goal.replans == 0
    assert len(stage.heard.of(PlanAdopted)) == 21


def test_a_plan_that_does_not_bring_about_what_it_promised_has_failed(stage):
    look = stage.step("look", "S", expected=World.open.becomes(True))
    wait = stage.step("wait", "RR")
    enter = stage.step("enter", precondition=World.open)
    goal = stage.goal((look, wait, enter), max_replans=1)
    letters = ticks(goal, 4)
    assert letters == "RRRF"
    assert [event.reason for event in stage.heard.of(PlanFailed)] == [
        "enter: open is false: open = false"
    ] * 2
    assert stage.heard.of(PlanBroken) == []


def test_what_came_out_otherwise_is_noticed_before_the_step_that_needs_it(stage):
    look = stage.step("look", "RRS", expected=World.open.becomes(True))
    enter = stage.step("enter", precondition=World.open)
    goal = stage.goal((look, stage.step("wait", "R"), enter), max_replans=0)
    assert ticks(goal, 4) == "RRRF"
    assert stage.heard.lines()[-2:] == ["start wait", "aborted wait"]


def test_and_if_a_sensor_sees_it_in_time_all_is_well(stage):
    look = stage.step("look", "RRS", expected=World.open.becomes(True))
    enter = stage.step("enter", precondition=World.open)
    goal = stage.goal((look, stage.step("wait", "RRS"), enter), max_replans=0)
    ticks(goal, 3)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"


# how eager


def test_a_plan_is_committed_to_for_a_while(stage, looks):
    goal = stage.goal(choice(stage), replanning=Replanning(minimum_commitment=4))
    goal.tick_once()
    stage.actor.believe(World.open, True)
    ticks(goal, 3)
    assert looks["searches"] == 0
    assert stage.heard.of(PlanReplaced) == []
    ticks(goal, 1)
    assert stage.heard.lines()[-1] == "start best"


def test_commitment_does_not_keep_a_plan_that_is_broken(stage):
    shoot = stage.step("shoot", precondition=World.lit)
    goal = stage.goal(
        (stage.step("walk", "R"), shoot), replanning=Replanning(minimum_commitment=100)
    )
    goal.tick_once()
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"


def test_a_better_plan_has_to_stay_better_for_a_while(stage):
    goal = stage.goal(choice(stage), replanning=Replanning(hysteresis=3))
    goal.tick_once()
    stage.actor.believe(World.open, True)
    ticks(goal, 2)
    assert kept(stage)[-1][0] == "it is better, and a surprise, for 1 of 3 ticks"
    stage.actor.believe(World.open, False)
    ticks(goal, 3)
    assert stage.heard.of(PlanReplaced) == []
    stage.actor.believe(World.open, True)
    ticks(goal, 3)
    assert stage.heard.of(PlanReplaced) == []
    ticks(goal, 1)
    assert stage.heard.lines()[-1] == "start best"


# over several ticks


def long_way(stage, *steps):
    """A choice in which a better plan takes many expansions to find."""
    barred = [stage.step(f"barred {n}", precondition=World.place == f"place {n}") for n in range(9)]
    dig = stage.compound("dig", lambda: [*(method(one) for one in barred), method(*steps)])
    walk = stage.step("walk", "R")
    return stage.compound("choose", lambda: [method(dig, when=World.open), method(walk)])


def test_what_is_not_avoided_any_more_has_to_stay_better_for_a_while_too(stage):
    best, other = stage.step("best", "F", "S"), stage.step("other", "R" * 9)
    last = method(other, when=World.count > 1)
    choose = stage.compound("choose", lambda: [method(best), method(other), last])
    policy = Replanning(hysteresis=2, retrying=RetryPolicy(after=1, backoff=4))
    goal = stage.goal(choose, count=0, max_replans=1, replanning=policy)
    ticks(goal, 4)
    stage.actor.believe(World.count, 1, "sensor")
    assert stage.play_out(goal) == "RRS"


def test_the_plan_runs_on_while_a_better_one_is_looked_for(stage):
    goal = stage.goal(long_way(stage, stage.step("best", "R")), budget=4)
    ticks(goal, 3)
    stage.actor.believe(World.open, True)
    ticks(goal, 2)
    assert stage.heard.lines() == ["start walk"]
    before = stage.code["walk"].ticks
    ticks(goal, 4)
    assert stage.code["walk"].ticks > before
    assert stage.heard.lines() == ["start walk", "aborted walk", "start best"]


def test_or_is_cut_off_at_once(stage):
    goal = stage.goal(
        long_way(stage, stage.step("best", "R")), budget=4, replanning=Replanning(meanwhile="cut")
    )
    ticks(goal, 3)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "aborted walk"]
    assert stage.heard.of(PlanBroken)[0].reason == "a better plan is being looked for"
    ticks(goal, 10)
    assert stage.heard.lines()[-1] == "start best"


def test_what_was_found_over_several_ticks_has_to_hold_when_it_is_found(stage):
    best = stage.step("best", "R", precondition=World.lit)
    goal = stage.goal(long_way(stage, best), budget=4)
    ticks(goal, 3)
    stage.actor.believe(World.open, True)
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    ticks(goal, 12)
    assert stage.heard.lines() == ["start walk"]
    stage.actor.believe(World.lit, True)
    ticks(goal, 12)
    assert stage.heard.lines()[-1] == "start best"


# suspended parts


def test_what_was_planned_on_arrival_is_watched_too(stage):
    late = stage.step("late", "S", precondition=World.lit)
    goal = stage.goal((stage.step("a", "S"), pause(), stage.step("walk", "R"), late))
    ticks(goal, 3)
    assert stage.heard.lines()[-1] == "start walk"
    stage.actor.believe(World.lit, False)
    goal.tick_once()
    (broken,) = stage.heard.of(PlanBroken)
    assert (broken.step, broken.change.fluent) == ("late", World.lit)


@pytest.mark.parametrize("nothing", [null(), timeout(5, null())], ids=["plain", "decorated"])
def test_a_task_that_goes_on_for_ever_is_looked_at_at_no_growing_cost(stage, nothing):
    step = stage.step("step", "S", precondition=World.lit)
    for_ever = stage.compound("for_ever", lambda: [method(nothing, step, defer(for_ever))])
    goal = stage.goal(for_ever)
    ticks(goal, 300)
    assert len(list(goal._mount.rest().nodes())) < 10
    assert len(goal._mount.run.instead) < 3
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 2) == "RF"
    assert stage.heard.of(PlanFailed)[0].reason.endswith(
        "for_ever: there is no plan: step: lit is false: lit = false"
    )


@pytest.mark.parametrize("form", ["a pause", "nothing to do"])
def test_what_lies_behind_the_plan_is_not_looked_at_any_more(stage, form):
    nothing = stage.compound("nothing", lambda: [method(null(), when=World.open)])
    left = pause() if form == "a pause" else nothing
    last = stage.step("b", "RRRS", precondition=at_start(World.lit))
    steps, end = (stage.step("a", "S"), left, last), stage.step("end", "S")
    part = stage.compound("part", lambda: [method(*steps)])
    goal = stage.goal((part, end), open=True, lit=True, max_replans=0)
    assert ticks(goal, 2) == "RR"
    for fluent in (World.open, World.lit):
        stage.actor.believe(fluent, False, "sensor")
    assert stage.play_out(goal).endswith("S")
    assert not stage.heard.of(PlanBroken)


def test_an_open_part_in_a_branch_is_no_reason_to_see_improvements_that_are_none(stage):
    inner = stage.compound("inner", lambda: [method(stage.x, when=World.open), method(stage.y)])
    last = stage.compound("last", lambda: [method(stage.x, when=World.armed), method(stage.y)])
    stage.x, stage.y = stage.step("x", "R"), stage.step("y", "R")
    goal = stage.goal(parallel((stage.step("a", "S"), defer(inner)), last))
    ticks(goal, 3)
    stage.actor.believe(World.count, 3)
    stage.actor.believe(World.open, True)
    ticks(goal, 2)
    assert stage.heard.of(PlanReplaced) == []


# what is left behind


def test_nothing_is_watched_when_the_plan_is_over(stage):
    goal = stage.goal(choice(stage, best="RS"), open=True)
    ticks(goal, 1)
    assert stage.actor.beliefs.watched > 0
    assert ticks(goal, 1) == "S"
    assert stage.actor.beliefs.watched == 0
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert stage.actor.beliefs.watched == 0


def test_aborts_and_starts_are_told_in_order(stage):
    goal = stage.goal(choice(stage))
    ticks(goal, 1)
    for number in range(5):
        stage.actor.believe(World.open, number % 2 == 0)
        goal.tick_once()
    assert stage.heard.faults() == []
    assert len(stage.heard.of(LeafStarted)) == len(stage.heard.of(LeafAborted)) + 1


def test_after_a_repair_a_part_planned_on_arrival_goes_on_whatever_its_method_asks(stage):
    hide = stage.compound("hide", lambda: [method(stage.late, when=World.lit), method(stage.later)])
    stage.late, stage.later = stage.step("in the light"), stage.step("in the dark")
    many = [stage.step("look", "R")] * 60  # planned in more than one tick
    wait = stage.compound("wait", lambda: [method(pause(), pause(), *many, when=World.armed)])
    network = parallel(wait, (stage.step("walk", "R"), hide))
    goal = stage.goal(network, armed=True, budget=20)
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    stage.actor.believe(World.armed, False)
    assert ticks(goal, 1) == "R"
    assert len(stage.heard.of(PlanRepaired)) == len(stage.heard.of(PlanBroken)) == 1


@pytest.mark.parametrize("is_lit", [True, False])
def test_a_reactive_choice_works_if_an_alternative_does_that_is_asked_again(stage, is_lit):
    best = stage.step("best", "F", "R", precondition=World.lit)
    choice = priority(best, stage.step("second", "R", precondition=World.open), reactive=True)
    goal = stage.goal((choice, stage.step("last")), open=True, lit=True)
    assert ticks(goal, 1) == "R"
    assert stage.heard.running() == ["second"]
    stage.actor.believe(World.lit, is_lit)
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert len(stage.heard.of(PlanBroken)) == (not is_lit)
    assert stage.heard.running() == (["best"] if is_lit else [])


def test_a_step_that_fails_by_itself_breaks_no_plan_when_others_change_what_it_writes(stage):
    call = {"during": World.open & World.lit, "effects": World.open.becomes(False)}
    goal = stage.goal(stage.step("call", "R", abort_ticks=3, **call), open=True, lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.count, 1)
    stage.actor.beliefs.write(World.lit, False, goal.name)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert stage.heard.of(PlanBroken) == []
