"""Where everything is known, several tasks are planned at a time, and the same is found.

Random problems seldom are like that, so these are made so: nothing is unknown or volatile,
nothing is suspended, and there are no branches.
"""

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings

from bthtn import Domain, Fluent, Settings, State, fluent, method, sequence
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import PlainBody
from bthtn.domain.network import (
    NULL,
    DeferNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.planning.htn.compiled.search import CompiledQuestion
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request
from bthtn.testing.playground import World
from bthtn.testing.strategies import problems
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN
from tests.properties.test_compiled import description


@contextmanager
def nothing_volatile():
    """While it lasts, no fluent of the playground is driven by sensors."""
    prototypes = [family.prototype for family in World.__schema__.families.values()]
    driven = [one for one in (*World.__schema__.fluents.values(), *prototypes) if one.volatile]
    for one in driven:
        one.volatile = False
    try:
        yield
    finally:
        for one in driven:
            one.volatile = True


def plainly(network):
    """The network with everything in it one after the other, now."""
    match network:
        case PlainBody() | PauseNetwork():
            return NULL
        case DeferNetwork(call):
            return call
        case SequenceNetwork(parts) | ParallelNetwork(parts) | PriorityNetwork(parts):
            return SequenceNetwork(tuple(map(plainly, parts)))
        case _:
            return network


def settled(problem):
    domain = problem.domain
    methods = {
        task: tuple(replace(one, body=plainly(one.body)) for one in several)
        for task, several in domain.methods.items()
    }
    known = {f: value for f, value in problem.state.items() if value is not UNKNOWN}
    return replace(
        problem,
        domain=FrozenDomain(
            domain.name, domain.state_class, domain.tasks, MappingProxyType(methods)
        ),
        state=FrozenState(known),
        goal=plainly(problem.goal),
        settings=Settings(max_expansions=100_000, seed=problem.settings.seed),
    )


def first(search):
    """What a search finds, and how often it tried; None where it did not end."""
    status = search.advance(5_000)
    if status is SearchStatus.RUNNING:
        return None
    return status, search.plan and description(search.plan)


seen = Counter()


@given(problems())
def test_planning_in_one_go_finds_what_the_interpreter_finds(problem):
    compare(problem)


def compare(problem):
    with nothing_volatile():
        problem = settled(problem)
        question = CompiledQuestion.of(problem)
        expected = first(HtnSearch(problem))
        if expected is None or not question.is_light:
            return
        plan = question.plan(problem.state)
        assert (plan and description(plan)) == expected[1]
        seen[expected[0]] += 1


@pytest.mark.slow
def test_enough_problems_are_planned_in_one_go():
    @settings(
        max_examples=600,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(problems())
    def look(problem):
        compare(problem)

    seen.clear()
    look()
    assert seen[SearchStatus.SOLVED] >= 20
    assert seen[SearchStatus.EXHAUSTED] >= 5


class Maze(State):
    """Somebody who may turn round for ever."""

    turned: Fluent[bool] = fluent(default=False)
    steps: Fluent[int] = fluent(default=0)


maze = Domain("maze", Maze)
turn = maze.primitive("turn", effects=Maze.turned.becomes(True), precondition=~Maze.turned)
turn_back = maze.primitive("turn_back", effects=Maze.turned.becomes(False))
step = maze.primitive("step", effects=Maze.steps.increases(1))
leave = maze.primitive("leave", precondition=Maze.steps >= 3)


@maze.compound
def wander():
    """Turning round and back comes first, and leads nowhere."""
    yield method(turn(), turn_back(), wander())
    yield method(leave(), when=Maze.steps >= 3)
    yield method(step(), wander())


@maze.compound
def count_to(top: int):
    yield method(when=Maze.steps >= top)
    yield method(step(), count_to(top))


@maze.compound
def dawdle():
    """Nothing is preferred; what follows may ask for more."""
    yield method()
    yield method(dawdle(), step())
    yield method(step(), step(), step())


@pytest.mark.parametrize(
    "goal", [sequence(dawdle(), leave()), wander(), count_to(3), count_to(5_000)], ids=str
)
def test_what_would_go_round_for_ever_is_cut_as_the_interpreter_cuts_it(goal):
    asked = request(maze, Maze(), goal)
    search = HtnSearch(asked)
    search.advance()
    question = CompiledQuestion.of(asked)
    plan = question.plan(asked.state)
    assert (plan.record, plan.expansions) == (search.plan.record, search.plan.expansions)
    assert [str(one) for one in plan.steps] == [str(one) for one in search.plan.steps]
