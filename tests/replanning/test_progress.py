"""Progress: what of a plan is finished, running, ahead; told apart by identity."""

from bthtn.domain.network import ParallelPolicy
from bthtn.domain.task import PrimitiveTask
from bthtn.plan.nodes import NULL_NODE, PAUSED, ParallelNode, SequenceNode, SuspendedNode, TaskNode
from bthtn.replanning.progress import Progress, Stage

A, B, C = (TaskNode(PrimitiveTask(name)) for name in "abc")
REST = SuspendedNode((), (), PAUSED)


def test_at_the_start_everything_is_ahead():
    progress = Progress.at_start(SequenceNode((A, REST)))
    assert progress.stage(A) is Stage.AHEAD
    assert progress.unfinished() == [A, REST]
    assert progress.begun() == frozenset()


def test_a_step_that_was_let_go_is_finished():
    progress = Progress(SequenceNode((A, B)), {B: Stage.RUNNING})
    assert progress.stage(A) is Stage.FINISHED
    assert progress.unfinished() == [B]


def test_what_has_begun_reaches_up_to_the_root():
    first, second = SequenceNode((A, B)), SequenceNode((C, NULL_NODE))
    tree = ParallelNode((first, second), ParallelPolicy.ALL)
    stages = {A: Stage.FINISHED, B: Stage.RUNNING, C: Stage.AHEAD}
    assert Progress(tree, stages).begun() == {tree, first, A, B}


def test_what_has_no_steps_is_behind_when_a_step_after_it_has_started():
    empty, ahead = SequenceNode((NULL_NODE,)), SequenceNode(())
    tree = SequenceNode((empty, A, ahead))
    assert empty not in Progress.at_start(tree).begun()
    begun = Progress(tree, {A: Stage.RUNNING}).begun()
    assert empty in begun
    assert ahead not in begun


def test_a_branch_without_steps_is_not_behind_because_another_has_started():
    empty = SequenceNode((NULL_NODE,))
    tree = ParallelNode((empty, A), ParallelPolicy.ALL)
    assert empty not in Progress(tree, {A: Stage.RUNNING}).begun()


def test_a_null_node_that_stands_elsewhere_too_was_not_come_past_there():
    ahead, running = SequenceNode((A, NULL_NODE)), SequenceNode((NULL_NODE, B))
    tree = ParallelNode((ahead, running), ParallelPolicy.ALL)
    progress = Progress(tree, {A: Stage.AHEAD, B: Stage.RUNNING})
    assert progress.begun() == {tree, running, B}


def test_below_a_suspended_part_is_what_was_planned_for_it():
    tree, inside = SequenceNode((A, REST)), SequenceNode((B, C))
    progress = Progress(
        tree, {A: Stage.FINISHED, B: Stage.FINISHED, C: Stage.AHEAD}, {REST: inside}
    )
    assert progress.below(REST) == (inside,)
    assert progress.unfinished() == [C]
    assert inside in progress.begun()


def test_ten_thousand_decompositions_deep_is_no_problem():
    tree = A
    for _ in range(10_000):
        tree = SequenceNode((tree,))
    progress = Progress(tree, {A: Stage.RUNNING})
    assert len(progress.begun()) == 10_001
