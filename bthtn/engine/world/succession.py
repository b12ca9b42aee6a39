"""Succession: a newer version of a State class takes the place of the one that is in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bthtn.engine.world.fluent import Fluent, FluentFamily, LocalFluent
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.state import FrozenState, State
from bthtn.engine.world.truth import value_text
from bthtn.errors import StateError

Declared = Fluent[Any] | FluentFamily[Any, Any]


class Carried(NamedTuple):
    """Values of a newer State class.

    ``lost`` are older values whose fluents it does not have, or has with another type;
    ``defaulted`` are the fluents that have a value of their own: those that are new, and those
    with another type or default. Both are texts such as ``ammo = 3``.
    """

    values: FrozenState
    lost: tuple[str, ...]
    defaulted: tuple[str, ...]


def keep_fluents(newer: type[State], older: type[State]) -> None:
    """Let a State class that was just made have the fluents of an older version of it.

    Those that are declared as before are the same objects again, so that code which was loaded
    before goes on with the same fluents.
    """
    kept: dict[str, Any] = {}
    before: Any
    for name, made in list(vars(newer).items()):
        before = vars(older).get(name)
        if isinstance(made, Fluent | FluentFamily) and _is_same(made, before):
            kept[name] = before
            before.__set_name__(newer, name)
            type.__setattr__(newer, name, before)  # what the class itself refuses
    schema = newer.__schema__
    newer.__schema__ = StateSchema(
        schema.name,
        {name: kept.get(name, fluent) for name, fluent in schema.fluents.items()},
        {name: kept.get(name, family) for name, family in schema.families.items()},
    )


def carried(values: Mapping[Fluent[Any], Any], older: StateSchema, newer: State) -> Carried:
    """The state ``newer`` with the values of the older version, by name and type."""
    schema, initial = type(newer).__schema__, newer.frozen()
    kept: dict[Fluent[Any], Any] = {}
    lost: list[str] = []
    for fluent, value in values.items():
        newer_fluent = _counterpart(fluent, schema)
        if newer_fluent is not None and newer_fluent.accepts(value):
            kept[newer_fluent] = value
        else:
            lost.append(f"{fluent} = {value_text(value)}")
    for newer_fluent in (*schema.fluents.values(), *initial.values):
        before = _counterpart(newer_fluent, older)
        if newer_fluent not in kept and before is not None and _is_same(newer_fluent, before):
            kept[newer_fluent] = before.default
    state = initial.changed(kept)
    defaulted = [
        f"{fluent} = {value_text(state.get(fluent))}"
        for fluent in schema.fluents.values()
        if fluent not in kept
    ]
    defaulted += [
        f"{name}[…] = {value_text(family.prototype.default)}"
        for name, family in schema.families.items()
        if not _is_same(family, older.families.get(name))
    ]
    return Carried(state, tuple(sorted(lost)), tuple(sorted(defaulted)))


def _counterpart(fluent: Fluent[Any], schema: StateSchema) -> Fluent[Any] | None:
    """The fluent of this schema with the same name, index and place, None if there is none."""
    if isinstance(fluent, LocalFluent):
        declared = _counterpart(fluent.declared, schema)
        return None if declared is None else declared.local(fluent.place)
    if fluent.index is None:
        return schema.fluents.get(fluent.name)
    family = schema.families.get(fluent.name)
    try:
        return None if family is None else family.member(fluent.index)
    except StateError:  # an index that the family does not have any more
        return None


def _is_same(one: Declared, other: object) -> bool:
    """Whether both are declared alike."""
    match one, other:
        case Fluent(), Fluent():
            same = (one.values, one.volatile) == (other.values, other.volatile)
            return (
                same and type(one.default) is type(other.default) and one.default == other.default
            )
        case FluentFamily(), FluentFamily():
            return one.indices == other.indices and _is_same(one.prototype, other.prototype)
        case _:
            return False
