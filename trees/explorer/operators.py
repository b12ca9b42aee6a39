"""Operators: how the steps of the MiniGrid domain are done, an action in each tick."""

from __future__ import annotations

from collections.abc import Iterator

from bthtn.behaviours import Elapsed, OperatorFailed, Operators, Running
from bthtn.examples.domains.minigrid import domain as steps
from bthtn.examples.domains.minigrid.beliefs import NOTHING, is_door, kind
from bthtn.kit.grids import HEADINGS, Cell, WaySearch, moved

from .body import Body
from .level import Action
from .senses import Explorers

operators = Operators()


@operators.bind(steps.look_at)
@operators.on_resume(steps.look_at)
def look_at(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    while place not in agent.body.map:
        yield from _towards(agent.body, place)


@operators.bind(steps.go_up_to)
@operators.on_resume(steps.go_up_to)
def go_up_to(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    while agent.body.front != place:
        yield from _towards(agent.body, place)


@operators.bind(steps.enter)
@operators.on_resume(steps.enter)
def enter(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the place in front of him
    yield from _done(agent.body, Action.FORWARD)


@operators.bind(steps.pick_up)
@operators.on_resume(steps.pick_up)
def pick_up(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    what = agent.body.map.get(place)
    yield from _done(agent.body, Action.PICK_UP)
    if agent.body.carried != what:
        raise OperatorFailed(f"{what} cannot be picked up")


@operators.bind(steps.put_down)
@operators.on_resume(steps.put_down)
def put_down(agent: Explorers, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent.body, Action.PUT_DOWN)
    if agent.body.carried != NOTHING:
        raise OperatorFailed("there is no room for it")


@operators.bind(steps.open_door)
@operators.bind(steps.unlock)
@operators.on_resume(steps.open_door)
@operators.on_resume(steps.unlock)
def open_door(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent.body, Action.TOGGLE)
    if not is_door(agent.body.map.get(place, ""), "open"):
        raise OperatorFailed("the door does not open")


@operators.bind(steps.open_box)
@operators.on_resume(steps.open_box)
def open_box(agent: Explorers, place: Cell, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent.body, Action.TOGGLE)
    if kind(agent.body.map.get(place, "")) == "box":
        raise OperatorFailed("the box does not open")


def _done(body: Body, action: Action) -> Running:
    """Do something, and see in the next tick what came of it."""
    body.act(action)
    yield


def _towards(body: Body, place: Cell) -> Running:
    """A step on the shortest way to stand before a place, turns counted."""
    action = _first_action(body, place)
    if action is None:
        raise OperatorFailed(f"the way to {place} is blocked")
    yield from _done(body, action)


def _first_action(body: Body, place: Cell) -> Action | None:
    """The nearest pose in which he faces the place, as for where he may stand and look."""

    def steps(pose: tuple[Cell, Cell]) -> Iterator[tuple[float, tuple[Cell, Cell]]]:
        here, heading = pose
        ahead, turn = moved(here, heading), HEADINGS.index(heading)
        if body.is_free(ahead):
            yield 1, (ahead, heading)
        yield 1, (here, HEADINGS[(turn + 1) % 4])
        yield 1, (here, HEADINGS[turn - 1])

    search = WaySearch((body.here, body.heading), steps, lambda pose: moved(*pose) == place)
    search.advance()
    if not search.way[1:]:
        return None
    turns = HEADINGS.index(search.way[1][1]) - HEADINGS.index(body.heading)
    return (Action.FORWARD, Action.RIGHT, None, Action.LEFT)[turns % 4]
