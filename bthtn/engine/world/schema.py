"""Schemas: the fluents that a State class declares."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterator, Mapping
from enum import Enum
from inspect import get_annotations
from math import isfinite
from typing import Any, Final, cast

from bthtn.engine.world.at_start import AtStart
from bthtn.engine.world.expression import Constant, Expression, Parameter, operands
from bthtn.engine.world.fluent import Fluent, FluentFamily, LocalFluent, MemberOf
from bthtn.engine.world.names import BRACKETS, in_one_line, name_faults
from bthtn.engine.world.relation import Relation, Tuples
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.engine.world.value_type import COLLECTIONS, resolved
from bthtn.errors import Diagnostic, InputError, StateError, nearest
from bthtn.records import record

_SETTING: Final = re.compile(rf"\s*([^=\[]+(?:{BRACKETS})?)\s*=(.*)", re.DOTALL)


@record(eq=False)
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
        """The fluent written as ``name``, ``name[index]`` or ``name{place}``. Raises StateError."""
        name, brace, place = text.partition("{")
        if brace and place.endswith("}") and name in self.fluents:
            return self.fluents[name].local(place[:-1])
        name, bracket, index = text.partition("[")
        if not bracket and name in self.fluents:
            return self.fluents[name]
        if bracket and index.endswith("]") and name in self.families:
            return self.families[name].parse_index(index[:-1])
        raise self._unknown(text)

    def setting(self, text: str) -> tuple[Fluent[Any], Any]:
        """The fluent and the value of a text such as ``ammo=3``. Raises BthtnError."""
        parts = _SETTING.fullmatch(text)
        if parts is None:
            hint = "write fluent=value, such as ammo=false"
            raise InputError("BT409", f"'{text}' sets nothing", hint=hint)
        fluent = self.variable(parts[1].strip())
        return fluent, fluent.parse(parts[2].strip())

    def entry(self, text: str, given: Any) -> tuple[Fluent[Any], Any]:
        """The fluent and the value of an entry in TOML, such as ``ammo = 3``.

        Raises StateError, and ValueError for a list that is no value of the type.
        """
        fluent = self.variable(text)
        return fluent, value_for(fluent, given)

    def has(self, thing: Fluent[Any] | FluentFamily[Any, Any]) -> bool:
        """Whether the fluent or family is one of this schema, and not of another's."""
        if isinstance(thing, FluentFamily):
            return self.families.get(thing.name) is thing
        if isinstance(thing, LocalFluent):
            return self.has(thing.declared)
        if thing.index is None:
            return self.fluents.get(thing.name) is thing
        family = self.families.get(thing.name)
        return (
            family is not None and family.prototype.values is thing.values
        )  # its members share it

    def check(self, *expressions: Expression[Any]) -> None:
        """Raise StateError for an expression that mentions a fluent of another State class.

        Raises DomainError for an ``at_start``, which only preconditions have: taken off by then.
        """
        pending = [*expressions]
        for part in pending:
            kind = type(part)
            if kind is Constant or kind is Parameter:  # as most are
                continue
            if kind is AtStart:
                raise cast("AtStart", part).misplaced()
            pending.extend((part.index,) if isinstance(part, MemberOf) else operands(part))
            mentioned = part.family if isinstance(part, MemberOf) else part
            if isinstance(mentioned, Fluent | FluentFamily) and not self.has(mentioned):
                raise self._foreign(mentioned.name)

    def own(self, thing: Fluent[Any] | FluentFamily[Any, Any], where: str) -> None:
        """Raise StateError for a fluent or family of another State class."""
        if not self.has(thing):
            raise self._foreign(thing.name, where)

    def fluent(self, given: object) -> Fluent[Any]:
        """The given object itself. Raises StateError if it is no fluent of this schema."""
        if isinstance(given, Fluent):
            if self.has(given):
                return given
            raise self._foreign(given.name)
        if isinstance(given, str) and (given in self.fluents or given in self.families):
            hint = f"write the fluent itself: {self.name}.{given}"
        elif isinstance(given, FluentFamily | MemberOf):
            name = given.name if isinstance(given, FluentFamily) else given.family.name
            hint = f"give it an index that is a value: {self.name}.{name}[…]"
        else:
            hint = f"write a fluent of {self.name}"
        shown = f"'{given}'" if isinstance(given, str) else f"{given!r}"
        raise StateError("BT102", f"{shown} is no fluent", hint=hint)

    def _foreign(self, name: str, where: str = "") -> StateError:
        known = [*self.fluents, *self.families]
        hint = f"write {self.name}.{name}" if name in known else nearest(name, known)
        message = f"'{name}' is a fluent of another State class than {self.name}"
        return StateError("BT102", message, where, hint)

    def _unknown(self, text: str) -> StateError:
        hint = nearest(text, [*self.fluents, *self.families])
        shown = {f"did you mean '{name}'?": f"{name}[…]" for name in self.families}
        if hint in shown:
            hint = f"did you mean '{shown[hint]}'?"
        elif not hint.startswith("did you mean"):
            hint = nearest(text, [*self.fluents, *(f"{name}[…]" for name in self.families)])
        return StateError("BT102", f"{self.name} has no fluent '{text}'", hint=hint)


