"""Decorators of parts of plans: what runs, what is aborted and retried, and who is to blame."""

import py_trees
import pytest

from bthtn import (
    BthtnError,
    cooldown,
    defer,
    first_of,
    force_success,
    invert,
    method,
    parallel,
    pause,
    priority,
    retry,
    seconds,
    timeout,
    until,
    with_cleanup,
)
from bthtn.behaviours import Agent, Believes, ManualClock, Replanning, RetryPolicy
from bthtn.engine.agent.events import PlanRepaired, PlanReplaced, TaskAvoided
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from bthtn.studio.views import behaviour_dot

STEPS = ("start", "done", "failed", "refused", "aborting", "aborted", "avoid")


def lines(stage):
    """What was told of steps since the last time."""
    told = [line for line in stage.heard.story() if line.split()[0] in STEPS]
    stage.heard.clear()
    return told


# timeout


# R000-40
def test_a_part_that_takes_too_long_is_aborted_and_fails(stage):
    aim, shoot = stage.step("aim", "RS"), stage.step("shoot", "RRRRS")
    assert stage.play(timeout(3, aim, shoot), 4) == "RRRF"
    assert stage.code["shoot"].ticks == 2, "the first tick of the part was that of aim"
    assert lines(stage) == ["start aim", "done aim", "start shoot", "aborted shoot"]


def test_a_part_that_ends_in_time_ends_as_it_does(stage):
    assert stage.play((timeout(3, stage.step("aim", "RRS")), stage.step("shoot", "S")), 3) == "RRS"


def test_the_reason_names_the_place(stage):
    goal = stage.goal(timeout(1, stage.step("aim", "RRS")), max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert "timeout_1 m0: it is not done in time" in goal.feedback_message


def test_what_timed_out_is_avoided_and_something_else_is_planned(stage):
    slow = stage.step("slow", "R" * 90)
    goal = stage.goal(
        first_of(timeout(2, slow), stage.step("other", "S")),
        replanning=Replanning(retrying=RetryPolicy(after=1)),
    )
    assert ticks(goal, 4) == "RRRS"
    (avoided,) = stage.heard.of(TaskAvoided)
    assert "timeout_1 m0" in avoided.task
    assert lines(stage) == ["start slow", "aborted slow", "start other", "done other"]


def test_an_abort_of_several_ticks_is_waited_for(stage):
    slow = stage.step("slow", "R" * 90, abort_ticks=2)
    network = (force_success(timeout(2, slow)), stage.step("next", "S"))
    goal = stage.goal(network)
    assert stage.play_out(goal) == "RRRRS"
    assert lines(stage) == [
        *("start slow", "aborting slow", "aborted slow", "start next", "done next"),
    ]


def test_branches_of_a_part_that_times_out_are_aborted(stage):
    both = parallel(stage.step("one", "R" * 9), stage.step("two", "R" * 9))
    assert stage.play(timeout(2, both), 3) == "RRF"
    assert sorted(lines(stage)) == ["aborted one", "aborted two", "start one", "start two"]


def test_an_interruption_aborts_the_step_and_the_time_begins_anew(stage):
    goal = stage.goal(timeout(3, stage.step("aim", "RRS", "RRS")))
    assert ticks(goal, 2) == "RR"
    goal.stop(py_trees.common.Status.INVALID)
    assert lines(stage) == ["start aim", "aborted aim"]
    assert ticks(goal, 3) == "RRS"


def test_a_new_plan_with_the_same_part_counts_on(stage):
    slow = stage.step("slow", "R" * 90)
    one, other = stage.step("one", "S"), stage.step("other", "S")
    more = stage.compound("more", lambda: [method(one, when=World.lit), method(other)])
    part = stage.compound("part", lambda: [method(timeout(4, slow))])
    goal = stage.goal(
        (part, more), lit=False, max_replans=0, replanning=Replanning(interrupt="mtr")
    )
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.lit, True, "sensor")
    assert ticks(goal, 3) == "RRF"
    assert stage.heard.of(PlanReplaced), "or the test would show nothing"
    assert stage.code["slow"].starts == 1


