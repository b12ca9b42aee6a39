"""Parts: the names of objects that a save refers to, such as tasks and fluents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, Final

from bthtn.domain.chance import SEED
from bthtn.saving.attributes import saved_class, state_of
from bthtn.world.fluent import Fluent, FluentFamily

_CONTAINERS: Final = (tuple, list)
_ATOMS: Final = (str, int, float, bytes, type(None), frozenset)
_DERIVED: Final = frozenset(
    {"_derived", "_listed", "_members", "_used", "_calls", "__weakref__", "owner"}
)
"""Attributes that are computed from others, or lead out of a domain."""


class Parts:
    """The parts of domains and goals by their places, ``soldier.tasks['shoot'].duration``."""

    def __init__(self) -> None:
        self._places: dict[int, str] = {}
        self._parts: dict[str, Any] = {}
        self._families: dict[str, list[str]] = {}
        self.add("seed", SEED)

    def add(self, name: str, whole: object) -> None:
        """Name a domain or goal, and all that it consists of, unless that has a name already."""
        pending = [(name, whole)]
        for place, part in pending:
            if id(part) in self._places:
                continue
            if not isinstance(part, (*_CONTAINERS, Mapping)):
                self._places[id(part)] = place
            self._parts[place] = part
            if isinstance(part, FluentFamily):
                self._families.setdefault(part.name, []).append(place)
            pending.extend(
                (place + step, inner)
                for step, inner in _inside(part)
                if not isinstance(inner, _ATOMS)
            )

    def place_of(self, part: object) -> str | None:
        """The place of a part; None for anything else."""
        return self._places.get(id(part))

    def family_of(self, member: Fluent[Any]) -> str | None:
        """The place of the family of a fluent; None for one of no known State class."""
        for place in self._families.get(member.name, ()):
            if self._parts[place].prototype.values is member.values:
                return place
        return None

    def at(self, place: str) -> Any:
        """The part at a place, None where there is none."""
        return self._parts.get(place)


def _inside(part: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object, each with the end of its place, in order of definition."""
    match part:
        case tuple() | list():
            yield from ((f"[{index}]", item) for index, item in enumerate(part))
        case Mapping():
            yield from ((f"[{getattr(key, 'name', key)!r}]", item) for key, item in part.items())
        case type():
            schema = vars(part).get("__schema__")
            yield from (() if schema is None else ((".__schema__", schema),))
        case FunctionType():
            return
        case _ if saved_class(type(part)) is type(part):
            state = state_of(part)
            yield from (
                (f".{name}", value) for name, value in state.items() if name not in _DERIVED
            )
        case _:
            return
