"""The MiniGrid domain: find things behind doors in a world that is only seen in part."""

from __future__ import annotations

from bthtn import UNKNOWN, Domain, Methods, Primitive, defer, method, one_of, primitive
from bthtn.kit.grids import Cell

from .beliefs import MOVABLE, NOTHING, Explorer, is_door, key_to, kind, opened
from .ways import boxes, has_clear_way, obstacles, places, spots, unseen, way

minigrid = Domain("minigrid", Explorer)


# what can be wanted


@minigrid.compound
def get(thing: str) -> Methods:
    """Hold a thing; look for it first if it was never seen."""
    place = one_of(lambda state: places(state, thing))
    yield method(when=Explorer.carrying == thing)
    yield method(lift(place))
    yield method(look_around(), defer(get(thing), now=True))


@minigrid.compound
def unbar(thing: str) -> Methods:
    """Open a door; look for it first if it was never seen."""
    place = one_of(lambda state: places(state, thing))
    yield method(clear(place))
    yield method(look_around(), defer(unbar(thing), now=True))


@minigrid.compound
def reach(thing: str) -> Methods:
    """Stand on something; look for it first if it was never seen."""
    place = one_of(lambda state: places(state, thing))
    yield method(approach(place), enter(place))
    yield method(look_around(), defer(reach(thing), now=True))


# how it is done


@minigrid.compound
def look_around() -> Methods:
    """See what was never seen: the easiest place, or else what is in a box."""
    place, box = one_of(unseen), one_of(boxes)
    yield method(see(place))
    yield method(approach(box), open_box(box))
    yield method(empty_hands(), look_around(), when=lambda state: kind(state.carrying) == "box")


@minigrid.compound
def see(place: Cell) -> Methods:
    """Get to know what is in a place."""
    obstacle = one_of(lambda state: obstacles(state, place)[:1])
    yield method(look_at(place))
    yield method(clear(obstacle), see(place))


@minigrid.compound
def approach(place: Cell) -> Methods:
    """Stand before a place and face it; what is in the way is cleared away."""
    obstacle = one_of(lambda state: obstacles(state, place)[:1])
    yield method(when=Explorer.front == place)
    yield method(go_up_to(place))
    yield method(clear(obstacle), approach(place))


@minigrid.compound
def clear(place: Cell) -> Methods:
    """Open the door there, with its key if it is locked; or carry away what lies there."""
    key = one_of(lambda state: (key_to(state.cell[place]),))
    yield method(
        *(approach(place), open_door(place)),
        when=lambda state: is_door(state.cell[place], "closed"),
    )
    yield method(
        *(get(key), approach(place), unlock(place)),
        when=lambda state: is_door(state.cell[place], "locked"),
    )
    yield method(lift(place), when=lambda state: kind(state.cell[place]) in MOVABLE)


@minigrid.compound
def lift(place: Cell) -> Methods:
    """Hold what lies there. He who holds something else puts it down before."""
    yield method(approach(place), empty_hands(), approach(place), pick_up(place))


@minigrid.compound
def empty_hands() -> Methods:
    """Hold nothing."""
    spot = one_of(spots)
    yield method(when=Explorer.carrying == NOTHING)
    yield method(approach(spot), put_down())


# steps: what they lead to is expected, since sensors tell what came of them


@minigrid.primitive
def look_at(place: Cell) -> Primitive:
    """Walk towards a place until it is seen. Nobody can tell what that will be, or from where."""
    return primitive(
        precondition=lambda state: has_clear_way(state, place),
        expected=[Explorer.at.becomes(UNKNOWN), Explorer.front.becomes(UNKNOWN)],
    )


@minigrid.primitive
def go_up_to(place: Cell) -> Primitive:
    """Walk until one stands before a place and faces it."""

    def stand_before(state: Explorer) -> None:
        state.at = way(state, place)[-2]
        state.front = place

    return primitive(precondition=lambda state: has_clear_way(state, place), expected=stand_before)


@minigrid.primitive
def enter(place: Cell) -> Primitive:
    """Step forward."""
    return primitive(
        precondition=Explorer.front == place,
        expected=[Explorer.at.becomes(place), Explorer.front.becomes(UNKNOWN)],
    )


@minigrid.primitive
def pick_up(place: Cell) -> Primitive:
    """Pick up what lies there."""
    thing = Explorer.cell[place]

    def can_be_had(state: Explorer) -> bool:
        lies_there = kind(state.cell[place]) in MOVABLE
        return lies_there and state.front == place and state.carrying == NOTHING

    return primitive(
        precondition=can_be_had,
        expected=[
            Explorer.carrying.becomes(thing),
            Explorer.where[thing].becomes(UNKNOWN),
            Explorer.cell[place].becomes("floor"),
        ],
    )


@minigrid.primitive
def open_door(place: Cell) -> Primitive:
    """Open a door that is not locked."""

    def swing(state: Explorer) -> None:
        state.cell[place] = opened(state.cell[place])

    return primitive(precondition=Explorer.front == place, expected=swing)


@minigrid.primitive
def open_box(place: Cell) -> Primitive:
    """Open a box, of which nothing is left but what was in it."""
    return primitive(
        precondition=Explorer.front == place, expected=Explorer.cell[place].becomes(UNKNOWN)
    )


@minigrid.primitive
def unlock(place: Cell) -> Primitive:
    """Open a locked door with the key in one's hand."""

    def swing(state: Explorer) -> None:
        state.cell[place] = opened(state.cell[place])

    def fits(state: Explorer) -> bool:
        return state.front == place and state.carrying == key_to(state.cell[place])

    return primitive(precondition=fits, expected=swing)


put_down = minigrid.primitive(
    "put_down",
    precondition=Explorer.carrying != NOTHING,
    expected=[
        Explorer.cell[Explorer.front].becomes(Explorer.carrying),
        Explorer.where[Explorer.carrying].becomes(Explorer.front),
        Explorer.carrying.becomes(NOTHING),
    ],
)