# retry


# R000-40
def test_a_failed_part_begins_again_in_the_next_tick(stage):
    network = retry(3, stage.step("go", "S", "S", "S"), stage.step("open", "RF", "F", "S"))
    goal = stage.goal(network, max_replans=0)
    assert ticks(goal, 4) == "RRRS"
    assert lines(stage) == [
        *("start go", "done go", "start open", "failed open"),
        *("start go", "done go", "start open", "failed open"),
        *("start go", "done go", "start open", "done open"),
    ]


def test_the_last_failure_is_that_of_the_plan_and_its_step_is_the_cause(stage):
    goal = stage.goal(
        retry(2, stage.step("open", "F")),
        max_replans=0,
        replanning=Replanning(retrying=RetryPolicy(after=1)),
    )
    assert ticks(goal, 2) == "RF"
    assert "open" in goal.feedback_message
    assert [one.task for one in stage.heard.of(TaskAvoided)] == ["open"]


def test_failures_that_a_retry_mends_are_not_counted(stage):
    goal = stage.goal(
        retry(3, stage.step("open", "F", "F", "S")),
        replanning=Replanning(retrying=RetryPolicy(after=1)),
    )
    assert stage.play_out(goal) == "RRS"
    assert not stage.heard.of(TaskAvoided)


def test_a_try_whose_step_cannot_start_has_failed(stage):
    network = retry(
        9,
        stage.step("go", "S", "S", precondition=~World.open, effects=World.open.becomes(True)),
        stage.step("knock", "F"),
    )
    goal = stage.goal(network, max_replans=0, open=False)
    assert stage.play_out(goal).endswith("F")
    assert "open" in goal.feedback_message


def test_a_deferred_task_in_it_is_planned_anew_for_every_try(stage):
    walk = stage.step("walk", "S", precondition=~World.open, effects=World.open.becomes(True))
    there = stage.compound("there", lambda: [method(when=World.open), method(walk)])
    knock = stage.step("knock", "F", "F", "S")
    enter = stage.compound("enter", lambda: [method(there, knock)])
    goal = stage.goal(retry(3, defer(enter)), max_replans=0, open=False)
    assert set(stage.play_out(goal)[:-1]) == {"R"}
    assert lines(stage) == [
        *("start walk", "done walk", "start knock", "failed knock"),
        *("start knock", "failed knock", "start knock", "done knock"),
    ]


def test_a_part_that_was_planned_on_arrival_is_planned_again_in_its_place(stage):
    network = retry(2, stage.step("a", "S", "S"), pause(), stage.step("b", "F", "S"))
    assert set(stage.play_out(stage.goal(network, max_replans=0))[:-1]) == {"R"}
    assert lines(stage) == [
        *("start a", "done a", "start b", "failed b"),
        *("start a", "done a", "start b", "done b"),
    ]


def test_branches_beside_the_failed_one_are_aborted_before_the_next_try(stage):
    one, other = stage.step("one", "RRRRR", "S"), stage.step("other", "RRRRR", "S")
    assert stage.play(retry(2, parallel(one, other, stage.step("short", "F", "S"))), 2) == "RS"
    assert lines(stage)[:6] == [
        *("start one", "start other", "start short", "failed short"),
        *("aborted other", "aborted one"),
    ]


def test_a_change_that_makes_the_next_try_impossible_breaks_the_plan_before_it(stage):
    goal = stage.goal(retry(9, stage.step("open", "F", precondition=World.lit)), lit=True)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(goal, 1) == "F"
    assert stage.code["open"].starts == 1
    assert not [line for line in lines(stage) if line.startswith("refused")]


def test_a_cleanup_in_it_is_done_before_the_next_try(stage):
    part = with_cleanup(stage.step("open", "F", "S"), finally_=stage.step("close", "S", "S"))
    goal = stage.goal(retry(2, part), max_replans=0)
    assert stage.play_out(goal) == "RS"
    assert lines(stage) == [
        *("start open", "failed open", "start close", "done close"),
        *("start open", "done open", "start close", "done close"),
    ]


