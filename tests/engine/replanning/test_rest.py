"""Rest: what of a plan is finished, running, ahead; told apart by identity."""

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    PAUSED,
    ParallelNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.replanning.rest import Rest
from tests.rests import AHEAD, FINISHED, RUNNING, rest_of

A, B, C = (TaskNode(PrimitiveTask(name)) for name in "abc")
REST = SuspendedNode((), (), PAUSED)


def test_at_the_start_everything_is_ahead():
    rest = Rest.at_start(tree := SequenceNode((A, REST)))
    assert rest.status(A) is AHEAD
    assert rest.unfinished() == [A, REST]
    assert not rest.has_begun(tree)


def test_a_step_that_was_let_go_is_finished():
    rest = rest_of(SequenceNode((A, B)), {B: RUNNING})
    assert rest.status(A) is FINISHED
    assert rest.unfinished() == [B]


def test_what_has_begun_reaches_up_to_the_root():
    first, second = SequenceNode((A, B)), SequenceNode((C, NULL_NODE))
    tree = ParallelNode((first, second), ParallelPolicy.ALL)
    rest = rest_of(tree, {A: FINISHED, B: RUNNING, C: AHEAD})
    assert [node for node in (tree, first, second, A, B, C) if rest.has_begun(node)] == [
        *(tree, first, A, B)
    ]


def test_what_has_no_steps_is_behind_when_a_step_after_it_has_started():
    nodes = (SequenceNode((NULL_NODE,)), A, SequenceNode(()))
    tree = SequenceNode(nodes)
    assert Rest.at_start(tree).last_begun(nodes) == -1
    assert rest_of(tree, {A: RUNNING}).last_begun(nodes) == 1


def test_below_a_suspended_part_is_what_was_planned_for_it():
    tree, inside = SequenceNode((A, REST)), SequenceNode((B, C))
    rest = rest_of(tree, {A: FINISHED, B: FINISHED, C: AHEAD}, {REST: inside})
    assert rest.below(REST) == (inside,)
    assert rest.unfinished() == [C]
    assert rest.has_begun(inside)


def test_ten_thousand_decompositions_deep_is_no_problem():
    nodes = [A]
    for _ in range(10_000):
        nodes.append(SequenceNode((nodes[-1],)))
    rest = rest_of(nodes[-1], {A: RUNNING})
    assert all(map(rest.has_begun, reversed(nodes)))
