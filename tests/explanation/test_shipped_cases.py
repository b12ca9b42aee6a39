"""Every case of every shipped domain is explained, and what is claimed is true."""

from itertools import combinations, product

import pytest

from bthtn.domain.task import CompoundTask
from bthtn.errors import BthtnError
from bthtn.explanation import MethodOutcome, changes_for, decomposition_table, methods_of, why
from bthtn.explanation.changes import values_for
from bthtn.explanation.why_not import chooses
from bthtn.plan.nodes import ScopeNode
from bthtn.plan.walk import leaves, preorder
from bthtn.planning.planner import search_for
from bthtn.planning.protocol import PlanRequest, request
from tests.corpus.shipped import FOLDER, cases_of

EXHAUSTIVE = 3_000


def requests():
    for file in sorted(FOLDER.glob("*/cases.toml")):
        for case in cases_of(file):
            asked = request(case.domain, case.state, case.task, case.settings)
            yield pytest.param(asked, id=f"{file.parent.name}-{case.name}")


CASES = list(requests())


def planned(asked):
    search = search_for(asked)
    search.advance()
    return search.plan


def named_scopes(plan):
    scopes = (node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    return [node for node in scopes if not node.task.origin]


@pytest.mark.parametrize("asked", CASES)
def test_every_method_of_every_task_in_the_plan_has_an_answer(asked):
    plan, answers = planned(asked), methods_of(asked)
    if plan is None:
        assert {one.outcome for one in answers} <= {MethodOutcome.FAILED}
        return
    chosen = [(one.task, one.method) for one in answers if one.is_chosen]
    assert chosen == [(str(one).rpartition(" m")[0], one.method) for one in named_scopes(plan)]
    for one in answers:
        if one.outcome in (MethodOutcome.FAILED, MethodOutcome.LATER_AND_FAILS):
            assert one.reasons, one
    wanted = sum(
        len(asked.domain.methods[one.task]) for one in named_scopes(plan) if one.task.choice is None
    )
    assert sum(1 for one in answers) >= wanted


@pytest.mark.parametrize("asked", CASES)
def test_every_step_says_what_it_relies_on_and_that_is_true(asked):
    plan = planned(asked)
    if plan is None:
        return
    everything = why(plan, asked.state)
    assert [one.node for one in everything if one.method is None] == list(leaves(plan.tree))
    for reasons in everything:
        for reliance in reasons.reliances:
            for used in reliance.values:
                if used.origin == "the initial state":
                    assert used.value == asked.state.get(used.fluent)
                else:
                    writer = used.origin.removeprefix("after ")
                    assert writer in map(str, leaves(plan.tree))


@pytest.mark.parametrize("asked", CASES)
def test_the_table_ends_with_the_plan_and_its_record(asked):
    plan = planned(asked)
    if plan is None:
        return
    last = decomposition_table(plan)[-1]
    assert last.tasks == ()
    assert [one for one in last.steps if not one.startswith("suspended")] == [
        str(node) for node in leaves(plan.tree)
    ]


def methods_not_chosen(asked):
    """The methods of the goal's own task, if it is a named one, that its plan does not use."""
    goal = asked.goal
    task = getattr(goal, "task", None)
    if not isinstance(task, CompoundTask) or task.origin or task.choice is not None:
        return []
    plan = planned(asked)
    numbers = range(len(asked.domain.methods[task]))
    return [one for one in numbers if not chooses(goal, one)(plan)]


@pytest.mark.slow
@pytest.mark.parametrize("asked", CASES)
def test_the_changes_lead_to_the_method_and_no_smaller_ones_do(asked):
    for method in methods_not_chosen(asked):
        wanted = chooses(asked.goal, method)
        changes = changes_for(asked, wanted, budget=400)
        for one in changes.sets:
            assert wanted(planned(with_changes(asked, one))), one
        if changes.is_complete:
            size = len(changes.sets[0]) if changes.sets else 3
            assert not smaller(asked, wanted, size)


def with_changes(asked, changes):
    return PlanRequest(
        asked.domain, asked.state.changed(dict(changes)), asked.goal, (), asked.settings
    )


def smaller(asked, wanted, size):
    """Sets of fewer changes that help, among all fluents, as far as that is soon found out."""
    values, fluents = values_for(asked), asked.domain.schema.fluents.values()
    tried = 0
    for count in range(1, size):
        for several in combinations(fluents, count):
            for chosen in product(*map(values, several)):
                tried += 1
                if tried > EXHAUSTIVE:
                    return []
                changes = tuple(zip(several, chosen, strict=True))
                try:
                    found = planned(with_changes(asked, changes))
                except BthtnError:
                    continue
                if wanted(found):
                    return [changes]
    return []


def test_many_cases_have_methods_that_are_not_chosen():
    sizes = [len(methods_not_chosen(case.values[0])) for case in CASES]
    assert sum(1 for one in sizes if one) > 50
