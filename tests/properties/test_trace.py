"""What a trace tells: all that happened, and all that it depended on."""

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import Planner
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import problems, states

VARIABLES = [*World.__schema__.fluents.values(), World.at["a"], World.at["b"]]


def planner_for(problem):
    return Planner(problem.domain, problem.goal, problem.settings)


def told(plan):
    return plan and (outline(plan.tree), plan.record, plan.predicted)


@given(problems())
def test_a_trace_is_what_a_listener_would_have_heard(problem):
    heard = []
    search = ListenedSearch(problem, heard.append)
    search.advance()
    trace = planner_for(problem).trace(problem.state)
    assert list(trace.events) == heard
    assert (trace.status, trace.expansions) == (search.status, search.expansions)
    assert told(trace.plan) == told(search.plan)
    unheard = HtnSearch.of(problem)
    unheard.advance()
    assert list(trace.reads.items()) == list(unheard.reads.items())


@given(problems(), states())
def test_from_a_state_that_agrees_in_what_was_read_a_search_comes_to_the_same(problem, other):
    planner = planner_for(problem)
    trace = planner.trace(problem.state)
    unread = {one: other.get(one) for one in VARIABLES if one not in trace.reads}
    changed = problem.state.changed(unread)
    event("some fluents were not read" if changed != problem.state else "nothing is different")
    again = planner.trace(changed)
    assert again.events == trace.events
    assert again.reads == trace.reads
    assert (again.status, again.expansions) == (trace.status, trace.expansions)


@given(problems(), st.integers(0, len(VARIABLES) - 1))
def test_what_was_read_is_told_with_its_value(problem, number):
    variable = VARIABLES[number]
    trace = planner_for(problem).trace(problem.state)
    if variable in trace.reads:
        assert trace.reads[variable] == problem.state.get(variable)
