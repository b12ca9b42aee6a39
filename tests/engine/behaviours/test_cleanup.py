"""Parts of plans that are cleaned up after: when, how often, in which order, and what waits."""

import pytest
from py_trees.common import Status

from bthtn import (
    Domain,
    defer,
    find_plan,
    first_of,
    method,
    parallel,
    pause,
    primitive,
    priority,
    repeat,
    with_cleanup,
)
from bthtn.behaviours import Replanning, RetryPolicy
from bthtn.engine.agent.events import (
    CleanupEnded,
    CleanupStarted,
    PlanBroken,
    PlanRepaired,
    PlanReplaced,
    TaskAvoided,
)
from bthtn.engine.text.notation import normal
from bthtn.studio.analysis import parallelize
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

ALWAYS_BETTER = Replanning(interrupt="mtr")


def lines(stage):
    """What was told of steps and cleanups since the last time."""
    told = [
        line
        for line in stage.heard.story()
        if line.split()[0] in ("start", "done", "failed", "aborting", "aborted", "refused")
        or "clean" in line
    ]
    stage.heard.clear()
    return told


def later(stage, count=1):
    """So many ticks in which nobody but the agent's aborts is worked on."""
    here = object()
    for _ in range(count + 1):  # the first one is still in the tick of the goal
        stage.actor.aborts.go_on(here)


def steps(make, names, scripts):
    return [make(name, script) for name, script in zip(names, scripts, strict=True)]


def with_holster(stage, *script, **described):
    """Draw, attack by this script, and holster at the end."""
    attack = stage.step("attack", *script, **described)
    draw, holster = stage.step("draw"), stage.step("holster", "S")
    return with_cleanup(draw, attack, finally_=holster)


# planning


def test_it_is_planned_as_a_sequence_and_its_effects_hold_behind_it():
    house = Domain("house", World)
    enter = house.primitive("enter", effects=World.open.becomes(True))
    look = house.primitive("look", precondition=World.open)
    leave = house.primitive("leave", effects=World.open.becomes(False))
    sleep = house.primitive("sleep", precondition=~World.open)
    goal = (with_cleanup(enter(), look(), finally_=leave()), sleep())
    plan = find_plan(house, World(open=False), goal)
    assert normal(plan.tree) == "(enter, look, leave, sleep)"
    assert find_plan(house, World(), with_cleanup(look(), finally_=sleep())) is None


def test_a_cleanup_means_what_the_arguments_around_it_mean(stage):
    moved, ring = [], stage.task("ring", "F")

    @stage.domain.primitive
    def go(to: str):
        return primitive()

    @stage.domain.compound
    def visit(whom: str):
        yield method(with_cleanup(ring(), finally_=go(whom)))

    stage.operators.bind(go)(lambda agent, to: moved.append(to))
    goal = stage.goal(visit("b"), max_replans=0)
    assert ticks(goal, 1) == "F"
    later(stage)
    assert moved == ["b"]
    assert stage.heard.story()[-1] == "cleaned up go('b')"


def test_a_plan_with_a_cleanup_is_not_parallelized():
    house = Domain("house", World)
    one = house.primitive("one", effects=World.open.becomes(True))
    two = house.primitive("two", effects=World.lit.becomes(True))
    plain = find_plan(house, World(), (one(), two()))
    assert parallelize(plain) is not plain
    guarded = find_plan(house, World(), with_cleanup(one(), finally_=two()))
    assert parallelize(guarded) is guarded


# when it is done


def test_when_all_goes_well_it_is_done_once_as_planned(stage):
    assert stage.play(with_holster(stage, "RS"), 2) == "RS"
    assert lines(stage) == [
        *("start draw", "done draw", "start attack"),
        *("done attack", "start holster", "done holster"),
    ]


def test_when_a_step_fails_it_is_done_and_the_next_plan_waits_for_it(stage):
    goal = stage.goal(with_holster(stage, "F", "S"))
    assert ticks(goal, 1) == "R"
    assert lines(stage) == ["start draw", "done draw", "start attack", "failed attack"]
    assert ticks(goal, 1) == "S"
    assert lines(stage)[:5] == [
        *("clean up holster", "start holster", "done holster", "cleaned up holster"),
        "start draw",
    ]


