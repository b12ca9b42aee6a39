"""Every case of every shipped domain is explained, and what is claimed is true."""

from itertools import combinations, product

import pytest

from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import leaves, preorder
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, request
from bthtn.errors import BthtnError
from bthtn.studio.explanation import (
    MethodOutcome,
    changes_for,
    decomposition_table,
    methods_of,
    why,
)
from bthtn.studio.explanation.changes import values_for
from bthtn.studio.explanation.why_not import chooses
from tests.corpus.shipped import FOLDER, cases_of

EXHAUSTIVE = 3_000


def requests(file):
    for case in cases_of(file):
        yield request(case.domain, case.state, case.task, case.settings)


FILES = sorted(FOLDER.glob("*/cases.toml"))
by_domain = pytest.mark.parametrize("file", FILES, ids=[file.parent.name for file in FILES])


def planned(asked):
    search = search_for(asked)
    search.advance()
    return search.plan


def named_scopes(plan):
    scopes = (node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    return [node for node in scopes if not node.task.origin]


@by_domain
def test_what_is_said_of_methods_steps_and_decompositions_is_true(file):
    for asked in requests(file):
        plan, answers = planned(asked), methods_of(asked)
        if plan is None:
            assert {one.outcome for one in answers} <= {MethodOutcome.FAILED}
            continue
        check_methods(asked, plan, answers)
        check_reasons(asked, plan)
        last = decomposition_table(plan)[-1]
        assert last.tasks == ()
        steps = [one for one in last.steps if not one.startswith("suspended")]
        assert steps == list(map(str, leaves(plan.tree)))


def check_methods(asked, plan, answers):
    """Every method of every task in the plan has an answer."""
    chosen = [(one.task, one.method) for one in answers if one.is_chosen]
    assert chosen == [(str(one).rpartition(" m")[0], one.method) for one in named_scopes(plan)]
    for one in answers:
        if one.outcome in (MethodOutcome.FAILED, MethodOutcome.LATER_AND_FAILS):
            assert one.reasons, one
    wanted = sum(
        len(asked.domain.methods[one.task]) for one in named_scopes(plan) if one.task.choice is None
    )
    assert len(answers) >= wanted


def check_reasons(asked, plan):
    """Every step says what it relies on."""
    everything = why(plan, asked.state)
    assert [one.node for one in everything if one.method is None] == list(leaves(plan.tree))
    for used in (
        used for one in everything for reliance in one.reliances for used in reliance.values
    ):
        if used.origin == "the initial state":
            assert used.value == asked.state.get(used.fluent)
        else:
            assert used.origin.removeprefix("after ") in map(str, leaves(plan.tree))


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
@by_domain
def test_the_changes_lead_to_the_method_and_no_smaller_ones_do(file):
    for asked in requests(file):
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
