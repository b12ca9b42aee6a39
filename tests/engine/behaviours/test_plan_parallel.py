"""PlanParallel: the table of its policies, against an oracle that is as naive as can be."""

from itertools import product

import py_trees
import pytest
from py_trees.common import Status

from bthtn import null, parallel
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import ParallelNode
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

POLICIES = [policy.value for policy in ParallelPolicy]


def side_by_side(policy, children):
    return PlanParallel(ParallelNode((), ParallelPolicy(policy)), children)


# the table


def expected(policy, letters):
    """The row of the table for branches that stand like this."""
    if policy == "primary":
        return letters[0]
    if policy == "all":
        if "F" in letters:
            return "F"
        return "R" if "R" in letters else "S"
    if "S" in letters:
        return "S"
    return "R" if "R" in letters else "F"


def told(policy, scripts):
    """What should happen, tick by tick: the letters, and every tick and abort of a branch."""
    letters, story, ended, started = "", [], {}, []
    for tick in range(4):
        letters += "R"
        for name, script in scripts.items():
            if name not in ended and letters[-1] != "F":
                story.append(f"tick {name}")
                started.append(name)
                letter = script[min(tick, len(script) - 1)]
                if letter != "R":
                    ended[name] = letter
                now = [ended.get(name, "R") for name in scripts]
                letters = letters[:-1] + expected(policy, now)
        if letters[-1] != "R":
            running = [name for name in scripts if name in started and name not in ended]
            story += [f"abort {name}" for name in reversed(running)]
            break
    return letters, story


SCRIPTS = ["S", "F", "R", "RS", "RF", "RRS", "RRF"]
CASES = [*product(SCRIPTS, repeat=2), *product(["S", "F", "R", "RS", "RF"], repeat=3)]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_row_of_the_table_is_as_the_oracle_says(policy, child, log):
    for scripts in CASES:
        named = dict(zip("abc", scripts, strict=False))
        letters, story = told(policy, named)
        log.clear()
        root = side_by_side(policy, [child(name, script) for name, script in named.items()])
        assert ticks(root, len(letters)) == letters, (policy, scripts)
        did = [entry for entry in log if not entry.startswith("start")]
        assert did == story, (policy, scripts)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_branch_without_a_status_counts_as_a_failure(policy):
    class Nothing(py_trees.behaviour.Behaviour):
        def update(self):
            return Status.INVALID

    assert ticks(side_by_side(policy, [Nothing("nothing")]), 1) == "F"


# life-cycle


@pytest.mark.parametrize("policy", POLICIES)
def test_an_ended_parallel_starts_all_its_branches_again(policy, child):
    branches = [child("a", "S"), child("b", "S")]
    root = side_by_side(policy, branches)
    assert ticks(root, 2) == "SS"
    assert [branch.ticked for branch in branches] == [2, 2]


@pytest.mark.parametrize("policy", POLICIES)
def test_an_interrupted_parallel_aborts_only_what_runs(policy, child, log):
    root = side_by_side(policy, [child("a", "R"), child("b", "R")])
    root.tick_once()
    root.stop(Status.INVALID)
    assert sorted(entry for entry in log if "abort" in entry) == ["abort a", "abort b"]
    assert root.status is Status.INVALID


def test_an_interrupted_parallel_aborts_no_finished_branch(child, log):
    root = side_by_side("all", [child("a", "S"), child("b", "R")])
    root.tick_once()
    root.stop(Status.INVALID)
    assert [entry for entry in log if "abort" in entry] == ["abort b"]


@pytest.mark.parametrize("policy", POLICIES)
def test_setup_finds_nothing_wrong_with_it(policy, child):
    root = side_by_side(policy, [child("a", "R"), child("b", "S")])
    py_trees.trees.BehaviourTree(root).setup()


@pytest.mark.parametrize("policy", POLICIES)
def test_displays_know_the_policies(policy, child):
    root = side_by_side(policy, [child("a", "R"), child("b", "F")])
    root.tick_once()
    assert "b" in py_trees.display.unicode_tree(root, show_status=True)
    assert py_trees.display.dot_tree(root).get_nodes()


