"""Walking a plan tree: the same answers as recursion would give, without recursion."""

import pytest

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import (
    DEFERRED,
    HORIZON,
    NULL_NODE,
    PAUSED,
    Foreseen,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    SuspensionKind,
    TaskNode,
)
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import (
    children_of,
    copied,
    flat,
    fold,
    footprint,
    leaves,
    node_text,
    outline,
    preorder,
    unwound,
)
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.state import FrozenState

ALL, ANY, PRIMARY = ParallelPolicy


class World(State):
    number: Fluent[int] = fluent(default=0)
    door: Fluent[bool] = fluent(default=False)


DOMAIN = Domain("walks", World)


@DOMAIN.compound
def travel():
    yield method()


def task(name, args=(), **footprint):
    made = Domain("one", World).primitive(name)
    return TaskNode(made, args, Footprint(**footprint))


A, B, C = task("a"), task("b"), task("c")


def scope(child, index=0, args=()):
    return ScopeNode(travel, args, index, child)


def shape(node):
    """The tree as nested text."""
    inside = ", ".join(map(shape, children_of(node)))
    return f"{node_text(node)}({inside})" if inside else node_text(node)


# going through


TREE = SequenceNode((scope(A), ParallelNode((B, NULL_NODE), ALL), PriorityNode((C,), (1,))))


def test_a_tree_is_walked_parents_first_from_left_to_right():
    walked = [(depth, str(node)) for depth, node in preorder(TREE)]
    assert walked == [
        *((0, "sequence"), (1, "travel m0"), (2, "a"), (1, "parallel"), (2, "b"), (2, "null")),
        *((1, "priority"), (2, "c")),
    ]


def test_the_leaves_are_the_tasks_from_left_to_right():
    assert list(leaves(TREE)) == [A, B, C]


def test_a_fold_gives_every_node_the_results_of_its_children():
    def count(node, below):
        return 1 + sum(below)

    assert fold(TREE, count) == len(list(preorder(TREE)))
    assert fold(TREE, lambda node, below: (str(node), *below)) == (
        "sequence",
        ("travel m0", ("a",)),
        ("parallel", ("b",), ("null",)),
        ("priority", ("c",)),
    )


def test_a_copy_is_an_equal_tree_of_other_nodes():
    write = Write(WriteKind.CONSTANT, value=True)
    later = SuspendedNode((travel(),), (), DEFERRED, {World.door: write})
    foreseen = Foreseen(scope(B), FrozenState({}), FrozenState({}))
    known = SuspendedNode((travel(),), (), PAUSED, foreseen=foreseen)
    tree = SequenceNode((TREE, later, known))
    copy = copied(tree)
    assert outline(copy) == outline(tree)
    assert footprint(copy) == footprint(tree)
    again = copy.children[-1].foreseen
    assert outline(again.tree) == outline(foreseen.tree)
    old = [*preorder(tree), *preorder(foreseen.tree)]
    new = [*preorder(copy), *preorder(again.tree)]
    assert {node for _, node in old} & {node for _, node in new} == {NULL_NODE}


def test_an_outline_tells_trees_apart_by_what_stands_where():
    assert outline(TREE) == outline(SequenceNode(TREE.children))
    others = [
        SequenceNode((A, B)),
        SequenceNode((SequenceNode((A,)), B)),
        SequenceNode((B, A)),
        ParallelNode((A, B), ALL),
        ParallelNode((A, B), ANY),
        PriorityNode((A, B), (0, 1)),
        PriorityNode((A, B), (0, 2)),
        PriorityNode((A, B), (0, 1), reactive=True),
        scope(A),
        scope(A, 1),
        scope(A, 0, ("north",)),
        SuspendedNode((), (), PAUSED),
        SuspendedNode((travel(),), (), PAUSED),
        SuspendedNode((travel(),), (), HORIZON),
    ]
    assert len({outline(other) for other in others}) == len(others)


def test_nodes_print_what_they_are():
    unknown = Suspension(SuspensionKind.UNKNOWN, "door")
    assert node_text(SuspendedNode((travel(), travel()), (), unknown)) == (
        "suspended (unknown door): travel, travel"
    )
    assert str(SuspendedNode((), (), DEFERRED)) == "suspended (defer)"
    assert str(task("move", ("north", 3))) == "move('north', 3)"
    assert str(scope(A, 2, (True,))) == "travel(true) m2"
    assert str(ParallelNode((), PRIMARY)) == "parallel primary"
    assert str(PriorityNode((), (), reactive=True)) == "priority reactive"


def test_a_recursive_function_can_run_without_the_call_stack_of_python():
    def depth_of(number):
        return 1 + (yield depth_of(number - 1)) if number else 0

    assert unwound(depth_of(50_000)) == 50_000


