"""Suspended beside other branches: it waits for what it would disturb, and never for ever."""

import pytest
from py_trees.common import Status

from bthtn import Domain, defer, method, parallel, priority, retry
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import PlanFailed, PlanResumed
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def until_end(stage, network, **options):
    """What steps did until the goal ended, and how it did."""
    goal = stage.goal(network, **{"max_replans": 0} | options)
    for _ in range(30):
        goal.tick_once()
        if goal.status is not Status.RUNNING:
            return stage.heard.lines(), goal
    pytest.fail(f"it hangs after {stage.heard.lines()}")


def test_what_disturbs_nobody_runs_beside_the_others(stage):
    network = parallel(stage.step("a", "RS", uses="legs"), defer(stage.step("b", "S", uses="arms")))
    lines, _ = until_end(stage, network)
    assert lines == ["start a", "start b", "done b", "done a"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"uses": "legs"}, {"uses": ["arms", "legs"]}),
        ({"effects": World.count.becomes(1)}, {"precondition": World.count < 9}),
        ({"precondition": World.count < 9}, {"effects": World.count.becomes(1)}),
        ({"effects": World.count.becomes(1)}, {"effects": World.count.becomes(2)}),
    ],
)
def test_what_would_disturb_another_branch_waits_for_its_end(stage, one, other):
    network = parallel(stage.step("a", "RRS", **one), defer(stage.step("b", "S", **other)))
    lines, goal = until_end(stage, network)
    assert lines == ["start a", "done a", "start b", "done b"]
    assert goal.status is Status.SUCCESS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"effects": World.count.increases(1)}, {"effects": World.count.increases(2)}),
        ({"effects": World.count.becomes(1)}, {"effects": World.count.becomes(1)}),
        ({"precondition": World.lit}, {"precondition": World.lit}),
    ],
)
def test_what_may_be_done_in_any_order_does_not_wait(stage, one, other):
    network = parallel(stage.step("a", "RRS", **one), defer(stage.step("b", "S", **other)))
    lines, _ = until_end(stage, network)
    assert lines[:3] == ["start a", "start b", "done b"]


def test_it_waits_as_well_for_what_a_branch_has_still_to_do(stage):
    branch = (stage.step("a", "RS"), stage.step("b", "RS", uses="legs"))
    lines, _ = until_end(stage, parallel(branch, defer(stage.step("c", "S", uses="legs"))))
    assert lines == ["start a", "done a", "start b", "done b", "start c", "done c"]


def test_it_does_not_wait_for_what_a_branch_has_done(stage):
    branch = (stage.step("a", "S", uses="legs"), stage.step("b", "RRS"))
    lines, _ = until_end(stage, parallel(branch, defer(stage.step("c", "S", uses="legs"))))
    assert lines == ["start a", "done a", "start b", "start c", "done c", "done b"]


def test_in_another_try_it_waits_for_what_will_be_planned_anew(stage):
    one = stage.step("a", "S", "S", effects=World.count.becomes(1))
    other = stage.step("b", "RS", "RS", effects=World.lit.becomes(True))
    both = parallel(defer(one), defer(other, ensures=World.count.becomes(2)))
    lines, _ = until_end(stage, retry(2, both, stage.step("c", "F", "S")))
    a_try = ["start b", "start a", "done a", "done b", "start c"]
    assert lines == [*a_try, "failed c", *a_try, "done c"]


def test_it_waits_for_branches_further_out_too(stage):
    inner = parallel(stage.step("a", "RRRS"), defer(stage.step("b", "S", uses="legs")))
    lines, _ = until_end(stage, parallel(inner, stage.step("c", "RS", uses="legs")))
    assert lines.index("done c") < lines.index("start b") < lines.index("done a")


def test_while_it_waits_it_says_for_what(stage):
    network = parallel(stage.step("a", "RRS", uses="legs"), defer(stage.step("b", uses="legs")))
    goal = stage.goal(network)
    goal.tick_once()
    waiting = [n for n in goal.iterate() if n.name.startswith("suspended")]
    assert [n.feedback_message for n in waiting] == ["waits for legs"]
    assert stage.heard.of(PlanResumed) == []