# invert, force_success


def test_an_inverted_step_has_to_fail(stage):
    network = (invert(stage.step("see", "RF")), stage.step("sneak", "S"))
    assert stage.play(network, 2) == "RS"
    assert lines(stage) == ["start see", "failed see", "start sneak", "done sneak"]


def test_a_plan_fails_with_an_inverted_step_that_succeeds(stage):
    goal = stage.goal((invert(stage.step("see", "RS")), stage.step("sneak", "S")), max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert "invert_1 m0: it was to fail, and has succeeded" in goal.feedback_message


def test_an_inverted_step_that_may_not_start_is_one_that_fails(stage):
    see = stage.step("see", "S", exec_only=World.lit)
    assert stage.play((invert(see), stage.step("sneak", "S")), 1, lit=False) == "S"


def test_a_part_that_may_fail_does_not_fail_the_plan(stage):
    network = (
        force_success(stage.step("greet", "F"), stage.step("wave", "S")),
        stage.step("go", "RS"),
    )
    assert stage.play(network, 2) == "RS"
    assert lines(stage) == ["start greet", "failed greet", "start go", "done go"]
    assert stage.code["wave"].starts == 0


def test_what_was_planned_behind_a_failed_part_is_checked_when_it_starts(stage):
    light = stage.step("light", "F", effects=World.lit.becomes(True))
    read = stage.step("read", "S", precondition=World.lit)
    goal = stage.goal((force_success(light), read), max_replans=0, lit=False)
    assert stage.play_out(goal).endswith("F")
    assert stage.code["read"].starts == 0


# cooldown


def again(goal, count):
    """The letters of so many runs of a goal, each until it ends."""
    letters = ""
    for _ in range(count):
        letters += ticks(goal, 1)
        while letters[-1] == "R":
            letters += ticks(goal, 1)
    return letters


def test_after_its_success_a_part_is_not_planned_for_some_ticks(stage):
    shoot, wait = stage.step("shoot", *["S"] * 9), stage.step("wait", *["S"] * 9)
    goal = stage.goal(first_of(cooldown(3, shoot), wait))
    assert again(goal, 7) == "SSSSSSS"
    done = [line.removeprefix("done ") for line in lines(stage) if line.startswith("done")]
    assert done == ["shoot", "wait", "wait", "shoot", "wait", "wait", "shoot"]


def test_a_part_that_failed_does_not_cool_down(stage):
    goal = stage.goal(cooldown(5, stage.step("shoot", "F", "S")))
    assert stage.play_out(goal) == "RS"


def test_a_goal_that_waited_for_a_cooldown_begins_when_it_is_over(stage):
    policy = RetryPolicy(after=1, backoff=50, longest=50)
    goal = stage.goal(
        cooldown(4, stage.step("shoot", "S", "S")), replanning=Replanning(retrying=policy)
    )
    assert ticks(goal, 5) == "SFFFS"
    assert stage.code["shoot"].starts == 2


def test_a_part_that_is_twice_in_a_plan_may_not_begin_twice(stage):
    shoot = stage.step("shoot", "S", "S")
    part = stage.compound("part", lambda: [method(cooldown(5, shoot))])
    goal = stage.goal((part, part), max_replans=0)
    assert stage.play_out(goal) == "F"
    assert "it cools down" in goal.feedback_message
    assert stage.code["shoot"].starts == 1


def test_other_arguments_do_not_cool_down(stage):
    shoot = stage.step("shoot", *["S"] * 9)

    @stage.domain.compound
    def attack(whom: str):
        yield method(cooldown(5, shoot))

    goal = stage.goal((attack("a"), attack("b")), max_replans=0)
    assert stage.play_out(goal) == "S"
    assert stage.code["shoot"].starts == 2


def test_a_goal_takes_back_what_it_prefers_when_that_has_cooled_down(stage):
    shoot, hide = stage.step("shoot", *["S"] * 9), stage.step("hide", "RRRRRRRRS")
    goal = stage.goal(first_of(cooldown(3, shoot), hide), replanning=Replanning(interrupt="mtr"))
    assert again(goal, 2) == "SRRS"
    assert lines(stage) == [
        *("start shoot", "done shoot", "start hide", "aborted hide", "start shoot", "done shoot"),
    ]


# until


def test_all_cycles_are_planned_and_run(stage):
    chop = stage.step("chop", *["S"] * 9, effects=World.count.increases(1))
    assert stage.play(until(World.count >= 3, chop), 1, count=0) == "S"
    assert stage.code["chop"].starts == 3


def test_with_a_pause_each_cycle_is_decided_by_what_is_sensed(stage):
    chop = stage.step("chop", *["S"] * 9, expected=World.count.increases(1))
    goal = stage.goal(until(World.count >= 2, chop, pause()), max_replans=0, count=0)
    assert ticks(goal, 3) == "RRR"
    stage.actor.believe(World.count, 2, "sensor")
    assert stage.play_out(goal)[-1] == "S"
    assert 3 <= stage.code["chop"].starts <= 4


# seconds


def test_a_timeout_and_a_cooldown_in_seconds_go_by_the_clock_of_the_agent(stage):
    clock = ManualClock()
    slow, shoot = stage.step("slow", "R" * 90), stage.step("shoot", *["S"] * 9)
    wait = stage.step("wait", *["S"] * 9)
    attack = first_of(cooldown(seconds(1), shoot), wait)
    stage.actor = Agent(
        *("somebody", stage.domain, World()),
        body=None,
        operators=stage.operators,
        listener=stage.heard,
        clock=clock,
    )
    goal = stage.goal((force_success(timeout(seconds(0.5), slow)), attack))
    told = ""
    for _ in range(12):
        clock.advance(0.25)
        stage.actor.sense()
        told += ticks(goal, 1)
    assert told == "RRSRRSRRSRRS"
    done = [line.removeprefix("done ") for line in lines(stage) if line.startswith("done")]
    assert done == ["shoot", "wait", "shoot", "wait"]


def test_an_agent_without_a_clock_is_refused_with_a_part_that_has_seconds(stage):
    slow = stage.step("slow", "S")
    network = timeout(seconds(1), slow)
    goal = stage.goal(network, max_replans=0)
    assert ticks(goal, 1) == "F"
    assert "BT316" in goal.feedback_message
    other = type(stage)()
    step = other.step("slow", "S")
    other.compound("fight", lambda: [method(timeout(seconds(1), step))])
    with pytest.raises(BthtnError, match=r"BT316\] agent 'somebody' runs 'fight.timeout_1'"):
        other.agent()


# around them, and inside


@pytest.mark.parametrize("reactive", [False, True])
def test_an_alternative_that_times_out_gives_way_to_the_next(stage, reactive):
    slow, other = stage.step("slow", *["R" * 90] * 9), stage.step("other", "RS")
    network = priority(timeout(2, slow), other, reactive=reactive)
    assert stage.play(network, 3).startswith("RRR")
    assert "start other" in lines(stage)


def test_decorators_nest(stage):
    slow = stage.step("slow", "RRRR", "RRRR", "S")
    assert stage.play(retry(3, timeout(2, slow)), 7).rstrip("-") == "RRRRRRS"[:7]
    assert stage.code["slow"].starts == 3


def test_in_a_part_that_is_tried_again_the_part_around_it_has_begun(stage):
    noisy = stage.step("open", "F", "S", on_failure=World.lit.becomes(True))
    fight = stage.compound("fight", lambda: [method(retry(2, noisy), when=~World.lit)])
    assert stage.play(fight, 2, lit=False) == "RS"


def test_in_a_part_of_which_a_branch_has_failed_the_part_around_it_has_begun(stage):
    noisy = stage.step("open", "F", on_failure=World.lit.becomes(True))
    either = parallel(noisy, defer(stage.step("knock", "S")), policy="any")
    fight = stage.compound("fight", lambda: [method(either, when=~World.lit)])
    assert stage.play(fight, 2, lit=False) == "RS"


def test_a_guard_lets_the_running_step_of_a_decorated_part_end(stage):
    goal = stage.goal(timeout(5, stage.step("shoot", "RRS")), lit=True)
    tree = py_trees.composites.Sequence(
        "guarded", memory=False, children=[Believes("lit", stage.actor, World.lit), goal]
    )
    assert ticks(tree, 2) == "RR"
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(tree, 1) == "S"


def test_displays_show_the_decorator(stage):
    goal = stage.goal(retry(3, stage.step("open", "F", "S")), max_replans=0)
    assert ticks(goal, 1) == "R"
    shown = py_trees.display.unicode_tree(goal, show_status=True)
    assert "retry 3 [*]" in shown
    assert "try 2 of 3" in shown
    assert "hexagon" in behaviour_dot(goal)


def test_a_part_with_nothing_to_do_leaves_nothing_behind(stage):
    nothing = stage.compound("nothing", lambda: [method()])
    goal = stage.goal((retry(3, nothing), stage.step("go", "RS")))
    assert ticks(goal, 1) == "R"
    assert not [node for node in goal.iterate() if isinstance(node, PlanDecorated)]


# in plans that are reviewed, repaired and resumed


def test_a_repair_beside_it_leaves_its_tries_as_they_are(stage):
    a, b = stage.step("a", "S", "S", "S"), stage.step("b", "RRRF", "F", "S")
    one, other = stage.step("one", "R" * 9, during=World.lit), stage.step("other", "R" * 9)
    beside = stage.compound("beside", lambda: [method(one, when=World.lit), method(other)])
    around = stage.compound("around", lambda: [method(parallel(retry(2, a, b), beside))])
    goal = stage.goal(around, lit=True, max_replans=0)
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(goal, 3) == "RRF"
    assert stage.heard.of(PlanRepaired), "or the test would show nothing"
    assert (stage.code["a"].starts, stage.code["b"].starts) == (2, 2)


def test_what_the_last_try_has_planned_on_arrival_binds_no_later_one(stage):
    a, b = stage.step("a", "S", "RRS"), stage.step("b", "F", "S", precondition=World.lit)
    goal = stage.goal(retry(2, a, pause(), b), lit=True, max_replans=0)
    while not stage.code["b"].runs:
        ticks(goal, 1)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.lit, True, "sensor")
    assert stage.play_out(goal) == "RS"
    assert (stage.code["a"].starts, stage.code["b"].starts) == (2, 2)


