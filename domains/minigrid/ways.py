"""Ways over the map: what the domain asks in plain functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from bthtn.kit.grids import Cell, WaySearch, around, beside

from .beliefs import MOVABLE, Explorer, is_door, is_free, key_to, kind

UNSEEN = "?"
OPENING, LIFTING, UNLOCKING = 2, 10, 20
"""How many steps of a detour are better than to open, to carry away, to fetch the key."""


def places(state: Explorer, thing: str) -> tuple[Cell, ...]:
    """Where the thing lies, if that was seen."""
    return (state.where[thing],) if state.is_known(Explorer.where[thing]) else ()


def has_clear_way(state: Explorer, to: Cell) -> bool:
    """Whether he can walk there, or beside it, without moving anything."""
    found = way(state, to)
    return bool(found) and all(is_free(state.cell[there]) for there in found[1:-1])


def obstacles(state: Explorer, to: Cell) -> tuple[Cell, ...]:
    """The things that must be opened or carried away on the best way there, in their order."""
    return tuple(there for there in way(state, to)[1:-1] if not is_free(state.cell[there]))


def unseen(state: Explorer) -> tuple[Cell, ...]:
    """The place never seen that is easiest to look at."""
    return _search(state, is_wanted=lambda what: what == UNSEEN).way[-1:]


def boxes(state: Explorer) -> tuple[Cell, ...]:
    """The box that is easiest to get at."""
    return _search(state, is_wanted=lambda what: kind(what) == "box").way[-1:]


def spots(state: Explorer) -> tuple[Cell, ...]:
    """Where something can be put down: out of the way if possible, then as near as possible."""
    seen = cache(partial(_seen, state))
    others = (there for there in _search(state).before if there != state.at)
    floor = (there for there in others if seen(there) == "floor")
    return tuple(sorted(floor, key=lambda there: _is_passage(seen, there)))


def way(state: Explorer, to: Cell) -> tuple[Cell, ...]:
    """The easiest way to a place, both ends included; empty if there is none."""
    return _search(state, to).way


def _search(
    state: Explorer, to: Cell | None = None, is_wanted: Callable[[str], bool] = lambda _: False
) -> WaySearch[Cell]:
    """Where he can get to, easiest first, up to a place or to what is wanted."""
    seen = cache(partial(_seen, state))  # the state is asked once for each place

    def is_goal(there: Cell) -> bool:
        return there == to or is_wanted(seen(there))

    def steps(here: Cell) -> Iterator[tuple[float, Cell]]:
        for there in beside(here):
            price = 1 if is_goal(there) else _price(state, seen(there))
            if price:
                yield price, there

    search = WaySearch(state.at, steps, is_goal)
    search.advance()
    return search


def _price(state: Explorer, what: str) -> int:
    """How many steps it is worth to get into a place with this; 0 if it cannot be entered."""
    if is_free(what):
        return 1
    if is_door(what, "closed"):
        return OPENING
    if is_door(what, "locked"):
        key = key_to(what)
        seen = UNLOCKING if places(state, key) else 0
        return OPENING if state.carrying == key else seen
    return LIFTING if kind(what) in MOVABLE else 0


def _is_passage(seen: Callable[[Cell], str], there: Cell) -> bool:
    """Whether something that lies there could be in the way: at a door, or between two rooms."""
    near = [seen(cell) for cell in around(there)]
    free = [is_free(what) for what in near]
    parts = sum(one and not other for one, other in zip(free, free[1:] + free[:1], strict=True))
    return parts > 1 or UNSEEN in near or any(kind(what) == "door" for what in near)


def _seen(state: Explorer, there: Cell) -> str:
    return state.cell[there] if state.is_known(Explorer.cell[there]) else UNSEEN
