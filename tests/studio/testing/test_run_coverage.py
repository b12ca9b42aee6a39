"""Coverage of runs: branches, steps, plans, verdicts, run-time choices, and conditions."""

from pathlib import Path

import pytest

from bthtn import Domain, Fluent, State, at_start, fluent
from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Replanning
from bthtn.engine.replanning.policy import TABLE
from bthtn.studio.testing.run_coverage import RunCoverage
from bthtn.testing import play, read_scenario

SCENARIOS = Path(__file__).parents[3] / "trees" / "soldier" / "scenarios"


def covered(*names):
    coverage = RunCoverage()
    for name in names:
        scenario = read_scenario(SCENARIOS / f"{name}.scenario.toml")
        played = play(scenario, lambda one: coverage.watch("soldier", one))
        assert not played.fault
    return coverage


def counts_of(*names):
    return covered(*names).trees.counts["soldier"]


def test_branches_steps_plans_and_alternatives_are_counted():
    counts = counts_of("line_of_fire_blocked_on_arrival")
    assert counts["branch"]["soldier > act > patrol"][0] == 0
    assert counts["branch"]["soldier > act > engage"][0] > 0
    started, done, failed, _ = counts["step"]["move_to_cover"]
    assert started == done + failed + counts["abort"]["move_to_cover"][0] > 0
    assert counts["plan"]["fight"][0] > 0


def test_alternatives_that_were_not_chosen_have_rows_as_well():
    rows = counts_of("line_of_fire_blocked_on_arrival")["alternative"]
    assert rows["no_line_of_fire or shoot: shoot"] == [0]
    assert rows["no_line_of_fire or shoot: no_line_of_fire"] > [0]


def test_what_never_happened_is_marked():
    table = covered("line_of_fire_blocked_on_arrival").trees.table("soldier")
    (patrol,) = [line for line in table.splitlines() if "act > patrol" in line]
    assert patrol.endswith("<- never succeeded, never failed")
    assert table.startswith("  succeeded  failed  interrupted  branch\n")


def test_an_interrupted_branch_is_no_failed_one():
    counts = counts_of("hurt_while_reloading")["branch"]
    succeeded, failed, interrupted = counts["soldier > act > engage > fight"]
    assert interrupted > 0
    assert succeeded + failed + interrupted > interrupted


def test_only_steps_that_were_running_after_a_tick_need_to_be_aborted():
    rows = counts_of("hurt_while_reloading")["abort"]
    assert rows["reload"] > [0]
    assert "no_line_of_fire" not in rows


def test_the_rules_that_decided_about_running_plans_are_counted():
    rows = counts_of("cover_turns_up", "cover_destroyed_on_the_way")["verdict"]
    assert rows["adopt: it is better, and a surprise"] > [0]
    assert rows["break off: the rest of the plan does not work any more"] > [0]
    assert len(rows) == 4, "the policy of his goal knows no others"


class Rat(State):
    cheese: Fluent[bool] = fluent(default=True)
    full: Fluent[bool] = fluent(default=False)


def rat(replanning, **task):
    """A character with one goal of one step, which takes three ticks."""
    cellar = Domain("cellar", Rat)
    eat = cellar.primitive("eat", duration=3, **task)
    tom = Agent("Tom", cellar, Rat(), body=None, operators=Operators())
    return Character(PlanGoal("feed", tom, eat(), replanning=replanning), tom)


@pytest.mark.parametrize("interrupt", ["any", "mtr_equal", "mtr", "surprise"])
@pytest.mark.parametrize("uninterruptible", [True, False])
def test_rules_that_cannot_decide_have_no_rows(interrupt, uninterruptible):
    coverage = RunCoverage()
    coverage.watch("x", rat(Replanning(interrupt=interrupt), uninterruptible=uninterruptible))
    texts = [f"{rule.decision.value}: {rule.because}" for rule in TABLE]
    rows = [texts.index(name) for name in coverage.trees.counts["x"]["verdict"]]
    expected = {
        "any": [0, 1, 3],
        "mtr_equal": [0, 1, 4, 5],
        "mtr": [0, 1, 6],
        "surprise": [0, 1, 7, 8],
    }
    assert rows == sorted([*expected[interrupt], *([2] if uninterruptible else [])])


def test_conditions_of_steps_are_counted_when_they_are_asked_at_run_time():
    coverage = RunCoverage()
    conditions = {
        "precondition": at_start(Rat.cheese & ~Rat.full),
        "exec_only": Rat.cheese,
        "during": Rat.cheese | Rat.full,
    }
    character = rat(Replanning(), **conditions)
    coverage.watch("x", character)
    character.tick()
    rows = coverage.domains.counts["cellar"]["condition"]
    assert rows["eat, exec_only: cheese"] == [1, 0]
    assert rows["eat, precondition: cheese"] == [2, 0], "planned, and started"
    assert rows["eat, during: full"] == [0, 1]
    character.agent.believe(Rat.cheese, False)
    character.agent.believe(Rat.full, True)
    character.tick()
    assert rows["eat, during: full"] == [1, 1]
    assert rows["eat, during: cheese"] == [1, 1]
    assert rows["eat, during: cheese or full"] == [2, 0]


def test_a_refused_step_counts_for_the_condition_that_was_false():
    coverage = RunCoverage()
    character = rat(Replanning(), exec_only=Rat.full)
    coverage.watch("x", character)
    character.tick()
    assert coverage.domains.counts["cellar"]["condition"] == {"eat, exec_only: full": [0, 1]}
    assert coverage.trees.counts["x"]["step"]["eat"] == [0, 0, 0, 1]


def test_plans_of_runs_count_for_the_methods_of_their_domain():
    rows = covered("cover_turns_up").domains.counts["combat"]
    chosen, entered, _ = rows["method"]["fight_from_cover, method 0: when cover"]
    assert 0 < chosen <= entered
    assert all(rows["condition"]["fight, method 1: cover"])


def test_the_tree_is_drawn_with_what_its_branches_did():
    drawn = covered("line_of_fire_blocked_on_arrival").dot("soldier")
    assert drawn.count("✗ patrol") == 1
    assert drawn.count("✓ → engage") == 1
    assert drawn.count("▶ → survive") == 1


def test_counts_of_processes_are_added_up():
    one = covered("line_of_fire_blocked_on_arrival").trees
    both = covered("line_of_fire_blocked_on_arrival").trees
    both.merge(one.counts)
    row = one.counts["soldier"]["step"]["cover"]
    assert both.counts["soldier"]["step"]["cover"] == [2 * count for count in row]