def schema_from(owner: type, reserved: Container[str]) -> StateSchema:
    """The schema of a class: its own fluents and those it inherits.

    Raises StateError for invalid names, and for a fluent with a reserved name: it would hide a
    method of State.
    """
    unfit = list(name_faults("a State class", owner.__name__))
    fluents: dict[str, Fluent[Any]] = {}
    families: dict[str, FluentFamily[Any, Any]] = {}
    scope, annotations = vars(sys.modules[owner.__module__]), get_annotations(owner)
    for name, attribute in _declared(owner):
        attribute.annotate(resolved(annotations.get(name), scope, owner))
    for ancestor in reversed(owner.__mro__):
        for name, attribute in _declared(ancestor):
            if name in fluents or name in families:
                unfit.append(_declared_again(owner, name, ancestor))
            elif isinstance(attribute, Fluent):
                fluents[name] = attribute
            else:
                families[name] = attribute
    for name in (*fluents, *families):
        unfit += name_faults("a fluent", name, in_one_line(f"class {owner.__name__}"))
        if name in reserved:
            message = f"a fluent of {owner.__name__} cannot be called '{name}'"
            hint = "every state has something of that name; choose another one"
            raise StateError("BT112", message, hint=hint)
    StateError.raise_for(unfit)
    return StateSchema(owner.__name__, fluents, families)


def _declared(owner: type) -> Iterator[tuple[str, Fluent[Any] | FluentFamily[Any, Any]]]:
    """The fluents and families that stand in the class itself."""
    for name, attribute in vars(owner).items():
        if isinstance(attribute, Fluent | FluentFamily):
            yield name, attribute


def _declared_again(owner: type, name: str, ancestor: type) -> Diagnostic:
    message = f"{owner.__name__} would have two fluents called '{name}'"
    hint = (
        "declare it once, in the class that the others derive from; a state may be given"
        " another value than the default"
    )
    return Diagnostic("BT112", message, f"class {ancestor.__name__}", hint)


def _nested(item: Any) -> Any:
    """An item of a list: a list in it is a tuple."""
    return tuple(map(_nested, item)) if isinstance(item, list) else item


def value_for(fluent: Fluent[Any], given: Any) -> Any:
    """The value of a fluent for one of TOML or JSON; the inverse of ``written``.

    Raises StateError, and ValueError for a list that is no value of the type.
    """
    if isinstance(fluent, Relation):
        return fluent.read(given)
    kind, value = fluent.value_type, given
    if isinstance(given, str) and (issubclass(kind, Enum) or given in ("unknown", "none")):
        value = fluent.parse(given)
    elif isinstance(given, list) and kind in COLLECTIONS:
        value = kind(map(_nested, given))
    fluent.check(value)
    return value


def written(value: Any) -> Any:
    """A value as TOML and JSON have it, if they can."""
    if value is None or value is UNKNOWN or isinstance(value, Enum):
        return value_text(value)
    if isinstance(value, frozenset):
        return sorted(map(written, value), key=str)
    return [written(item) for item in value] if isinstance(value, tuple | Tuples) else value


def is_plain(value: Any) -> bool:
    """Whether TOML and JSON write the value alike."""
    match value:
        case list():
            return all(map(is_plain, value))
        case float():
            return isfinite(value)
        case _:
            return isinstance(value, bool | int | str)
