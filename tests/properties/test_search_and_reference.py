"""The search and the page of recursion that specifies it give the same answers to any problem."""

from hypothesis import event, given

from bthtn.plan.walk import outline
from bthtn.planning.htn.reference import Reference
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from bthtn.testing.strategies import problems

MOST_PLANS = 5


class RunawayError(AssertionError):
    """The reference did more than the search needed for the same answers."""


class BoundedReference(Reference):
    """The reference, which by itself knows no limit, with one."""

    limit = 0
    spent = 0

    @property
    def expansions(self):
        return self.spent

    @expansions.setter
    def expansions(self, spent):
        self.spent = spent
        if spent > self.limit:
            raise RunawayError(f"more than {self.limit} expansions")


def description(plan):
    """Everything that a plan says, in a form that can be compared."""
    return {
        "tree": outline(plan.tree),
        "record": plan.record,
        "predicted": plan.predicted,
        "reads and writes": (plan.footprint.reads, plan.footprint.writes, plan.footprint.uses),
        "cost": plan.cost,
        "expansions": plan.expansions,
    }


def answers(search):
    """The first plans of a search, and how it came to an end."""
    found = []
    while len(found) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
        found.append(description(search.plan))
        search.reject()
    return found, search.status


@given(problems())
def test_the_search_finds_what_the_reference_finds_in_the_same_order_at_the_same_cost(problem):
    search = HtnSearch(problem)
    found, status = answers(search)
    reference = BoundedReference(problem)
    reference.limit = search.expansions
    plans = reference.plans()
    expected = [description(plan) for _, plan in zip(found, plans, strict=False)]
    assert found == expected
    if status is SearchStatus.EXHAUSTED:
        assert next(plans, None) is None
        assert reference.expansions == search.expansions
    event(f"{len(found)} plans, then {status.value}")