def test_conditions_hold_anew_for_a_try_before_it_begins(stage):
    a, b = stage.step("a", "S", "S"), stage.step("b", "F", "S")
    part = stage.compound("part", lambda: [method(a, when=World.lit)])
    goal = stage.goal(retry(2, part, pause(), b), lit=True, max_replans=0)
    while not stage.code["b"].runs:
        ticks(goal, 1)
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(goal, 1) == "F"
    assert stage.code["a"].starts == 1


def test_who_failed_in_a_later_try_is_known_when_a_part_was_planned_on_arrival(stage):
    a, b = stage.step("a", "S", "F"), stage.step("b", "RF", "S")
    goal = stage.goal(
        retry(2, a, pause(), b),
        max_replans=0,
        replanning=Replanning(retrying=RetryPolicy(after=1)),
    )
    assert stage.play_out(goal).endswith("F")
    assert [one.task for one in stage.heard.of(TaskAvoided)] == ["a"]


def test_a_task_that_goes_on_for_ever_leaves_its_retries_behind(stage):
    step = stage.step("step", "S")
    cycle = stage.compound("cycle", lambda: [method(retry(2, step), pause(), stage.again)])
    stage.again = cycle
    goal = stage.goal(cycle)
    assert set(ticks(goal, 40)) == {"R"}
    assert stage.code["step"].starts > 15
    assert len(list(goal._mount.rest().nodes())) < 20