def test_the_tip_is_the_last_branch_that_runs(child):
    root = side_by_side("all", [child("a", "R"), child("b", "R"), child("c", "S")])
    root.tick_once()
    assert root.tip().name == "b"


# in a plan


@pytest.mark.parametrize("policy", ["any", "primary"])
def test_a_step_that_never_ends_is_aborted_once_beside_one_that_does(stage, policy):
    ends = stage.step("ends", "RRS", effects=World.open.becomes(True))
    never = stage.step("never", "R", effects=World.lit.becomes(False))
    assert stage.play((parallel(ends, never, policy=policy), stage.step("c")), 3) == "RRS"
    assert stage.heard.lines()[2:4] == ["done ends", "aborted never"]
    assert (stage.code["never"].ticks, stage.code["never"].aborts) == (3, 1)
    assert stage.believes(World.open)
    assert stage.believes(World.lit)


def test_a_primary_branch_that_never_ends_keeps_the_parallel_running(stage):
    never, ends = stage.step("never", "R"), stage.step("ends", "S")
    assert stage.play(parallel(never, ends, policy="primary"), 4) == "RRRR"
    assert stage.code["ends"].ticks == 1


def test_of_steps_that_fail_together_the_primary_one_is_the_reason(stage):
    network = parallel(stage.step("a", "RF"), stage.step("b", "RF"), policy="primary")
    goal = stage.goal(network, max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert goal.feedback_message.endswith("a: the operator answered FAILURE")


@pytest.mark.parametrize("policy", ["all", "primary"])
def test_a_parallel_that_fails_starts_no_branch_only_to_abort_it(stage, policy):
    stage.play(parallel(stage.step("a", "F"), stage.step("b", "R"), policy=policy), 1)
    assert stage.heard.lines() == ["start a", "failed a"]


def test_a_failure_before_a_parallel_s_end_is_not_its_reason(stage):
    network = (parallel(stage.step("a", "F"), stage.step("b", "RS"), policy="any"), stage.step("c"))
    assert stage.play(network, 2) == "RS"


def test_effects_of_a_branch_that_succeeded_before_the_failure_stay(stage):
    one = stage.step("one", "S", effects=World.open.becomes(True))
    other = stage.step("other", "RF", effects=World.lit.becomes(False))
    assert stage.play(parallel(one, other), 2) == "RF"
    assert stage.believes(World.open)
    assert stage.believes(World.lit)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_branch_with_nothing_in_it_is_done_at_once(stage, policy):
    network = parallel(null(), stage.step("a", "RS"), policy=policy)
    assert stage.play(network, 2)[0] == ("R" if policy == "all" else "S")
    assert stage.heard.faults() == []


@pytest.mark.parametrize("policy", POLICIES)
def test_branches_with_nothing_in_them_are_done_at_once(stage, policy):
    assert stage.play((parallel(null(), null(), policy=policy), stage.step("a", "S")), 1) == "S"


@pytest.mark.parametrize("policy", ["any", "all"])
def test_an_endless_branch_beside_an_empty_one_ends_as_the_policy_says(stage, policy):
    letters = stage.play(parallel(stage.step("a", "R"), null(), policy=policy), 3)
    assert letters[0] == ("S" if policy == "any" else "R")


def test_a_branch_that_begins_with_a_sequence_does_not_end_the_parallel_early(stage):
    network = parallel((stage.step("a", "S"), stage.step("b", "RRS")), stage.step("c", "S"))
    assert stage.play(network, 3) == "RRS"


def test_a_branch_whose_abort_changes_what_another_waits_for_does_no_harm(stage):
    def open_up():
        stage.actor.believe(World.open, True)

    class Code:
        def start(self):
            pass

        def tick(self):
            return Status.RUNNING

        def abort(self):
            open_up()

    holds = stage.run_by("holds", lambda agent: Code())
    network = parallel(stage.step("waits", "R"), holds, stage.step("fails", "RF"))
    assert stage.play(network, 2) == "RF"
    assert stage.heard.lines()[-3:] == ["failed fails", "aborted holds", "aborted waits"]