def test_when_the_tree_turns_away_it_is_done_over_as_many_ticks_as_it_takes(stage):
    attack = stage.step("attack", "R", abort_ticks=1)
    holster = stage.step("holster", "RRS", "S")
    goal = stage.goal(with_cleanup(attack, finally_=holster))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert lines(stage) == ["start attack", "aborting attack"]
    assert ticks(goal, 2) == "RR"
    assert lines(stage) == ["aborted attack", "clean up holster", "start holster"]
    assert goal.feedback_message == "waits until 'holster' is given up"
    assert ticks(goal, 1) == "R"
    assert lines(stage) == ["done holster", "cleaned up holster", "start attack"]


def test_whoever_ticks_for_the_agent_cleans_up(stage):
    goal = stage.goal(with_holster(stage, "R"))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert len(stage.actor.aborts) == 1
    later(stage)
    assert len(stage.actor.aborts) == 0
    assert lines(stage)[-1] == "cleaned up holster"


def test_what_it_writes_may_break_the_steps_ahead_as_what_others_write_may(stage):
    ring, shut = stage.step("ring", "F"), stage.step("shut", "S", actual=World.open.becomes(False))
    wait, enter = stage.step("wait", "RS"), stage.step("enter", "S", precondition=World.open)
    ways = priority(with_cleanup(ring, finally_=shut), wait)
    goal = stage.goal((ways, enter), max_replans=0, open=True)
    assert ticks(goal, 3).endswith("F")
    [broken] = stage.heard.of(PlanBroken)
    assert broken.change.source == "goal, cleaning up"


def test_what_has_not_begun_is_not_cleaned_up(stage):
    task = stage.task("attack", "S", exec_only=World.open)
    body = with_cleanup(task(), finally_=stage.step("holster", "S"))
    goal = stage.goal((stage.step("walk", "RS"), body), open=False, max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert lines(stage) == ["start walk", "done walk", "refused attack"]
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert lines(stage) == ["start walk", "aborted walk"]
    assert len(stage.actor.aborts) == 0


def test_a_cleanup_that_was_interrupted_is_done_anew_to_its_end(stage):
    goal = stage.goal(with_cleanup(stage.step("a", "S"), finally_=stage.step("c", "R", "S")))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert lines(stage) == ["start a", "done a", "start c", "aborted c"]
    later(stage)
    assert lines(stage) == ["clean up c", "start c", "done c", "cleaned up c"]


def test_a_planned_cleanup_that_fails_is_not_tried_again(stage):
    goal = stage.goal(
        with_cleanup(stage.step("a", "S"), finally_=stage.step("c", "F")), max_replans=0
    )
    assert ticks(goal, 1) == "F"
    assert lines(stage) == ["start a", "done a", "start c", "failed c"]
    assert len(stage.actor.aborts) == 0


def test_it_is_planned_from_what_is_believed_when_its_turn_comes(stage):
    shut = stage.step("shut", "S", precondition=World.open, effects=World.open.becomes(False))
    nothing = stage.step("nothing", "S", precondition=~World.open)
    enter = stage.step("enter", effects=World.open.becomes(True))
    goal = stage.goal(
        with_cleanup(enter, stage.step("look", "R"), finally_=first_of(shut, nothing)), open=False
    )
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    stage.actor.believe(World.open, False)
    later(stage)
    assert "start nothing" in lines(stage)


def test_what_is_suspended_in_it_is_planned_on_arrival(stage):
    more = stage.compound("more", lambda: [method(d)])
    b, d = stage.step("b", "S"), stage.step("d", "RS")
    parts = (b, pause(), defer(more))
    goal = stage.goal(with_cleanup(stage.step("a", "F"), finally_=parts), max_replans=0)
    assert ticks(goal, 1) == "F"
    later(stage, 5)
    assert lines(stage) == [
        *("start a", "failed a", "clean up (b, pause, defer(more))", "start b", "done b"),
        *("start d", "done d", "cleaned up (b, pause, defer(more))"),
    ]


def refuse_to_begin(stage, task):
    def fails(agent):
        raise ValueError("no way")

    stage.operators.on_plan_start(task)(fails)


@pytest.mark.parametrize(
    ("described", "why"),
    [
        ({"precondition": World.open}, "there is no plan"),
        ({"precondition": lambda state: 1 / 0}, "ZeroDivisionError"),
        ({}, "no way"),
    ],
    ids=["no plan", "a condition raises", "a hook raises"],
)
def test_a_cleanup_whose_suspended_part_cannot_be_planned_ends_and_says_why(stage, described, why):
    task = stage.task("d", "S", **described)
    if not described:
        refuse_to_begin(stage, task)
    more = stage.compound("more", lambda: [method(task())])
    goal = stage.goal(
        with_cleanup(stage.step("a", "F"), finally_=(stage.step("b", "S"), pause(), defer(more))),
        max_replans=0,
        open=False,
    )
    assert ticks(goal, 1) == "F"
    later(stage, 4)
    (ended,) = stage.heard.of(CleanupEnded)
    assert why in ended.reason
    assert len(stage.actor.aborts) == 0
    assert "start d" not in lines(stage)


def test_a_body_that_is_suspended_is_cleaned_up_all_the_same(stage):
    body = (stage.step("a", "S"), pause(), stage.step("b", "R"))
    goal = stage.goal(with_cleanup(*body, finally_=stage.step("c", "S")))
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    later(stage)
    assert lines(stage)[2:] == [
        *("start b", "aborted b", "clean up c", "start c", "done c", "cleaned up c"),
    ]


def test_a_body_that_was_suspended_is_cleaned_up_as_planned(stage):
    body = (stage.step("a", "S"), pause(), stage.step("b", "S"))
    goal = stage.goal(with_cleanup(*body, finally_=stage.step("c", "S")))
    assert stage.play_out(goal)[-1] == "S"
    assert lines(stage)[2:] == ["start b", "done b", "start c", "done c"]


# what else is going on


def test_inner_parts_are_cleaned_up_first_and_each_once(stage):
    inner = with_cleanup(stage.step("a", "R"), finally_=stage.step("b", "RS"))
    goal = stage.goal(with_cleanup(inner, finally_=stage.step("c", "S")))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage, 5)
    assert lines(stage) == [
        *("start a", "aborted a", "clean up b", "start b", "done b", "cleaned up b"),
        *("clean up c", "start c", "done c", "cleaned up c"),
    ]