@pytest.mark.parametrize("policy", ["all", "any", "primary"])
def test_it_does_not_wait_for_alternatives_that_were_not_taken(stage, policy):
    choice = priority(stage.step("a", "S"), stage.step("b", uses="legs"))
    network = parallel((choice, stage.step("d", "RRRS")), defer(stage.step("c", "S", uses="legs")))
    lines, _ = until_end(stage, network)
    assert "done c" in lines


def test_it_does_not_wait_for_alternatives_of_a_branch_that_is_done(stage):
    choice = priority(stage.step("a", "S"), stage.step("b", uses="legs"))
    lines, _ = until_end(stage, parallel(choice, defer(stage.step("c", "S", uses="legs"))))
    assert lines == ["start a", "done a", "start c", "done c"]


def test_it_does_not_wait_for_steps_that_were_aborted(stage):
    race = parallel(stage.step("a", "S"), stage.step("b", "R", uses="legs"), policy="any")
    lines, _ = until_end(stage, parallel(race, defer(stage.step("c", "S", uses="legs"))))
    assert lines == ["start a", "done a", "start b", "aborted b", "start c", "done c"]


def test_it_does_not_wait_for_what_follows_a_failure(stage):
    branch = (stage.step("a", "F"), stage.step("b", uses="legs"))
    other = defer(stage.step("c", "S", uses="legs"))
    lines, _ = until_end(stage, parallel(branch, other, policy="any"))
    assert lines == ["start a", "failed a", "start c", "done c"]


def test_it_does_not_wait_for_an_alternative_that_has_failed(stage):
    choice = priority(stage.step("a", "RF", uses="legs"), stage.step("b", "RRRRS"))
    network = parallel(choice, (stage.step("w", "RRS"), defer(stage.step("c", "S", uses="legs"))))
    lines, _ = until_end(stage, network)
    assert lines.index("done c") < lines.index("done b")


def test_it_waits_for_an_alternative_that_a_reactive_choice_may_come_back_to(stage):
    first = stage.step("a", "RS", exec_only=World.open, uses="legs")
    choice = priority(first, stage.step("b", "RRRRS"), reactive=True)
    network = parallel(choice, (stage.step("w", "S"), defer(stage.step("c", "S", uses="legs"))))
    lines, _ = until_end(stage, network)
    assert lines.index("done b") < lines.index("start c")


@pytest.mark.parametrize("again", ["another choice", "another try"])
def test_what_may_be_begun_again_counts_as_a_whole(stage, again):
    both = (stage.step("a", "S", uses="legs"), stage.step("b", "RRRRS"))
    one = stage.compound("one", lambda: [method(both)])
    first = stage.step("first", "S", exec_only=World.open)
    part = retry(2, one) if again == "another try" else priority(first, one, reactive=True)
    later = (stage.step("w", "RS"), defer(stage.step("c", "S", uses="legs")))
    lines, _ = until_end(stage, parallel(part, later))
    assert lines.index("done b") < lines.index("start c")


def test_what_may_be_begun_again_counts_in_the_tick_in_which_it_is_planned(stage):
    part = defer(stage.step("a", "RRS"), ensures=World.count.becomes(1))
    choice = priority(part, stage.step("c"), reactive=True)
    network = parallel(choice, defer(stage.step("b", "S", precondition=World.count < 9)))
    lines, _ = until_end(stage, network)
    assert lines == ["start a", "done a", "start b", "done b"]


def test_what_would_be_planned_anew_then_does_not_count_as_it_was_planned(stage):
    both = (defer(stage.step("a", "S", uses="legs")), stage.step("b", "RRRRRS"))
    first = stage.step("first", "S", exec_only=World.open)
    later = (stage.step("w", "RRS"), defer(stage.step("c", "S", uses="legs")))
    network = parallel(priority(first, both, reactive=True), later)
    lines, _ = until_end(stage, network)
    assert lines.index("done a") < lines.index("start c") < lines.index("done b")


def test_it_waits_for_no_branch_of_another_agent_s_plan(stage):
    elsewhere = Domain("elsewhere", World)
    inner = elsewhere.primitive("inner", uses="legs")
    other = Agent("other", elsewhere, World(), body=None, listener=stage.heard)
    commands = stage.run_by("commands", lambda agent: PlanGoal("nested", other, defer(inner())))
    lines, _ = until_end(stage, parallel(commands, stage.step("mine", "RRRS", uses="legs")))
    assert lines.index("done inner") < lines.index("done mine")


