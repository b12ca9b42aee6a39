"""Who promises the cheapest plan finds one: bthtn, and pyperplan where it is installed."""

from importlib.util import find_spec

import pytest

from benchmarks.goals import BTHTN, CASES, CHEAPEST, measured


@pytest.mark.parametrize("case", ["4 blocks", "logistics 2-2-4"])
def test_everybody_who_promises_the_cheapest_plan_finds_plans_of_one_length(case):
    found = measured(CASES[case], rounds=1)
    lengths = {steps for name, (_, steps) in found.items() if name in CHEAPEST}
    assert len(lengths) == 1
    assert {name for name, _ in BTHTN} <= set(found)
    assert any(name.startswith("pyperplan") for name in found) is bool(find_spec("pyperplan"))
