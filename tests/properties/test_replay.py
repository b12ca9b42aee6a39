"""Every plan that a search returns can be carried out on paper by somebody who did not search."""

from hypothesis import given

from bthtn.plan.replay import replay
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from bthtn.testing.strategies import problems


@given(problems())
def test_every_plan_replays_to_the_state_and_the_record_it_promises(problem):
    search = HtnSearch(problem)
    for _ in range(4):
        if search.advance() is not SearchStatus.SOLVED:
            return
        plan = search.plan
        seen = replay(plan, problem.state)
        assert seen.ok, f"{seen.where}: {seen.reason}"
        assert seen.final == plan.predicted
        assert seen.record == plan.record
        assert seen.footprint == plan.footprint
        assert seen.cost == plan.cost
        search.reject()
