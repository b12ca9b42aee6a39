"""Dependency graphs with few edges, orders, and how trees are made of them, also of long ones."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.behaviours.compile import DEEPEST
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import NULL_NODE, ParallelNode, PriorityNode, SequenceNode
from bthtn.engine.plan.walk import flat, fold
from bthtn.engine.text.notation import normal
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.studio.analysis import makespan, parallelize
from bthtn.studio.analysis.dependencies import SequencePart, dependencies
from bthtn.studio.analysis.series_parallel import Order, arranged
from bthtn.testing import validate
from tests.sizes import size
from tests.studio.analysis.camp import Camp, running, specified

LONG = size(quick=1_500, thorough=5_000)
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_long_chains_side_by_side_stay_chains():
    plan = specified([([i - 10] if i >= 10 else [], 1) for i in range(LONG)])
    better = parallelize(plan)
    assert (makespan(plan.tree), makespan(better.tree)) == (LONG, LONG / 10)
    assert validate(better, Camp().frozen()).ok


def test_many_writers_and_many_readers_need_few_edges():
    count = 2_500
    fluent_ = Camp.ore
    writer = SequencePart(Footprint(writes={fluent_: Write(WriteKind.INCREASE, 1)}), NULL_NODE)
    reader = SequencePart(Footprint(frozenset([fluent_])), NULL_NODE)
    graph = dependencies([writer] * count + [reader] * count)
    assert graph.number_of_edges() == 2 * count
    assert nx.has_path(graph, (0, 0), (2 * count - 1, 0))


def test_a_plan_is_never_nested_too_deep_to_be_run():
    """Each second step can go on beside all that follows: nested parallels, one in the other."""
    plan = specified([([i - 1 - (i % 2 == 0)] if i else [], 1) for i in range(600)])
    better = parallelize(plan)
    assert 10 < fold(better.tree, _nesting) < DEEPEST
    assert makespan(better.tree) < 400
    _, root = running(better, Camp())
    assert sum(1 for _ in root.iterate()) > 600


def _nesting(node, below):
    return max(below, default=0) + isinstance(node, ParallelNode | PriorityNode)


def test_a_plan_that_was_put_side_by_side_better_is_returned_as_it_is():
    """The cut is chosen by what is known before the parts are arranged: not always the best."""
    needs = [[], [], [0], [0, 1], [1, 2], [0]]
    plan = specified(list(zip(needs, (1, 1, 2, 2, 1, 1), strict=True)))
    s0, s1, s2, s3, s4, s5 = plan.steps
    rows = [(s0, s1), (s2, s3, s5)]
    tree = SequenceNode((*(ParallelNode(row, ParallelPolicy.ALL) for row in rows), s4))
    better = replace(plan, tree=tree)
    assert validate(better, Camp().frozen()).ok
    assert makespan(parallelize(plan).tree) > makespan(better.tree)
    assert parallelize(better) is better


def test_where_nesting_ends_chains_or_levels_are_side_by_side_whichever_is_shorter():
    plan = specified([([], 1), ([], 1), ([0, 1], 1), ([], 2)])

    def shallow(weights, at_once=()):
        graph = nx.DiGraph([(0, 2), (1, 2)])
        graph.add_node(3)
        tree = arranged(Order(graph), plan.steps, weights, room=1, at_once=at_once)
        return normal(flat(tree))

    assert shallow([1, 1, 1, 3]) == "parallel((s0, s1, s2), s3)"
    assert shallow([1, 1, 1, 1]) == "(parallel(s0, s1, s3), s2)"
    assert shallow([1, 1, 1, 3], at_once=[1]) == "(parallel(s0, s1, s3), s2)"


@pytest.mark.slow
def test_the_tree_does_not_depend_on_the_hash_seed_or_on_addresses():
    script = (
        "from tests.studio.analysis.camp import specified\n"
        "from bthtn.studio.analysis import parallelize\n"
        "from bthtn.engine.text.notation import normal\n"
        "needs = [sorted({i * 7 % 5, i // 2, i * 3 % 11}) for i in range(60)]\n"
        "steps = [([one for one in few if one < i], i % 4) for i, few in enumerate(needs)]\n"
        "print(normal(parallelize(specified(steps)).tree))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(told) == 1
    assert told.pop().count("parallel(") > 3


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40))
def test_the_reduction_is_the_one_of_networkx(pairs):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from((a, b) for a, b in pairs if a < b)
    order = Order(graph)
    reduced = {(one, other) for one, behind in enumerate(order.behind) for other in behind}
    assert reduced == set(nx.transitive_reduction(graph).edges)
    for one in graph:
        assert {n for n in graph if order.all_behind[one] >> n & 1} == nx.descendants(graph, one)
        assert {n for n in graph if order.all_before[one] >> n & 1} == nx.ancestors(graph, one)
