import pytest

from bthtn.kit.grids import GridMap, Sightings


def test_what_was_seen_is_remembered_and_what_was_not_is_missing():
    seen = GridMap()
    seen.see({(0, 0): "grass", (1, 0): "tree"})
    assert dict(seen) == {(0, 0): "grass", (1, 0): "tree"}
    assert (5, 5) not in seen
    assert seen.get((5, 5)) is None
    assert seen.get((5, 5), "dark") == "dark"
    with pytest.raises(KeyError):
        seen[5, 5]


def test_it_tells_what_was_believed_before_where_that_differs():
    seen = GridMap()
    assert seen.see({(0, 0): "grass", (1, 0): "tree"}) == {(0, 0): None, (1, 0): None}
    assert seen.see({(0, 0): "grass", (1, 0): "grass"}) == {(1, 0): "tree"}


def test_things_of_a_kind_are_kept_together_in_the_order_in_which_they_were_seen():
    seen = GridMap()
    seen.see({(3, 0): "tree", (1, 0): "tree", (2, 0): "water"})
    seen.see({(3, 0): "grass", (0, 0): "tree"})
    assert [*seen.cells_of("tree")] == [(1, 0), (0, 0)]
    assert [*seen.cells_of("gold")] == []


def test_the_border_is_what_was_never_seen_beside_what_was():
    seen = GridMap()
    seen.see({(0, 0): "grass"})
    assert set(seen.border) == {(1, 0), (0, 1), (-1, 0), (0, -1)}
    seen.see({(1, 0): "grass"})
    assert set(seen.border) == {(2, 0), (1, 1), (1, -1), (0, 1), (-1, 0), (0, -1)}


def test_a_cell_is_as_old_as_the_last_look_at_it():
    seen = GridMap()
    seen.see({(0, 0): "grass", (1, 0): "grass"}, now=3)
    seen.see({(1, 0): "grass"}, now=7)
    assert [seen.age(cell, now=9) for cell in ((0, 0), (1, 0), (2, 0))] == [6, 2, None]


def test_what_moves_is_believed_to_be_where_it_was_seen_last():
    cows = Sightings(memory=10)
    cows.see({(4, 0): "cow", (1, 1): "wolf"}, view={(4, 0), (1, 1)}, now=0)
    cows.see({}, view={(9, 9)}, now=3)
    assert cows.cells_of("cow") == [(4, 0)]
    assert cows.get((1, 1)) == "wolf"
    assert (4, 0) in cows
    assert cows.get((2, 2)) is None


def test_what_is_not_there_any_more_has_gone():
    cows = Sightings(memory=10)
    cows.see({(4, 0): "cow"}, view={(4, 0)}, now=0)
    cows.see({(5, 0): "cow"}, view={(4, 0), (5, 0)}, now=1)
    assert cows.cells_of("cow") == [(5, 0)]


def test_what_was_not_seen_for_long_is_forgotten():
    cows = Sightings(memory=10)
    cows.see({(4, 0): "cow"}, view={(4, 0)}, now=0)
    cows.see({}, view=(), now=9)
    assert (4, 0) in cows
    cows.see({}, view=(), now=10)
    assert (4, 0) not in cows


def test_a_kind_is_forgotten_at_once_where_that_is_wanted():
    cows = Sightings(memory=10)
    cows.see({(4, 0): "cow", (1, 1): "wolf"}, view=(), now=0)
    cows.forget("cow")
    assert cows.cells_of("cow") == []
    assert cows.cells_of("wolf") == [(1, 1)]
