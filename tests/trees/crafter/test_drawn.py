"""The castaway in worlds that a test draws: they do not move, and need no extra."""

import pytest

from bthtn.examples.trees.crafter.body import Body
from bthtn.examples.trees.crafter.level import Action
from bthtn.examples.trees.crafter.shelter import closed_room, easiest_room, gaps
from bthtn.examples.trees.crafter.steps import reflex

GROUND = {".": "grass", "_": "path", "#": "stone", "~": "water", "T": "tree", "L": "lava"}
THINGS = {"@": "player-down", "z": "zombie", "s": "skeleton", "c": "cow", "<": "arrow-left"}
THINGS |= {"p": "plant", "P": "plant-ripe"}


class Drawn:
    """A level of 9 by 7 cells, in the middle of which the castaway stands."""

    def __init__(self, drawing, **has):
        rows = [row for row in drawing.split() if row]
        marks = {(x - 4, y - 3): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
        self.cells = {
            cell: (GROUND.get(mark, "grass"), THINGS.get(mark, "")) for cell, mark in marks.items()
        }
        needs = dict.fromkeys(("health", "food", "drink", "energy"), 9)
        tools = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "stone")
        self.inventory = dict.fromkeys(tools, 0) | needs | has
        self.steps, self.darkness = 0, 0.0

    def view(self):
        return self.cells


def body_in(drawing, **has):
    return Body(Drawn(drawing, **has))


MEADOW = "......... ......... ......... ....@.... ......... ......... ........."


@pytest.mark.parametrize(
    ("row", "action"),
    [("....@....", None), ("....@z...", Action.EAST), ("...z@....", Action.WEST)],
)
def test_he_turns_to_who_can_strike_him(row, action):
    assert reflex(body_in(MEADOW.replace("....@....", row))) == action


def test_he_strikes_who_stands_before_him():
    drawing = "......... ......... ......... ....@.... ....z.... ......... ........."
    assert reflex(body_in(drawing)) is Action.DO


def test_he_gets_out_of_the_way_of_an_arrow():
    assert reflex(body_in(MEADOW.replace("@....", "@.<.."))) is Action.SOUTH


def test_an_arrow_that_flies_into_a_wall_does_not_matter():
    assert reflex(body_in(MEADOW.replace("@....", "@#<.."))) is None


def test_an_arrow_from_where_he_looks_is_blocked():
    body = body_in(MEADOW.replace("@....", "@.<.."), stone=1)
    body.heading = (1, 0)
    assert reflex(body) is Action.PLACE_STONE


def test_a_room_is_closed_when_nothing_can_walk_in():
    drawing = "......... ......... ...##.... ...#@#... ....#.... ......... ........."
    assert [*closed_room(body_in(drawing))] == [(0, 0)]
    assert not closed_room(body_in(MEADOW))


def test_water_closes_it_as_well_and_a_creature_in_it_does_not():
    drawing = "......... ......... ...~#.... ..~_@#... ...~#.... ......... ........."
    assert len(closed_room(body_in(drawing))) == 2
    assert not closed_room(body_in(drawing.replace("_", "z")))


def test_in_the_rock_the_easiest_room_takes_two_cells():
    rock = "######### ######### ######### ####@#### ######### ######### #########"
    room = easiest_room(body_in(rock, wood_pickaxe=1))
    assert len(room) == 2
    assert gaps(body_in(rock), room) == []


def test_on_the_meadow_it_takes_four_cells_and_eight_stones():
    assert len(easiest_room(body_in(MEADOW, stone=8))) == 4
    assert easiest_room(body_in(MEADOW, stone=7)) == ()


def test_a_shelter_has_water_if_there_is_some_near():
    shore = "......... ......... .......~~ ....@..~~ .......~~ ......... ........."
    room = easiest_room(body_in(shore, stone=9))
    assert any(x == 2 for x, _ in room)


def test_ways_lead_through_what_can_be_taken_away():
    body = body_in(MEADOW.replace("@....", "@#T~L"), wood_pickaxe=1, stone=1)
    assert [body.price((x, 0)) for x in (-1, 1, 2, 3, 4)] == [1, 3, 3, 5, 0]
    bare = body_in(MEADOW.replace("@....", "@#T~L"))
    assert [bare.price((x, 0)) for x in (-1, 1, 2, 3, 4)] == [1, 0, 3, 0, 0]


def test_ways_keep_off_archers_and_beds():
    assert body_in(MEADOW.replace("@....", "@..s.")).price((1, 0)) == 6
    drawing = "......... ...#..... ..#p#.... ...#@.... ......... ......... ........."
    body = body_in(drawing, wood_pickaxe=1)
    assert body.beds == [(-1, -1)]
    assert body.price((-1, 0)) == 0
    assert body_in(drawing.replace("p", "P"), wood_pickaxe=1).price((-1, 0)) == 3