def test_a_cleanup_may_be_cleaned_up_after_itself(stage):
    inner = with_cleanup(stage.step("b", "F"), finally_=stage.step("c", "S"))
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=inner))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage, 5)
    assert lines(stage)[3:] == [
        *("start b", "failed b", "did not clean up goal.with_cleanup_2"),
        *("clean up c", "start c", "done c", "cleaned up c"),
    ]


def test_a_branch_that_is_given_up_is_cleaned_up_before_what_follows(stage):
    guarded = with_cleanup(stage.step("a", "R"), finally_=stage.step("c", "RS"))
    both = parallel(guarded, stage.step("b", "S"), policy="any")
    goal = stage.goal((both, stage.step("d", "S")))
    assert stage.play_out(goal) == "RRS"
    assert lines(stage)[3:] == [
        *("aborted a", "clean up c", "start c", "done c", "cleaned up c", "start d", "done d"),
    ]


def test_the_next_alternative_waits_for_the_cleanup_of_the_one_that_failed(stage):
    guarded = with_cleanup(stage.step("a", "F"), finally_=stage.step("c", "RS"))
    goal = stage.goal(priority(guarded, stage.step("b", "S")))
    assert stage.play_out(goal) == "RRS"
    assert lines(stage) == [
        *("start a", "failed a", "clean up c", "start c", "done c", "cleaned up c"),
        *("start b", "done b"),
    ]


def test_a_part_that_comes_again_is_cleaned_up_again(stage):
    once = with_cleanup(stage.step("a", "S"), finally_=stage.step("c", "S"))
    assert stage.play(repeat(2, once), 1) == "S"
    assert lines(stage) == ["start a", "done a", "start c", "done c"] * 2


def test_other_goals_wait_for_what_a_cleanup_occupies(stage):
    guarded = with_cleanup(stage.step("a", "R"), finally_=stage.step("c", "RRRS", uses="legs"))
    walk = stage.step("walk", "S", uses="legs")
    other = stage.goal(walk, name="other")
    goal = stage.goal(guarded)
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage)
    assert ticks(other, 4) == "RRRS"
    assert lines(stage)[2:] == [
        *("clean up c", "start c", "done c", "cleaned up c", "start walk", "done walk"),
    ]


# other plans


