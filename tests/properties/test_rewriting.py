"""What may be rewritten in a domain without changing what is done."""

from dataclasses import replace
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.domain.method import Method
from bthtn.engine.domain.network import NULL, sequence
from bthtn.engine.domain.task import PrimitiveTask, TaskCall
from bthtn.engine.plan.nodes import PriorityNode, ScopeNode
from bthtn.engine.plan.walk import children_of, outline
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.world.expression import Constant
from bthtn.studio.testing.strategies import problems

NEVER = Constant(value=False)
IMPOSSIBLE = PrimitiveTask("impossible", precondition=NEVER)


def first_plan(problem):
    search = HtnSearch.of(problem)
    search.advance()
    return search.plan


def record_of(node, shift=0):
    """The record as the tree tells it, every method ``shift`` places further down.

    What is drawn, or tried with several values, has no method in front of another.
    """
    if isinstance(node, ScopeNode):
        shifted = node.method + (0 if node.task.choice else shift)
        return [shifted, *record_of(node.child, shift)]
    if not isinstance(node, PriorityNode):
        return [entry for child in children_of(node) for entry in record_of(child, shift)]
    alternatives = {place: [1] for place in range(len(node.kept) + len(node.dropped))}
    for place, child in zip(node.kept, node.children, strict=True):
        alternatives[place] = [0, *record_of(child, shift)]
    return [entry for place in sorted(alternatives) for entry in alternatives[place]]


@given(problems())
def test_the_record_tells_the_choices_that_the_tree_shows(problem):
    plan = first_plan(problem)
    if plan:
        assert list(plan.record) == record_of(plan.tree)


@given(problems(), st.sampled_from(["never applies", "cannot be done", "fails late"]))
def test_an_impossible_method_in_front_shifts_the_record_and_nothing_else(problem, reason):
    body = {
        "never applies": NULL,
        "cannot be done": TaskCall(IMPOSSIBLE),
        "fails late": sequence(NULL, TaskCall(IMPOSSIBLE)),
    }[reason]
    useless = Method(body, NEVER if reason == "never applies" else Constant(value=True))
    domain = replace(
        problem.domain,
        tasks=MappingProxyType({**problem.domain.tasks, "impossible": IMPOSSIBLE}),
        methods=MappingProxyType(
            {
                task: methods if task.choice else (useless, *methods)
                for task, methods in problem.domain.methods.items()
            }
        ),
    )
    unlimited = replace(problem.settings, max_expansions=100_000)
    before = first_plan(replace(problem, settings=unlimited))
    after = first_plan(replace(problem, domain=domain, settings=unlimited))
    assert (before is None) == (after is None)
    if before:
        assert outline(after.flat()) == outline(before.flat())
        assert after.predicted == before.predicted
        assert list(after.record) == record_of(before.tree, shift=1)
