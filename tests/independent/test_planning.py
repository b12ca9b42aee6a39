"""Random problems: what bthtn plans is what brute force finds, and it can be carried out."""

from collections import Counter

import pytest

from bthtn.domain import builder
from bthtn.planning.htn import joins
from bthtn.planning.htn.memo import Answer, PlanMemo
from bthtn.planning.htn.tree import Found
from bthtn.world.state import FrozenState
from tests.independent.planning import check

SOME = 150


@pytest.fixture(scope="module")
def seen():
    """What was drawn while some problems were checked."""
    counted = Counter()
    for number in range(SOME):
        check(f"quick:{number}", counted)
    return counted


def test_plans_are_those_of_brute_force_and_work_in_every_order(seen):
    assert seen["problems"] == SOME
    assert seen["compared"] > SOME / 2


@pytest.mark.slow
def test_the_problems_are_of_all_kinds(seen):
    kinds = ("first_of", "optional", "repeat", "repeat_computed", "any_order", "partial_order")
    kinds += ("until", "timeout", "retry", "cooldown")
    kinds += ("random_of", "cleanup", "one_of", "pause", "defer", "parallel", "priority")
    kinds += ("unknown", "horizon", "horizon_time", "expected", "check_rest", "cheapest")
    assert not [kind for kind in kinds if seen[kind] < SOME / 50]
    results = ("plans", "no plan", "suspended", "interleavings", "alternatives")
    assert not [result for result in results if seen[result] < SOME / 50]


# Faults that are put into bthtn.


def is_noticed():
    """Whether one of the problems shows that something is wrong."""
    for number in range(SOME):
        try:
            check(f"quick:{number}", Counter())
        except AssertionError:
            return True
    return False


@pytest.mark.slow
def test_methods_in_the_wrong_order_are_noticed(monkeypatch):
    read = builder.read_methods

    def backwards(*args):
        result = read(*args)
        for task, methods in result.methods.items():
            result.methods[task] = methods[::-1]
        return result

    monkeypatch.setattr(builder, "read_methods", backwards)
    assert is_noticed()


@pytest.mark.slow
def test_branches_that_disturb_each_other_are_noticed(monkeypatch):
    monkeypatch.setattr(joins, "conflict", lambda footprints: None)
    assert is_noticed()


@pytest.mark.slow
def test_a_plan_that_predicts_something_else_is_noticed(monkeypatch):
    monkeypatch.setattr(Found, "predicted", FrozenState({}))
    assert is_noticed()


@pytest.mark.slow
def test_a_memo_that_forgets_what_was_read_is_noticed(monkeypatch):
    keep = PlanMemo.keep

    def forgetful(self, answer, *given):
        keep(self, Answer({}, answer.tree, answer.written, answer.expansions), *given)

    monkeypatch.setattr(PlanMemo, "keep", forgetful)
    assert is_noticed()
