"""Schemas: the fluents that a State class declares."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from bthtn.errors import Diagnostic, StateError, nearest
from bthtn.world.fluent import Fluent, FluentFamily
from bthtn.world.names import in_one_line, name_faults


@dataclass(frozen=True, slots=True)
class StateSchema:
    """The fluents and families of one State class, by name, in order of declaration."""

    name: str
    fluents: Mapping[str, Fluent[Any]]
    families: Mapping[str, FluentFamily[Any, Any]]

    @property
    def has_volatile(self) -> bool:
        """Whether any fluent is driven by sensors."""
        declared = [*self.fluents.values(), *(f.prototype for f in self.families.values())]
        return any(fluent.volatile for fluent in declared)

    def named(self, name: str) -> Fluent[Any] | FluentFamily[Any, Any]:
        """The fluent or family of this name. Raises StateError with the nearest right name."""
        found = self.fluents[name] if name in self.fluents else self.families.get(name)
        if found is None:
            raise self._unknown(name)
        return found

    def variable(self, text: str) -> Fluent[Any]:
        """The fluent written as ``name`` or ``name[index]``. Raises StateError."""
        name, bracket, index = text.partition("[")
        if not bracket and name in self.fluents:
            return self.fluents[name]
        if bracket and index.endswith("]") and name in self.families:
            return self.families[name].parse_index(index[:-1])
        raise self._unknown(text)

    def _unknown(self, text: str) -> StateError:
        known = [*self.fluents, *(f"{name}[…]" for name in self.families)]
        return StateError(
            Diagnostic("BT102", f"{self.name} has no fluent '{text}'", hint=nearest(text, known))
        )


def schema_from(owner: type, reserved: Container[str]) -> StateSchema:
    """The schema of a class: its own fluents and those it inherits.

    Raises StateError for invalid names, and for a fluent with a reserved name: it would hide a
    method of State.
    """
    unfit = list(name_faults("a State class", owner.__name__))
    fluents: dict[str, Fluent[Any]] = {}
    families: dict[str, FluentFamily[Any, Any]] = {}
    for ancestor in reversed(owner.__mro__):
        for name, attribute in vars(ancestor).items():
            if isinstance(attribute, Fluent):
                fluents[name] = attribute
            elif isinstance(attribute, FluentFamily):
                families[name] = attribute
    for name in (*fluents, *families):
        unfit += name_faults("a fluent", name, in_one_line(f"class {owner.__name__}"))
        if name in reserved:
            raise StateError(
                Diagnostic(
                    "BT112",
                    f"a fluent of {owner.__name__} cannot be called '{name}'",
                    hint="every state has something of that name; choose another one",
                )
            )
    if unfit:
        raise StateError(unfit)
    return StateSchema(owner.__name__, fluents, families)
