"""The Crafter domain: live off the land, and make one tool with another."""

from __future__ import annotations

from bthtn import Domain, Methods, Primitive, defer, method, primitive

from .beliefs import (
    PRICES,
    SOURCES,
    TOOLS,
    Castaway,
    can_fetch,
    lacks_tool,
    materials,
    to_place,
    wood_to_come,
)

crafter = Domain("crafter", Castaway)


# what can be wanted


@crafter.compound
def live() -> Methods:
    """One thing after the other that he has never done; then life goes on."""
    yield method(progress(), defer(live(), now=True))


@crafter.compound
def progress() -> Methods:
    """The next thing that he has never done: the first one that can be done as things are."""
    yield method(make("wood_pickaxe"), when=Castaway.has["wood_pickaxe"] == 0)
    yield method(make("wood_sword"), when=Castaway.has["wood_sword"] == 0)
    yield method(harvest(), when=~Castaway.done["harvest"] & Castaway.known["plant-ripe"])
    yield method(have("sapling", 1), plant(), when=~Castaway.done["plant"])
    yield method(drink(), when=~Castaway.done["drink"] & Castaway.known["water"])
    yield method(
        fill_up_with_wood(), make("stone_pickaxe"), when=Castaway.has["stone_pickaxe"] == 0
    )
    yield method(make("stone_sword"), when=Castaway.has["stone_sword"] == 0)
    yield method(have("stone", 1), put("stone"), when=~Castaway.done["stone"])
    yield method(furnish(), when=~Castaway.done["furnace"])
    yield method(
        have("coal", 2),
        when=(Castaway.has["coal"] == 0)
        & Castaway.known["coal"]
        & (Castaway.has["iron_sword"] == 0),
    )
    yield method(make("iron_pickaxe"), when=Castaway.has["iron_pickaxe"] == 0)
    yield method(
        *(have("sapling", 1), have("stone", 5), plant_bed()),
        when=~Castaway.done["harvest"] & ~Castaway.known["bed"],
    )
    yield method(make("iron_sword"), when=Castaway.has["iron_sword"] == 0)
    yield method(have("diamond", 1), when=Castaway.has["diamond"] == 0)
    yield method(slay("zombie"), when=~Castaway.done["zombie"])
    yield method(slay("skeleton"), when=~Castaway.done["skeleton"])
    yield method(slay("cow"), when=~Castaway.done["cow"])
    yield method(quench(), when=~Castaway.done["drink"])
    yield method(go_home(), dig_in(), tend(), when=~Castaway.done["harvest"])


@crafter.compound
def make(tool: str) -> Methods:
    """Have a tool. What it takes is gathered first; where that leads to is not known before."""
    yield method(
        lambda state: [*map(put, to_place(state, tool)), craft(tool)],
        when=lambda state: all(state.has[x] >= n for x, n in materials(state, tool).items()),
    )
    yield method(
        lambda state: [
            *(have(thing, count) for thing, count in materials(state, tool).items()),
            defer(make(tool), now=True),
        ]
    )


@crafter.compound
def furnish() -> Methods:
    """Have a furnace beside a table."""
    yield method(have("stone", 4), put("furnace"), when=Castaway.near["table"])
    yield method(have("wood", 2), have("stone", 4), put("table"), put("furnace"))


@crafter.compound
def have(thing: str, count: int) -> Methods:
    """Carry so many of a thing; look for it first if no place of it is known."""
    yield method(when=Castaway.has[thing] >= count)
    yield method(
        lambda _: [make(TOOLS[thing]), defer(have(thing, count), now=True)],
        when=lambda state: state.has[thing] < count and lacks_tool(state, thing),
    )
    yield method(
        fetch(thing, count),
        when=lambda state: state.has[thing] < count and can_fetch(state, thing),
    )
    yield method(
        lambda _: [find(SOURCES[thing]), defer(have(thing, count), now=True)],
        when=lambda state: state.has[thing] < count and not state.known[SOURCES[thing]],
    )


@crafter.compound
def fill_up_with_wood() -> Methods:
    """Take the wood for all that is still to be made along: where the stones are, are no trees."""
    yield method(lambda state: [have("wood", wood_to_come(state))])


@crafter.compound
def slay(creature: str) -> Methods:
    """Kill a creature; look for one first."""
    yield method(hunt(creature), when=Castaway.known[creature])
    yield method(find(creature), defer(slay(creature), now=True), when=~Castaway.known[creature])


@crafter.compound
def quench() -> Methods:
    """Drink; look for water first."""
    yield method(drink(), when=Castaway.known["water"])
    yield method(find("water"), defer(quench(), now=True), when=~Castaway.known["water"])


@crafter.compound
def rest() -> Methods:
    """Sleep where nothing can come."""
    yield method(sleep(), when=Castaway.sheltered)
    yield method(go_home(), dig_in(), sleep(), when=Castaway.has["stone"] >= 4)
    yield method(have("stone", 8), go_home(), dig_in(), sleep(), when=Castaway.has["stone"] < 8)


# steps: what they lead to is expected, since sensors tell what came of them


@crafter.primitive
def fetch(thing: str, count: int) -> Primitive:
    """Go where the thing is taken from until there are so many: the nearest is chosen each time."""
    return primitive(expected=Castaway.has[thing].becomes(count))


@crafter.primitive
def find(kind: str) -> Primitive:
    """Go where nobody has been until one is seen."""
    return primitive(expected=Castaway.known[kind].becomes(True))


@crafter.primitive
def put(thing: str) -> Primitive:
    """Place a workshop or a stone on the ground in front."""
    return primitive(
        expected=Castaway.near[thing].becomes(True), effects=Castaway.done[thing].becomes(True)
    )


@crafter.primitive
def craft(tool: str) -> Primitive:
    """Make a tool beside its workshops."""

    def made(state: Castaway) -> None:
        state.has[tool] += 1
        for thing, count in PRICES[tool].items():
            state.has[thing] -= count

    return primitive(expected=made)


@crafter.primitive
def hunt(creature: str) -> Primitive:
    """Go after the nearest one until it is dead."""
    return primitive(effects=Castaway.done[creature].becomes(True))


harvest = crafter.primitive("harvest", effects=Castaway.done["harvest"].becomes(True))
tend = crafter.primitive("tend")
go_home = crafter.primitive("go_home")
plant_bed = crafter.primitive("plant_bed", expected=Castaway.known["bed"].becomes(True))
plant = crafter.primitive("plant", effects=Castaway.done["plant"].becomes(True))
drink = crafter.primitive("drink", effects=Castaway.done["drink"].becomes(True))
dig_in = crafter.primitive("dig_in", expected=Castaway.sheltered.becomes(True))
sleep = crafter.primitive("sleep", effects=Castaway.done["sleep"].becomes(True))
