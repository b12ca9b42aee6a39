"""A repaired plan works to its end, and is the old one but for one part, whatever the problem."""

from typing import Any, NamedTuple

from hypothesis import assume, event, given
from hypothesis import strategies as st

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan import leaves
from bthtn.engine.plan.nodes import ParallelNode, PriorityNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import outline, preorder, record_of
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.repair import Repair
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.validity import validity_of
from bthtn.engine.world.state import FrozenState
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import problems, states
from bthtn.testing import validate
from tests.rests import INVALID, SUCCESS, rest_of

VARIABLES = [*World.__schema__.fluents.values(), World.at["a"], World.at["b"]]


@st.composite
def broken_plans(draw):
    """A plan that breaks: somebody has changed the world, or else a step of it fails."""
    problem = draw(problems())
    search = HtnSearch.of(problem)
    search.advance()
    assume(search.plan is not None and search.plan.steps)
    plan, other = search.plan, draw(states())
    steps = [*leaves(plan.tree)]
    branches = any(isinstance(node, ParallelNode | PriorityNode) for _, node in preorder(plan.tree))
    done = 0 if branches else draw(st.integers(0, len(steps) - 1))
    changed = draw(st.sampled_from([VARIABLES, VARIABLES[:5], VARIABLES[5:], []]))
    now = problem.state.changed({one: other.get(one) for one in changed})
    statuses = {step: INVALID if n >= done else SUCCESS for n, step in enumerate(steps)}
    rest = rest_of(plan.tree, statuses)
    failure = validity_of(rest, problem.domain, now).failure
    avoiding = {}
    node = None if failure is None else failure.node
    if node is None:
        node = steps[draw(st.integers(done, len(steps) - 1))]
        avoiding = {(node.task, node.args): "it failed"}
    return Broken(problem, plan, rest, node, now, avoiding, done)


class Broken(NamedTuple):
    problem: PlanRequest
    plan: Plan
    rest: Rest
    broken: Any
    now: FrozenState
    avoiding: dict
    done: int

    def repair(self):
        start = Start(self.now, self.avoiding)
        return Repair(self.plan, self.rest, self.broken, start, self.problem.settings)


def is_whole(problem, plan):
    """Whether every step has to work: no alternative, and nothing foreseen, may be out of date."""
    nodes = [node for _, node in preorder(plan.tree)]
    alternatives = [
        node
        for node in nodes
        if isinstance(node, PriorityNode)
        or (isinstance(node, ParallelNode) and node.policy is not ParallelPolicy.ALL)
    ]
    return not alternatives and not problem.settings.check_rest


@given(broken_plans())
def test_a_repaired_plan_works_to_its_end_and_leads_where_it_says(drawn):
    problem, old, rest, _, now, avoiding, done = drawn
    repair = drawn.repair()
    repair.advance()
    why = "a step failed" if avoiding else "the world changed"
    event(f"{repair.status.value}, {why}, {'some' if done else 'no'} steps done")
    if repair.plan is None:
        return
    left = rest.with_part(repair.path[-1], repair.part)
    assert validity_of(left, problem.domain, now).failure is None
    part = [step for step in leaves(repair.plan.tree) if step not in {*leaves(old.tree)}]
    assert not any((step.task, step.args) in avoiding for step in part)
    if done == 0 and is_whole(problem, repair.plan):
        # Unlike a new plan, what is kept may have to do with things that are unknown by now.
        seen = validate(repair.plan, now)
        assert seen.ok or "unknown" in seen.reason, seen
    assert repair.plan.record == record_of(repair.plan.tree)


@given(broken_plans())
def test_what_lies_beside_the_part_is_the_very_same(drawn):
    repair = drawn.repair()
    if repair.advance() is not SearchStatus.SOLVED:
        return
    old, inside = set(leaves(drawn.plan.tree)), set(leaves(repair.path[-1]))
    kept = [step for step in leaves(repair.plan.tree) if step in old]
    assert kept == [step for step in leaves(drawn.plan.tree) if step not in inside]


@given(broken_plans(), st.integers(1, 4))
def test_a_repair_is_the_same_however_its_budget_is_sliced(drawn, budget):
    whole, sliced = drawn.repair(), drawn.repair()
    whole.advance()
    while sliced.advance(budget) is SearchStatus.RUNNING:
        pass
    assert sliced.status is whole.status
    assert sliced.expansions == whole.expansions
    if whole.plan is not None:
        assert outline(sliced.plan.tree) == outline(whole.plan.tree)


@given(problems())
def test_the_record_of_a_plan_can_be_read_off_its_tree(problem):
    search = HtnSearch.of(problem)
    if search.advance() is SearchStatus.SOLVED:
        assert record_of(search.plan.tree) == search.plan.record
