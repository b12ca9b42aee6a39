"""The precondition of a running step: what is watched of it, and what is not."""

import pytest

from bthtn import UNKNOWN, at_start, defer, method, parallel, primitive, priority, retry
from bthtn.engine.agent.events import CodeFailed, LeafEnded, PlanBroken
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def shut(world):
    world.open = False


def shut_by_another(world):
    shut(world)


def count_up(world):
    world.count += 1


def story(stage):
    return stage.heard.lines()


def test_a_step_is_aborted_whose_precondition_others_have_ended(stage):
    goal = stage.goal(
        (stage.step("run", "R", precondition=World.open), stage.step("shoot", "S")), open=True
    )
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "F"
    assert story(stage) == ["start run", "aborted run"]
    [broken] = stage.heard.of(PlanBroken)
    assert (broken.reason, broken.step) == ("open is false: open = false", "run")
    assert str(broken.change) == "open: true → false (by sensor)"


def test_another_plan_is_found_in_the_tick_in_which_it_is_broken(stage):
    run, wait = stage.step("run", "R", precondition=World.open), stage.step("wait", "S")

    def methods():
        yield method(run, when=World.open)
        yield method(wait)

    goal = stage.goal(stage.compound("go", methods), open=True)
    ticks(goal, 2)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "S"
    assert story(stage) == ["start run", "aborted run", "start wait", "done wait"]
    assert goal.replans == 0


def test_a_part_that_is_asked_at_the_start_may_end(stage):
    needed = at_start(World.open) & World.lit
    goal = stage.goal(stage.step("jump", "RRS", precondition=needed), open=True, lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 2) == "RS"


