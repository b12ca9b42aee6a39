"""The search and the page of recursion that specifies it give the same answers to any problem."""

import pytest
from hypothesis import event, given

from bthtn import (
    UNKNOWN,
    Domain,
    Primitive,
    defer,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.domain.network import network_text
from bthtn.plan.walk import outline
from bthtn.planning.htn.reference import Reference
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request
from bthtn.testing.playground import World
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


def agree(problem):
    """Assert that both find the same, and say how much that was."""
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
    return f"{len(found)} plans, then {status.value}"


@given(problems())
def test_the_search_finds_what_the_reference_finds_in_the_same_order_at_the_same_cost(problem):
    event(agree(problem))


RARE = Domain("what random problems seldom show", World)
idle = RARE.primitive("idle")


@RARE.primitive
def visit(who: str) -> Primitive:
    return primitive(precondition=World.at[who])


@RARE.compound
def attend(who: str):
    yield method(visit(who))
    yield method(idle())


@pytest.mark.parametrize(
    "goal",
    [
        sequence(visit(World.place), idle()),
        sequence(attend(World.place), idle()),
        priority(visit(World.place), idle()),
        sequence(defer(idle(), ensures=World.at[World.place].becomes(True)), idle()),
        parallel(defer(idle(), ensures=World.lit.becomes(World.open)), idle()),
    ],
    ids=network_text,
)
def test_the_two_agree_about_calls_and_promises_of_which_nobody_can_tell_the_object(goal):
    for place in (UNKNOWN, "a"):
        assert (
            agree(request(RARE, World(place=place, at={"a": True}), goal))
            != "0 plans, then exhausted"
        )
