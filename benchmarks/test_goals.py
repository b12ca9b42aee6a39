"""Who promises the cheapest plan finds one: bthtn, and pyperplan where it is installed."""

from importlib.util import find_spec

import pytest

from benchmarks import goals
from benchmarks.goals import BTHTN, CASES, CHEAPEST, measured


@pytest.mark.parametrize("case", ["4 blocks", "logistics 2-2-4"])
def test_everybody_who_promises_the_cheapest_plan_finds_plans_of_one_length(case):
    found = measured(CASES[case], rounds=1)
    lengths = {steps for name, (_, steps) in found.items() if name in CHEAPEST}
    assert len(lengths) == 1
    assert {name for name, _ in BTHTN} <= set(found)
    assert any(name.startswith("pyperplan") for name in found) is bool(find_spec("pyperplan"))


def test_the_table_says_who_has_more_steps_than_need_be_and_who_was_not_asked(monkeypatch):
    found = {"4 blocks": {"a": (1.0, 4), "b": (20.0, 6)}, "6 blocks": {"a": (3.0, 4)}}
    monkeypatch.setattr(goals, "CASES", {name: CASES[name] for name in found})
    monkeypatch.setattr(goals, "measured", lambda case, rounds: found[case.name])
    lines = goals.table()
    assert lines[0] == ["ms", "a", "b"]
    assert [line[1:] for line in lines[1:]] == [["1.00", "20.0, 2 steps more"], ["3.00", "–"]]
