"""Graphs as mappings, held against those of networkx."""

from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from bthtn.graphs import components, reached, recurring, round_trip

GRAPHS = st.dictionaries(
    st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8
).map(lambda below: {node: below.get(node, []) for node in range(8)})


@given(GRAPHS)
def test_components_are_those_of_networkx_and_numbered_from_what_is_reached(below):
    numbers = components(below)
    same = {frozenset(other for other in below if numbers[other] == numbers[one]) for one in below}
    graph = nx.DiGraph(below)
    assert same == {frozenset(part) for part in nx.strongly_connected_components(graph)}
    assert all(numbers[other] <= numbers[one] for one in below for other in below[one])


@given(GRAPHS, st.sets(st.integers(0, 7)))
def test_what_is_reached_are_the_starts_and_all_below_them(below, starts):
    graph = nx.DiGraph(below)
    expected = starts.union(*(nx.descendants(graph, start) for start in starts))
    assert reached(starts, below.__getitem__) == expected


@given(GRAPHS)
def test_a_round_trip_is_a_shortest_one_and_there_is_one_from_all_that_recurs(below):
    graph = nx.DiGraph(below)
    for node in below:
        way = round_trip(below, node)
        assert bool(way) is (node in recurring(below))
        assert all(other in below[one] for one, other in pairwise(way))
        if way:
            assert way[0] == way[-1] == node
            lengths = nx.single_target_shortest_path_length(graph, node)
            nearest = min(dict(lengths)[other] for other in below[node] if other in dict(lengths))
            assert len(way) == nearest + 2


def test_of_equally_short_round_trips_the_one_that_is_mentioned_first_is_taken():
    assert round_trip({1: [2, 3], 2: [1], 3: [1]}, 1) == [1, 2, 1]
