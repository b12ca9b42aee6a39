"""A surveyor: what the seeded faults of constructs and indices are found with."""

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    partial_order,
    primitive,
    unordered,
)


class Map(State):
    km: FluentFamily[tuple[str, str], int] = fluents(default=8)
    at: Fluent[str] = fluent(default="camp")
    light: Fluent[bool] = fluent(default=False)


survey = Domain("survey", Map)
scan, dig, fill = (survey.primitive(name) for name in ("scan", "dig", "fill"))
sing = survey.primitive("sing", precondition=~Map.light)
open_box = survey.primitive("open_box", effects=Map.light.becomes(True))
read = survey.primitive("read", precondition=Map.light)


@survey.primitive
def walk(here: str, there: str) -> Primitive:
    return primitive(precondition=Map.km[here, there] < 3, effects=Map.at.becomes(there))


@survey.primitive
def drive(there: str) -> Primitive:
    return primitive(effects=Map.at.becomes(there))


@survey.compound
def go(here: str, there: str) -> Methods:
    yield method(walk(here, there), when=Map.km[here, there] < 3)
    yield method(drive(there))


@survey.compound
def examine() -> Methods:
    """The hole is filled last, however the parts are written."""
    yield method(
        partial_order("dig < fill", "scan < fill", fill=fill(), scan=scan(), dig=dig()),
    )


@survey.compound
def study() -> Methods:
    """A box is opened between the song and the book, which are one part."""
    yield method(unordered((sing(), read()), open_box()))
