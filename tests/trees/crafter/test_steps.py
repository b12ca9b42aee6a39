"""What the castaway does for the steps of his domain, in worlds of a page that a test draws."""

import pytest
from py_trees.common import Status

from bthtn.behaviours import OperatorFailed
from bthtn.examples.trees.crafter import operators
from bthtn.examples.trees.crafter.body import FREE, STEPS, Body
from bthtn.examples.trees.crafter.leaves import BACKOFF, Do
from bthtn.examples.trees.crafter.level import Action
from bthtn.examples.trees.crafter.senses import sense
from bthtn.examples.trees.crafter.shelter import closed_room
from bthtn.examples.trees.crafter.tree import living, survivor
from bthtn.kit.grids import SOUTH, beside, moved

MARKS = {
    ".": "grass",
    "#": "stone",
    "~": "water",
    "T": "tree",
    "t": "table",
    "p": "plant",
    "P": "plant-ripe",
    "c": "cow",
    "s": "skeleton",
}
HEADINGS = {step: heading for heading, step in STEPS.items()}
TAKEN = {"stone": "stone", "tree": "wood"}
PLACED = {
    Action.PLACE_STONE: "stone",
    Action.PLACE_TABLE: "table",
    Action.PLACE_FURNACE: "furnace",
    Action.PLACE_PLANT: "plant",
}


class Small:
    """A world without dice: what is struck dies, and who sleeps has slept enough the step after."""

    def __init__(self, drawing, **has):
        self.ground, self.things = {}, {}
        for y, row in enumerate(drawing.split()):
            for x, mark in enumerate(row):
                if mark == "@":
                    self.here = (x, y)
                kind = MARKS.get(mark, "grass")
                on_grass = kind in ("cow", "skeleton", "plant", "plant-ripe")
                self.ground[x, y] = "grass" if on_grass else kind
                if on_grass:
                    self.things[x, y] = kind
        needs = dict.fromkeys(("health", "food", "drink", "energy"), 9)
        items = ("sapling", "wood", "stone", "wood_pickaxe", "stone_pickaxe", "iron_pickaxe")
        self.inventory = dict.fromkeys(items, 0) | needs | has
        self.start, self.heading, self.steps = self.here, SOUTH, 0
        self.darkness, self.asleep, self.over = 0.0, False, False
        self.score = frozenset()

    def view(self):
        x, y = self.here
        seen = {}
        for dx in range(-4, 5):
            for dy in range(-3, 4):
                cell = (x + dx, y + dy)
                seen[dx, dy] = (self.ground.get(cell, "void"), self.things.get(cell, ""))
        seen[0, 0] = (self.ground[self.here], "player-sleep" if self.asleep else "player-down")
        return seen

    def step(self, action):
        self.steps += 1
        self.asleep = action is Action.SLEEP and not self.asleep
        if action is Action.SLEEP:
            self.inventory["energy"] = 9
        elif action in HEADINGS:
            self.heading = HEADINGS[action]
            front = moved(self.here, self.heading)
            if self.ground.get(front) in FREE and front not in self.things:
                self.here = front
        else:
            self._work(action, moved(self.here, self.heading))

    def _work(self, action, front):
        thing, ground = self.things.get(front), self.ground.get(front)
        if action in PLACED and ground in FREE and not thing:
            (self.things if PLACED[action] == "plant" else self.ground)[front] = PLACED[action]
        elif action is Action.DO and thing in ("cow", "plant-ripe"):
            del self.things[front]
            self.inventory["food"] += 1
        elif action is Action.DO and ground == "water":
            self.inventory["drink"] += 1
        elif action is Action.DO and ground in TAKEN:
            self.ground[front] = "grass"
            self.inventory[TAKEN[ground]] += 1


def living_in(drawing, **has):
    agent = survivor(Body(Small(drawing, **has)))
    sense(agent)
    return agent


def do(agent, step, *given, most=80):
    """Do a step to its end; the world as it is then."""
    for _ in step(agent, *given):
        agent.body.step()
        sense(agent)
        assert agent.body.level.steps < most
    return agent.body.level


MEADOW = "........... ........... ........... .....@..... ........... ........... ..........."


def test_wood_is_taken_from_a_tree():
    world = do(living_in("...@.. ....T. ......"), operators.fetch, "wood", 1)
    assert world.inventory["wood"] == 1


def test_as_much_is_taken_as_was_asked_for_or_as_there_is():
    forest = "...@.. .T..T. ..T..."
    assert do(living_in(forest), operators.fetch, "wood", 2).inventory["wood"] == 2
    assert do(living_in(forest), operators.fetch, "wood", 5).inventory["wood"] == 3


def test_a_sapling_that_is_not_found_is_given_up():
    with pytest.raises(OperatorFailed, match="there is no sapling to be had"):
        do(living_in(MEADOW), operators.fetch, "sapling", 1, most=200)


def test_he_drinks_until_he_is_full():
    assert do(living_in("@..~~", drink=5), operators.drink).inventory["drink"] == 9


def test_in_a_shelter_with_water_he_drinks_inside_although_an_archer_is_near():
    agent = living_in("#s#### ###@.~ ###### ###~##", wood_pickaxe=1, drink=5)
    walls = dict(agent.body.level.ground)
    world = do(agent, operators.drink)
    assert world.inventory["drink"] == 9
    assert world.ground == walls


def test_what_is_not_known_is_found_beyond_the_border():
    world = do(living_in("@...........T"), operators.find, "tree")
    assert 0 < world.here[0] <= 9
    with pytest.raises(OperatorFailed, match="there is no way"):
        do(living_in("@..."), operators.find, "tree")


