"""Ways over the map: what the domain asks in plain functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bthtn.kit.grids import WaySearch

from .beliefs import MOVABLE, Explorer, around, beside, is_door, is_free, key_to, kind

UNSEEN = "?"
OPENING, LIFTING, UNLOCKING = 2, 10, 20
"""How many steps of a detour are better than to open, to carry away, to fetch the key."""


def places(state: Explorer, thing: str) -> tuple[str, ...]:
    """Where the thing lies, if that was seen."""
    return (state.where[thing],) if state.is_known(Explorer.where[thing]) else ()


def has_clear_way(state: Explorer, to: str) -> bool:
    """Whether he can walk there, or beside it, without moving anything."""
    return bool(way(state, lambda there: there == to)) and not obstacles(state, to)


def obstacles(state: Explorer, to: str) -> tuple[str, ...]:
    """The things that must be opened or carried away on the best way there, in their order."""
    between = way(state, lambda there: there == to)[1:-1]
    return tuple(there for there in between if not is_free(state.cell[there]))


def unseen(state: Explorer) -> tuple[str, ...]:
    """The place never seen that is easiest to look at."""
    return way(state, lambda there: _seen(state, there) == UNSEEN)[-1:]


def boxes(state: Explorer) -> tuple[str, ...]:
    """The box that is easiest to get at."""
    return way(state, lambda there: kind(_seen(state, there)) == "box")[-1:]


def spots(state: Explorer) -> tuple[str, ...]:
    """Where something can be put down: out of the way if possible, then as near as possible."""
    others = (there for there in _search(state).before if there != state.at)
    floor = (there for there in others if _seen(state, there) == "floor")
    return tuple(sorted(floor, key=lambda there: _is_passage(state, there)))


def way(state: Explorer, is_goal: Callable[[str], bool]) -> tuple[str, ...]:
    """The easiest way to a place that is wanted, both ends included; empty if there is none."""
    return _search(state, is_goal).way


def _search(state: Explorer, is_goal: Callable[[str], bool] = lambda _: False) -> WaySearch[str]:
    """Where he can get to, easiest first, up to what is wanted."""

    def steps(here: str) -> Iterator[tuple[float, str]]:
        for there in beside(here):
            price = 1 if is_goal(there) else _price(state, there)
            if price:
                yield price, there

    search = WaySearch(state.at, steps, is_goal)
    search.advance()
    return search


def _price(state: Explorer, there: str) -> int:
    """How many steps it is worth to get into a place; 0 if it cannot be entered."""
    what = _seen(state, there)
    if is_free(what):
        return 1
    if is_door(what, "closed"):
        return OPENING
    if is_door(what, "locked"):
        key = key_to(what)
        seen = UNLOCKING if places(state, key) else 0
        return OPENING if state.carrying == key else seen
    return LIFTING if kind(what) in MOVABLE else 0


def _is_passage(state: Explorer, there: str) -> bool:
    """Whether something that lies there could be in the way: at a door, or between two rooms."""
    seen = [_seen(state, near) for near in around(there)]
    free = [is_free(what) for what in seen]
    parts = sum(one and not other for one, other in zip(free, free[1:] + free[:1], strict=True))
    return parts > 1 or UNSEEN in seen or any(kind(what) == "door" for what in seen)


def _seen(state: Explorer, there: str) -> str:
    return state.cell[there] if state.is_known(Explorer.cell[there]) else UNSEEN
