"""Policy: one table says what becomes of a running plan."""

from itertools import product

import pytest

from bthtn.engine.replanning.policy import (
    TABLE,
    Decision,
    Replanning,
    SearchOutcome,
    Situation,
    rule_for,
)
from bthtn.errors import DomainError

KEEP, ADOPT, BREAK_OFF = Decision.KEEP, Decision.ADOPT, Decision.BREAK_OFF
POLICIES = ("any", "mtr_equal", "mtr", "surprise")
TRUTHS = (True, False)
SITUATIONS = [Situation(*facts) for facts in product(TRUTHS, SearchOutcome, TRUTHS, TRUTHS)]


def decision(interrupt, found, *, surprising=True, interruptible=True):
    situation = Situation(True, found, surprising, interruptible)
    return rule_for(interrupt, situation).decision


@pytest.mark.parametrize("interrupt", POLICIES)
def test_every_situation_is_rule_for(interrupt):
    assert {rule_for(interrupt, one).decision for one in SITUATIONS} == {KEEP, ADOPT, BREAK_OFF}


def test_every_line_decides_something():
    used = {id(rule_for(policy, one)) for policy in POLICIES for one in SITUATIONS}
    assert used == {id(rule) for rule in TABLE}


@pytest.mark.parametrize("interrupt", POLICIES)
def test_what_does_not_work_any_more_is_aborted_whatever_else_there_is(interrupt):
    broken = [one for one in SITUATIONS if not one.valid]
    assert {rule_for(interrupt, one).decision for one in broken} == {BREAK_OFF}
    working = [one for one in SITUATIONS if one.valid]
    assert BREAK_OFF not in {rule_for(interrupt, one).decision for one in working}


@pytest.mark.parametrize("interrupt", POLICIES)
def test_what_may_not_be_interrupted_is_kept(interrupt):
    held = [one for one in SITUATIONS if one.valid and not one.interruptible]
    assert {rule_for(interrupt, one).decision for one in held} == {KEEP}


@pytest.mark.parametrize(
    ("interrupt", "adopted"),
    [
        ("any", [SearchOutcome.WORSE, SearchOutcome.EQUAL, SearchOutcome.BETTER]),
        ("mtr_equal", [SearchOutcome.EQUAL, SearchOutcome.BETTER]),
        ("mtr", [SearchOutcome.BETTER]),
        ("surprise", [SearchOutcome.BETTER]),
    ],
)
def test_each_policy_adopts_less_than_the_one_before(interrupt, adopted):
    assert [found for found in SearchOutcome if decision(interrupt, found) is ADOPT] == adopted


def test_only_the_default_asks_for_a_surprise():
    kept = [p for p in POLICIES if decision(p, SearchOutcome.BETTER, surprising=False) is KEEP]
    assert kept == ["surprise"] == [Replanning().interrupt]


@pytest.mark.parametrize(
    ("code", "name", "value"),
    [
        ("BT111", "interrupt", "always"),
        ("BT111", "meanwhile", "wait"),
        ("BT202", "minimum_commitment", -1),
        ("BT202", "hysteresis", -1),
        ("BT126", "hysteresis", float("nan")),
        ("BT126", "hysteresis", "long"),
        ("BT126", "repair", "yes"),
    ],
)
def test_settings_that_mean_nothing_are_refused(code, name, value):
    with pytest.raises(DomainError, match=rf"{code}.*{name}"):
        Replanning(**{name: value})
