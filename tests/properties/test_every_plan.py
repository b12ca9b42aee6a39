"""``bthtn plan --all`` lists what the specification lists, with costs and values, too."""

from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from bthtn.errors import PlanningError
from bthtn.studio.cli.all_plans import every_plan
from tests.properties.test_search_and_reference import description
from tests.properties.test_values import problems_with_values
from tests.reference import Reference

MOST_PLANS = 5


def listed(problem):
    """The first plans of a list, each described, and whether the limit ended it."""
    found = []
    try:
        for plan in islice(every_plan(problem), MOST_PLANS):
            assert plan.domain is problem.domain
            found.append(described(plan))
    except PlanningError:
        return found, True
    return found, False


def described(plan):
    return description(plan) | {"value": plan.value}


def compared(problem):
    """Assert that the list is that of the specification; the list."""
    found, is_cut = listed(problem)
    plans = Reference(problem).plans()
    assert found == [described(plan) for _, plan in zip(found, plans, strict=False)]
    if len(found) < MOST_PLANS and not is_cut:
        assert next(plans, None) is None
    return found


def asked():
    """Requests with values or without, for the plan of least cost or the first one."""
    return st.builds(
        lambda pair, has_values, cheapest: replace(
            pair[0 if has_values else 1],
            settings=replace(pair[0].settings, cheapest=cheapest),
        ),
        problems_with_values(),
        st.booleans(),
        st.booleans(),
    )


@given(asked())
def test_the_list_is_that_of_the_specification_also_where_a_search_looks_for_the_least_sum(problem):
    compared(problem)
