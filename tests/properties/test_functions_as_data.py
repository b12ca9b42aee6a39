"""Functions that are translated into data plan as they do when they are called."""

from collections import Counter

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.plan.plan import Plan
from bthtn.planning.htn.fastpath import accelerator
from bthtn.planning.htn.fastpath.tree_entries import TreeEntries
from bthtn.planning.htn.translation.translator import translations
from bthtn.planning.protocol import SearchStatus
from tests.properties.test_fastpath import asking, compare, description, searched, written
from tests.properties.written import from_seed, problem
from tests.sizes import seeds, size


def compared(asked):
    """Hold what generated functions find against a search that calls the functions; what it was."""
    if searched(asked).status is SearchStatus.ERROR:
        ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
        if ask is None:
            return ["not plain"]
        assert ask(asked.state, asked.settings.max_depth) is None
        return ["raises"]
    return compare(asked)


@given(st.data())
def test_translated_functions_find_what_a_search_finds_that_calls_them(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    with problem(choose) as asked:
        event(str(compared(asked)))


def test_they_do_so_for_many_problems_and_most_functions_are_translated():
    seen = Counter()
    for seed in seeds(quick=150, thorough=1_500):
        with from_seed(seed) as asked:
            seen.update(compared(asked))
            known = asked.domain.derived(translations).values()
            seen.update("called" if one is None else "translated" for one in known)
    assert seen["translated"] > 2 * seen["called"]
    assert seen["solved"] > size(quick=5, thorough=80)
    assert seen["exhausted"] > size(quick=5, thorough=70)


def test_plans_are_what_was_found_when_functions_mean_something_else_by_then(monkeypatch):
    seen = Counter()
    monkeypatch.setattr(TreeEntries, "is_as_assumed", lambda _: False)
    for seed in seeds(quick=150, thorough=1_500):
        with from_seed(seed) as asked:
            ask = asking(asked)
            answer = ask and ask(asked.state, asked.settings.max_depth)
            if not isinstance(answer, Plan):
                continue
            made, found = description(answer), description(searched(asked).plan)
            touched, expected = made.pop("footprints"), found.pop("footprints")
            assert made == found
            # A function also reads what decides nothing; its translation does not.
            for one, two in zip(touched, expected, strict=True):
                assert one.reads <= two.reads
                assert one.writes.keys() == two.writes.keys()
            seen.update(type(one).__name__ for one in asked.domain.derived(translations).values())
    assert seen["Translation"] > size(quick=20, thorough=200)


@pytest.mark.slow
def test_enough_of_them_have_mistakes_loops_and_families():
    seen = Counter()
    for seed in range(1_500):
        with from_seed(seed) as asked:
            answered = compared(asked)
            is_answered = answered[0] in {"solved", "exhausted"}
            seen.update([*answered, *(written(asked) if is_answered else [])])
    assert seen["raises"] >= 2
    assert seen["guarded"] >= 30
    assert seen["members"] >= 30
