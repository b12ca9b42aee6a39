from bthtn.kit.grids import EAST, HEADINGS, NORTH, around, beside, distance, moved, nearest


def test_headings_are_in_the_order_of_turns_to_the_right():
    turned = [(-dy, dx) for dx, dy in HEADINGS]
    assert turned == [*HEADINGS[1:], HEADINGS[0]]


def test_ahead_and_right_are_as_one_looks():
    assert moved((3, 3), EAST, ahead=2, right=1) == (5, 4)
    assert moved((3, 3), NORTH, ahead=2, right=1) == (4, 1)
    assert moved((3, 3), NORTH) == (3, 2)


def test_beside_are_the_four_cells_that_are_a_step_away():
    assert {distance((2, 5), cell) for cell in beside((2, 5))} == {1}
    assert len(set(beside((2, 5)))) == 4


def test_around_is_a_circle():
    circle = around((2, 5))
    assert len(set(circle)) == 8
    assert (2, 5) not in circle
    pairs = zip(circle, (*circle[1:], circle[0]), strict=True)
    assert all(distance(one, other) == 1 for one, other in pairs)


def test_the_nearest_is_the_first_of_those_that_are_as_near():
    assert nearest([(5, 0), (0, 2), (2, 0)], (0, 0)) == (0, 2)
    assert nearest([], (0, 0)) is None