def test_a_part_whose_running_step_is_carried_over_is_not_cleaned_up(stage):
    a, b, d, c = steps(stage.step, "abdc", ["RRS", *"SSS"])
    tail = stage.compound("tail", lambda: [method(d, when=World.lit), method(b)])
    goal = stage.goal(with_cleanup(a, tail, finally_=c), lit=False, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    stage.actor.believe(World.lit, True)
    assert stage.play_out(goal)[-1] == "S"
    assert len(stage.heard.of(PlanReplaced)) == 1
    assert lines(stage) == ["start a", "done a", "start d", "done d", "start c", "done c"]


def test_a_part_that_was_carried_over_is_cleaned_up_when_it_is_given_up_then(stage):
    a, b, d, c = steps(stage.step, "abdc", "RSSS")
    tail = stage.compound("tail", lambda: [method(d, when=World.lit), method(b)])
    goal = stage.goal(with_cleanup(a, tail, finally_=c), lit=False, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    stage.actor.believe(World.lit, True)
    ticks(goal, 1)
    assert len(stage.heard.of(PlanReplaced)) == 1
    goal.stop(Status.INVALID)
    later(stage)
    assert lines(stage) == [
        *("start a", "aborted a", "clean up c", "start c", "done c", "cleaned up c"),
    ]


def test_a_part_that_the_better_plan_does_not_have_is_cleaned_up_first(stage):
    a, b, c = steps(stage.step, "abc", ["R", "S", "RS"])
    task = stage.compound(
        "task", lambda: [method(b, when=World.lit), method(with_cleanup(a, finally_=c))]
    )
    goal = stage.goal(task, lit=False, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    stage.actor.believe(World.lit, True)
    assert stage.play_out(goal)[-1] == "S"
    assert lines(stage) == [
        *("start a", "aborted a", "clean up c", "start c", "done c", "cleaned up c"),
        *("start b", "done b"),
    ]


def test_what_a_cleanup_changes_is_looked_at_like_what_others_change(stage):
    a, b = stage.step("a", "R"), stage.step("b", "S", precondition=World.lit)
    c = stage.step("c", "S", effects=World.lit.becomes(False))
    task = stage.compound(
        "task",
        lambda: [
            method(stage.code_free, b, when=World.lit),
            method(with_cleanup(a, finally_=c)),
        ],
    )
    stage.code_free = stage.step("free", "S")
    goal = stage.goal(task, lit=False, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    stage.actor.believe(World.lit, True)
    ticks(goal, 2)
    assert len(stage.heard.of(PlanBroken)) == 1
    assert goal.replans == 0
    assert "refused b" not in lines(stage)


def test_a_plan_that_was_looked_for_meanwhile_is_for_the_world_that_is_left(stage):
    a = stage.step("a", "R", precondition=World.lit, during=World.lit)
    b = stage.step("b", "S", precondition=~World.lit & World.open)
    c = stage.step("c", "S", effects=World.open.becomes(True))
    task = stage.compound("task", lambda: [method(b), method(with_cleanup(a, finally_=c))])
    goal = stage.goal(first_of(task, stage.step("d", "S")), lit=True, open=False)
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    assert stage.play_out(goal) == "RS"
    assert goal.replans == 0
    assert lines(stage) == [
        *("start a", "aborted a", "clean up c", "start c", "done c", "cleaned up c"),
        *("start b", "done b"),
    ]


@pytest.mark.parametrize("repair", [True, False])
def test_a_body_that_is_repaired_is_not_cleaned_up_in_between(stage, repair):
    b = stage.step("b", "R", precondition=World.lit, during=World.lit)
    a, d, c = stage.step("a", "S"), stage.step("d", "S"), stage.step("c", "S")
    tail = stage.compound("tail", lambda: [method(b), method(d)])
    goal = stage.goal(
        with_cleanup(a, tail, finally_=c), lit=True, replanning=Replanning(repair=repair)
    )
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    assert stage.play_out(goal)[-1] == "S"
    assert len(stage.heard.of(PlanRepaired)) == repair
    assert len(stage.heard.of(CleanupEnded)) == (not repair)
    assert stage.code["a"].starts == (1 if repair else 2)
    assert lines(stage)[-4:] == ["start d", "done d", "start c", "done c"]


def test_a_repaired_body_is_cleaned_up_when_it_is_given_up_then(stage):
    b = stage.step("b", "R", precondition=World.lit, during=World.lit)
    a, d, c = stage.step("a", "S"), stage.step("d", "R"), stage.step("c", "S")
    tail = stage.compound("tail", lambda: [method(b), method(d)])
    goal = stage.goal(with_cleanup(a, tail, finally_=c), lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage)
    assert len(stage.heard.of(PlanRepaired)) == 1
    assert lines(stage)[-6:] == [
        *("start d", "aborted d", "clean up c", "start c", "done c", "cleaned up c"),
    ]


def test_what_was_cleaned_up_after_is_not_gone_on_with(stage):
    a, c = stage.step("a", "S"), stage.step("c", "S")
    b, d = stage.step("b", "F"), stage.step("d", "S")
    tail = stage.compound("tail", lambda: [method(b), method(d)])
    once = Replanning(retrying=RetryPolicy(after=1))
    goal = stage.goal(with_cleanup(a, tail, finally_=c), replanning=once)
    assert stage.play_out(goal)[-1] == "S"
    assert stage.heard.of(PlanRepaired) == []
    assert lines(stage)[2:] == [
        *("start b", "failed b", "clean up c", "start c", "done c", "cleaned up c"),
        *("start a", "done a", "start d", "done d", "start c", "done c"),
    ]


def test_hooks_of_a_cleanup_are_called_for_it_and_those_of_the_plan_end_behind_it(stage):
    told = []
    a, c, again = steps(stage.task, "ace", ["R", "RS", "S"])
    for task in (a, c):
        stage.operators.on_plan_start(task)(lambda agent, t=task: told.append(f"+{t.name}"))
        stage.operators.on_plan_end(task)(lambda agent, t=task: told.append(f"-{t.name}"))
    goal = stage.goal(with_cleanup(a(), finally_=(again(), c())))
    ticks(goal, 1)
    assert told == ["+a", "+c"]
    goal.stop(Status.INVALID)
    assert told == ["+a", "+c"]
    later(stage, 1)
    assert told == ["+a", "+c", "+c"]
    later(stage, 1)
    assert told == ["+a", "+c", "+c", "-c", "-c", "-a"]


def test_a_cleanup_has_what_the_plan_has_and_gives_back_what_it_took(stage):
    had = []

    def c(agent):
        had.append(agent.take("gate"))
        had.append(agent.take("own"))
        yield

    a = stage.task("a", "R")
    stage.operators.on_plan_start(a)(lambda agent: agent.take("gate"))
    goal = stage.goal(with_cleanup(a(), finally_=stage.run_by("c", c)))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage, 2)
    assert had == [True, True]
    assert len(stage.actor.leases) == 0


# when it cannot be done


def test_the_plan_that_replaces_one_whose_cleanup_is_owed_can_be_repaired(stage):
    go, c = stage.step("go", "RRRS"), stage.step("c", "S")
    one, two = stage.step("one", "S"), stage.step("two", "S")
    last = stage.compound("last", lambda: [method(one, when=World.lit), method(two)])
    slow = with_cleanup(stage.step("slow", "R" * 9), finally_=c)
    whole = stage.compound("whole", lambda: [method(go, last, when=World.open), method(slow)])
    goal = stage.goal(whole, open=False, lit=True, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    stage.actor.believe(World.open, True, "sensor")
    ticks(goal, 3)
    stage.actor.believe(World.lit, False, "sensor")
    assert stage.play_out(goal).endswith("S")
    assert [event.goal for event in stage.heard.of(PlanRepaired)] == ["goal"]
    assert stage.code["go"].starts == 1


def test_where_the_rest_of_a_cleanup_has_no_plan_the_cleanup_is_to_blame(stage):
    b, c = stage.step("b", "S"), stage.step("c", "S", precondition=World.lit)
    network = with_cleanup(stage.step("a", "S"), finally_=(pause(), b, pause(), c))
    policy = Replanning(retrying=RetryPolicy(after=1))
    goal = stage.goal(network, lit=False, max_replans=0, replanning=policy)
    assert stage.play_out(goal).endswith("F")
    assert [event.task for event in stage.heard.of(TaskAvoided)] == ["goal.finally_1 m0"]


def test_a_part_that_is_mended_stays_open_whatever_was_around_it(stage):
    one, two = stage.step("one", "S", precondition=World.lit), stage.step("two", "S")
    walk, c = stage.step("walk", "RRRS"), stage.step("c", "S")
    rest = priority(one, stage.step("other", precondition=World.open))
    part = with_cleanup(walk, rest, finally_=c)
    work = stage.compound("work", lambda: [method(pause(), two, part)])
    goal = stage.goal(work, open=False, lit=True, max_replans=0)
    ticks(goal, 3)
    stage.actor.believe(World.open, True, "sensor")
    stage.actor.believe(World.lit, False, "sensor")
    assert stage.play_out(goal).endswith("S")
    assert stage.heard.of(PlanRepaired)
    assert stage.code["walk"].starts == 1


def test_a_cleanup_without_a_plan_is_told_and_goes_no_further(stage):
    c = stage.step("c", "S", precondition=World.lit)
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=c), lit=True)
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    stage.actor.believe(World.lit, False)
    later(stage)
    [ended] = stage.heard.of(CleanupEnded)
    assert (ended.succeeded, ended.reason) == (False, "there is no plan")
    assert stage.heard.of(CleanupStarted) == []
    assert len(stage.actor.aborts) == 0


def test_a_cleanup_that_fails_is_told_and_not_tried_again(stage):
    goal = stage.goal(with_cleanup(stage.step("a", "F"), finally_=stage.step("c", "F")))
    ticks(goal, 1)
    later(stage, 3)
    [ended] = stage.heard.of(CleanupEnded)
    assert ended.reason.endswith("c: the operator answered FAILURE")
    assert stage.code["c"].starts == 1


def test_a_cleanup_that_is_owed_inside_of_itself_comes_to_an_end(stage):
    sweep, fall = stage.step("sweep", "S"), stage.step("fall", "F")

    @stage.domain.compound
    def tidy():
        yield method(with_cleanup(sweep, fall, finally_=defer(tidy())))

    goal = stage.goal(tidy(), max_replans=0)
    ticks(goal, 20)
    assert goal.status is Status.FAILURE
    assert len(stage.actor.aborts) == 0
    ended = stage.heard.of(CleanupEnded)
    assert "it is owed inside of itself" in [one.reason for one in ended]


def test_a_cleanup_is_cut_off_when_the_tree_is_taken_down(stage):
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=stage.step("c", "R")))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage)
    goal.shutdown()
    assert lines(stage)[2:] == ["clean up c", "start c", "aborted c", "did not clean up c"]
    assert len(stage.actor.aborts) == 0