def test_an_exception_inside_passes_through():
    def fail(number):
        if not number:
            raise ValueError("bottom")
        yield fail(number - 1)

    with pytest.raises(ValueError, match="bottom"):
        unwound(fail(10))


# as it is run


@pytest.mark.parametrize(
    ("tree", "run"),
    [
        (scope(scope(A)), "a"),
        (SequenceNode((scope(SequenceNode((A, B))), C)), "sequence(a, b, c)"),
        (SequenceNode((A, NULL_NODE, B)), "sequence(a, b)"),
        (SequenceNode((A, NULL_NODE)), "a"),
        (SequenceNode((NULL_NODE,)), "null"),
        (SequenceNode(()), "null"),
        (ParallelNode((A, B), ALL), "parallel(a, b)"),
        (ParallelNode((A, NULL_NODE), ALL), "a"),
        (ParallelNode((A, NULL_NODE, B), ALL), "parallel(a, b)"),
        (ParallelNode((A,), ANY), "a"),
        (ParallelNode((A,), PRIMARY), "a"),
        (ParallelNode((NULL_NODE, NULL_NODE), ANY), "null"),
        (ParallelNode((SequenceNode((A, B)), C), ALL), "parallel(sequence(a, b), c)"),
        (PriorityNode((A, B), (0, 1)), "priority (0, 1)(a, b)"),
        (PriorityNode((A,), (1,)), "a"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_run_has_no_scopes_and_nothing_that_makes_no_difference(tree, run):
    assert shape(flat(tree)) == run


def test_an_alternative_that_does_nothing_hides_those_behind_it_and_stays():
    assert shape(flat(PriorityNode((NULL_NODE, A), (0, 1)))) == "priority (0, 1)(null, a)"


@pytest.mark.parametrize(
    "tree",
    [
        ParallelNode((NULL_NODE, A), ANY),
        ParallelNode((A, NULL_NODE), ANY),
        ParallelNode((NULL_NODE, A), PRIMARY),
        ParallelNode((NULL_NODE, A, B), PRIMARY),
    ],
    ids=shape,
)
def test_a_branch_that_is_done_at_once_may_end_its_siblings_and_stays(tree):
    # Under `any` it ends them, as the first branch under `primary`; without it they would run.
    assert outline(flat(tree)) != outline(flat(SequenceNode((A,))))
    assert "null" in shape(flat(tree))


# what a tree touches


def increase(amount):
    return {World.number: Write(WriteKind.INCREASE, amount)}


def test_a_tree_reads_and_writes_what_its_parts_do_and_scopes_read_too():
    reads = Footprint(reads=frozenset({World.door}))
    tree = ScopeNode(travel, (), 0, SequenceNode((task("x", writes=increase(1)), A)), reads)
    seen = footprint(SequenceNode((tree, task("y", writes=increase(2), uses=frozenset({"arm"})))))
    assert seen.reads == {World.door}
    assert seen.writes == increase(3)
    assert seen.uses == {"arm"}


def test_a_choice_is_sure_of_nothing_that_only_one_alternative_writes():
    tree = PriorityNode((task("x", writes=increase(1)), A), (0, 1))
    assert footprint(tree).writes[World.number].kind is WriteKind.COMPUTED


@pytest.mark.parametrize("policy", [ANY, PRIMARY])
def test_a_branch_that_may_be_aborted_is_sure_of_nothing_it_writes(policy):
    tree = ParallelNode((A, task("x", writes=increase(1))), policy)
    assert footprint(tree).writes[World.number].kind is WriteKind.COMPUTED


def test_a_deferred_task_writes_what_it_ensures():
    tree = SuspendedNode((travel(),), (), DEFERRED, increase(1))
    assert footprint(tree) == Footprint(writes=increase(1))


# records


@pytest.mark.parametrize(
    ("better", "worse"),
    [((0,), (1,)), ((0, 2), (1, 0)), ((0, 0, 1), (0, 3, 0)), ((1, 0, 5), (1, 1))],
)
def test_a_record_beats_another_that_is_greater_at_the_first_difference(better, worse):
    assert MethodTraversalRecord(better).beats(MethodTraversalRecord(worse))
    assert not MethodTraversalRecord(worse).beats(MethodTraversalRecord(better))


@pytest.mark.parametrize("longer", [(), (0,), (5, 5)])
def test_of_two_records_where_one_continues_the_other_none_is_better(longer):
    one, other = MethodTraversalRecord((1, 2)), MethodTraversalRecord((1, 2, *longer))
    assert not one.beats(other)
    assert not other.beats(one)


def test_a_record_prints_as_a_list():
    assert repr(MethodTraversalRecord((1, 0, 2))) == "[1,0,2]"