def test_an_earlier_end_of_the_time_does_not_explain_a_later_failure(stage):
    goal = stage.goal(retry(2, timeout(2, stage.step("aim", "RRR", "F"))), max_replans=0)
    assert stage.play_out(goal) == "RRRF"
    assert "in time" not in goal.feedback_message
    assert "aim" in goal.feedback_message


def test_a_better_plan_with_another_decorator_is_no_continuation(stage):
    slow = stage.step("slow", "R" * 90)
    fight = stage.compound(
        "fight", lambda: [method(timeout(2, slow), when=World.lit), method(slow)]
    )
    goal = stage.goal(fight, lit=False, max_replans=0, replanning=Replanning(interrupt="mtr"))
    assert ticks(goal, 3) == "RRR"
    stage.actor.believe(World.lit, True, "sensor")
    assert ticks(goal, 3) == "RRF"
    assert stage.code["slow"].starts == 1
    assert stage.heard.of(PlanReplaced)


def test_what_a_part_that_is_over_has_left_out_is_not_checked_any_more(stage):
    hurry = stage.step("hurry", "RS")
    wave = stage.step("wave", "S", precondition=World.lit)
    greet = stage.step("greet", "F")
    goal = stage.goal((force_success(greet, wave), hurry), lit=True, max_replans=0)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.lit, False, "sensor")
    assert ticks(goal, 1) == "S"


