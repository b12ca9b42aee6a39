"""Whoever listens to generated functions hears what the interpreter tells, and no word twice."""

from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.planning.htn.compiled.lean import watch as watch_module
from bthtn.planning.htn.compiled.search import CompiledQuestion
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import Searched
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState
from tests.properties.plain import from_seed, problem
from tests.properties.test_compiled import description

AT_ONCE = (1, 7, 100)


def told(asked):
    """What the interpreter tells, what it reads of the state, and the search."""
    heard, start = [], RecordingState(asked.state)
    search = HtnSearch(replace(asked, state=start), heard.append)
    search.advance()
    return heard, start.readings, search


def watch(asked, at_once):
    """Hold what is heard of the search for choices against the interpreter; what it was like.

    Nothing is told between so many expansions.
    """
    expected, readings, search = told(asked)
    answers, heard = [], []

    def others(state, listener):
        answers.append(state)
        HtnSearch(replace(asked, state=state), listener).advance()
        return Searched(search.status, search.plan, search.expansions, readings)

    watching = CompiledQuestion.of(asked).watching(others)
    if watching is None:
        return ["nobody listens"]
    with patch.object(watch_module, "AT_ONCE", at_once):
        found = watching.search(asked.state, heard.append)
    assert heard == expected
    assert (found.status, found.expansions) == (search.status, search.expansions)
    assert (found.plan and description(found.plan)) == (search.plan and description(search.plan))
    assert readings.items() >= found.reads.items()
    if answers:
        return ["told by others"]
    again = []
    seen = FrozenState(found.reads)  # all other fluents have other values, most of the time
    assert watching.search(seen, again.append).reads == found.reads
    assert (again, len(answers)) == (expected, 0)
    kinds = {type(event).__name__ for event in heard}
    return [*kinds, "told bit by bit" if found.expansions > at_once else "told at once"]


@given(st.data())
def test_those_who_listen_hear_what_the_interpreter_tells(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    event(watch(problem(choose), choose(AT_ONCE))[-1])


@pytest.mark.slow
def test_of_enough_of_these_problems_something_of_every_kind_is_heard():
    seen = Counter(
        word for seed in range(400) for word in watch(from_seed(seed), AT_ONCE[seed % 3])
    )
    assert seen["told at once"] >= 80
    assert seen["told bit by bit"] >= 50
    assert seen["told by others"] >= 30
    assert seen["TaskPlanned"] >= 80
    assert seen["TaskRejected"] >= 80
    assert seen["MethodEntered"] >= 100
    assert seen["MethodRejected"] >= 50
    assert seen["RecursionCut"] >= 30
    assert seen["Backtracked"] >= 50
