"""Where all is plain data only choices are searched for, and the same is found."""

from collections import Counter

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.errors import PlanningError
from bthtn.planning.htn.compiled.search import CompiledQuestion, part_of
from bthtn.planning.htn.reference import Reference
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from tests.properties.plain import from_seed, problem
from tests.properties.test_compiled import description


def answer(question, state):
    """What a question answers, or that it was over the limit."""
    try:
        found = question.plan(state)
    except PlanningError as error:
        return error.diagnostics[0].code
    return found and description(found)


def interpreted(asked):
    search = HtnSearch(asked)
    if search.advance() is SearchStatus.LIMIT:
        return "BT203", search
    return search.plan and description(search.plan), search


OTHERS = object()


def answers(question, state, most):
    """What the search for choices answers, with and without care, or that others have to."""
    begin, asked = question.beginning, question.asked
    ask = begin.asking(asked, most, part_of, lambda _state: OTHERS)
    with_care, quickly = ask(state), ask(state)
    assert (with_care is quickly) or with_care.record == quickly.record
    return quickly


def compare(asked):
    """Hold the search for choices against the interpreter; what it was like."""
    expected, search = interpreted(asked)
    question, expansions = CompiledQuestion.of(asked), search.expansions
    assert answer(question, asked.state) == expected
    if question.beginning is None:
        return ["not plain"]
    found = answers(question, asked.state, question.most)
    if found is OTHERS:
        over = search.status is SearchStatus.LIMIT or expansions >= question.most
        return ["over the limit" if over else "given up"]
    assert (found is None) is (search.plan is None)
    # Where nothing is left at the limit itself, others have to say whether there was more to do.
    least = expansions if found is not None else expansions + 1
    assert answers(question, asked.state, least) is not OTHERS
    assert answers(question, asked.state, least - 1) is OTHERS
    text = question.source(asked.state)
    return [
        search.status.value,
        *(["guarded"] if "repeats(" in text else []),
        *(["members"] if "T.append(" in text else []),
        *(["sensing"] if asked.domain.schema.has_volatile else []),
        *(["long"] if expansions > 20 else []),
        *(["back"] if expansions > 2 * len(found.record if found else ()) + 10 else []),
    ]


@given(st.data())
def test_searching_for_choices_finds_what_the_interpreter_finds(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    event(compare(problem(choose)))


@pytest.mark.slow
def test_enough_of_these_problems_are_such_that_only_choices_are_searched_for():
    seen = Counter(word for seed in range(400) for word in compare(from_seed(seed)))
    assert seen["solved"] >= 20
    assert seen["exhausted"] >= 80
    assert seen["guarded"] >= 30
    assert seen["members"] >= 50
    assert seen["back"] >= 9
    assert seen["sensing"] >= 30
    assert seen["given up"] <= 4  # where two effects meet in one member


def test_the_first_plan_is_that_of_the_specification():
    compared = 0
    for seed in range(1_000, 1_200):
        asked = from_seed(seed)
        expected, search = interpreted(asked)
        if search.status is SearchStatus.LIMIT:
            continue  # the specification knows no limit
        plan = next(Reference(asked).plans(), None)
        assert (plan and description(plan)) == expected
        assert answer(CompiledQuestion.of(asked), asked.state) == expected
        compared += plan is not None
    assert compared >= 10