def test_a_cow_is_hunted():
    agent = living_in("@...c")
    do(agent, operators.hunt, "cow")
    assert agent.body.killed == "cow"
    assert agent.beliefs.now.done["cow"]


def test_each_hunt_is_for_a_cow_of_its_own():
    agent = living_in("@c.c", food=3)
    for food in (4, 5):
        assert do(agent, operators.hunt, "cow").inventory["food"] == food


def test_one_that_nobody_can_get_at_is_forgotten():
    agent = living_in("@#c")
    with pytest.raises(OperatorFailed, match="there is no way"):
        do(agent, operators.hunt, "cow")
    assert agent.body.creatures.cells_of("cow") == []


def test_a_furnace_is_placed_where_one_can_stand_beside_it_and_a_table():
    world = do(living_in("@...... ....t.. ......."), operators.put, "furnace")
    (furnace,) = [cell for cell, kind in world.ground.items() if kind == "furnace"]
    assert abs(furnace[0] - 4) <= 2
    assert abs(furnace[1] - 1) <= 2


def test_a_stone_is_put_in_front():
    assert "stone" in do(living_in(MEADOW), operators.put, "stone").ground.values()


def test_what_the_game_refuses_has_failed():
    agent = living_in("@...... ....t.. .......")
    with pytest.raises(OperatorFailed, match="no wood_pickaxe comes of it"):
        do(agent, operators.craft, "wood_pickaxe")
    assert abs(agent.body.level.here[0] - 4) <= 1


def test_a_plant_gets_grass():
    assert "plant" in do(living_in(MEADOW), operators.plant).things.values()


def test_a_bed_has_stones_on_all_sides():
    world = do(living_in(MEADOW), operators.plant_bed)
    ((bed, _),) = world.things.items()
    assert [world.ground[cell] for cell in beside(bed)] == ["stone"] * 4


def test_there_is_no_bed_where_no_grass_is():
    with pytest.raises(OperatorFailed, match="there is no place for a bed"):
        do(living_in("###### ##@### ######"), operators.plant_bed)


def test_what_is_ripe_is_eaten_through_its_fence():
    agent = living_in("....... ...#... ..#P#.. ...#... @......", wood_pickaxe=1, food=3)
    assert do(agent, operators.harvest).inventory["food"] == 4


def test_he_comes_home_from_where_it_is_near():
    bed = living_in("........... .#......... #p#......... .#.........@", wood_pickaxe=0)
    for _ in range(9):
        bed.body.turn((-1, 0))
        bed.body.step()
    for _ in range(9):
        bed.body.turn((1, 0))
        bed.body.step()
    world = do(bed, operators.go_home)
    assert abs(world.here[0] - 1) + abs(world.here[1] - 2) == 6


@pytest.mark.parametrize("drawing", [MEADOW, "#######\n" * 4 + "###@###\n" + "#######\n" * 4])
def test_he_builds_a_shelter_and_sleeps_in_it(drawing):
    agent = living_in(drawing, stone=9, wood_pickaxe=1, energy=2)
    do(agent, operators.dig_in)
    assert closed_room(agent.body)
    world = do(agent, operators.sleep)
    assert world.inventory["energy"] == 9
    assert agent.beliefs.now.done["sleep"]


def test_nobody_sleeps_where_something_can_come_in():
    with pytest.raises(OperatorFailed, match="something has come in"):
        do(living_in(MEADOW), operators.sleep)


def test_who_was_hurt_opens_no_wall_before_he_is_well_again():
    agent = living_in("####### ##@#### ####### .....c.", wood_pickaxe=1, health=3, food=3)
    castaway, world = living(agent), agent.body.level
    walls = dict(world.ground)
    while world.inventory["health"] < 7:
        for _ in range(10):
            castaway.tick()
        assert world.ground == walls
        world.inventory["health"] += 1
    for _ in range(40):
        castaway.tick()
    assert world.inventory["food"] == 4


def test_without_stones_there_is_no_shelter_on_a_meadow():
    with pytest.raises(OperatorFailed, match="there is no room to be made"):
        do(living_in(MEADOW), operators.dig_in)


def test_he_waits_by_his_bed_until_it_is_ripe():
    agent = living_in("####### ##@#### ####### ###p### #######")
    waiting = operators.tend(agent)
    for _ in range(3):
        next(waiting)
        assert agent.body.order is Action.WAIT
        agent.body.step()
    agent.body.level.things[3, 3] = "plant-ripe"
    agent.body.wait()
    agent.body.step()
    with pytest.raises(StopIteration):
        next(waiting)


def test_without_a_bed_he_waits_for_one_step():
    waiting = operators.tend(living_in(MEADOW))
    next(waiting)  # a step that ends at once, again and again, would be a tick without an action
    with pytest.raises(StopIteration):
        next(waiting)


def test_a_leaf_does_not_try_again_at_once_what_has_failed():
    agent = living_in("@~T")
    body, leaf = agent.body, Do(agent, operators.fetch, "wood", 1)
    leaf.tick_once()
    assert leaf.status is Status.FAILURE
    body.level.ground[1, 0] = "grass"
    body.wait()
    body.step()
    sense(agent)
    for steps, status in ((BACKOFF - 1, Status.FAILURE), (BACKOFF, Status.RUNNING)):
        body.level.steps = steps
        leaf.tick_once()
        assert leaf.status is status
