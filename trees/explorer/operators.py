"""Operators: how the steps of the MiniGrid domain are done, an action in each tick."""

from __future__ import annotations

from collections.abc import Iterator

from bthtn import UNKNOWN
from bthtn.behaviours import Elapsed, OperatorFailed, Operators, Running
from bthtn.examples.domains.minigrid import domain as steps
from bthtn.examples.domains.minigrid.beliefs import NOTHING, Explorer, is_door, is_free, kind
from bthtn.kit.grids import WaySearch

from .body import moved
from .level import Action
from .senses import Explorers

operators = Operators()


@operators.bind(steps.look_at)
@operators.on_resume(steps.look_at)
def look_at(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    while agent.beliefs.get(Explorer.cell[place]) is UNKNOWN:
        yield from _towards(agent, place)


@operators.bind(steps.go_up_to)
@operators.on_resume(steps.go_up_to)
def go_up_to(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    while agent.beliefs.get(Explorer.front) != place:
        yield from _towards(agent, place)


@operators.bind(steps.enter)
@operators.on_resume(steps.enter)
def enter(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the place in front of him
    yield from _done(agent, Action.FORWARD)


@operators.bind(steps.pick_up)
@operators.on_resume(steps.pick_up)
def pick_up(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    what = agent.beliefs.get(Explorer.cell[place])
    yield from _done(agent, Action.PICK_UP)
    if agent.beliefs.get(Explorer.carrying) != what:
        raise OperatorFailed(f"{what} cannot be picked up")


@operators.bind(steps.put_down)
@operators.on_resume(steps.put_down)
def put_down(agent: Explorers, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent, Action.PUT_DOWN)
    if agent.beliefs.get(Explorer.carrying) != NOTHING:
        raise OperatorFailed("there is no room for it")


@operators.bind(steps.open_door)
@operators.bind(steps.unlock)
@operators.on_resume(steps.open_door)
@operators.on_resume(steps.unlock)
def open_door(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent, Action.TOGGLE)
    if not is_door(str(agent.beliefs.get(Explorer.cell[place])), "open"):
        raise OperatorFailed("the door does not open")


@operators.bind(steps.open_box)
@operators.on_resume(steps.open_box)
def open_box(agent: Explorers, place: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the body has the order
    yield from _done(agent, Action.TOGGLE)
    if kind(str(agent.beliefs.get(Explorer.cell[place]))) == "box":
        raise OperatorFailed("the box does not open")


def _done(agent: Explorers, action: Action) -> Running:
    """Do something, and see in the next tick what came of it."""
    agent.body.act(action)
    yield


def _towards(agent: Explorers, place: str) -> Running:
    """A step on the shortest way to stand before a place, turns counted."""
    action = _first_action(agent, place)
    if action is None:
        raise OperatorFailed(f"the way to {place} is blocked")
    yield from _done(agent, action)


def _first_action(agent: Explorers, place: str) -> Action | None:
    """The nearest pose in which he faces the place, as for where he may stand and look."""

    def steps(pose: tuple[str, int]) -> Iterator[tuple[float, tuple[str, int]]]:
        here, heading = pose
        ahead = moved(here, heading, ahead=1)
        if is_free(str(agent.beliefs.get(Explorer.cell[ahead]))):
            yield 1, (ahead, heading)
        yield 1, (here, (heading + 1) % 4)
        yield 1, (here, (heading - 1) % 4)

    start = (str(agent.beliefs.get(Explorer.at)), agent.body.heading)
    search = WaySearch(start, steps, lambda pose: moved(*pose, ahead=1) == place)
    search.advance()
    if not search.way[1:]:
        return None
    turns = (search.way[1][1] - start[1]) % 4
    return (Action.FORWARD, Action.RIGHT, None, Action.LEFT)[turns]
