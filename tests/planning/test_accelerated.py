"""A search that asks generated functions first is cancelled as any other."""

import pytest

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.planning.htn.fastpath.accelerated import AcceleratedSearch
from bthtn.planning.protocol import SearchStatus, request


class Walker(State):
    at: Fluent[int] = fluent(default=0)


domain = Domain("walker", Walker)
step = domain.primitive("step", effects=Walker.at.increases(1))


@domain.compound
def walk():
    yield method(*[step()] * 10)


def search(answer=None):
    asked = request(domain, Walker(), walk())
    return AcceleratedSearch(lambda _state, _most: answer, asked.state, 1_000, lambda _: asked)


@pytest.mark.parametrize("answer", [None, 11])
def test_it_is_cancelled_between_two_slices(answer):
    run = search(answer)
    assert run.advance(3) is SearchStatus.RUNNING
    run.cancel()
    assert run.advance() is run.status is SearchStatus.CANCELLED
    assert run.plan is None


def test_it_is_cancelled_before_it_began():
    run = search()
    run.cancel()
    assert run.advance() is SearchStatus.CANCELLED


def test_one_that_is_over_stays_as_it_is():
    run = search()
    assert run.advance() is SearchStatus.SOLVED
    plan = run.plan
    run.cancel()
    assert (run.status, run.plan) == (SearchStatus.SOLVED, plan)
    assert run.expansions == plan.expansions