def test_a_cleanup_that_has_not_begun_by_then_is_cut_off_as_well(stage):
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=stage.step("c", "R")))
    ticks(goal, 1)
    goal.shutdown()
    [ended] = stage.heard.of(CleanupEnded)
    assert ended.error.code == "BT306"
    assert "the cleanup 'c' was cut off: the tree was taken down" in str(ended.error)


def test_a_cleanup_that_never_ends_is_cut_off(stage):
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=stage.step("c", "R")))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage, 1_000)
    assert stage.heard.of(CleanupEnded) == []
    later(stage, 1)
    later(stage, 3)
    [ended] = stage.heard.of(CleanupEnded)
    assert ended.error.code == "BT306"
    assert stage.heard.story()[-2:] == ["aborted c", "did not clean up c"]


@pytest.mark.parametrize("raises", [(), ("start",)])
def test_what_a_cleanup_raises_is_contained(stage, raises):
    c = stage.step("c", "!", raises=raises)
    goal = stage.goal(with_cleanup(stage.step("a", "F"), finally_=c), max_replans=0)
    assert ticks(goal, 1) == "F"
    later(stage)
    assert not stage.heard.of(CleanupEnded)[0].succeeded
    assert not stage.code["c"].faults


def test_a_step_of_a_cleanup_that_is_given_up_slowly_is_cut_off_with_it(stage):
    c = stage.step("c", "R", abort_ticks=5)
    goal = stage.goal(with_cleanup(stage.step("a", "R"), finally_=c))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    later(stage)
    goal.shutdown()
    assert lines(stage)[3:] == ["start c", "aborting c", "did not clean up c", "aborted c"]
    assert len(stage.actor.aborts) == 0


def test_a_part_whose_first_step_still_waits_has_not_begun_in_the_next_plan_either(stage):
    a, b = stage.step("a", "R", abort_ticks=4), stage.step("b", "R")
    c, d, e, other = steps(stage.step, "cdef", "SSSS")
    tail = stage.compound("tail", lambda: [method(d, when=World.open), method(e)])
    wanted = with_cleanup(b, tail, finally_=other)
    task = stage.compound(
        "task", lambda: [method(wanted, when=World.lit), method(with_cleanup(a, finally_=c))]
    )
    goal = stage.goal(task, lit=False, open=False, replanning=ALWAYS_BETTER)
    ticks(goal, 1)
    for fluent in (World.lit, World.open):
        stage.actor.believe(fluent, True)
        ticks(goal, 1)
    assert len(stage.heard.of(PlanReplaced)) == 2
    goal.stop(Status.INVALID)
    later(stage, 6)
    assert [ended.task for ended in stage.heard.of(CleanupEnded)] == ["c"]
    assert len(stage.actor.aborts) == 0
