"""A search that asks generated functions first runs in slices, and is cancelled, as any other."""

from dataclasses import replace

import pytest

from bthtn import Domain, Fluent, Planner, Settings, State, fluent, method, sequence
from bthtn.planning.htn.fastpath import accelerated, accelerator
from bthtn.planning.htn.fastpath.accelerated import AcceleratedSearch
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request


class Walker(State):
    at: Fluent[int] = fluent(default=0)


domain = Domain("walker", Walker)
step = domain.primitive("step", effects=Walker.at.increases(1))


@domain.compound
def walk():
    yield method(*[step()] * 10)


@domain.compound
def walk_on():
    yield method(step(), walk_on())


def search(answer=None):
    asked = request(domain, Walker(), walk())

    def ask(_state, _most, kept):
        kept[:] = [-11]
        return answer

    return AcceleratedSearch(ask, asked.state, 1_000, lambda _: asked, False)


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


@pytest.mark.parametrize("budget", [1, 2, 50])
def test_in_slices_of_any_size_functions_find_the_plan_alone(budget, monkeypatch):
    many = sequence(*[walk()] * 100)
    asked = request(domain, Walker(), many)
    ask = accelerator(asked.domain, many, (), asked.settings)
    monkeypatch.setattr(accelerated, "HtnSearch", None)
    run = AcceleratedSearch(ask, asked.state, 2_000, lambda _: asked, False)
    slices = 1
    while run.advance(budget) is SearchStatus.RUNNING:
        assert run.expansions == slices * budget
        slices += 1
    assert len(run.plan.actions) == 1_000
    assert run.expansions == run.plan.expansions == 1_100


@pytest.mark.parametrize("budget", [None, 1, 7, 50, 100])
def test_functions_that_come_to_the_limit_leave_nothing_to_the_search(budget, monkeypatch):
    planner = Planner(domain, walk_on(), Settings(max_expansions=50))
    asked = request(domain, Walker(), walk_on(), planner.settings)
    planner.search(Walker()).advance()  # the second time functions are generated
    alone, fast = HtnSearch(asked), planner.search(Walker())
    monkeypatch.setattr(accelerated, "HtnSearch", None)
    while alone.advance(budget) is SearchStatus.RUNNING:
        assert fast.advance(budget) is SearchStatus.RUNNING
        assert fast.expansions == alone.expansions
    assert fast.advance(budget) is alone.status is SearchStatus.LIMIT
    assert (fast.expansions, fast.plan) == (alone.expansions, None)
    monkeypatch.undo()
    assert fast.reads == alone.reads


@pytest.mark.parametrize("settings", [Settings(anytime=True), Settings(max_depth=20)])
def test_what_is_not_over_at_the_limit_is_left_to_the_search(settings):
    settings = replace(settings, max_expansions=50)
    planner = Planner(domain, walk_on(), settings)
    for _ in range(3):
        fast = planner.search(Walker())
        fast.advance()
    alone = HtnSearch(request(domain, Walker(), walk_on(), settings))
    alone.advance()
    assert (fast.status, fast.expansions) == (alone.status, alone.expansions)
    assert (fast.plan and fast.plan.actions) == (alone.plan and alone.plan.actions)


@pytest.mark.parametrize("depth", [4, 5, 6, 7, 8, 100])
def test_a_call_that_is_nested_too_deep_behind_the_last_expansion_ends_the_search(depth):
    deep = Domain("deep", Walker)

    @deep.compound
    def go(down: int):
        yield method(go(down + 1))

    asked = request(deep, Walker(), go(0), Settings(max_depth=depth, max_expansions=6))
    ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
    run = AcceleratedSearch(ask, asked.state, min(depth, 6), lambda _: asked, False)
    alone = HtnSearch(asked)
    assert (run.advance(), run.expansions) == (alone.advance(), alone.expansions)
    assert run.status is (SearchStatus.LIMIT if depth > 6 else SearchStatus.EXHAUSTED)


def test_one_that_is_over_stays_as_it_is():
    run = search()
    assert run.advance() is SearchStatus.SOLVED
    plan = run.plan
    run.cancel()
    assert (run.status, run.plan) == (SearchStatus.SOLVED, plan)
    assert run.expansions == plan.expansions


def loaded(run):
    """A search as it is after it was saved and loaded."""
    made = AcceleratedSearch.__new__(AcceleratedSearch)
    for name, value in run.__getstate__().items():
        setattr(made, name, value)
    made.resume(None)
    return made


def test_one_that_was_loaded_is_saved_again():
    run = search()
    run.advance(3)
    again = loaded(loaded(run))
    assert (again.status, again.expansions) == (SearchStatus.RUNNING, 3)
    assert again.advance() is SearchStatus.SOLVED
    assert again.expansions == again.plan.expansions == 11