def test_a_plan_that_continues_a_decorated_part_is_kept(stage):
    goal = stage.goal(
        (timeout(9, stage.step("a", "RRRS")), stage.step("b", "S")),
        replanning=Replanning(interrupt="any"),
    )
    assert stage.play_out(goal) == "RRRS"
    assert not stage.heard.of(PlanReplaced)


def test_a_plan_that_continues_with_another_try_is_kept(stage):
    both = parallel(defer(stage.step("a", "S", "S")), stage.step("b", "RF", "RS"))
    policy = Replanning(interrupt="any")
    goal = stage.goal(retry(2, both), max_replans=0, replanning=policy, lit=False)
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.lit, True, "sensor")
    assert stage.play_out(goal) == "RS"
    assert not stage.heard.of(PlanReplaced)


def test_a_part_that_has_been_tried_has_begun_when_its_last_try_is_mended(stage):
    hit, flee = stage.step("hit", "RF", "F", "S"), stage.step("flee", "S")
    fight = stage.compound("fight", lambda: [method(hit)])
    act = stage.compound("act", lambda: [method(retry(2, fight), when=World.lit), method(flee)])
    goal = stage.goal((act, stage.step("end", "S")), lit=True, max_replans=1)
    ticks(goal, 1)
    stage.actor.believe(World.lit, False, "sensor")
    assert stage.play_out(goal).endswith("S")
    assert "start flee" not in stage.heard.lines()


def test_a_part_planned_beside_a_retry_waits_for_all_that_could_be_tried_again(stage):
    write = stage.step("write", "S", "S", effects=World.count.increases(1))
    test = stage.step("test", "RF", "RS")
    read = stage.step("read", "S", precondition=World.count > 0)
    later = stage.compound("later", lambda: [method(read)])
    goal = stage.goal(parallel(retry(2, write, test), (pause(), later)), count=1, max_replans=0)
    assert stage.play_out(goal).endswith("S")
    told = [line for line in lines(stage) if line.startswith(("start", "done"))]
    assert told.index("start read") > told.index("done test")


def test_alternatives_and_branches_that_are_nested_too_deep_are_refused(stage):
    network = stage.step("a", "S")
    for _ in range(160):
        network = timeout(5, network)
    goal = stage.goal(network, max_replans=0)
    assert ticks(goal, 1) == "F"
    assert "BT305" in goal.feedback_message


def test_depth_counts_on_in_what_is_planned_on_arrival(stage):
    network = stage.step("a", "S")
    for _ in range(80):
        network = timeout(5, network)
    network = (stage.step("b", "S"), pause(), network)
    for _ in range(80):
        network = timeout(5, network)
    goal = stage.goal(network, max_replans=0)
    assert stage.play_out(goal).endswith("F")
    assert "BT305" in goal.feedback_message
