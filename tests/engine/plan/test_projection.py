"""Projection: the state that a plan leads to, said once for all that look ahead."""

import pytest
from hypothesis import assume, given

from bthtn import UNKNOWN, Domain, Planner, defer, parallel, priority
from bthtn.engine.plan.projection import Projection
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.trail import WorkingState
from bthtn.studio.testing.strategies import World, problems


@pytest.fixture
def domain():
    return Domain("ahead", World)


def projected(domain, goal, **given):
    """The projection of a plan for the goal, at its end."""
    plan = Planner(domain, goal).plan(World(**given))
    projection = Projection(World(**given).frozen())
    projection.project(plan.tree)
    return projection


@given(problems())
def test_a_plan_leads_to_the_state_that_the_planner_has_predicted(problem):
    search = HtnSearch.of(problem)
    search.advance()
    assume(search.plan is not None and not problem.settings.check_rest)
    projection = Projection(problem.state)
    projection.project(search.plan.tree)
    assert projection.state.freeze() == search.plan.predicted


def test_branches_start_from_one_state_and_the_longest_says_how_far_it_is(domain):
    a = domain.primitive("a", effects=World.count.increases(1), duration=1)
    b = domain.primitive("b", effects=World.ammo.increases(World.ammo), duration=5)
    projection = projected(domain, parallel((a(), a()), b()), ammo=2)
    now = projection.state.freeze()
    assert (now.get(World.count), now.get(World.ammo)) == (2, 4)
    assert (projection.path.steps, projection.path.elapsed) == (2, 5)


def test_what_alternatives_disagree_on_is_unknown(domain):
    a = domain.primitive("a", effects=[World.count.becomes(1), World.lit.becomes(False)])
    b = domain.primitive("b", effects=[World.count.becomes(2), World.lit.becomes(False)])
    now = projected(domain, priority(a(), b())).state.freeze()
    assert (now.get(World.count), now.get(World.lit)) == (UNKNOWN, False)


def test_a_suspended_part_does_what_it_ensures(domain):
    a = domain.primitive("a", effects=World.count.becomes(7))
    projection = projected(domain, defer(a(), ensures=World.open.becomes(True)))
    now = projection.state.freeze()
    assert (now.get(World.open), now.get(World.count), projection.path.steps) == (True, 0, 0)


def test_volatile_fluents_are_known_before_the_first_step_and_outside_of_alternatives(domain):
    senses = []

    class Noting(Projection):
        def effects(self, node):
            senses.append((str(node), self.state.get(World.seen) is not UNKNOWN))
            return super().effects(node)

    a, b, c = (domain.primitive(name) for name in "abc")
    for goal in (parallel(a(), b()), priority(a(), b()), (c(), a())):
        Noting(World().frozen()).project(Planner(domain, goal).plan(World()).tree)
    assert senses == [
        *(("a", True), ("b", True)),
        *(("a", False), ("b", False)),
        *(("c", True), ("a", False)),
    ]


def test_nested_branches_are_merged_by_all_that_they_have_done(domain):
    a, b, c = (domain.primitive(name, effects=World.count.increases(1)) for name in "abc")
    choice = projected(domain, parallel(priority(a(), b()), c()))
    together = projected(domain, parallel(parallel(a(), b()), c()))
    assert choice.state.freeze().get(World.count) == 2
    assert together.state.freeze().get(World.count) == 3


def test_a_merge_reads_the_state_only_where_a_branch_leaves_a_fluent_as_it_was(domain):
    a = domain.primitive("a", effects=[World.open.becomes(True), World.lit.becomes(True)])
    b = domain.primitive("b", effects=World.open.becomes(True))
    plan = Planner(domain, priority(a(), b())).plan(World())
    start = World().frozen()
    seen, projection = RecordingView(start), Projection(start)
    projection.state = WorkingState(start, seen)
    projection.project(plan.tree)
    assert [str(fluent) for fluent in seen.readings] == ["lit"]
