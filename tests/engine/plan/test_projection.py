"""Projection: the state that a plan leads to, said once for all that look ahead."""

from hypothesis import assume, given

from bthtn.engine.plan.projection import Projection
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.world.trail import WorkingState
from bthtn.studio.testing.strategies import problems


@given(problems())
def test_a_plan_leads_to_the_state_that_the_planner_has_predicted(problem):
    search = HtnSearch.of(problem)
    search.advance()
    assume(search.plan is not None and not problem.settings.check_rest)
    projection = Projection(WorkingState(problem.state))
    projection.project(search.plan.tree)
    assert projection.state.freeze() == search.plan.predicted
