"""Explanations of random problems: claimed changes help, and of fewer none does."""

from itertools import combinations, product

from hypothesis import given

from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import leaves, preorder
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.errors import BthtnError
from bthtn.studio.explanation import changes_for, methods_of, why
from bthtn.studio.explanation.changes import values_for
from bthtn.studio.explanation.why_not import MethodOutcome
from bthtn.studio.testing.strategies import problems
from tests.sizes import size


def plan_of(asked):
    """The plan of a request, None where there is none; BthtnError where there is no answer."""
    search = search_for(asked)
    search.advance()
    return search.plan


def changed(asked, changes):
    state = asked.state.changed(dict(changes))
    return PlanRequest(asked.domain, state, asked.goal, asked.binding, asked.settings)


def has_plan(plan):
    return plan is not None


def has_none(plan):
    return plan is None


def helps(asked, wanted, changes):
    try:
        return wanted(plan_of(changed(asked, changes)))
    except BthtnError:
        return False


def smaller_sets(asked, count):
    values, fluents = values_for(asked), asked.domain.schema.fluents.values()
    for several in combinations(fluents, count):
        for chosen in product(*map(values, several)):
            yield tuple(zip(several, chosen, strict=True))


@given(problems())
def test_changes_turn_a_problem_without_a_plan_into_one_with_a_plan_and_the_reverse(asked):
    try:
        wanted = has_none if plan_of(asked) is not None else has_plan
    except BthtnError:
        return
    found = changes_for(asked, wanted, budget=size(quick=60, thorough=300))
    assert all(helps(asked, wanted, one) for one in found.sets)
    assert len({len(one) for one in found.sets}) <= 1
    if found.is_complete:
        least = len(found.sets[0]) if found.sets else 2
        for count in range(1, least):
            assert not any(helps(asked, wanted, one) for one in smaller_sets(asked, count))


def outcome(asked):
    try:
        wanted = has_none if plan_of(asked) is not None else has_plan
    except BthtnError:
        return []
    found = changes_for(asked, wanted, budget=100)
    kind = f"{len(found.sets[0])} changes" if found.sets else "no changes"
    return [f"{kind}, {'all tried' if found.is_complete else 'not all tried'}"]


@given(problems())
def test_every_step_and_named_decomposition_of_a_plan_is_explained(asked):
    try:
        plan = plan_of(asked)
        answers = methods_of(asked)
    except BthtnError:
        return
    if plan is None:
        assert all(one.outcome is MethodOutcome.FAILED for one in answers)
        return
    reasons = why(plan, asked.state)
    assert [one.node for one in reasons if one.method is None] == list(leaves(plan.tree))
    scopes = (node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    chosen = [(str(one).rpartition(" m")[0], one.method) for one in scopes if not one.task.origin]
    assert [(one.task, one.method) for one in answers if one.is_chosen] == chosen
    for step in leaves(plan.tree):
        assert why(plan, asked.state, step)[-1].node is step
