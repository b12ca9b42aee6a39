"""Coverage of runs: what happened to branches, steps, plans and run-time choices."""

from pathlib import Path

from bthtn.testing import play, read_scenario
from bthtn.testing.run_coverage import RunCoverage

SCENARIOS = Path(__file__).parents[2] / "trees" / "soldier" / "scenarios"


def covered(*names):
    coverage = RunCoverage()
    for name in names:
        scenario = read_scenario(SCENARIOS / f"{name}.scenario.toml")
        played = play(scenario, lambda one: coverage.watch("soldier", one))
        assert not played.fault
    return coverage


def test_branches_steps_plans_and_alternatives_are_counted():
    counts = covered("line_of_fire_blocked_on_arrival").counts["soldier"]
    assert counts["branch"]["soldier > act > patrol"][0] == 0
    assert counts["branch"]["soldier > act > engage"][0] > 0
    started, done, failed, aborted, _ = counts["step"]["move_to_cover"]
    assert started == done + failed + aborted > 0
    assert counts["plans of"]["fight"][0] > 0
    assert any("no_line_of_fire or shoot" in name for name in counts["alternative"])


def test_what_never_happened_is_marked():
    table = covered("line_of_fire_blocked_on_arrival").table()
    (patrol,) = [line for line in table.splitlines() if "act > patrol" in line]
    assert patrol.endswith("<- never succeeded, never failed")
    assert table.startswith("soldier\n  succeeded  failed  interrupted  branch\n")


def test_an_interrupted_branch_is_no_failed_one():
    counts = covered("hurt_while_reloading").counts["soldier"]["branch"]
    succeeded, failed, interrupted = counts["soldier > act > engage > fight"]
    assert interrupted > 0
    assert succeeded + failed + interrupted > interrupted


def test_counts_of_processes_are_added_up():
    one = covered("line_of_fire_blocked_on_arrival")
    both = covered("line_of_fire_blocked_on_arrival")
    both.merge(one.counts)
    row = one.counts["soldier"]["step"]["cover"]
    assert both.counts["soldier"]["step"]["cover"] == [2 * count for count in row]
