"""Legs take somebody through a world that a test draws."""

import pytest

from bthtn.behaviours import OperatorFailed
from bthtn.kit.grids import EAST, Legs, Patience, WaySearch, beside, moved

LINE = {"a": [(1, "b"), (5, "c")], "b": [(1, "c")], "c": []}


class Drawn:
    """A world of cells; ``>`` looks to the east. A ``o`` is cleared away by a stroke at it."""

    def __init__(self, drawing):
        rows = enumerate(drawing.split())
        self.cells = {(x, y): mark for y, row in rows for x, mark in enumerate(row)}
        (self.here,) = [cell for cell, mark in self.cells.items() if mark == ">"]
        self.heading = EAST
        self.done = []
        self.order = None

    def price(self, cell):
        return {".": 1, ">": 1, "o": 3}.get(self.cells.get(cell), 0)

    def price_of(self, _, cell):
        return self.price(cell)

    def is_free(self, cell):
        return self.cells.get(cell) in (".", ">")

    def enter(self, cell):
        heading = (cell[0] - self.here[0], cell[1] - self.here[1])
        if self.is_free(cell) or heading != self.heading:
            self.turn(heading)
        else:
            self.order = "strike"

    def turn(self, heading):
        self.order = heading

    def wait(self):
        self.order = "wait"

    def step(self):
        front = moved(self.here, self.heading)
        if self.order == "strike":
            self.cells[front] = "."
        elif self.order != "wait":
            self.heading = self.order
            there = moved(self.here, self.heading)
            self.here = there if self.is_free(there) else self.here
        self.done.append(self.order)

    def take(self, walk, most=50):
        """Do all that a walk orders, a step for each; how many there were."""
        before = len(self.done)
        for _ in walk:
            self.step()
            assert len(self.done) - before < most
        return len(self.done) - before


def legs_in(drawing, expansions=1000):
    world = Drawn(drawing)
    return world, Legs(world, expansions)


def marked(world, mark):
    return lambda cell: world.cells.get(cell) == mark


def test_he_walks_to_where_it_is_wanted():
    world, legs = legs_in(">... ###. ....")
    assert world.take(legs.go(lambda cell: cell == (0, 2))) == 8
    assert world.here == (0, 2)


def test_who_is_there_already_does_nothing():
    world, legs = legs_in(">..")
    assert world.take(legs.go(lambda cell: cell == (0, 0))) == 0


def test_what_is_in_the_way_is_cleared_if_going_round_takes_longer():
    world, legs = legs_in(">o. ... ###")
    assert world.take(legs.go(lambda cell: cell == (2, 0))) == 3
    assert "strike" in world.done
    world, legs = legs_in(">o.. #.## ....")
    world.cells[0, 1] = "."
    world.cells[1, 0] = "#"
    world.cells[2, 1] = "."
    assert world.take(legs.go(lambda cell: cell == (3, 0))) == 5
    assert "strike" not in world.done


def test_he_comes_up_to_what_nobody_can_walk_into_and_faces_it():
    world, legs = legs_in(">... ..T.")
    world.take(legs.approach(marked(world, "T")))
    assert world.cells[moved(world.here, world.heading)] == "T"
    assert world.here in beside((2, 1))


def test_he_goes_after_what_walks_away():
    world, legs = legs_in(">.T..")
    walk = legs.approach(marked(world, "T"))
    next(walk)
    world.step()
    world.cells[2, 0], world.cells[4, 0] = ".", "T"
    world.take(walk)
    assert moved(world.here, world.heading) == (4, 0)


def test_to_face_a_free_cell_he_comes_from_behind():
    world, legs = legs_in(".... .>.. ....")
    world.take(legs.face(lambda cell: cell == (1, 0)))
    assert moved(world.here, world.heading) == (1, 0)
    assert world.is_free((1, 0))


def test_he_turns_without_leaving_the_cells_that_are_allowed():
    world, legs = legs_in("#### #>.. ####")
    room = {(1, 1), (2, 1)}
    world.take(legs.face(lambda cell: cell == (3, 1), room))
    assert (world.here, world.heading) == ((2, 1), EAST)
    with pytest.raises(OperatorFailed, match="there is no way"):
        world.take(legs.face(lambda cell: cell == (2, 1), {(2, 1)}))


def test_where_there_is_no_way_he_says_so():
    world, legs = legs_in(">.#.")
    for walk in (legs.go, legs.approach, legs.face):
        with pytest.raises(OperatorFailed, match="there is no way"):
            world.take(walk(lambda cell: cell == (9, 9)))


def test_who_is_kept_from_coming_nearer_gives_up():
    world, legs = legs_in(">...")
    world.step = lambda: world.done.append("held")
    with pytest.raises(OperatorFailed, match="it comes no nearer"):
        world.take(legs.go(lambda cell: cell == (3, 0)), most=200)


def test_he_explores_until_it_is_enough():
    world, legs = legs_in(">....")
    seen = {(0, 0)}
    walk = legs.explore(lambda cell: cell not in seen, world.price_of, lambda: (3, 0) in seen)
    for _ in walk:
        world.step()
        seen.update((world.here, *beside(world.here)))
        assert len(world.done) < 50
    assert world.here == (2, 0)


def test_news_that_nobody_can_get_at_are_no_reason_to_look_for_ever():
    world, legs = legs_in(">#")
    with pytest.raises(OperatorFailed, match="there is no way"):
        world.take(legs.explore(marked(world, "#"), lambda *_: 1, until=lambda: False))


def test_he_prefers_the_news_that_cost_less():
    world, legs = legs_in("....>.....")
    news = {(2, 0), (6, 0)}
    price = lambda here, there: 1 if there[0] < 4 else 9  # noqa: E731 - as the caller writes it
    world.take(legs.explore(news.__contains__, price, until=lambda: world.here == (2, 0)))
    assert world.here == (2, 0)


def test_while_a_search_takes_time_he_waits():
    world, legs = legs_in(">.........", expansions=4)
    world.take(legs.go(lambda cell: cell == (9, 0)))
    assert world.done[:2] == ["wait", "wait"]
    assert world.here == (9, 0)


def test_what_he_can_get_to_comes_with_the_nearest_first():
    _, legs = legs_in("..>o#.")
    assert [*legs.reached(10)] == [(2, 0), (1, 0), (0, 0), (3, 0)]
    assert [*legs.reached(2)] == [(2, 0), (1, 0)]


def test_a_search_finds_the_cheapest_way_in_slices():
    search = WaySearch("a", LINE.__getitem__, lambda place: place == "c")
    assert not search.advance(1)
    assert search.way == ()
    assert search.advance()
    assert search.way == ("a", "b", "c")
    assert search.before == {"a": None, "b": "a", "c": "b"}


def test_a_search_for_nothing_reaches_everything():
    search = WaySearch("a", LINE.__getitem__)
    assert search.advance()
    assert search.way == ()
    assert [*search.before] == ["a", "b", "c"]


def test_patience_begins_anew_with_every_progress():
    patience = Patience(2)
    assert [patience.is_over(left) for left in (5, 5, 4, 4, 4)] == [
        *(False, False, False, False, True)
    ]
