"""What a camper can do: gather wood, light a fire, rest beside it, and hide."""

from __future__ import annotations

from bthtn import Domain, Fluent, Methods, State, fluent, method


class Camper(State):
    """What a camper believes. Sensors write what is volatile, and no plan can predict it."""

    wood: Fluent[int] = fluent(default=0)
    burning: Fluent[bool] = fluent(default=False)
    wolf: Fluent[bool] = fluent(default=False, volatile=True)


camping = Domain("starter", Camper)
gather = camping.primitive("gather", effects=Camper.wood.increases(1), duration=2)
light = camping.primitive(
    "light",
    precondition=Camper.wood > 0,
    effects=[Camper.wood.decreases(1), Camper.burning.becomes(True)],
)
rest = camping.primitive("rest", precondition=Camper.burning)
hide = camping.primitive("hide")


@camping.compound
def keep_warm() -> Methods:
    """Rest while the fire burns; else light it, with wood that may have to be gathered."""
    yield method(rest(), when=Camper.burning)
    yield method(light(), when=Camper.wood > 0)
    yield method(gather(), light())


@camping.compound
def stay_alive() -> Methods:
    """Hide; without a wolf there is no plan."""
    yield method(hide(), when=Camper.wolf)