def test_the_other_parts_are_watched_beside_one_at_the_start(stage):
    needed = at_start(World.open) & World.lit
    goal = stage.goal(stage.step("jump", "RRS", precondition=needed), open=True, lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(PlanBroken)[0].reason == "lit is false: lit = false"


@pytest.mark.parametrize(
    "written",
    [
        {"effects": World.open.becomes(False)},
        {"expected": World.open.becomes(False)},
        {"actual": World.open.becomes(False)},
        {"on_start": World.open.becomes(True)},
        {"on_failure": World.open.becomes(False)},
        {"on_abort": World.open.becomes(False)},
        {"actual": shut},
        {"on_abort": shut_by_another},
        {"on_failure": lambda world: setattr(world, "open", False)},
    ],
    ids=lambda written: next(iter(written)),
)
def test_what_an_effect_of_the_step_writes_is_not_watched(stage, written):
    goal = stage.goal(stage.step("a", "RRS", precondition=World.open, **written), open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 2) == "RS"


def test_a_function_that_does_not_mention_it_writes_something_else(stage):
    step = stage.step("a", "R", precondition=World.open, actual=count_up, on_abort=count_up)
    goal = stage.goal(step, open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "F"


def test_beside_it_all_other_parts_are_watched(stage):
    needed = World.open & World.lit
    step = stage.step("a", "RRS", precondition=needed, effects=World.open.becomes(False))
    goal = stage.goal(step, open=True, lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"


def test_the_part_of_an_operator_that_is_news_counts_as_a_change_by_others(stage):
    def operator(agent):
        yield
        agent.believe(World.open, False)
        yield

    goal = stage.goal(stage.run_by("a", operator, precondition=World.open), open=True)
    assert ticks(goal, 3) == "RRF"
    assert stage.heard.of(PlanBroken)[0].step == "a"


def test_a_function_is_watched_by_what_it_reads(stage):
    goal = stage.goal(stage.step("a", "R", precondition=lambda world: world.count < 3), count=0)
    ticks(goal, 1)
    stage.actor.believe(World.count, 2)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.count, 3)
    assert ticks(goal, 1) == "F"


def test_a_function_that_reads_what_the_step_writes_is_not_watched(stage):
    step = stage.step(
        "a",
        "RRS",
        precondition=lambda world: world.count < 3,
        effects=World.count.increases(by=1),
    )
    goal = stage.goal(step, count=0)
    ticks(goal, 1)
    stage.actor.believe(World.count, 7)
    assert ticks(goal, 2) == "RS"


def test_what_becomes_unknown_breaks_nothing(stage):
    goal = stage.goal(stage.step("a", "RRS", precondition=World.open), open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, UNKNOWN)
    assert ticks(goal, 2) == "RS"


def test_what_a_parallel_step_of_the_same_plan_ends_breaks_nothing(stage):
    a = stage.step("a", "RRS", precondition=World.open)
    b = stage.step("b", "S", actual=World.open.becomes(False))
    goal = stage.goal(parallel(a, b), open=True)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.count, 7)
    assert ticks(goal, 2) == "RS"
    assert not stage.heard.of(PlanBroken)


def test_what_the_plan_has_ended_does_not_hide_what_others_break_behind_it(stage):
    a = stage.step("a", "R", precondition=World.open)
    b = stage.step("b", "S", actual=World.open.becomes(False))
    goal = stage.goal(
        (parallel(a, b), stage.step("c", "S", precondition=World.lit)), open=True, lit=True
    )
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(PlanBroken)[0].step == "c"


def test_others_may_end_again_what_the_plan_had_ended_before(stage):
    a = stage.step("a", "R", precondition=World.open)
    b = stage.step("b", "S", actual=World.open.becomes(False))
    goal = stage.goal(parallel(a, b), open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "F"


def test_no_branch_may_write_what_another_needs_while_it_runs(stage):
    a = stage.step("a", "RRS", precondition=World.open)
    b = stage.step("b", "S", effects=World.open.becomes(False))
    assert stage.play(parallel(a, b), 1, open=True) == "F"


@pytest.mark.parametrize(("policy", "letters"), [("any", "RRS"), ("primary", "RF")])
def test_in_a_branch_that_may_fail_the_step_alone_is_given_up(stage, policy, letters):
    a = stage.step("a", "R", precondition=World.open)
    goal = stage.goal(parallel(a, stage.step("b", "RRS"), policy=policy), open=True, max_replans=0)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert "R" + ticks(goal, len(letters) - 1) == letters
    if policy == "any":
        [ended] = [event for event in stage.heard.of(LeafEnded) if not event.succeeded]
        assert (ended.task, ended.reason) == ("a", "open is false: open = false")


def test_a_branch_without_a_plan_does_nothing_in_place_of_the_step(stage):
    one = defer(stage.step("a", "R", precondition=World.open))
    other = defer(stage.step("b", "S", precondition=World.lit))
    goal = stage.goal(parallel(one, other, policy="any"), open=True, lit=False, max_replans=0)
    ticks(goal, 2)
    stage.actor.believe(World.open, False, "sensor")
    ticks(goal, 1)
    assert "aborted a" in story(stage)
    assert stage.heard.of(PlanBroken)


def test_the_next_alternative_is_tried(stage):
    a = stage.step("a", "R", precondition=World.open)
    goal = stage.goal(priority(a, stage.step("b", "S")), open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "S"
    assert story(stage) == ["start a", "failed a", "start b", "done b"]


@pytest.mark.parametrize("described", [{"precondition": World.seen}, {"during": World.seen}])
def test_what_a_step_needs_is_watched_although_planning_could_not_read_it(stage, described):
    steps = stage.step("a", "RS"), priority(stage.step("b", "R", **described))
    goal = stage.goal((*steps, stage.step("c", precondition=World.lit)), seen=True, lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.lit, UNKNOWN)  # the rest is checked, and little else is watched then
    ticks(goal, 1)
    stage.actor.believe(World.seen, False)
    ticks(goal, 1)
    assert stage.heard.of(PlanBroken)[0].reason == "seen is false: seen = false"


def test_a_precondition_that_raises_for_no_change_by_others_is_told_and_the_step_goes_on(stage):
    upset = []

    def calm(world):
        if upset:
            raise ValueError("upset")
        return True

    step = stage.step("a", "RRRS", precondition=calm)
    goal = stage.goal((step, stage.step("c", precondition=World.lit)), lit=True)
    ticks(goal, 1)
    upset.append("by nothing that it reads")
    stage.actor.believe(World.lit, UNKNOWN)  # so that the rest is checked
    assert ticks(goal, 1) == "R"
    (told,) = stage.heard.of(CodeFailed)
    assert told.code == "step 'a'"
    assert "ValueError: upset" in told.reason


def test_a_condition_that_raises_breaks_the_plan_and_is_kept(stage):
    def broken(world):
        return 1 // world.count > 0

    goal = stage.goal(stage.step("a", "R", precondition=broken), count=1)
    ticks(goal, 1)
    stage.actor.believe(World.count, 0)
    ticks(goal, 1)
    assert "ZeroDivisionError" in stage.heard.of(PlanBroken)[0].reason


def test_arguments_are_those_of_the_step(stage):
    def climb(limit):
        return primitive(precondition=World.count < limit)

    def run(agent, limit):
        for _ in range(limit):
            yield

    task = stage.domain.primitive(climb)
    stage.operators.bind(task)(run)
    goal = stage.goal(task(3), count=0)
    ticks(goal, 1)
    stage.actor.believe(World.count, 2)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.count, 3)
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(PlanBroken)[0].reason == "count < 3 is false: count = 3"


def test_in_a_retry_it_is_the_plan_that_is_broken(stage):
    step = stage.step("a", "R", precondition=World.open)
    goal = stage.goal(retry(3, step), open=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 1) == "F"
    assert story(stage) == ["start a", "aborted a"]