# after the wait


def counting(stage, calls):
    """A task that counts how often it is planned, and depends on what it finds."""
    one, other = stage.step("x", "S", uses="legs"), stage.step("y", "S", uses="legs")

    def decide(state):
        calls.append(state.open)
        return [one] if state.open else [other]

    return stage.compound("decide", lambda: [method(decide)])


def test_after_the_wait_it_is_planned_again_if_the_world_has_changed(stage):
    calls = []
    goal = stage.goal(parallel(stage.step("a", "RRS", uses="legs"), defer(counting(stage, calls))))
    ticks(goal, 2)
    assert calls == [False]
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "S"
    assert calls == [False, True]
    assert stage.heard.lines()[-2:] == ["start x", "done x"]
    assert len(stage.heard.of(PlanResumed)) == 1


def test_after_the_wait_it_is_not_planned_again_if_nothing_has_changed(stage):
    calls = []
    network = parallel(stage.step("a", "RRS", uses="legs"), defer(counting(stage, calls)))
    assert stage.play(network, 3) == "RRS"
    assert calls == [False]


def test_the_record_holds_what_is_run_and_nothing_that_was_thrown_away(stage):
    calls = []
    goal = stage.goal(parallel(stage.step("a", "RRS", uses="legs"), defer(counting(stage, calls))))
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert list(goal.record) == [0]


# two that wait


def crosswise(stage, **more):
    """Two branches, each of which wants what the other has still to use."""
    left = (
        defer(stage.step("l1", uses="legs"), ensures=World.open.becomes(True)),
        stage.step("l2", uses="arms"),
    )
    right = (
        defer(stage.step("r1", uses="arms"), ensures=World.lit.becomes(False)),
        stage.step("r2", uses="legs"),
    )
    return parallel(left, right, **more)


@pytest.mark.parametrize("policy", ["all", "any", "primary"])
def test_two_that_wait_for_each_other_do_not_hang(stage, policy):
    lines, goal = until_end(stage, crosswise(stage, policy=policy))
    if policy == "all":
        assert goal.status is Status.FAILURE
        assert lines == []
        assert "waits too" in stage.heard.of(PlanFailed)[0].reason
    else:
        assert goal.status is Status.SUCCESS
        assert lines == ["start l1", "done l1", "start l2", "done l2"]


def test_waiting_for_one_who_waits_for_a_third_is_no_deadlock(stage):
    third = stage.step("third", "RRS", uses="legs")
    waits = (
        defer(stage.step("a1", "S", uses="legs"), ensures=World.open.becomes(True)),
        stage.step("a2", "S", uses="arms"),
    )
    waits_for_it = defer(stage.step("b", "S", uses="arms"))
    lines, goal = until_end(stage, parallel(third, waits, waits_for_it))
    assert goal.status is Status.SUCCESS
    assert [line for line in lines if "done" in line] == [
        "done third",
        "done a1",
        "done a2",
        "done b",
    ]


def test_three_that_wait_in_a_ring_do_not_hang(stage):
    def branch(name, first, then, ensures):
        task = stage.step(f"{name}1", uses=first)
        return (defer(task, ensures=ensures), stage.step(f"{name}2", uses=then))

    network = parallel(
        branch("a", "legs", "arms", World.open.becomes(True)),
        branch("b", "eyes", "legs", World.lit.becomes(False)),
        branch("c", "arms", "eyes", World.armed.becomes(True)),
    )
    _, goal = until_end(stage, network)
    assert goal.status is Status.FAILURE


def test_two_that_want_the_same_take_it_one_after_the_other(stage):
    network = parallel(
        defer(stage.step("a", "RS", uses="legs")), defer(stage.step("b", "RS", uses="legs"))
    )
    lines, _ = until_end(stage, network)
    assert lines == ["start a", "done a", "start b", "done b"]


# interrupted


def test_interrupted_while_it_waits_nothing_is_left_behind(stage):
    network = parallel(
        stage.step("a", "RRS", uses="legs"), defer(stage.step("b", "S", uses="legs"))
    )
    goal = stage.goal(network)
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert stage.code["b"].runs == []
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.lines()[-4:] == ["start a", "done a", "start b", "done b"]
    assert stage.heard.faults() == []
