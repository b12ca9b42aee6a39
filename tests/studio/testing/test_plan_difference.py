"""What a failed case shows of two plans."""

from bthtn import Domain, Fluent, State, fluent, parallel, priority, retry
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import request
from bthtn.studio.testing.plan_difference import circumstances, side_by_side


class World(State):
    lit: Fluent[bool] = fluent(default=False)


def planned(domain, *goal):
    return find_plan(domain, World(), goal).tree


def test_every_kind_of_node_is_a_line_and_the_first_that_differs_is_marked():
    house = Domain("house", World)
    a, b, c = (house.primitive(name) for name in "abc")
    one = planned(house, retry(2, a()), priority(a(), b()), parallel(b(), c()))
    other = planned(house, retry(2, a()), priority(a(), c(), reactive=True), parallel(b(), c()))
    assert side_by_side(one, other).splitlines() == [
        "  expected                          actual",
        "  sequence                          sequence",
        "    retry 2                           retry 2",
        "      a                                 a",
        "✗   priority, chosen at run time      priority reactive, chosen at run time",
        "      a                                 a",
        "      b                                 c",
        "    parallel                          parallel",
        "      b                                 b",
        "      c                                 c",
    ]


def test_one_that_ends_earlier_differs_there():
    house = Domain("house", World)
    a, b = (house.primitive(name) for name in "ab")
    shown = side_by_side(planned(house, a(), b()), planned(house, a(), b(), a()))
    assert shown.splitlines()[-1].strip() == "✗               a"


def test_a_search_that_raises_gives_no_reasons():
    house = Domain("house", World)
    step = house.primitive("step", precondition=lambda state: 1 / 0)
    asked = request(house, World(lit=True), step())
    assert circumstances(asked) == "planned from: lit = true"
