"""A search that looks out for dead ends from its beginning finds the plans of the reference."""

from unittest.mock import patch

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.engine.planning.htn import dead_ends, search
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.studio.testing.strategies import problems
from tests.properties import branching, plain
from tests.properties.test_search_and_reference import (
    BoundedReference,
    RunawayError,
    alike,
    answers,
    drawn,
)


def agree(problem):
    """Assert that both find the same plans, and say whether any dead end was met again."""
    with patch.object(search, "MANY", 0), patch.multiple(dead_ends, _WORTH=0, _TRIAL=1_000_000):
        looking = HtnSearch.of(problem)
        found, status = answers(looking)
    reference = BoundedReference(problem)
    reference.limit = 3 * looking.expansions + 1_000
    try:
        plans = reference.plans()
        expected = [alike(plan) for _, plan in zip(found, plans, strict=False)]
        assert [plan | {"expansions": None} for plan in found] == expected
        if status is SearchStatus.EXHAUSTED:
            assert next(plans, None) is None
    except RunawayError:
        return "the reference takes much longer"
    saved = reference.expansions - looking.expansions
    return "dead ends were met" if saved else "there was none to meet"


@given(problems())
def test_problems_of_all_kinds(problem):
    event(agree(problem))


@given(st.data())
def test_problems_with_choices_alone(data):
    event(agree(plain.problem(drawn(data))))


@given(st.data())
def test_problems_with_branches_sensors_and_pauses(data):
    event(agree(branching.problem(drawn(data))))
